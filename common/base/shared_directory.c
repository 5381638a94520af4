/* SPDX-License-Identifier: Apache-2.0 */
/* shared_directory.c - checks a directory in which every user creates directories of their own */
#include "common/base/shared_directory.h"

#include <errno.h>
#include <sys/stat.h>

int shared_directory_check(const char *path, struct err *err)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return err_set_errno(err, errno, "%s", path);
    if (!S_ISDIR(status.st_mode))
        return err_set(err, ENOTDIR, "%s is not a directory", path);
    if ((status.st_mode & 01777) != 01777)
        return err_set(
            err, EACCES,
            "%s has mode %04o; it must be 1777, so that each user can write there and delete only own "
            "files",
            path, (unsigned)status.st_mode & 07777);
    return 0;
}
