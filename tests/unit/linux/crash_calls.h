/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash_calls.h - fault injection: ends a process right before its Nth system call that changes state
 *
 * Programs linked with crash_calls.c and --wrap for each of its functions count their calls that change
 * files, processes or cgroups. Between two such calls other processes cannot see at which instruction a
 * process dies. So a test that crashes before each of the N calls covers a crash at every instruction.
 */
#ifndef CREEL_TESTS_CRASH_CALLS_H
#define CREEL_TESTS_CRASH_CALLS_H

#define CRASH_STATUS 99

/* Makes this process (not its children) end right before its COUNTth call from now on; 0: never. */
void crash_before(int count);
/* Returns the number of calls since crash_before. */
int crash_calls(void);

#endif
