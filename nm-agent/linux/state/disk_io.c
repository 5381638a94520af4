/* SPDX-License-Identifier: Apache-2.0 */
/* disk_io.c - keeps the agent's loop from blocking on a local or log directory that does not answer */
#include "nm-agent/linux/state/disk_io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/directory_probe.h"
#include "nm-agent/linux/runtime_state.h"

#define STOP_MS 100 /* a job that runs at the end of the agent is repeated by the next one */
#define FRESH_MS 10 /* an answer is not asked for again before */

void disk_io_start(struct disk *disk)
{
    if (disk->worker == NULL)
        (void)worker_start(NULL, true, &disk->worker, NULL);
    if (disk->writer == NULL)
        (void)worker_start(NULL, true, &disk->writer, NULL);
}

static bool end_worker(struct worker **worker)
{
    bool ended;

    if (*worker == NULL)
        return true;
    (void)worker_wait(*worker,
                      STOP_MS); /* the end of a measurement may add a job, which closes directories */
    ended = worker_free(*worker, STOP_MS);
    *worker = NULL;
    return ended;
}

bool disk_io_end(struct disk *disk)
{
    bool ended = end_worker(&disk->worker);

    return end_worker(&disk->writer) && ended;
}

bool disk_is_late(struct disk *disk)
{
    if (disk->late)
        disk->late = !worker_wait(disk->worker, 0);
    return disk->late;
}

bool disk_run(struct disk *disk, struct worker_job *job)
{
    if (disk == NULL || disk->worker == NULL) {
        job->run(job);
        job->done(job);
        return true;
    }
    disk->late = !worker_run(disk->worker, job, DISK_WAIT_MS);
    return !disk->late;
}

/* --- the test ------------------------------------------------------------------ */

struct touch {
    struct worker_job job; /* first member */
    char path[];
};

static void run_touch(struct worker_job *job)
{
    /* What is wrong with the directory shows when it is used. */
    (void)directory_probe(((struct touch *)job)->path, false);
}

static void end_touch(struct worker_job *job)
{
    free(job);
}

bool disk_answers(struct disk *disk)
{
    size_t size = disk != NULL ? strlen(disk->path) + 1 : 0;
    struct touch *touch;

    if (disk == NULL || disk->worker == NULL)
        return true;
    if (disk_is_late(disk))
        return false;
    if (disk->answered_ms != 0 && monotonic_ms() - disk->answered_ms < FRESH_MS)
        return true;
    touch = mem_alloc0(sizeof(*touch) + size);
    touch->job = (struct worker_job){ .run = run_touch, .done = end_touch };
    memcpy(touch->path, disk->path, size);
    if (!disk_run(disk, &touch->job))
        return false;
    disk->answered_ms = monotonic_ms();
    return true;
}

/* --- paths ----------------------------------------------------------------------- */

static bool is_in(const char *path, const char *directory)
{
    size_t length = strlen(directory);

    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

struct disk *disk_of(const struct runtime *runtime, const char *path)
{
    const struct disks *both[] = { &runtime->health.local, &runtime->health.logs };
    const struct disk *state = &runtime->health.state;
    struct disk *best = is_in(path, state->path) ? (struct disk *)(uintptr_t)state : NULL;

    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < both[i]->count; k++) {
            struct disk *disk = &both[i]->items[k];

            if (is_in(path, disk->path) && (best == NULL || strlen(disk->path) > strlen(best->path)))
                best = disk;
        }
    return best;
}

bool disk_path_answers(const struct runtime *runtime, const char *path)
{
    return disk_answers(disk_of(runtime, path));
}

static char **answering_dirs(const struct disks *disks)
{
    char **directories = mem_array0(disks->count + 1, sizeof(*directories));
    size_t count = 0;

    for (size_t i = 0; i < disks->count; i++)
        if (disk_answers(&disks->items[i]))
            directories[count++] = disks->items[i].path;
    return directories;
}

char **disk_answering_local_dirs(const struct runtime *runtime)
{
    return answering_dirs(&runtime->health.local);
}

char **disk_answering_log_dirs(const struct runtime *runtime)
{
    return answering_dirs(&runtime->health.logs);
}

bool disk_log_dirs_answer(const struct runtime *runtime)
{
    for (size_t i = 0; i < runtime->health.logs.count; i++)
        if (!disk_answers(&runtime->health.logs.items[i]))
            return false;
    return true;
}

int disk_no_answer(const char *path, struct err *err)
{
    return err_set(err, EAGAIN, "%s " DISK_NO_ANSWER, path);
}
