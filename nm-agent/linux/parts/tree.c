/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - creates, checks and removes directory trees in which other users may write
 *
 * A user can create a tree that is deeper than any stack or descriptor table: a directory deeper than
 * DEPTH_MAX is first moved to the top of the tree, and removed there. A user cannot prevent a removal by
 * writing to a directory meanwhile: root takes ownership of each directory before it reads the content.
 */
#include "nm-agent/linux/parts/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"

#define DEPTH_MAX 32

/* --- creating -------------------------------------------------------------- */

int tree_make(const char *path, mode_t mode, struct err *err)
{
    scoped_free char *part = NULL;

    /* Usually PATH exists, or only its last component is missing. */
    if (mkdir(path, mode) == 0 ? chmod(path, mode) == 0 : errno == EEXIST)
        return 0;
    part = mem_strdup(path);
    for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash != NULL)
            *slash = '\0';
        /* chmod makes the mode independent of the agent's umask. */
        if (mkdir(part, mode) == 0 ? chmod(part, mode) != 0 : errno != EEXIST)
            return err_set_errno(err, errno, "cannot make directory %s", part);
        if (slash == NULL)
            break;
        *slash = '/';
    }
    return 0;
}

/* Returns true if FD is on an ext4 file system without a journal. */
static bool has_no_journal(int fd)
{
    char path[128], device[PATH_MAX], text[16] = "";
    struct stat status;
    const char *slash;
    ssize_t length;
    FILE *stream;

    if (fstat(fd, &status) != 0)
        return false;
    snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(status.st_dev), minor(status.st_dev));
    length = readlink(path, device, sizeof(device) - 1);
    device[length > 0 ? length : 0] = '\0';
    slash = strrchr(device, '/');
    if (slash == NULL ||
        snprintf(path, sizeof(path), "/sys/fs/ext4/%s/journal_task", slash + 1) >= (int)sizeof(path))
        return false;
    stream = fopen(path, "re");
    if (stream == NULL)
        return false;
    if (fgets(text, sizeof(text), stream) == NULL)
        text[0] = '\0';
    fclose(stream);
    return strcmp(text, "<none>\n") == 0;
}

void tree_spread(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), flags = 0;

    if (fd >= 0 && has_no_journal(fd) && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 &&
        (flags & FS_TOPDIR_FL) == 0) {
        flags |= FS_TOPDIR_FL;
        (void)ioctl(fd, FS_IOC_SETFLAGS, &flags);
    }
    if (fd >= 0)
        close(fd);
}

int tree_make_wide(const char *path, mode_t mode, struct err *err)
{
    int result;

    if (access(path, F_OK) == 0)
        return 0;
    result = tree_make(path, mode, err);
    if (result == 0)
        tree_spread(path);
    return result;
}

/* --- ownership ----------------------------------------------------------- */

static int judge_one(const char *path, bool last, struct err *err)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return err_set_errno(err, errno, "cannot read the attributes of %s", path);
    if (status.st_uid != 0 && status.st_uid != geteuid())
        return err_set(err, EPERM,
                       "%s belongs to user id %u, who could put anything in the place "
                       "of what the agent keeps there: chown it to root, or choose another "
                       "directory",
                       path, (unsigned)status.st_uid);
    /* In a sticky directory other users can add files, but not replace them. */
    if ((status.st_mode & 022) != 0 && (last || (status.st_mode & S_ISVTX) == 0))
        return err_set(err, EPERM,
                       "%s can be written by others (mode %04o), who could put "
                       "anything in the place of what the agent keeps there: chmod go-w it, or "
                       "choose another directory",
                       path, (unsigned)(status.st_mode & 07777));
    return 0;
}

static int judge_way(const char *path, struct err *err)
{
    scoped_free char *part = mem_strdup(path);
    int result = judge_one("/", false, err);

    for (char *slash = strchr(part + 1, '/'); slash && result == 0; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        result = judge_one(part, false, err);
        *slash = '/';
    }
    return result != 0 ? result : judge_one(part, true, err);
}

int tree_judge(const char *path, struct err *err)
{
    scoped_free char *real = realpath(path, NULL);
    int result;

    if (real == NULL)
        return err_set_errno(err, errno, "cannot read the attributes of %s", path);
    result = judge_way(path, err);                      /* the path with its links ... */
    return result != 0 ? result : judge_way(real, err); /* ... and the path after resolving them */
}

/* --- removing -------------------------------------------------------------- */

struct removal {
    int top_fd;
    dev_t device;
    unsigned moved;
    int64_t until_ms; /* monotonic; 0: no time limit */
    bool late;
    int error; /* first error, negative */
};

static bool is_late(struct removal *removal)
{
    if (removal->until_ms != 0 && !removal->late)
        removal->late = monotonic_ms() >= removal->until_ms;
    return removal->late;
}

static void note(struct removal *removal, int code)
{
    if (code != ENOENT && removal->error == 0)
        removal->error = -code;
}

static void empty(struct removal *removal, int fd, int depth);

/* Moves a directory to the top of the tree. If the user has created an entry with the new name, tries
 * others. */
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

/* Makes root the only user who can add files to the directory. */
static void shut(int fd, const struct stat *status)
{
    if (geteuid() != 0 || (status->st_uid == 0 && (status->st_mode & 022) == 0))
        return;
    if (fchown(fd, 0, 0) == 0)
        fchmod(fd, 0700);
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
    shut(fd, &status);
    empty(removal, fd, depth); /* closes FD */
    if (is_late(removal))
        return;
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
    while (!is_late(removal) && (entry = readdir(stream)) != NULL) {
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

int tree_remove_until(const char *path, int64_t until_ms)
{
    struct removal removal = { .until_ms = until_ms };
    unsigned moved_before;
    struct stat status;

    removal.top_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (removal.top_fd < 0)
        return errno == ENOENT ? 0 : -errno;
    if (fstat(removal.top_fd, &status) != 0) {
        note(&removal, errno);
        close(removal.top_fd);
        return removal.error;
    }
    removal.device = status.st_dev;
    shut(removal.top_fd, &status);
    do {
        int fd = openat(removal.top_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        moved_before = removal.moved;
        if (fd < 0)
            note(&removal, errno);
        else
            empty(&removal, fd, 0);
    } while (removal.moved != moved_before && removal.error == 0 && !removal.late);
    close(removal.top_fd);
    if (removal.late)
        return -EAGAIN;
    if (rmdir(path) != 0)
        note(&removal, errno);
    return removal.error;
}

int tree_remove(const char *path)
{
    return tree_remove_until(path, 0);
}
