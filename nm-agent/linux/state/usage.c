/* SPDX-License-Identifier: Apache-2.0 */
/* usage.c - measures the disk space of a user's directory tree, in steps of limited time */
#include "nm-agent/linux/state/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"

#define ENTRIES 64 /* entries between two reads of the clock */

static void leave(struct usage_walk *walk)
{
    closedir(walk->open[--walk->depth]);
    walk->open[walk->depth] = NULL;
}

void usage_end(struct usage_walk *walk)
{
    while (walk->depth > 0)
        leave(walk);
    *walk = (struct usage_walk){ .depth = 0 };
}

/* Enters NAME in the directory PARENT_FD. Returns 0 or -errno: it cannot be opened, or was removed. */
static int enter(struct usage_walk *walk, int parent_fd, const char *name)
{
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), result;
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);

    if (stream == NULL) {
        result = -errno;
        mem_close_fd(&fd);
        return result;
    }
    walk->open[walk->depth++] = stream;
    return 0;
}

static void count(struct usage_walk *walk, const struct stat *status)
{
    if (status->st_uid == 0 && walk->user != 0)
        return;
    walk->bytes += (uint64_t)status->st_blocks * 512 /
                   (S_ISDIR(status->st_mode) || status->st_nlink == 0 ? 1 : status->st_nlink);
}

int usage_begin(struct usage_walk *walk, const char *path, uid_t user)
{
    struct stat status;
    int result;

    usage_end(walk);
    walk->user = user;
    result = enter(walk, AT_FDCWD, path);
    if (result != 0)
        return result;
    if (fstat(dirfd(walk->open[0]), &status) != 0) {
        result = -errno;
        usage_end(walk);
        return result;
    }
    walk->device = status.st_dev;
    return 0;
}

static void count_entry(struct usage_walk *walk, DIR *parent, const char *name)
{
    struct stat status;

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
        fstatat(dirfd(parent), name, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_dev != walk->device)
        return;
    count(walk, &status);
    if (!S_ISDIR(status.st_mode))
        return;
    if (walk->depth == USAGE_DEPTH_MAX)
        walk->too_deep = true;
    else
        (void)enter(walk, dirfd(parent), name);
}

bool usage_go_on(struct usage_walk *walk, int64_t until_ms)
{
    for (int i = 1; walk->depth > 0; i++) {
        DIR *current = walk->open[walk->depth - 1];
        struct dirent *entry = readdir(current);

        if (entry == NULL)
            leave(walk);
        else
            count_entry(walk, current, entry->d_name);
        if (i % ENTRIES == 0 && monotonic_ms() >= until_ms)
            return walk->depth == 0;
    }
    return true;
}
