/* SPDX-License-Identifier: Apache-2.0 */
/* directories.c - creates, checks and locks the directories of the agent */
#include "nm-agent/linux/disks/directories.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "nm-agent/linux/parts/lock.h"
#include "nm-agent/linux/parts/tree.h"

#define LOCAL_LOCK ".creel-lock" /* lock file in each local directory */

/* Locks FD, so that only one agent uses the directory PATH. Takes ownership of FD. */
static int lock_directory(struct runtime *runtime, int fd, const char *path, struct err *err)
{
    int result;

    if (fd < 0)
        return err_set_errno(err, errno, "cannot lock directory %s", path);
    result = lock_patiently(fd);
    if (result != 0) {
        close(fd);
        return err_set(err, -result,
                       "directory %s is in use by another agent: end that one, or "
                       "give this one directories of its own",
                       path);
    }
    runtime->locks = mem_resize(runtime->locks, runtime->lock_count + 1, sizeof(int));
    runtime->locks[runtime->lock_count++] = fd;
    return 0;
}

int directory_lock(struct runtime *runtime, const char *path, struct err *err)
{
    return lock_directory(runtime, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path, err);
}

/* Locks a file that only root can open: users can read the directory itself, and could lock it. */
static int lock_local(struct runtime *runtime, const char *path, struct err *err)
{
    scoped_free char *file = mem_printf("%s/" LOCAL_LOCK, path);

    int fd = file_open(AT_FDCWD, file, O_RDONLY | O_CREAT | O_NOFOLLOW, 0600, err);

    return fd < 0 ? fd : lock_directory(runtime, fd, path, err);
}

int directory_make_safe(const char *path, const char *key, struct err *err)
{
    int result = tree_make(path, 0755, err);

    if (result == 0)
        result = tree_judge(path, err);
    if (result != 0)
        err_prefix(err, "%s", key);
    return result;
}

/* Returns true if the error may be temporary: then the agent works without this disk. */
static bool may_pass(int result)
{
    return result != 0 && result != -EPERM && result != -EBUSY && result != -EINVAL && result != -EMFILE &&
           result != -ENFILE && result != -ENOMEM;
}

int directory_open_disk(struct runtime *runtime, const struct disks *disks, struct disk *disk,
                        struct err *err)
{
    scoped_free char *key = mem_printf("yarn.nodemanager.%s", disks->key);
    struct err why = { .code = 0 };
    int result;

    disk_io_start(disk);
    result =
        disk_answers(disk) ? directory_make_safe(disk->path, key, &why) : disk_no_answer(disk->path, &why);
    if (result == 0 && disks == &runtime->health.local)
        result = lock_local(runtime, disk->path, &why);
    disk->closed = result != 0;
    if (result != 0)
        disk_set_closed(disk, why.text);
    if (result != 0 && err != NULL)
        *err = why;
    return may_pass(result) ? 0 : result;
}

int directory_open_disks(struct runtime *runtime, struct disks *disks, struct err *err)
{
    struct err why = { .code = 0 };
    size_t closed = 0;
    int result = 0;

    for (size_t i = 0; i < disks->count && result == 0; i++) {
        result = directory_open_disk(runtime, disks, &disks->items[i], &why);
        closed += disks->items[i].closed;
    }
    if (result == 0 && closed < disks->count)
        return 0;
    if (result == 0 && closed > 1)
        err_prefix(&why, "all %zu of them are bad; the last", closed);
    if (err != NULL)
        *err = why;
    return -why.code;
}
