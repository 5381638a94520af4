/* SPDX-License-Identifier: Apache-2.0 */
/* step_room.c - which steps use the vcores and the memory of the container of a job */
#include "client/slurm/step_room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"

#define QUEUE "queue"
#define NUMBER "number"
#define STEP_PREFIX "step."
#define LINE_MAX_BYTES 64
#define CHECK_NS 50000000 /* interval of checks for room */
#define QUEUE_NS 10000000 /* interval of attempts to lock the queue */
#define QUEUE_ATTEMPTS 100

struct room {
    int directory;
    struct err *err;
};

static int open_file(const struct room *room, const char *name)
{
    int fd = openat(room->directory, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

    return fd < 0 ? err_set_errno(room->err, errno, "%s in the directory of the steps", name) : fd;
}

static bool lock_file(int fd, int flags)
{
    int r;

    do {
        r = flock(fd, LOCK_EX | flags);
    } while (r < 0 && errno == EINTR);
    return r == 0;
}

/* Takes the next number of a step. */
static int next_number(const struct room *room, uint32_t *number)
{
    scoped_fd int fd = open_file(room, NUMBER);
    char text[LINE_MAX_BYTES] = "";
    int length;

    if (fd < 0)
        return fd;
    if (!lock_file(fd, 0) || pread(fd, text, sizeof(text) - 1, 0) < 0)
        return err_set_errno(room->err, errno, "the number of the step");
    if (sscanf(text, "%" SCNu32, number) != 1)
        *number = 0;
    length = snprintf(text, sizeof(text), "%" PRIu32 "\n", *number + 1);
    if (pwrite(fd, text, (size_t)length, 0) != length)
        return err_set_errno(room->err, errno, "the number of the step");
    return 0;
}

/* Adds the use of the step in the file NAME. If that step has ended, removes the file. */
static void add_use(const struct room *room, const char *name, struct step_use *sum)
{
    scoped_fd int fd = openat(room->directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    char text[LINE_MAX_BYTES] = "";
    int64_t vcores, memory_bytes;

    if (fd < 0)
        return;
    if (lock_file(fd, LOCK_NB)) {
        (void)unlinkat(room->directory, name, 0);
        return;
    }
    if (pread(fd, text, sizeof(text) - 1, 0) > 0 &&
        sscanf(text, "%" SCNd64 " %" SCNd64, &vcores, &memory_bytes) == 2) {
        sum->vcores += vcores;
        sum->memory_bytes += memory_bytes;
    }
}

static struct step_use sum_of(const struct room *room)
{
    int copy = openat(room->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
    struct step_use sum = { 0 };
    struct dirent *entry;

    if (!list) {
        mem_close_fd(&copy);
        return sum;
    }
    while ((entry = readdir(list)) != NULL)
        if (!strncmp(entry->d_name, STEP_PREFIX, strlen(STEP_PREFIX)))
            add_use(room, entry->d_name, &sum);
    closedir(list);
    return sum;
}

static bool has_room(const struct room *room, const struct step_use *most, const struct step_use *use)
{
    struct step_use sum = sum_of(room);

    return (use->vcores == 0 || sum.vcores + use->vcores <= most->vcores) &&
           (use->memory_bytes == 0 || sum.memory_bytes + use->memory_bytes <= most->memory_bytes);
}

/* Writes the file of the step, and keeps it open and locked until this process ends. */
static int write_use(const struct room *room, const struct step_use *use, uint32_t step)
{
    char name[LINE_MAX_BYTES], text[LINE_MAX_BYTES];
    int fd, length;

    snprintf(name, sizeof(name), STEP_PREFIX "%" PRIu32, step);
    fd = open_file(room, name);
    if (fd < 0)
        return fd;
    length = snprintf(text, sizeof(text), "%" PRId64 " %" PRId64 "\n", use->vcores, use->memory_bytes);
    if (lock_file(fd, 0) && file_write(fd, text, (size_t)length) == 0)
        return 0;
    return err_set_errno(room->err, errno, "%s in the directory of the steps", name);
}

/* Locks the queue. Returns false if it was locked for so long that others wait for room in it. */
static bool lock_queue_soon(int queue)
{
    const struct timespec pause = { .tv_nsec = QUEUE_NS };

    for (int i = 0; i < QUEUE_ATTEMPTS; i++) {
        if (lock_file(queue, LOCK_NB))
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

static int wait_for_room(const struct room *room, const struct step_use *most, const struct step_use *use,
                         step_room_wait_fn *waits, void *context, uint32_t step)
{
    const struct timespec pause = { .tv_nsec = CHECK_NS };
    scoped_fd int queue = open_file(room, QUEUE);

    if (queue < 0)
        return queue;
    if (!lock_queue_soon(queue)) {
        waits(context);
        waits = NULL;
        (void)lock_file(queue, 0);
    }
    while (!has_room(room, most, use)) {
        if (waits)
            waits(context);
        waits = NULL;
        nanosleep(&pause, NULL);
    }
    return write_use(room, use, step);
}

int step_room_take(const char *directory, const struct step_use *most, const struct step_use *use,
                   step_room_wait_fn *waits, void *context, uint32_t *step, struct err *err)
{
    struct room room = { .err = err };
    scoped_fd int fd = -1;
    int r;

    if (mkdir(directory, 0700) < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "%s", directory);
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return err_set_errno(err, errno, "%s", directory);
    room.directory = fd;
    if ((r = next_number(&room, step)) < 0 || (use->vcores == 0 && use->memory_bytes == 0))
        return r;
    return wait_for_room(&room, most, use, waits, context, *step);
}
