/* SPDX-License-Identifier: Apache-2.0 */
/* work.h - a container's directories, and what lies in them when it starts */
#ifndef CREEL_NM_WORK_H
#define CREEL_NM_WORK_H

#include "nm-agent/linux/runtime_state.h"

/* Make working directory (in every local dir, the command's own in META->work) and log directory
 * of PLAN for USER, link its files, write its secrets. META's texts are set even on failure, for
 * cleaning up. */
int work_make(struct runtime *runtime, const struct launch *launch, const struct user *user,
              struct meta *meta, struct err *err);

/* LOCAL_DIRS of the container: one in each local dir, comma-separated; the caller's. */
char *work_local_dirs(const struct runtime *runtime, const struct launch *launch);

#endif
