/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - making and removing directories that others may write in
 *
 * A user can build a tree deeper than any stack or descriptor table: below
 * DEPTH_MAX a directory is moved up to the top first and removed from there.
 */
#include "nm-agent/linux/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"

#define DEPTH_MAX 32

int tree_make(const char *path, mode_t mode, struct err *err)
{
    scoped_free char *part = mem_strdup(path);

    for (char *slash = strchr(part + 1, '/'); ; slash = strchr(slash + 1, '/')) {
        if (slash != NULL)
            *slash = '\0';
        /* Whatever the agent's umask is. */
        if (mkdir(part, mode) == 0 ? chmod(part, mode) != 0 : errno != EEXIST)
            return err_set_errno(err, errno, "cannot make directory %s", part);
        if (slash == NULL)
            break;
        *slash = '/';
    }
    return 0;
}

struct removal {
    int top_fd;
    dev_t device;
    unsigned moved;
    int error;                          /* the first, negative */
};

static void note(struct removal *removal, int code)
{
    if (code != ENOENT && removal->error == 0)
        removal->error = -code;
}

static void empty(struct removal *removal, int fd, int depth);

/* The name may be taken, by chance or by malice: try others. */
static bool move_up(struct removal *removal, int parent_fd, const char *name)
{
    char moved[32];

    for (int i = 0; i < 1000; i++) {
        snprintf(moved, sizeof(moved), ".creel-deep-%u", removal->moved++);
        if (renameat(parent_fd, name, removal->top_fd, moved) == 0)
            return true;
    }
    return false;
}

static void remove_directory(struct removal *removal, int parent_fd, const char *name, int depth)
{
    struct stat status;
    int fd;

    if (depth > DEPTH_MAX && move_up(removal, parent_fd, name))
        return;
    fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        note(removal, errno);
        return;
    }
    if (fstat(fd, &status) != 0 || status.st_dev != removal->device) {
        note(removal, EXDEV);
        close(fd);
        return;
    }
    empty(removal, fd, depth);          /* closes it */
    if (unlinkat(parent_fd, name, AT_REMOVEDIR) != 0 && errno != ENOTEMPTY)
        note(removal, errno);
}

static void empty(struct removal *removal, int fd, int depth)
{
    DIR *stream = fdopendir(fd);
    struct dirent *entry;

    if (stream == NULL) {
        note(removal, errno);
        close(fd);
        return;
    }
    while ((entry = readdir(stream)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(fd, entry->d_name, 0) == 0)
            continue;
        if (errno == EISDIR || errno == EPERM)
            remove_directory(removal, fd, entry->d_name, depth + 1);
        else
            note(removal, errno);
    }
    closedir(stream);
}

int tree_remove(const char *path)
{
    struct removal removal = { .error = 0 };
    unsigned moved_before;
    struct stat status;

    removal.top_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (removal.top_fd < 0)
        return errno == ENOENT ? 0 : -errno;
    if (fstat(removal.top_fd, &status) != 0)
        note(&removal, errno);
    removal.device = status.st_dev;
    do {
        int fd = openat(removal.top_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        moved_before = removal.moved;
        if (fd < 0)
            note(&removal, errno);
        else
            empty(&removal, fd, 0);
    } while (removal.moved != moved_before && removal.error == 0);
    close(removal.top_fd);
    if (rmdir(path) != 0)
        note(&removal, errno);
    return removal.error;
}
