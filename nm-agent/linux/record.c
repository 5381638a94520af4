/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - writes small files atomically, and reads them */
#include "nm-agent/linux/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"

static int write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, data, size);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -errno;
        data += put;
        size -= (size_t)put;
    }
    return 0;
}

static int replace(int directory_fd, const char *name, const void *data, size_t size, bool durable,
                   struct err *err)
{
    scoped_free char *temporary = mem_printf("%s.new", name);
    int fd = openat(directory_fd, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int result;

    if (fd < 0)
        return err_set_errno(err, errno, "cannot write %s", name);
    result = write_all(fd, data, size);
    if (result == 0 && durable && fsync(fd) != 0)
        result = -errno;
    if (close(fd) != 0 && result == 0)
        result = -errno;
    if (result == 0 && renameat(directory_fd, temporary, directory_fd, name) != 0)
        result = -errno;
    if (result != 0) {
        unlinkat(directory_fd, temporary, 0);
        return err_set_errno(err, -result, "cannot write %s", name);
    }
    if (durable && fsync(directory_fd) != 0)
        return err_set_errno(err, errno, "cannot sync the directory of %s", name);
    return 0;
}

int record_write(int directory_fd, const char *name, const void *data, size_t size, struct err *err)
{
    return replace(directory_fd, name, data, size, true, err);
}

int record_put(int directory_fd, const char *name, const void *data, size_t size, struct err *err)
{
    return replace(directory_fd, name, data, size, false, err);
}

int record_put_new(int directory_fd, const char *name, const void *data, size_t size, struct err *err)
{
    scoped_fd int fd =
        openat(directory_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int result = fd < 0 ? -errno : write_all(fd, data, size);

    return result == 0 ? 0 : err_set_errno(err, -result, "cannot write %s", name);
}

int record_read(int directory_fd, const char *name, char **data, size_t *size, struct err *err)
{
    scoped_fd int fd = openat(directory_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    size_t used = 0, room = 4096;
    char *text;

    if (fd < 0)
        return err_set_errno(err, errno, "cannot read %s", name);
    text = mem_alloc(room);
    for (;;) {
        ssize_t got = read(fd, text + used, room - used - 1);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int code = errno;

            free(text);
            return err_set_errno(err, code, "cannot read %s", name);
        }
        if (got == 0)
            break;
        used += (size_t)got;
        if (used + 1 == room) {
            room *= 2;
            text = mem_resize(text, room, 1);
        }
    }
    text[used] = '\0';
    *data = text;
    if (size != NULL)
        *size = used;
    return 0;
}
