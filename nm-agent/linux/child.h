/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.h - starting a program that is not a container's command: a shim, a health script
 *
 * By posix_spawn, so that it costs the same however large the agent is.
 */
#ifndef CREEL_NM_CHILD_H
#define CREEL_NM_CHILD_H

#include <stddef.h>
#include <sys/types.h>

/* Run PATH in a session of its own, no signal blocked, ignored or caught. FDS[i] becomes its
 * descriptor i, -1: /dev/null; of the agent's others it has those alone that are not close-on-exec.
 * *PID is the caller's child, to be waited for. 0 or -errno. */
int child_spawn(const char *path, char *const argv[], char *const environment[], const int *fds,
                size_t count, pid_t *pid);

#endif
