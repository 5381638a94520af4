/* SPDX-License-Identifier: Apache-2.0 */
/* free_space.c - measures the free space of the directories to which the resource manager writes */
#include "rm/net/health/free_space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/directory_probe.h"
#include "common/base/mem.h"
#include "common/io/loop/log.h"
#include "rm/net/files/blobs.h"

#define STOP_MS 100 /* nothing is lost with a measurement */

struct measurement {
    struct worker_job job; /* first member */
    struct free_space *space;
    size_t index;
    char *path; /* owned */
    int64_t bytes, reserve_bytes;
    uint64_t inodes, free_inodes;
    int in_use; /* borrowed */
    int opened; /* the directory, if IN_USE is -1; -1: none */
    int error, write_error;
    dev_t device;
    bool sync, no_inodes, moved;
};

void free_space_init(struct free_space *space, const char *state_directory, int64_t limit_bytes)
{
    *space = (struct free_space){
        .limit_bytes = limit_bytes,
        .directories = { { .name = "state",
                           .path = mem_strdup(state_directory),
                           .required = true,
                           .in_use = -1 },
                         { .name = "history",
                           .path = mem_printf("%s/history", state_directory),
                           .in_use = -1 },
                         { .name = "uploads",
                           .path = mem_printf("%s/blobs", state_directory),
                           .required = true,
                           .in_use = -1 } },
    };
}

int free_space_start(struct free_space *space, struct loop *loop, struct err *err)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < FREE_SPACE_DIRECTORIES; i++)
        r = worker_new(loop, &space->directories[i].worker, err);
    return r;
}

bool free_space_done(struct free_space *space)
{
    bool ended = true;

    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++) {
        struct free_space_directory *directory = &space->directories[i];

        if (directory->worker != NULL)
            ended = worker_free(directory->worker, STOP_MS) && ended;
        if (i == FREE_SPACE_HISTORY && directory->path != NULL) /* NULL: free_space_init was not called */
            mem_close_fd(&directory->in_use);
        free(directory->path);
    }
    return ended;
}

/* --- in the thread --------------------------------------------------------- */

/* Writes a test file. Returns errno; 0: files can be written, or DIRECTORY does not exist yet. On a file
 * system that an earlier directory tests, it is not synced. */
static int try_write(const struct measurement *measurement)
{
    int error = directory_probe(measurement->path, measurement->sync);

    return error == ENOENT ? 0 : error;
}

/* Returns true if the directory in use is not that of the path any more. FOUND is that of the path; NULL:
 * there is none. Uploads go to a new directory if the one in use was removed. */
static bool is_moved(const struct measurement *measurement, const struct stat *found)
{
    struct stat used;

    if (measurement->in_use < 0 || fstat(measurement->in_use, &used) < 0)
        return false;
    if (found == NULL)
        return true;
    if (used.st_nlink == 0 && measurement->index == FREE_SPACE_UPLOADS)
        return false;
    return used.st_dev != found->st_dev || used.st_ino != found->st_ino;
}

static void run_measurement(struct worker_job *job)
{
    struct measurement *measurement = (struct measurement *)job;
    struct stat status;
    struct statvfs file_system;

    measurement->write_error = try_write(measurement);
    if (stat(measurement->path, &status) < 0 || statvfs(measurement->path, &file_system) < 0) {
        measurement->error = errno;
        measurement->moved = errno == ENOENT && is_moved(measurement, NULL);
        return;
    }
    measurement->moved = is_moved(measurement, &status);
    /* An open directory keeps its number: a new one cannot be taken for it. */
    if (measurement->index == FREE_SPACE_HISTORY && measurement->in_use < 0)
        measurement->opened = open(measurement->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    measurement->device = status.st_dev;
    measurement->bytes = (int64_t)(file_system.f_bavail * file_system.f_frsize);
    measurement->inodes = file_system.f_files;
    measurement->free_inodes = file_system.f_favail;
    measurement->no_inodes = file_system.f_files > 0 && file_system.f_favail == 0;
    measurement->reserve_bytes =
        (int64_t)blobs_reserve_bytes((uint64_t)file_system.f_blocks * file_system.f_frsize);
}

/* --- in the loop ----------------------------------------------------------- */

static bool is_shared(const struct free_space *space, size_t index)
{
    const struct free_space_directory *directory = &space->directories[index];

    if (index > 0 && directory->error == ENOENT)
        return true;
    for (size_t i = 0; i < index; i++)
        if (directory->device != 0 && space->directories[i].device == directory->device)
            return true;
    return false;
}

static void note_moved(struct free_space_directory *directory, bool moved)
{
    if (moved && !directory->moved)
        log_line(LOG_LEVEL_ERROR,
                 "%s (%s) was removed, replaced or unmounted; creel cluster health has what to do",
                 directory->path, directory->name);
    else if (!moved && directory->moved)
        log_line(LOG_LEVEL_INFO, "%s (%s) is there again", directory->path, directory->name);
    directory->moved = moved;
}

static void finish_measurement(struct worker_job *job)
{
    struct measurement *measurement = (struct measurement *)job;
    struct free_space *space = measurement->space;
    struct free_space_directory *directory = &space->directories[measurement->index];

    if (directory->silent_ms > 0)
        log_line(LOG_LEVEL_INFO, "%s (%s) answers again", directory->path, directory->name);
    directory->measured = true;
    directory->bytes = measurement->bytes;
    directory->no_inodes = measurement->no_inodes;
    directory->inodes = measurement->inodes;
    directory->free_inodes = measurement->free_inodes;
    directory->reserve_bytes = measurement->reserve_bytes;
    directory->error = measurement->error;
    directory->write_error = measurement->write_error;
    directory->device = measurement->device;
    directory->asked_ms = directory->silent_ms = 0;
    if (measurement->opened >= 0)
        directory->in_use = measurement->opened;
    note_moved(directory, measurement->moved);
    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++)
        space->directories[i].shared = is_shared(space, i);
    free(measurement->path);
    free(measurement);
}

static void begin(struct free_space *space, size_t index, int64_t now_ms)
{
    struct free_space_directory *directory = &space->directories[index];
    struct measurement *measurement = mem_new0(struct measurement);

    measurement->job.run = run_measurement;
    measurement->job.done = finish_measurement;
    measurement->space = space;
    measurement->index = index;
    measurement->path = mem_strdup(directory->path);
    measurement->in_use = directory->in_use;
    measurement->opened = -1;
    measurement->sync = !directory->shared;
    directory->asked_ms = now_ms;
    worker_add(directory->worker, &measurement->job);
}

static void note_silence(struct free_space_directory *directory, int64_t now_ms)
{
    int64_t waited_ms = now_ms - directory->asked_ms;

    if (directory->asked_ms == 0 || waited_ms <= FREE_SPACE_SILENT_MS)
        return;
    if (directory->silent_ms == 0)
        log_line(LOG_LEVEL_ERROR, "%s (%s) has not answered for %lld s: look at its disk or mount",
                 directory->path, directory->name, (long long)waited_ms / 1000);
    directory->silent_ms = waited_ms;
}

void free_space_measure(struct free_space *space, int64_t now_ms)
{
    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++)
        note_silence(&space->directories[i], now_ms);
    if (now_ms < space->due_ms)
        return;
    space->due_ms = now_ms + FREE_SPACE_MS;
    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++)
        if (space->directories[i].asked_ms == 0)
            begin(space, i, now_ms);
}
