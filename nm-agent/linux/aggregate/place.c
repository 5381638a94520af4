/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - opens the directories of one user below the directory of all aggregated logs */
#include "nm-agent/linux/aggregate/place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"

#define DIRECTORY_MODE 0750

int place_kind(int code)
{
    return code == EDQUOT || code == EPERM || code == ELOOP || code == ENOTDIR ? AGGREGATE_USER
                                                                               : AGGREGATE_STORAGE;
}

static int fail(int *kind, int code, struct err *err, const char *path, const char *name)
{
    *kind = place_kind(code);
    return err_set_errno(err, code, "%s/%s", path, name);
}

int place_enter(int directory_fd, const char *path, const char *name, bool make, int *kind, struct err *err)
{
    scoped_fd int fd = -1;
    struct stat status;

    if (make && mkdirat(directory_fd, name, DIRECTORY_MODE) != 0 && errno != EEXIST)
        return fail(kind, errno, err, path, name);
    fd = openat(directory_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0)
        return fail(kind, errno, err, path, name);
    if (status.st_uid == geteuid())
        return fd_take(&fd);
    *kind = AGGREGATE_USER;
    return err_set(err, EPERM,
                   "%s/%s belongs to user id %u instead of %u: an administrator must rename or delete it",
                   path, name, (unsigned)status.st_uid, (unsigned)geteuid());
}

static int open_base(const char *base, int *kind, struct err *err)
{
    scoped_fd int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat status;

    *kind = AGGREGATE_STORAGE;
    if (fd < 0 || fstat(fd, &status) != 0)
        return err_set_errno(err, errno, "%s", base);
    if ((status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0)
        return err_set(err, EACCES, "%s: every user can delete files of others there: its mode must be 1777",
                       base);
    return fd_take(&fd);
}

int place_open(const struct aggregate_place *place, bool make, int *kind, struct err *err)
{
    scoped_free char *user_path = mem_printf("%s/%s", place->base, place->user);
    scoped_fd int base_fd = open_base(place->base, kind, err);
    scoped_fd int user_fd = -1;

    if (base_fd < 0)
        return base_fd;
    user_fd = place_enter(base_fd, place->base, place->user, make, kind, err);
    return user_fd < 0 ? user_fd : place_enter(user_fd, user_path, place->suffix, make, kind, err);
}
