/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workdir_pool.h - unused working directories, for the next containers of the same application
 *
 * Private to nm-agent/linux. Many containers leave nothing in theirs. To make and remove two directories for
 * each takes longer than all else that is written of a container; to rename one is cheap.
 */
#ifndef CREEL_NM_WORKDIR_POOL_H
#define CREEL_NM_WORKDIR_POOL_H

#include "nm-agent/linux/runtime_state.h"

/* Put the directory of an ended container into the pool; false: it is not as it was made, or cannot
 * be moved. */
bool workdir_pool_put(struct runtime *runtime, const struct meta *meta);
/* A directory of the pool, if it is UID's and of PATH's application, becomes PATH with the empty
 * "tmp" in it; false: there is none. */
bool workdir_pool_take(struct runtime *runtime, const char *path, uid_t uid);
/* Free the list; the directories stay. */
void workdir_pool_free(struct runtime *runtime);

#endif
