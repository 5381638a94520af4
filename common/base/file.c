/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - reads and writes whole small files */
#include "common/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/mem.h"

#define ROOM_BYTES ((size_t)4096) /* for a file without size */

/* --- opening ---------------------------------------------------------------- */

static int refuse(const char *name, mode_t mode, struct err *err)
{
    const char *kind = S_ISDIR(mode)    ? "directory"
                       : S_ISFIFO(mode) ? "FIFO"
                       : S_ISSOCK(mode) ? "socket"
                                        : "device";

    return err_set(err, S_ISDIR(mode) ? EISDIR : EINVAL, "%s: is a %s in place of a file: move it away", name,
                   kind);
}

int file_open(int directory_fd, const char *name, int flags, mode_t mode, struct err *err)
{
    scoped_fd int fd = openat(directory_fd, name, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
    int code = errno;
    struct stat status;

    if (fd < 0 && (code == ENXIO || code == EISDIR) && fstatat(directory_fd, name, &status, 0) == 0)
        return refuse(name, status.st_mode, err);
    if (fd < 0 || fstat(fd, &status) < 0)
        return err_set_errno(err, fd < 0 ? code : errno, "%s: cannot be opened", name);
    return S_ISREG(status.st_mode) ? fd_take(&fd) : refuse(name, status.st_mode, err);
}

FILE *file_stream(const char *name, struct err *err)
{
    scoped_fd int fd = file_open(AT_FDCWD, name, O_RDONLY, 0, err);
    FILE *stream = fd >= 0 ? fdopen(fd, "r") : NULL;

    if (stream != NULL)
        (void)fd_take(&fd);
    else
        errno = fd < 0 ? -fd : errno;
    return stream;
}

/* --- reading ---------------------------------------------------------------- */

/* Returns the size of FD, at most MOST; 0 if it has none. */
static size_t expected_bytes(int fd, size_t most)
{
    struct stat status;

    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
        return 0;
    return (uintmax_t)status.st_size < most ? (size_t)status.st_size : most;
}

int file_read(int fd, size_t most, char **ret, size_t *size)
{
    size_t used = 0, room = expected_bytes(fd, most) + ROOM_BYTES;
    scoped_free char *text = mem_alloc(room);

    for (;;) {
        ssize_t got = read(fd, text + used, room - used - 1);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        used += (size_t)got;
        if (used > most)
            return -EFBIG;
        if (got == 0)
            break;
        if (used + 1 == room) {
            room *= 2;
            text = mem_resize(text, room, 1);
        }
    }
    text[used] = '\0';
    *ret = text;
    text = NULL;
    if (size != NULL)
        *size = used;
    return 0;
}

/* --- writing ---------------------------------------------------------------- */

int file_write(int fd, const void *data, size_t size)
{
    const char *at = data;

    while (size > 0) {
        ssize_t put = write(fd, at, size);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? -errno : -ENOSPC;
        at += put;
        size -= (size_t)put;
    }
    return 0;
}

int file_sync_directory(int directory_fd, const char *name)
{
    const char *slash = strrchr(name, '/');
    scoped_free char *path = slash == NULL   ? mem_strdup(".")
                             : slash == name ? mem_strdup("/")
                                             : mem_strndup(name, (size_t)(slash - name));
    scoped_fd int fd = openat(directory_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

/* Opens the new file NAME. A file that is there already was left by an earlier process. */
static int open_new(int directory_fd, const char *name)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(directory_fd, name, flags, 0600);

    if (fd < 0 && errno == EEXIST && unlinkat(directory_fd, name, 0) == 0)
        fd = openat(directory_fd, name, flags, 0600);
    return fd < 0 ? -errno : fd;
}

/* Fills FD, a new file, and closes it. */
static int fill(int fd, const struct file_content *content)
{
    int r = file_write(fd, content->data, content->size);

    if (r == 0 && content->owner != 0 && fchown(fd, content->owner, (gid_t)-1) < 0)
        r = -errno;
    if (r == 0 && fchmod(fd, content->mode) < 0)
        r = -errno;
    if (r == 0 && content->durability == FILE_DURABLE && fsync(fd) < 0)
        r = -errno;
    if (close(fd) < 0 && r == 0)
        r = -errno;
    return r;
}

int file_replace(int directory_fd, const char *name, const struct file_content *content)
{
    scoped_free char *temporary =
        content->temporary ? mem_strdup(content->temporary) : mem_printf("%s.new", name);
    int fd = open_new(directory_fd, temporary), r;

    if (fd < 0)
        return fd;
    r = fill(fd, content);
    if (r == 0 && renameat(directory_fd, temporary, directory_fd, name) < 0)
        r = -errno;
    if (r < 0) {
        (void)unlinkat(directory_fd, temporary, 0);
        return r;
    }
    return content->durability == FILE_DURABLE ? file_sync_directory(directory_fd, name) : 0;
}

int file_explain_replace(const char *path, int r, struct err *err)
{
    return r == -EISDIR ? refuse(path, S_IFDIR, err) : err_set_errno(err, -r, "%s: cannot write", path);
}
