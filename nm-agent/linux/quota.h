/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quota.h - the kernel bounds what the directories of a container take: project quotas
 *
 * ext4 (with its features project and quota) and XFS, mounted with prjquota, count the blocks of all
 * files of a project, and refuse to write more than the project's limit (EDQUOT). A file belongs to the
 * project of the directory in which it is made. Each container gets a project of its own, out of a range
 * that the configuration reserves for that.
 *
 * The agent measures the directories as well (usage.h): the owner of a file can take it out of its project
 * (chattr -p), and ext4 lets processes with CAP_SYS_RESOURCE exceed any limit.
 *
 * Needs CAP_SYS_ADMIN and Linux 5.14. Private to nm-agent/linux.
 */
#ifndef CREEL_NM_QUOTA_H
#define CREEL_NM_QUOTA_H

#include <stdint.h>

#include "common/base/err.h"

#define QUOTA_NONE 0                    /* the project of all files that have no other */

struct quota {
    uint32_t first, count;              /* the projects reserved for containers; COUNT 0: none are used */
    uint32_t next;                      /* of these, where the next search begins */
    uint64_t max_bytes;                 /* for each of them, on each file system */
};

/* Whether projects on DIRECTORY's file system can be bounded. 0 or -errno, ERR has what to do. */
int quota_check(const struct quota *quota, const char *directory, struct err *err);

/* A project that no file in the file systems of DIRECTORIES (NULL at the end) belongs to, now bounded on
 * those that enforce it. QUOTA_NONE: there is none, or no file system enforces it. */
uint32_t quota_take(struct quota *quota, char *const *directories);
/* What is made in the directory FD from now on belongs to PROJECT. 0 or -errno. Links from other projects
 * into it are refused from now on (EXDEV). */
int quota_join(int fd, uint32_t project);
/* Bytes of PROJECT on DIRECTORY's file system; 0 if it is not counted there. */
uint64_t quota_used(const char *directory, uint32_t project);
/* PROJECT has no limit any more, unless files belong to it: of another container that got it meanwhile, or
 * such as are still to be removed. */
void quota_release(char *const *directories, uint32_t project);

#endif
