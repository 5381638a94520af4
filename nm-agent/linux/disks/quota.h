/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quota.h - limits the disk space of a container's directories by project quotas of the kernel
 *
 * ext4 (with its features project and quota) and XFS, mounted with prjquota, count the blocks of all files of
 * a project, and refuse to write more than the project's limit (EDQUOT). A file belongs to the project of the
 * directory in which it is created. Each container gets its own project from a range that the configuration
 * reserves.
 *
 * The agent also measures the directories (usage.h), because the owner of a file can remove the file from its
 * project (chattr -p), and ext4 allows processes with CAP_SYS_RESOURCE to exceed any limit.
 *
 * Needs CAP_SYS_ADMIN and Linux 5.14. Private to nm-agent/linux.
 */
#ifndef CREEL_NM_QUOTA_H
#define CREEL_NM_QUOTA_H

#include <stdint.h>

#include "common/base/err.h"

#define QUOTA_NONE 0 /* project of files without a project */

struct quota {
    uint32_t first, count; /* range of projects reserved for containers; COUNT 0: quotas are not
                              used */
    uint32_t next;         /* index in the range at which the next search begins */
    uint64_t max_bytes;    /* limit of each project on each file system */
};

/* Checks that projects on DIRECTORY's file system can be limited. Returns 0 or -errno; then ERR has the
 * remedy. */
int quota_check(const struct quota *quota, const char *directory, struct err *err);

/* Returns a project that has no files in the file systems of DIRECTORIES (NULL at the end), with its limit
 * set on the file systems that enforce quotas. QUOTA_NONE: no project is free, or no file system enforces
 * quotas. */
uint32_t quota_assign(struct quota *quota, char *const *directories);
/* Sets PROJECT for the directory FD and all files created in it later. Returns 0 or -errno. From then on hard
 * links from other projects into the directory fail (EXDEV). */
int quota_join(int fd, uint32_t project);
/* Returns the bytes of PROJECT on DIRECTORY's file system; 0 if quotas are not counted there. */
uint64_t quota_used(const char *directory, uint32_t project);
/* Removes the limit of PROJECT, unless files belong to it: files of another container that got the project
 * meanwhile, or files that are still to be removed. */
void quota_release(char *const *directories, uint32_t project);

#endif
