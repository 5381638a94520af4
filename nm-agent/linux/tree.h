/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - making and removing directories that others may write in
 */
#ifndef CREEL_NM_TREE_H
#define CREEL_NM_TREE_H

#include <stdint.h>
#include <sys/types.h>

#include "common/base/err.h"

/* Make PATH and what is missing above it, mode MODE for those made here. 0 or -errno. */
int tree_make(const char *path, mode_t mode, struct err *err);

/* 0 if nobody but root (and this process's user) can change what PATH or a directory on the
 * way to it means. -EPERM, and ERR says who can and what to do. */
int tree_judge(const char *path, struct err *err);

/* Remove PATH and all below. Follows no link, whatever its depth uses a fixed number of
 * descriptors, takes what it can and tells the first that stayed. Nothing there is fine. */
int tree_remove(const char *path);
/* The same, but -EAGAIN at UNTIL_MS (monotonic) if it is not done then: call it again. */
int tree_remove_until(const char *path, int64_t until_ms);

#endif
