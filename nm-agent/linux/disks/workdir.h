/* SPDX-License-Identifier: Apache-2.0 */
/* workdir.h - creates a container's directories and their initial content */
#ifndef CREEL_NM_WORKDIR_H
#define CREEL_NM_WORKDIR_H

#include "nm-agent/linux/runtime_state.h"

/* Creates the working directory (in every local dir; the command's own is META->work) and the log directory
 * of LAUNCH for USER, links its files, writes its secrets. META's texts are set even on failure, for the
 * cleanup. -EBADMSG: LAUNCH has two files with the same name, or one that is not the name of a file. */
int workdir_make(struct runtime *runtime, const struct launch *launch, const struct user *user,
                 struct meta *meta, struct err *err);

/* Returns LOCAL_DIRS of the container: one directory in each local dir, comma-separated; owned by the
 * caller. */
char *workdir_local_dirs(const struct runtime *runtime, const struct launch *launch);

#endif
