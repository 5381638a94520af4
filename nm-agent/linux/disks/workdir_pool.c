/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workdir_pool.c - reuses unused working directories for the next containers of the same application
 *
 * A pooled directory stays in the application's directory as spare-<number>. So it belongs to the same user
 * all the time, is removed with the application, and belongs to no container when an agent starts.
 */
#include "nm-agent/linux/disks/workdir_pool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/disks/removal.h"
#include "nm-agent/linux/state/disk_io.h"

#define TMP "tmp"
/* Flags that the owner of a directory can set with chattr, and that its content inherits. */
#define OWNERS_FLAGS \
    (FS_SYNC_FL | FS_NODUMP_FL | FS_NOATIME_FL | FS_DIRSYNC_FL | FS_TOPDIR_FL | FS_COMPR_FL | FS_NOCOW_FL | \
     FS_NOTAIL_FL | FS_SECRM_FL | FS_UNRM_FL | FS_JOURNAL_DATA_FL | FS_CASEFOLD_FL | FS_PROJINHERIT_FL)

/* Returns true if the directory FD has only NAME in it, or nothing if NAME is NULL. */
static bool holds_only(int fd, const char *name)
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    bool only = stream != NULL;

    while (only && (entry = readdir(stream)) != NULL)
        only = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
               (name != NULL && strcmp(entry->d_name, name) == 0);
    if (stream != NULL)
        closedir(stream);
    else
        mem_close_fd(&copy);
    return only;
}

/* Returns true if FD has access lists or attributes set by a user; security labels of the system are
 * ignored. */
static bool has_attributes(int fd)
{
    char names[512];
    ssize_t size = flistxattr(fd, names, sizeof(names));

    for (ssize_t at = 0; at < size; at += (ssize_t)strlen(names + at) + 1)
        if (strncmp(names + at, "user.", 5) == 0 || strncmp(names + at, "system.", 7) == 0)
            return true;
    return size < 0 && errno != ENOTSUP;
}

/* Returns true if the directory is unchanged since workdir.c created it. (Its size is checked, because
 * directories grow, and do not shrink.) */
static bool is_as_made(int fd, uid_t uid)
{
    struct stat status;
    int flags = 0;

    return fstat(fd, &status) == 0 && status.st_uid == uid && (status.st_mode & 07777) == 0700 &&
           status.st_size <= status.st_blksize && !has_attributes(fd) &&
           (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0 || (flags & OWNERS_FLAGS) == 0);
}

static bool is_bare(const char *work, uid_t uid)
{
    scoped_fd int fd = open(work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), tmp_fd = -1;

    if (fd < 0 || !is_as_made(fd, uid) || !holds_only(fd, TMP))
        return false;
    tmp_fd = openat(fd, TMP, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return tmp_fd >= 0 && is_as_made(tmp_fd, uid) && holds_only(tmp_fd, NULL);
}

bool workdir_pool_put(struct runtime *runtime, const struct meta *meta)
{
    const char *slash = strrchr(meta->work, '/');
    char **place = &runtime->pooled_workdirs[runtime->pooled_next % POOLED_WORKDIRS_MAX];
    scoped_free char *path = NULL;

    /* a directory keeps its project, so it cannot be reused */
    if (slash == NULL || meta->project != QUOTA_NONE || !disk_path_answers(runtime, meta->work) ||
        !is_bare(meta->work, meta->uid))
        return false;
    path = mem_printf("%.*s/spare-%u", (int)(slash - meta->work), meta->work, runtime->pooled_next);
    if (rename(meta->work, path) != 0)
        return false;
    runtime->pooled_next++;
    if (*place != NULL) /* the oldest one, which was not used */
        removal_start(runtime, *place);
    free(*place);
    *place = path;
    path = NULL;
    return true;
}

bool workdir_pool_reuse(struct runtime *runtime, const char *path, uid_t uid)
{
    struct stat status;
    size_t length = (size_t)(strrchr(path, '/') - path) + 1;

    for (int i = 0; i < POOLED_WORKDIRS_MAX; i++) {
        scoped_free char *spare = NULL;

        if (runtime->pooled_workdirs[i] == NULL || strncmp(runtime->pooled_workdirs[i], path, length) != 0 ||
            strchr(runtime->pooled_workdirs[i] + length, '/') != NULL)
            continue;
        spare = runtime->pooled_workdirs[i];
        runtime->pooled_workdirs[i] = NULL;
        if (lstat(spare, &status) == 0 && status.st_uid == uid && rename(spare, path) == 0)
            return true; /* else it was removed with its application */
        removal_start(runtime, spare);
    }
    return false;
}

bool workdir_pool_has(const struct runtime *runtime, const char *path)
{
    for (int i = 0; i < POOLED_WORKDIRS_MAX; i++)
        if (runtime->pooled_workdirs[i] != NULL && strcmp(runtime->pooled_workdirs[i], path) == 0)
            return true;
    return false;
}

void workdir_pool_free(struct runtime *runtime)
{
    for (int i = 0; i < POOLED_WORKDIRS_MAX; i++)
        free(runtime->pooled_workdirs[i]);
}
