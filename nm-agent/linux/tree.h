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
/* The same for a directory whose entries are independent, as those of containers are: see tree_spread. */
int tree_make_wide(const char *path, mode_t mode, struct err *err);
/* Have the file system put directories that are made in PATH from now on far from each other (what
 * chattr +T does) where that pays: ext4 without a journal takes no inode of a group again within
 * minutes of its end, and looks at each of those for every new one. Where containers come and go and
 * all have their files in one group, that is half of what their start costs. Elsewhere
 * nothing is done: to look for a place far off takes time, too. */
void tree_spread(const char *path);

/* 0 if only root (and this process's user) can change what PATH or a directory on the
 * way to it means. -EPERM, and ERR names the user that can, and what to do. */
int tree_judge(const char *path, struct err *err);

/* Remove PATH and all below. Follows no link, whatever its depth uses a fixed number of
 * descriptors, removes what it can and returns the first that stayed. Nothing there is fine. */
int tree_remove(const char *path);
/* The same, but -EAGAIN at UNTIL_MS (monotonic) if it is not done then: call it again. */
int tree_remove_until(const char *path, int64_t until_ms);

#endif
