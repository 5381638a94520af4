/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.h - starts a program in a process of its own
 *
 * All programs are started here, but those of the files that tools/check-style lists with their reasons. It
 * uses posix_spawn, whose cost does not depend on the memory of this process, and which is allowed with
 * threads.
 *
 *     const int fds[] = { SPAWN_NULL, output[1], SPAWN_SAME };
 *     const struct spawn tar = { .program = "tar", .arguments = words, .fds = fds, .fd_count = 3 };
 *     int r = spawn_start(&tar, &pid);
 *
 * What the struct leaves out, the program has from this process: environment, directory, session, process
 * group, blocked and ignored signals, and all descriptors without close-on-exec.
 */
#ifndef CREEL_BASE_SPAWN_H
#define CREEL_BASE_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SPAWN_NULL (-1) /* in place of a descriptor: /dev/null */
#define SPAWN_SAME (-2) /* the descriptor of this process with the same number */

struct spawn {
    const char *program;            /* its path; a name without slash is looked up in PATH */
    const char *const *arguments;   /* the name first; ends with NULL */
    const char *const *environment; /* ends with NULL; NULL: that of this process */
    const int *fds;                 /* fds[i] becomes descriptor i; it stays open in this process */
    size_t fd_count;
    bool closes_others;   /* it gets no descriptors from FD_COUNT up */
    int directory;        /* descriptor of its working directory; 0: that of this process */
    bool new_session;     /* a session of its own, without a terminal */
    bool new_group;       /* a process group of its own */
    bool usual_signals;   /* no signal is blocked or ignored; MASK is not used */
    const sigset_t *mask; /* its blocked signals; NULL: those of this process */
};

/* Starts the program. Returns 0, and sets *PID to a child that the caller has to wait for, or -errno, also
 * if the program cannot be executed. */
int spawn_start(const struct spawn *spawn, pid_t *pid);

/* Waits for the end of PID, through interruptions. Returns 0, and sets *STATUS as waitpid, or -errno. */
int spawn_wait(pid_t pid, int *status);

#endif
