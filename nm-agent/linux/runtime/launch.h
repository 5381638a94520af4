/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - writes the plan of a container or of a command inside a container
 *
 * Private to nm-agent/linux.
 */
#ifndef CREEL_NM_LAUNCH_H
#define CREEL_NM_LAUNCH_H

#include "nm-agent/linux/runtime_state.h"

/* Writes the plan for the shim to a memory file. Returns its descriptor, owned by the caller, or -errno. */
int launch_write_plan(const struct runtime *runtime, const struct launch *launch, const struct user *user,
                      const struct meta *meta, int64_t memory_bytes, struct err *err);

#endif
