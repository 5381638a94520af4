/* SPDX-License-Identifier: Apache-2.0 */
/* quota.c - limits the disk space of a container's directories by project quotas of the kernel */
#include "nm-agent/linux/disks/quota.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dqblk_xfs.h>
#include <linux/fs.h>
#include <linux/quota.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/mem.h"

#define BLOCK_BYTES 1024 /* unit of limits, on any file system */
#define TRIES 64         /* maximum number of projects that are tried */

#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443 /* the same number on all architectures */
#endif

static int control(int fd, unsigned command, uint32_t project, void *data)
{
    return syscall(SYS_quotactl_fd, fd, QCMD(command, PRJQUOTA), project, data) < 0 ? -errno : 0;
}

static int open_directory(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

/* Returns 0 if quotas are enforced, else -EOPNOTSUPP. Needs no privilege. */
static int is_enforced(int fd)
{
    struct fs_quota_statv state = { .qs_version = FS_QSTATV_VERSION1 };

    if (control(fd, Q_XGETQSTATV, 0, &state) != 0 || (state.qs_flags & FS_QUOTA_PDQ_ENFD) == 0)
        return -EOPNOTSUPP;
    return 0;
}

/* Reads the quota of a project. XFS returns ENOENT for a project that was never used. */
static int get(int fd, uint32_t project, struct if_dqblk *found)
{
    int result;

    *found = (struct if_dqblk){ .dqb_valid = 0 };
    result = control(fd, Q_GETQUOTA, project, found);
    return result == -ENOENT ? 0 : result;
}

static bool has_files(const struct if_dqblk *found)
{
    return found->dqb_curspace != 0 || found->dqb_curinodes != 0;
}

static int set(int fd, uint32_t project, uint64_t max_bytes)
{
    struct if_dqblk limit = {
        .dqb_bhardlimit = max_bytes / BLOCK_BYTES,
        .dqb_valid = QIF_BLIMITS,
    };

    return control(fd, Q_SETQUOTA, project, &limit);
}

int quota_check(const struct quota *quota, const char *directory, struct err *err)
{
    scoped_fd int fd = open_directory(directory);
    struct if_dqblk ignored;
    int result = fd < 0 ? fd : is_enforced(fd);

    if (result == -EOPNOTSUPP)
        return err_set(err, EOPNOTSUPP,
                       "%s: its file system does not enforce project quotas: mount ext4 or "
                       "XFS with prjquota (Linux 5.14 or newer)",
                       directory);
    if (result == 0)
        result = get(fd, quota->first, &ignored);
    if (result == -EPERM)
        return err_set(err, EPERM,
                       "%s: setting project quotas needs CAP_SYS_ADMIN: add it to the "
                       "CapabilityBoundingSet= of the agent's unit",
                       directory);
    return result == 0 ? 0 : err_set_errno(err, -result, "%s: its project quotas cannot be read", directory);
}

/* Limits PROJECT on all file systems that enforce quotas. Returns 1: done; 0: no file system enforces them;
 * -EBUSY: the project has files. */
static int limit_project(const struct quota *quota, char *const *directories, uint32_t project)
{
    int count = 0;

    for (char *const *directory = directories; *directory != NULL; directory++) {
        scoped_fd int fd = open_directory(*directory);
        struct if_dqblk found;

        if (fd < 0 || is_enforced(fd) != 0 || get(fd, project, &found) != 0)
            continue;
        if (has_files(&found))
            return -EBUSY;
        if (set(fd, project, quota->max_bytes) == 0)
            count++;
    }
    return count > 0;
}

uint32_t quota_assign(struct quota *quota, char *const *directories)
{
    for (uint32_t i = 0; i < quota->count && i < TRIES; i++) {
        uint32_t project = quota->first + quota->next;
        int result = limit_project(quota, directories, project);

        quota->next = (quota->next + 1) % quota->count;
        if (result >= 0)
            return result > 0 ? project : QUOTA_NONE;
    }
    return QUOTA_NONE;
}

int quota_join(int fd, uint32_t project)
{
    struct fsxattr attributes;

    if (ioctl(fd, FS_IOC_FSGETXATTR, &attributes) != 0)
        return -errno;
    attributes.fsx_projid = project;
    attributes.fsx_xflags |= FS_XFLAG_PROJINHERIT;
    return ioctl(fd, FS_IOC_FSSETXATTR, &attributes) != 0 ? -errno : 0;
}

uint64_t quota_used(const char *directory, uint32_t project)
{
    scoped_fd int fd = open_directory(directory);
    struct if_dqblk found = { .dqb_curspace = 0 };

    return fd < 0 || get(fd, project, &found) != 0 ? 0 : found.dqb_curspace;
}

void quota_release(char *const *directories, uint32_t project)
{
    for (; *directories != NULL; directories++) {
        scoped_fd int fd = open_directory(*directories);
        struct if_dqblk found;

        if (fd >= 0 && get(fd, project, &found) == 0 && !has_files(&found))
            (void)set(fd, project, 0);
    }
}
