/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - reads a whole configuration file into memory */
#include "common/conf/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/base/mem.h"

int conf_file_read(const char *path, char **data, size_t *size, struct conf_file_id *id)
{
    scoped_fd int fd = file_open(AT_FDCWD, path, O_RDONLY, 0, NULL);
    struct stat status;
    int result;

    if (fd < 0)
        return fd;
    if (fstat(fd, &status) < 0)
        return -errno;
    if (status.st_size > (off_t)CONF_FILE_BYTES_MAX)
        return -EFBIG;
    result = file_read(fd, CONF_FILE_BYTES_MAX, data, size);
    if (result < 0)
        return result;
    id->device = status.st_dev;
    id->inode = status.st_ino;
    return 0;
}

const char *conf_file_explain(int result)
{
    switch (result) {
    case -EINVAL:
        return "not a regular file";
    case -EISDIR:
        return "is a directory, not a file";
    case -EFBIG:
        return "larger than 16 MiB";
    default:
        return strerror(-result);
    }
}
