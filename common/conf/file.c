/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - reads a whole configuration file into memory */
#include "common/conf/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"

#define STEP_BYTES ((size_t)65536)

/* Reads FD to its end: the size from stat may be 0 (/proc) or change. */
static int read_all(int fd, size_t expected, char **data, size_t *size)
{
    size_t room = expected + STEP_BYTES, used = 0;
    scoped_free char *buffer = mem_alloc(room);

    while (true) {
        ssize_t got;

        if (used == room) {
            room += STEP_BYTES;
            buffer = mem_resize(buffer, room, 1);
        }
        got = read(fd, buffer + used, room - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        used += (size_t)got;
        if (used > CONF_FILE_BYTES_MAX)
            return -EFBIG;
        if (got == 0)
            break;
    }
    *data = buffer;
    buffer = NULL;
    *size = used;
    return 0;
}

int conf_file_read(const char *path, char **data, size_t *size, struct conf_file_id *id)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    int result;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) < 0)
        return -errno;
    if (S_ISDIR(status.st_mode))
        return -EISDIR;
    if (!S_ISREG(status.st_mode))
        return -EINVAL;
    if (status.st_size > (off_t)CONF_FILE_BYTES_MAX)
        return -EFBIG;
    result = read_all(fd, (size_t)status.st_size, data, size);
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
