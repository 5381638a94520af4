/* SPDX-License-Identifier: Apache-2.0 */
/* placed_files.c - copies a directory over another one, and can take that back */
#include "rm/net/parts/placed_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"

#define READ_BYTES 65536

static void note(struct placed_files *placed, const char *path)
{
    mem_grow(placed->paths, placed->count, placed->room);
    placed->paths[placed->count++] = mem_strdup(path);
}

static int make_one(struct placed_files *placed, const char *directory, mode_t mode, struct err *err)
{
    struct stat status;

    if (stat(directory, &status) == 0)
        return S_ISDIR(status.st_mode) ? 0 : err_set(err, ENOTDIR, "%s: is not a directory", directory);
    if (mkdir(directory, mode) < 0)
        return err_set_errno(err, errno, "%s: cannot be made", directory);
    note(placed, directory);
    return chmod(directory, mode) < 0 ? err_set_errno(err, errno, "%s: cannot be made", directory) : 0;
}

int placed_files_make_directory(struct placed_files *placed, const char *directory, unsigned mode,
                                struct err *err)
{
    scoped_free char *path = mem_strdup(directory);
    int r = 0;

    for (char *at = strchr(path + 1, '/'); r == 0 && at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        r = make_one(placed, path, 0755, err);
        *at = '/';
    }
    return r < 0 ? r : make_one(placed, path, (mode_t)mode, err);
}

static int copy_bytes(int from, int to, const char *path, struct err *err)
{
    scoped_free uint8_t *buffer = mem_alloc(READ_BYTES);
    ssize_t got;
    int r;

    while ((got = read(from, buffer, READ_BYTES)) > 0)
        if ((r = file_write(to, buffer, (size_t)got)) < 0)
            return err_set_errno(err, -r, "%s: cannot be written", path);
    return got < 0 || fsync(to) < 0 ? err_set_errno(err, errno, "%s: cannot be written", path) : 0;
}

static int copy_file(struct placed_files *placed, const char *from, const char *to, mode_t mode,
                     struct err *err)
{
    scoped_fd int source = file_open(AT_FDCWD, from, O_RDONLY | O_NOFOLLOW, 0, err), target = -1;

    if (source < 0)
        return source;
    target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (target < 0)
        return errno == EEXIST ? 0 : err_set_errno(err, errno, "%s: cannot be made", to);
    note(placed, to);
    if (fchmod(target, mode & 07777) < 0)
        return err_set_errno(err, errno, "%s: cannot be made", to);
    return copy_bytes(source, target, to, err);
}

static int copy_entry(struct placed_files *placed, const char *from, const char *to, struct err *err)
{
    struct stat status;

    if (lstat(from, &status) < 0)
        return err_set_errno(err, errno, "%s: cannot be read", from);
    return S_ISDIR(status.st_mode) ? placed_files_copy(placed, from, to, err)
                                   : copy_file(placed, from, to, status.st_mode, err);
}

int placed_files_copy(struct placed_files *placed, const char *from, const char *to, struct err *err)
{
    DIR *directory = opendir(from);
    const struct dirent *entry;
    struct stat status;
    int r;

    if (directory == NULL || fstat(dirfd(directory), &status) < 0) {
        r = err_set_errno(err, errno, "%s: cannot be read", from);
        if (directory != NULL)
            closedir(directory);
        return r;
    }
    r = placed_files_make_directory(placed, to, status.st_mode & 07777, err);
    while (r == 0 && (entry = readdir(directory)) != NULL) {
        scoped_free char *source = mem_printf("%s/%s", from, entry->d_name);
        scoped_free char *target = mem_printf("%s/%s", to, entry->d_name);

        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            r = copy_entry(placed, source, target, err);
    }
    closedir(directory);
    return r;
}

bool placed_files_has(const struct placed_files *placed, const char *path)
{
    for (size_t i = 0; i < placed->count; i++)
        if (strcmp(placed->paths[i], path) == 0)
            return true;
    return false;
}

void placed_files_undo(struct placed_files *placed)
{
    for (size_t i = placed->count; i > 0; i--)
        (void)remove(placed->paths[i - 1]);
}

void placed_files_done(struct placed_files *placed)
{
    for (size_t i = 0; i < placed->count; i++)
        free(placed->paths[i]);
    free(placed->paths);
    *placed = (struct placed_files){ 0 };
}
