/* SPDX-License-Identifier: Apache-2.0 */
/* joined_file.c - reads and writes KEYDIR/joined/hosts, the list of hosts that have joined */
#include "rm/net/keys/joined_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"

#define SIZE_MAX_BYTES ((off_t)64 << 20)
#define FILE_MODE 0644 /* whatever the umask is, which may be 077: the file has no secrets */

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
    struct err problem = { 0 };
    scoped_fd int fd = file_open(AT_FDCWD, path, O_RDONLY, 0, &problem);
    struct stat status, folder_status;
    int r;

    *ret = NULL;
    if (fd == -ENOENT)
        return 0;
    if (fd < 0)
        return err_set(err, problem.code, "%s", problem.text);
    if (fstat(fd, &status) < 0 || stat(folder, &folder_status) < 0)
        return err_set_errno(err, errno, "%s: cannot be read", path);
    if ((r = judge_mode(folder, &folder_status, err)) < 0 || (r = judge_mode(path, &status, err)) < 0)
        return r;
    if (status.st_size > SIZE_MAX_BYTES)
        return err_set(err, EINVAL, "%s: is no list of hosts: remove it", path);
    r = file_read(fd, SIZE_MAX_BYTES, ret, NULL);
    return r < 0 ? err_set_errno(err, -r, "%s: cannot be read", path) : 0;
}

int joined_file_replace(const char *key_directory, const char *text, struct err *err)
{
    scoped_free char *folder = mem_printf("%s/" JOINED_KEYS_FOLDER, key_directory);
    scoped_free char *path = mem_printf("%s/" JOINED_KEYS_FILE, key_directory);
    int r;

    if (mkdir(folder, 0755) < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "%s: cannot be made", folder);
    r = file_replace(AT_FDCWD, path,
                     &(struct file_content){
                         .data = text, .size = strlen(text), .mode = FILE_MODE, .durability = FILE_DURABLE });
    return r < 0 ? file_explain_replace(path, r, err) : 0;
}

int joined_file_append(const char *key_directory, const char *text, struct err *err)
{
    scoped_free char *path = mem_printf("%s/" JOINED_KEYS_FILE, key_directory);
    scoped_fd int fd =
        open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC); /* in a thread, which may hang */
    int r = fd < 0 ? -errno : file_write(fd, text, strlen(text));

    if (r == 0 && (fchmod(fd, FILE_MODE) < 0 || fsync(fd) < 0))
        r = -errno;
    return r < 0 ? err_set_errno(err, -r, "%s: cannot be written", path) : 0;
}
