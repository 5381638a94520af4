/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - naming a process so that the name outlives it
 *
 * A pid comes again; pid, start time and boot together do not. Agent and shim
 * share this, so it needs libc alone.
 */
#ifndef CREEL_NM_PROCESS_H
#define CREEL_NM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_TEXT_MAX 128
#define PROCESS_BOOT_ID_MAX 40

struct process {
    pid_t pid;
    uint64_t start_ticks;               /* field 22 of /proc/<pid>/stat */
    char boot_id[PROCESS_BOOT_ID_MAX];
};

int process_boot_id(char boot_id[PROCESS_BOOT_ID_MAX]); /* of the running kernel; 0 or -errno */
/* 0 or -errno. A boot id that is there already is left as it is. */
int process_of(pid_t pid, struct process *process);
/* A pidfd if this very process lives (and is no zombie), else -ESRCH. */
int process_open(const struct process *process);

/* "pid start boot\n" */
void process_format(const struct process *process, char text[PROCESS_TEXT_MAX]);
bool process_parse(const char *text, struct process *process);

/* Bytes that PID and all its children that were waited for have had read and written, on disks;
 * -errno: it is gone, or this kernel does not count. */
int process_read_io(pid_t pid, uint64_t *read_bytes, uint64_t *written_bytes);

/* SIGKILL to every descendant of PID, which itself is spared. For when no control group tells who
 * belongs together. Returns how many there were; 0 too if this kernel does not list children. */
int process_kill_below(pid_t pid);

int64_t process_now_ms(void);           /* wall clock, since 1970 */

#endif
