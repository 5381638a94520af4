/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.h - starts a program that is not a container's command: a shim, a health script
 *
 * Uses posix_spawn, whose cost does not depend on the memory size of the agent.
 */
#ifndef CREEL_NM_CHILD_H
#define CREEL_NM_CHILD_H

#include <stddef.h>
#include <sys/types.h>

/* Runs PATH in a new session, with no signal blocked, ignored or caught. FDS[i] becomes its descriptor i, -1:
 * /dev/null. Of the agent's other descriptors it inherits only those without close-on-exec. *PID is a child
 * that the caller must wait for. Returns 0 or -errno. */
int child_spawn(const char *path, char *const argv[], char *const environment[], const int *fds, size_t count,
                pid_t *pid);

#endif
