/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_places.c - which containers of an allocation are in use by steps, on the host of its shell */
#include "client/cli/run/alloc_places.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"

#define QUEUE "queue"
#define CHECK_NS 50000000 /* interval of checks for free containers */

int alloc_places_make(char **ret, struct err *err)
{
    const char *parent = getenv("XDG_RUNTIME_DIR");
    char *directory;

    if (!parent || *parent != '/' || access(parent, W_OK) < 0)
        parent = "/tmp";
    directory = mem_printf("%s/creel-alloc-XXXXXX", parent);
    if (!mkdtemp(directory)) {
        int r = err_set_errno(err, errno, "a directory in %s for the locks of containers", parent);

        free(directory);
        return r;
    }
    *ret = directory;
    return 0;
}

void alloc_places_remove(const char *directory)
{
    DIR *list = directory ? opendir(directory) : NULL;
    struct dirent *entry;

    if (!list)
        return;
    while ((entry = readdir(list)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(list), entry->d_name, 0);
    closedir(list);
    (void)rmdir(directory);
}

/* FLAGS: O_CLOEXEC, or 0 for a lock that the processes of the tasks share. */
static int open_file(const char *directory, const char *name, int flags, struct err *err)
{
    scoped_free char *path = mem_printf("%s/%s", directory, name);
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | flags, 0600);

    return fd < 0 ? err_set_errno(err, errno, "%s", path) : fd;
}

/* Locks FD, waiting if WAIT. Returns false if another process has the lock. */
static bool lock_file(int fd, bool wait)
{
    int r;

    do {
        r = flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB));
    } while (r < 0 && errno == EINTR);
    return r == 0;
}

/* Locks free containers until there are WANTED in TAKEN; those locked stay locked. */
static size_t lock_free_ones(const int *fds, size_t count, size_t wanted, bool *locked, size_t *taken)
{
    size_t have = 0;

    for (size_t i = 0; i < count && have < wanted; i++) {
        locked[i] = locked[i] || lock_file(fds[i], false);
        if (locked[i])
            taken[have++] = i;
    }
    return have;
}

static void close_unused(int *fds, const bool *locked, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i] >= 0 && !locked[i])
            close(fds[i]);
}

/* Opens the file of each container. */
static int open_all(const char *directory, const char *const *ids, size_t count, int *fds, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        fds[i] = -1;
    for (size_t i = 0; i < count; i++) {
        fds[i] = open_file(directory, ids[i], 0, err);
        if (fds[i] < 0)
            return fds[i];
    }
    return 0;
}

static void wait_for_free_ones(const int *fds, size_t count, size_t wanted, bool *locked, size_t *taken,
                               alloc_places_wait_fn *waits, void *context)
{
    const struct timespec pause = { .tv_nsec = CHECK_NS };

    if (lock_free_ones(fds, count, wanted, locked, taken) >= wanted)
        return;
    if (waits)
        waits(context);
    while (lock_free_ones(fds, count, wanted, locked, taken) < wanted)
        nanosleep(&pause, NULL);
}

int alloc_places_lock(const char *directory, const char *const *ids, size_t count, size_t wanted,
                      size_t *taken, alloc_places_wait_fn *waits, void *context, struct err *err)
{
    scoped_free int *fds = mem_array0(count + 1, sizeof(*fds));
    scoped_free bool *locked = mem_array0(count + 1, sizeof(*locked));
    scoped_fd int queue = open_file(directory, QUEUE, O_CLOEXEC, err);
    int r;

    if (queue < 0)
        return queue;
    if (wanted > count)
        return err_set(err, EINVAL, "%zu containers are wanted, and the allocation has %zu", wanted, count);
    r = open_all(directory, ids, count, fds, err);
    if (r == 0) {
        if (!lock_file(queue, false)) {
            waits(context);
            waits = NULL;
            (void)lock_file(queue, true);
        }
        wait_for_free_ones(fds, count, wanted, locked, taken, waits, context);
    }
    close_unused(fds, locked, count);
    return r;
}
