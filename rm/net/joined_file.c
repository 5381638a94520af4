/* SPDX-License-Identifier: Apache-2.0 */
/* joined_file.c - reads and writes KEYDIR/joined/hosts, the list of hosts that have joined */
#include "rm/net/joined_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"

#define SIZE_MAX_BYTES ((off_t)64 << 20)

/* -EPERM: others can write PATH, and so admit any key. */
static int judge_mode(const char *path, const struct stat *status, struct err *err)
{
    if ((status->st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return 0;
    return err_set(err, EPERM,
                   "%s: group or others can write it (mode %04o), so it does not count: chmod go-w it, and "
                   "check its content",
                   path, (unsigned)(status->st_mode & 07777));
}

int joined_file_read(const char *key_directory, char **ret, struct err *err)
{
    scoped_free char *folder = mem_printf("%s/" JOINED_KEYS_FOLDER, key_directory);
    scoped_free char *path = mem_printf("%s/" JOINED_KEYS_FILE, key_directory);
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status, folder_status;
    ssize_t got;
    int r;

    *ret = NULL;
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0 || fstat(fd, &status) < 0 || stat(folder, &folder_status) < 0)
        return err_set_errno(err, errno, "%s: cannot be read", path);
    if ((r = judge_mode(folder, &folder_status, err)) < 0 || (r = judge_mode(path, &status, err)) < 0)
        return r;
    if (!S_ISREG(status.st_mode) || status.st_size > SIZE_MAX_BYTES)
        return err_set(err, EINVAL, "%s: is no list of hosts: remove it", path);
    *ret = mem_alloc((size_t)status.st_size + 1);
    got = read(fd, *ret, (size_t)status.st_size);
    (*ret)[got > 0 ? got : 0] = '\0';
    if (got == status.st_size)
        return 0;
    free(*ret);
    *ret = NULL;
    return err_set_errno(err, got < 0 ? errno : EIO, "%s: cannot be read", path);
}

/* Writes TEXT to PATH, which is opened with FLAGS. */
static int write_text(const char *path, int flags, const char *text, struct err *err)
{
    scoped_fd int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | flags, 0644);
    ssize_t put = fd < 0 ? -1 : write(fd, text, strlen(text));

    /* The mask of the process may be 077; the file has no secrets. */
    if (put != (ssize_t)strlen(text) || fchmod(fd, 0644) < 0 || fsync(fd) < 0)
        return err_set_errno(err, put >= 0 && put < (ssize_t)strlen(text) ? ENOSPC : errno,
                             "%s: cannot be written", path);
    return 0;
}

static int sync_folder(const char *folder, struct err *err)
{
    scoped_fd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || fsync(fd) < 0)
        return err_set_errno(err, errno, "%s: cannot be written to the disk", folder);
    return 0;
}

int joined_file_replace(const char *key_directory, const char *text, struct err *err)
{
    scoped_free char *folder = mem_printf("%s/" JOINED_KEYS_FOLDER, key_directory);
    scoped_free char *path = mem_printf("%s/" JOINED_KEYS_FILE, key_directory);
    scoped_free char *fresh = mem_printf("%s.new", path);
    int r;

    if (mkdir(folder, 0755) < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "%s: cannot be made", folder);
    r = write_text(fresh, O_CREAT | O_TRUNC, text, err);
    if (r == 0 && rename(fresh, path) < 0)
        r = err_set_errno(err, errno, "%s: cannot be written", path);
    if (r < 0)
        (void)unlink(fresh);
    return r < 0 ? r : sync_folder(folder, err);
}

int joined_file_append(const char *key_directory, const char *text, struct err *err)
{
    scoped_free char *path = mem_printf("%s/" JOINED_KEYS_FILE, key_directory);

    return write_text(path, O_APPEND, text, err);
}
