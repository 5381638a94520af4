/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - creates, checks and removes directory trees in which other users may write
 */
#ifndef CREEL_NM_TREE_H
#define CREEL_NM_TREE_H

#include <stdint.h>
#include <sys/types.h>

#include "common/base/err.h"

/* Creates PATH and its missing parents, with mode MODE. Returns 0 or -errno. */
int tree_make(const char *path, mode_t mode, struct err *err);
/* Does the same as tree_make for a directory whose entries are independent, such as those of containers: see
 * tree_spread. */
int tree_make_wide(const char *path, mode_t mode, struct err *err);
/* Makes the file system place new subdirectories of PATH in different block groups (as chattr +T does) if
 * that is faster. ext4 without a journal does not reuse an inode within minutes of its deletion, and checks
 * all such inodes of a group for each new inode. If containers are short and all their files are in one
 * group, this is half of the cost of a start. On other file systems nothing is done, because the search for a
 * distant place takes time, too. */
void tree_spread(const char *path);

/* Returns 0 if only root (and this process's user) can replace PATH or a directory on the way to it. -EPERM:
 * ERR names the user that can, and the remedy. */
int tree_judge(const char *path, struct err *err);

/* Removes PATH and everything below. Follows no links; uses a fixed number of descriptors at any depth;
 * removes as much as possible and returns the first error. A missing PATH is no error. */
int tree_remove(const char *path);
/* Does the same as tree_remove, but returns -EAGAIN if the removal is not finished at UNTIL_MS (monotonic):
 * call it again. */
int tree_remove_until(const char *path, int64_t until_ms);

#endif
