/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash_calls.h - a process that ends right before its Nth call of the kernel
 *
 * Programs linked with crash_calls.c and --wrap for each of its functions count what
 * they are about to change in the world: files, processes, control groups. Between two
 * such calls it makes no difference to anybody else where a process dies, so that going
 * through all N is a death at every instruction.
 */
#ifndef CREEL_TESTS_CRASH_CALLS_H
#define CREEL_TESTS_CRASH_CALLS_H

#define CRASH_STATUS 99

/* From now on this process (not its children) ends before its COUNTth call; 0: never. */
void crash_before(int count);
/* How many calls there have been since. */
int crash_calls(void);

#endif
