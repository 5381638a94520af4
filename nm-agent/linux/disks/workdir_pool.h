/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workdir_pool.h - reuses unused working directories for the next containers of the same application
 *
 * Private to nm-agent/linux. Many containers leave no files in their working directory. Creating and removing
 * two directories for each container takes longer than all other writes for it; a rename is cheap.
 */
#ifndef CREEL_NM_WORKDIR_POOL_H
#define CREEL_NM_WORKDIR_POOL_H

#include "nm-agent/linux/runtime_state.h"

/* Puts the directory of an ended container into the pool. Returns false if the directory was changed, or
 * cannot be moved. */
bool workdir_pool_put(struct runtime *runtime, const struct meta *meta);
/* Renames a directory of the pool to PATH. The directory belongs to user UID and PATH's application, and has
 * an empty "tmp" in it. Returns false if the pool has none. */
bool workdir_pool_reuse(struct runtime *runtime, const char *path, uid_t uid);
/* Returns true if the directory PATH is in the pool. */
bool workdir_pool_has(const struct runtime *runtime, const char *path);
/* Frees the list; the directories stay on disk. */
void workdir_pool_free(struct runtime *runtime);

#endif
