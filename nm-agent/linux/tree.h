/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - making and removing directories that others may write in
 */
#ifndef CREEL_NM_TREE_H
#define CREEL_NM_TREE_H

#include <sys/types.h>

#include "common/base/err.h"

/* Make PATH and what is missing above it, mode MODE for those made here. 0 or -errno. */
int tree_make(const char *path, mode_t mode, struct err *err);

/* Remove PATH and all below. Follows no link, whatever its depth uses a fixed number of
 * descriptors, takes what it can and tells the first that stayed. Nothing there is fine. */
int tree_remove(const char *path);

#endif
