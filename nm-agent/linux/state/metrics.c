/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - figures of the runtime for metrics: counters, the use of all containers together, disks */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/state/disk_io.h"

#define COUNT_LOGS_MS 10000 /* interval of counts of the logs of running containers */

/* --- logs ---------------------------------------------------------------------- */

/* Sets *SUM to the size of the logs of CONTAINER. Returns false if their directory does not answer. */
static bool log_bytes(const struct runtime *runtime, const struct container *container, uint64_t *sum)
{
    static const char *const files[] = { "stdout", "stderr" };
    scoped_fd int fd = -1;
    struct stat status;

    *sum = 0;
    if (container->meta.logs == NULL)
        return true;
    if (!disk_path_answers(runtime, container->meta.logs))
        return false;
    fd = open(container->meta.logs, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    for (size_t i = 0; i < sizeof(files) / sizeof(*files) && fd >= 0; i++)
        if (fstatat(fd, files[i], &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
            *sum += (uint64_t)status.st_size;
    return true;
}

/* Adds what CONTAINER has written since the last count; nothing while its log directory does not answer. */
static void count_logs(struct runtime *runtime, struct container *container)
{
    uint64_t bytes;

    if (!log_bytes(runtime, container, &bytes))
        return;
    if (bytes > container->log_bytes) /* the container may truncate them */
        runtime->counters.log_bytes += bytes - container->log_bytes;
    container->log_bytes = bytes;
}

void counters_adopt(const struct runtime *runtime, struct container *container)
{
    if (!log_bytes(runtime, container, &container->log_bytes))
        container->log_bytes = UINT64_MAX; /* unknown: the next count adds nothing */
    container->kills_before = leaf_oom_kills(&container->meta.leaf);
}

/* --- counters ------------------------------------------------------------------ */

void counters_add_end(struct runtime *runtime, struct container *container,
                      const struct container_end *record)
{
    uint64_t kills = leaf_oom_kills(&container->meta.leaf);

    if (exit_record_is_machine_full(record, container->meta.memory_bytes))
        runtime->counters.oom_kills_above += kills;
    else
        runtime->counters.oom_kills += kills;
    count_logs(runtime, container);
}

bool counters_memory_killed(const struct runtime *runtime, const struct container *container,
                            uint64_t peak_bytes)
{
    const struct container_end so_far = { .totals.memory_peak_bytes = peak_bytes };

    return runtime->limits.memory_kills_container && container->meta.memory_bytes > 0 &&
           leaf_oom_kills(&container->meta.leaf) > container->kills_before &&
           !exit_record_is_machine_full(&so_far, container->meta.memory_bytes);
}

const struct runtime_counters *runtime_counters(struct runtime *runtime)
{
    int64_t now_ms = monotonic_ms();
    struct container *container, *next;

    if (runtime->logs_counted_ms != 0 && now_ms - runtime->logs_counted_ms < COUNT_LOGS_MS)
        return &runtime->counters;
    runtime->logs_counted_ms = now_ms;
    HASH_ITER(hh, runtime->containers, container, next)
        if (container->state == CONTAINER_RUNNING)
            count_logs(runtime, container);
    return &runtime->counters;
}

/* --- the node ------------------------------------------------------------------- */

void runtime_group_use(const struct runtime *runtime, struct group_use *use)
{
    const struct leaf own = cgroups_own(runtime->cgroups);

    group_use_read(&own, use);
}

static void call(runtime_disk_fn *fn, void *context, const struct disk *disk)
{
    const struct runtime_disk found = {
        .path = disk->path,
        .good = !disk->bad,
        .measured = disk->measured,
        .free_bytes = disk->free_bytes,
        .inodes = disk->inodes,
        .free_inodes = disk->free_inodes,
    };

    fn(context, &found);
}

static bool is_among(const struct disks *disks, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(disks->items[i].path, path) == 0)
            return true;
    return false;
}

void runtime_each_disk(const struct runtime *runtime, runtime_disk_fn *fn, void *context)
{
    const struct health *health = &runtime->health;
    const struct disks *local = &health->local, *logs = &health->logs;

    call(fn, context, &health->state);
    if (health->rules.disks_unwatched)
        return;
    for (size_t i = 0; i < local->count; i++)
        if (!is_among(local, i, local->items[i].path) &&
            strcmp(local->items[i].path, health->state.path) != 0)
            call(fn, context, &local->items[i]);
    for (size_t i = 0; i < logs->count; i++)
        if (!is_among(local, local->count, logs->items[i].path) && !is_among(logs, i, logs->items[i].path) &&
            strcmp(logs->items[i].path, health->state.path) != 0)
            call(fn, context, &logs->items[i]);
}
