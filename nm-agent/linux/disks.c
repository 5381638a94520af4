/* SPDX-License-Identifier: Apache-2.0 */
/* disks.c - measures the working directories of running containers */
#include <stdio.h>
#include <string.h>

#include "nm-agent/linux/runtime_state.h"

#define LOOK_MS 20 /* time limit of one call */

static bool is_measured(const struct container *container)
{
    return container->state == CONTAINER_RUNNING && container->meta.work != NULL;
}

/* Returns the container after MEASURED in the order of the table, or the first; NULL: there is none. */
static struct container *next_container(const struct runtime *runtime)
{
    struct container *container = container_find(runtime, runtime->measured);

    container = container != NULL ? container->hh.next : NULL;
    while (container != NULL && !is_measured(container))
        container = container->hh.next;
    if (container != NULL)
        return container;
    for (container = runtime->containers; container != NULL && !is_measured(container);)
        container = container->hh.next;
    return container;
}

static bool begin_next(struct runtime *runtime)
{
    struct container *container = next_container(runtime);

    if (container == NULL)
        return false;
    snprintf(runtime->measured, sizeof(runtime->measured), "%s", container->id);
    /* A container whose directory was removed is reported with 0 bytes. */
    (void)usage_begin(&runtime->walk, container->meta.work, container->meta.uid);
    return true;
}

void disks_stop_measuring(struct runtime *runtime, const char *id)
{
    if (strcmp(runtime->measured, id) == 0)
        usage_end(&runtime->walk);
}

/* Returns the bytes counted by the kernel's quota, which include removed files that are still open; 0: not
 * counted. */
static uint64_t counted_bytes(const struct container *container)
{
    return container->meta.project == QUOTA_NONE ? 0
                                                 : quota_used(container->meta.work, container->meta.project);
}

bool runtime_quotas_work(const struct runtime *runtime, struct err *err)
{
    int result = 0;

    for (char **dir = runtime->local_dirs; *dir && result == 0 && runtime->quota.count > 0; dir++)
        result = quota_check(&runtime->quota, *dir, err);
    return result == 0;
}

void runtime_measure_disks(struct runtime *runtime, uint64_t max_bytes, runtime_disks_fn *fn, void *context)
{
    int64_t until_ms = monotonic_ms() + LOOK_MS;
    char first[sizeof(runtime->measured)] = "";

    do {
        struct container *container = container_find(runtime, runtime->measured);
        uint64_t counted;
        bool done;

        if (container == NULL || !is_measured(container) || runtime->walk.depth == 0) {
            if (!begin_next(runtime) || strcmp(first, runtime->measured) == 0)
                break; /* at most one measurement of each container in a call */
            if (first[0] == '\0')
                memcpy(first, runtime->measured, sizeof(first));
        }
        counted = counted_bytes(container_find(runtime, runtime->measured));
        done = counted > max_bytes || usage_go_on(&runtime->walk, until_ms);
        if (!done && runtime->walk.bytes <= max_bytes)
            continue;
        fn(context, runtime->measured, counted > runtime->walk.bytes ? counted : runtime->walk.bytes,
           runtime->walk.too_deep);
        usage_end(&runtime->walk);
    } while (monotonic_ms() < until_ms);
}
