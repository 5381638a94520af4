/* SPDX-License-Identifier: Apache-2.0 */
/* disks.c - measures the working directories of running containers */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/state/disk_io.h"
#include "nm-agent/linux/state/usage.h"

#define LOOK_MS 20 /* time limit of one call */

/* --- one working directory, measured in the thread of its disk ------------------- */

struct measurement {
    struct worker_job job; /* first member */
    struct disk *disk;     /* NULL: none that the agent knows */
    char *path;            /* owned */
    uid_t uid;
    uint32_t project;
    uint64_t max_bytes;     /* a directory with more is not counted to its end */
    int64_t until_ms;       /* monotonic; end of this part */
    struct usage_walk walk; /* its open directories are descriptors of the thread, if DISK has one */
    bool has_begun, is_over;
    uint64_t bytes; /* the result, once it is over */
    bool too_deep;
    bool runs;           /* the thread has it */
    atomic_bool dropped; /* the loop does not need it any more; the thread reads it, too */
};

/* Returns the bytes counted by the kernel's quota, which include removed files that are still open; 0: not
 * counted. */
static uint64_t counted_bytes(const struct measurement *one)
{
    return one->project == QUOTA_NONE ? 0 : quota_used(one->path, one->project);
}

static void measure_part(struct measurement *one)
{
    uint64_t counted;

    /* A container whose directory was removed is reported with 0 bytes. */
    if (!one->has_begun)
        (void)usage_begin(&one->walk, one->path, one->uid);
    one->has_begun = true;
    counted = counted_bytes(one);
    one->is_over = counted > one->max_bytes || usage_go_on(&one->walk, one->until_ms) ||
                   one->walk.bytes > one->max_bytes;
    one->bytes = counted > one->walk.bytes ? counted : one->walk.bytes;
    one->too_deep = one->walk.too_deep;
}

static void run_part(struct worker_job *job)
{
    struct measurement *one = (struct measurement *)job;

    if (!one->dropped)
        measure_part(one);
    if (one->dropped || one->is_over)
        usage_end(&one->walk);
}

static void drop(struct measurement *one)
{
    one->dropped = true;
    if (one->runs)
        return;
    if (one->walk.depth > 0 && one->disk != NULL && one->disk->worker != NULL) {
        one->runs = true; /* the thread has to close the directories */
        worker_add(one->disk->worker, &one->job);
        return;
    }
    usage_end(&one->walk); /* without a thread they are descriptors of the loop */
    free(one->path);
    free(one);
}

static void end_part(struct worker_job *job)
{
    struct measurement *one = (struct measurement *)job;

    one->runs = false;
    if (one->dropped)
        drop(one);
}

/* --- all containers ------------------------------------------------------------------ */

/* Returns true if CONTAINER can be measured. */
static bool is_measured(const struct runtime *runtime, const struct container *container)
{
    struct disk *disk;

    if (container->state != CONTAINER_RUNNING || container->meta.work == NULL)
        return false;
    disk = disk_of(runtime, container->meta.work);
    return disk == NULL || !disk_is_late(disk);
}

/* Returns the container after MEASURED in the order of the table, or the first; NULL: there is none. */
static struct container *next_container(const struct runtime *runtime)
{
    struct container *container = container_find(runtime, runtime->measured);

    container = container != NULL ? container->hh.next : NULL;
    while (container != NULL && !is_measured(runtime, container))
        container = container->hh.next;
    if (container != NULL)
        return container;
    for (container = runtime->containers; container != NULL && !is_measured(runtime, container);)
        container = container->hh.next;
    return container;
}

static bool begin_next(struct runtime *runtime, uint64_t max_bytes)
{
    struct container *container = next_container(runtime);
    struct measurement *one;

    if (container == NULL)
        return false;
    snprintf(runtime->measured, sizeof(runtime->measured), "%s", container->id);
    one = mem_new0(struct measurement);
    one->job = (struct worker_job){ .run = run_part, .done = end_part };
    one->path = mem_strdup(container->meta.work);
    one->disk = disk_of(runtime, one->path);
    one->uid = container->meta.uid;
    one->project = container->meta.project;
    one->max_bytes = max_bytes;
    runtime->measurement = one;
    return true;
}

static void drop_measurement(struct runtime *runtime)
{
    struct measurement *one = runtime->measurement;

    runtime->measurement = NULL;
    if (one != NULL)
        drop(one);
}

void disks_stop_measuring(struct runtime *runtime, const char *id)
{
    if (id == NULL || strcmp(runtime->measured, id) == 0)
        drop_measurement(runtime);
}

/* Measures a part. Returns false if the disk does not answer. */
static bool go_on(struct measurement *one, int64_t until_ms)
{
    if (one->disk != NULL && disk_is_late(one->disk))
        return false;
    one->until_ms = until_ms;
    one->runs = true;
    return disk_run(one->disk, &one->job);
}

void runtime_measure_disks(struct runtime *runtime, uint64_t max_bytes, runtime_disks_fn *fn, void *context)
{
    int64_t until_ms = monotonic_ms() + LOOK_MS;
    char first[sizeof(runtime->measured)] = "";

    do {
        const struct container *container = container_find(runtime, runtime->measured);

        if (container == NULL || !is_measured(runtime, container))
            drop_measurement(runtime);
        if (runtime->measurement == NULL) {
            if (!begin_next(runtime, max_bytes))
                break;
            if (strcmp(first, runtime->measured) == 0) { /* at most one measurement of each in a call */
                drop_measurement(runtime);
                break;
            }
            if (first[0] == '\0')
                memcpy(first, runtime->measured, sizeof(first));
        }
        if (!go_on(runtime->measurement, until_ms)) {
            drop_measurement(runtime);
        } else if (runtime->measurement->is_over) {
            fn(context, runtime->measured, runtime->measurement->bytes, runtime->measurement->too_deep);
            drop_measurement(runtime);
        }
    } while (monotonic_ms() < until_ms);
}

bool runtime_quotas_work(const struct runtime *runtime, struct err *err)
{
    scoped_free char **directories = disk_answering_local_dirs(runtime);
    int result = 0;

    for (char **dir = directories; *dir && result == 0 && runtime->quota.count > 0; dir++)
        result = quota_check(&runtime->quota, *dir, err);
    return result == 0;
}
