/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - identifies a process by pid, start time and boot id
 *
 * A pid is reused; the three together are not. Agent and shim use this file, so it needs libc alone.
 */
#ifndef CREEL_NM_PROCESS_H
#define CREEL_NM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define PROCESS_TEXT_MAX 128
#define PROCESS_BOOT_ID_MAX 40

struct process {
    pid_t pid;
    uint64_t start_ticks; /* field 22 of /proc/<pid>/stat */
    char boot_id[PROCESS_BOOT_ID_MAX];
};

int process_boot_id(char boot_id[PROCESS_BOOT_ID_MAX]); /* of the running kernel; returns 0 or -errno */
/* Fills PROCESS for PID. Returns 0 or -errno. A boot id that is set already is not changed. */
int process_of(pid_t pid, struct process *process);
/* Returns the process of PIDFD; 0: it has ended. */
pid_t process_of_fd(int pidfd);
/* Returns a pidfd if exactly this process lives (and is no zombie), else -ESRCH. */
int process_open(const struct process *process);

/* Returns the state of PID as in /proc/PID/stat, 'T' for one that is stopped; '\0': there is none. */
char process_state(pid_t pid);

/* Writes "pid start boot\n". */
void process_format(const struct process *process, char text[PROCESS_TEXT_MAX]);
bool process_parse(const char *text, struct process *process);

/* Stores the bytes that PID, and all its children that were waited for, have read and written on disks.
 * -errno: the process has ended, or this kernel does not count. */
int process_read_io(pid_t pid, uint64_t *read_bytes, uint64_t *written_bytes);

/* Stores the oldest process with NAME (PR_SET_NAME) that has the file of STATUS open as descriptor FD. Reads
 * all of /proc. Returns false if there is none. */
bool process_find_holder(const char *name, int fd, const struct stat *status, struct process *holder);
/* Stores the child of PARENT, which has one thread, that was started first. Returns false if it has no child,
 * or if this kernel does not list children. */
bool process_first_child(pid_t parent, struct process *child);
/* Returns the time at which PROCESS was started, in ms since 1970, to a hundredth of a second. */
int64_t process_start_ms(const struct process *process);

/* Returns whether PID is a descendant of ANCESTOR. */
bool process_is_below(pid_t pid, pid_t ancestor);
/* Sends SIGKILL to every descendant of PID, but not to PID. Used if no control group identifies the processes
 * of a container. Returns their number; 0 also if this kernel does not list children. */
int process_kill_below(pid_t pid);

int64_t process_now_ms(void); /* wall clock, ms since 1970 */

#endif
