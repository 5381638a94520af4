/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - what launching a container and a command inside it have in common
 *
 * Private to nm-agent/linux.
 */
#ifndef CREEL_NM_LAUNCH_H
#define CREEL_NM_LAUNCH_H

#include "nm-agent/linux/runtime_state.h"

/* The plan for the shim as a memory file: its descriptor, the caller's, or -errno. */
int launch_write_plan(const struct runtime *runtime, const struct launch *launch,
                      const struct user *user, const struct meta *meta, int64_t memory_bytes,
                      struct err *err);

#endif
