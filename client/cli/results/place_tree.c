/* SPDX-License-Identifier: Apache-2.0 */
/* place_tree.c - moves the files of one directory into another, below existing directories */
#include "client/cli/results/place_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/job/results.h"
#include "common/base/mem.h"

#define DEPTH_MAX 200 /* each level has three open directories */

/* The same directory on both sides. */
struct level {
    int from, to;
    const char *path; /* below the roots; "": the roots */
    unsigned depth;
};

static int refuse(struct err *err, const char *path, const char *problem)
{
    return err_set(err, EINVAL, "%s %s", path, problem);
}

static int failed(struct err *err, const char *path)
{
    return err_set_errno(err, errno, "%s cannot be written", path);
}

static int open_directory(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Returns a stream of the directory FD, which stays open; NULL with errno. */
static DIR *open_stream(int fd)
{
    int copy = open_directory(fd, ".");
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);

    if (stream == NULL && copy >= 0)
        close(copy);
    return stream;
}

static bool is_dots(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

static int check_link(const struct level *level, const char *name, const char *path, struct err *err)
{
    char target[PATH_MAX];
    ssize_t length = readlinkat(level->from, name, target, sizeof(target) - 1);

    if (length < 0)
        return failed(err, path);
    target[length] = '\0';
    return results_link_stays_inside(path, target)
               ? 0
               : refuse(err, path, "is a link that leads outside; it is refused");
}

static int place_level(const struct level *level, struct err *err);

static int place_directory(const struct level *level, const char *name, const char *path,
                           const struct stat *info, struct err *err)
{
    scoped_fd int from = open_directory(level->from, name);
    scoped_fd int to = -1;
    int r;

    if (level->depth + 1 == DEPTH_MAX)
        return refuse(err, path, "has too many directories above it");
    if (from < 0)
        return failed(err, path);
    if (mkdirat(level->to, name, (info->st_mode & 0777) | 0700) != 0 && errno != EEXIST)
        return failed(err, path);
    to = open_directory(level->to, name);
    if (to < 0)
        return errno == ENOTDIR || errno == ELOOP
                   ? refuse(err, path, "is a directory among the results, but not here; move it away")
                   : failed(err, path);
    r = place_level(&(struct level){ .from = from, .to = to, .path = path, .depth = level->depth + 1 }, err);
    if (r == 0)
        unlinkat(level->from, name, AT_REMOVEDIR);
    return r;
}

static int place_entry(const struct level *level, const char *name, struct err *err)
{
    scoped_free char *path = mem_printf("%s%s%s", level->path, *level->path ? "/" : "", name);
    struct stat info;
    int r = 0;

    if (fstatat(level->from, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return failed(err, path);
    if (S_ISDIR(info.st_mode))
        return place_directory(level, name, path, &info, err);
    if (S_ISLNK(info.st_mode))
        r = check_link(level, name, path, err);
    else if (!S_ISREG(info.st_mode))
        r = refuse(err, path, "is neither a file nor a directory nor a link; it is refused");
    else if (info.st_nlink > 1)
        r = refuse(err, path, "is a hard link; it is refused");
    if (r == 0 && renameat(level->from, name, level->to, name) != 0)
        r = errno == EISDIR
                ? refuse(err, path, "is a file among the results, but a directory here; move it away")
                : failed(err, path);
    return r;
}

static int place_level(const struct level *level, struct err *err)
{
    DIR *stream = open_stream(level->from);
    struct dirent *entry;
    int r = 0;

    if (stream == NULL)
        return failed(err, *level->path ? level->path : ".");
    /* Entries that were read are renamed: others are still returned once (POSIX). */
    while (r == 0 && (entry = readdir(stream)) != NULL)
        if (!is_dots(entry->d_name))
            r = place_entry(level, entry->d_name, err);
    closedir(stream);
    return r;
}

int place_tree(int from_fd, int to_fd, struct err *err)
{
    return place_level(&(struct level){ .from = from_fd, .to = to_fd, .path = "" }, err);
}

static void clear_level(int fd, unsigned depth)
{
    DIR *stream = open_stream(fd);
    struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        scoped_fd int below = -1;

        if (is_dots(entry->d_name) || unlinkat(fd, entry->d_name, 0) == 0)
            continue;
        below = depth < 10 * DEPTH_MAX ? open_directory(fd, entry->d_name) : -1;
        if (below >= 0)
            clear_level(below, depth + 1);
        unlinkat(fd, entry->d_name, AT_REMOVEDIR);
    }
    if (stream != NULL)
        closedir(stream);
}

void place_tree_clear(int fd)
{
    clear_level(fd, 0);
}
