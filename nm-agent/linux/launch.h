/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - what launching a container and a command inside it have in common
 *
 * Private to nm-agent/linux.
 */
#ifndef CREEL_NM_LAUNCH_H
#define CREEL_NM_LAUNCH_H

#include "nm-agent/linux/container.h"

/* The plan for the shim as a memory file: its descriptor, the caller's, or -errno. */
int launch_write_plan(const struct runtime *runtime, const struct runtime_plan *launch,
                      const struct user *user, const struct meta *meta, int64_t memory_bytes,
                      struct err *err);

/* Run the shim at PATH, in a session of its own, with the COUNT descriptors FDS as 3, 4, ...; *PID is
 * the caller's child. 0 or -errno. */
int launch_spawn(const char *path, char *const argv[], const int *fds, size_t count, pid_t *pid);

#endif
