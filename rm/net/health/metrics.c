/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - what the daemon creel-rm measures about itself, for GetMetrics */
#include "rm/net/health/metrics.h"

#include <stdio.h>

#include "common/base/monotonic.h"
#include "common/base/own_process.h"
#include "common/io/loop/log.h"
#include "common/proto/histogram_message.h"
#include "rm/master/master.h"

/* In seconds: a heartbeat without news takes some microseconds, a round of preemption in a large cluster some
 * milliseconds. */
static const double tick_bounds[] = { 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001,
                                      0.0025,  0.005,    0.01,    0.025,  0.05,    0.1,    1 };
/* A transaction waits for the disk. */
static const double write_bounds[] = { 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                       0.025,  0.05,    0.1,    0.25,  0.5,    1,     5 };

void metrics_start(struct metrics *metrics, int64_t now_ms)
{
    histogram_init(&metrics->tick, tick_bounds, sizeof(tick_bounds) / sizeof(*tick_bounds));
    histogram_init(&metrics->state_write, write_bounds, sizeof(write_bounds) / sizeof(*write_bounds));
    for (size_t i = 0; i < METRICS_PARTS; i++)
        metrics->reloads[i].success_ms = now_ms; /* the start reads the configuration, too */
}

int64_t metrics_begin(void)
{
    return monotonic_ns();
}

static double seconds_since(int64_t begun_ns)
{
    return (double)(monotonic_ns() - begun_ns) / 1e9;
}

void metrics_end_tick(struct metrics *metrics, int64_t begun_ns, int64_t now_ms)
{
    histogram_add(&metrics->tick, seconds_since(begun_ns));
    metrics->tick_ms = now_ms;
}

void metrics_end_write(struct metrics *metrics, int64_t begun_ns, bool success)
{
    histogram_add(&metrics->state_write, seconds_since(begun_ns));
    metrics->state_errors += success ? 0 : 1;
}

void metrics_note_reload(struct metrics *metrics, enum metrics_part part, bool success, int64_t now_ms)
{
    struct metrics_reloads *reloads = &metrics->reloads[part];

    reloads->refused = !success;
    if (success) {
        reloads->succeeded++;
        reloads->success_ms = now_ms;
    } else {
        reloads->failed++;
    }
}

void metrics_note_refused_change(struct metrics *metrics)
{
    metrics->reloads[METRICS_QUEUES].failed++;
}

static void fill_reloads(const struct metrics *metrics, struct arena *arena, Creel__Metrics *ret)
{
    static const char *const names[METRICS_PARTS] = { "queues", "nodes", "acls", "groups" };
    const struct metrics_reloads *queues = &metrics->reloads[METRICS_QUEUES];

    ret->reloads_succeeded = queues->succeeded;
    ret->reloads_failed = queues->failed;
    ret->reload_success_ms = queues->success_ms;
    ret->reloads = arena_array0(arena, METRICS_PARTS, sizeof(*ret->reloads));
    for (; ret->n_reloads < METRICS_PARTS; ret->n_reloads++) {
        const struct metrics_reloads *reloads = &metrics->reloads[ret->n_reloads];
        Creel__PartReload *part = arena_new0(arena, Creel__PartReload);

        creel__part_reload__init(part);
        part->name = arena_strdup(arena, names[ret->n_reloads]);
        part->succeeded = reloads->succeeded;
        part->failed = reloads->failed;
        part->success_ms = reloads->success_ms;
        part->refused = reloads->refused;
        ret->reloads[ret->n_reloads] = part;
    }
}

static void add_pool(struct arena *arena, Creel__Metrics *ret, const Creel__PoolUse *use)
{
    Creel__PoolUse *pool = arena_dup(arena, use, sizeof(*use));

    pool->name = arena_strdup(arena, use->name);
    ret->pools[ret->n_pools++] = pool;
}

static void add_queue(struct arena *arena, Creel__Metrics *ret, const struct request_queue *queue)
{
    const struct request_queue_use use = request_queue_use(queue);
    Creel__PoolUse pool = CREEL__POOL_USE__INIT;
    char name[64];

    snprintf(name, sizeof(name), "%s", use.pool);
    pool.name = name;
    pool.used = use.used_kib;
    pool.limit = use.limit_kib;
    pool.refused_full = use.refused_full;
    pool.refused_owner = use.refused_owner;
    add_pool(arena, ret, &pool);
}

static void fill_pools(const struct metrics_now *now, struct arena *arena, Creel__Metrics *ret)
{
    Creel__PoolUse connections = CREEL__POOL_USE__INIT, uploads = CREEL__POOL_USE__INIT,
                   unread = CREEL__POOL_USE__INIT;
    Creel__PoolUse **pools;

    connections.name = (char[]){ "connections" };
    connections.used = now->connections.used;
    connections.limit = now->connections.limit;
    connections.refused_full = now->connections.refused_full;
    connections.refused_owner = now->connections.refused_address;
    uploads.name = (char[]){ "uploads" };
    uploads.used = now->uploads.used;
    uploads.limit = BLOBS_UPLOADS_MAX;
    uploads.refused_full = now->uploads.refused_full;
    uploads.refused_owner = now->uploads.refused_owner;
    unread.name = (char[]){ "unread-kib" };
    unread.used = now->unread.used_kib;
    unread.limit = now->unread.limit_kib;
    unread.refused_full = now->unread.refused_full;
    unread.refused_owner = now->unread.refused_owner;
    pools = arena_array0(arena, ret->n_pools + 3 + now->queue_count, sizeof(*pools));
    for (size_t i = 0; i < ret->n_pools; i++) /* those of the master */
        pools[i] = ret->pools[i];
    ret->pools = pools;
    add_pool(arena, ret, &connections);
    add_pool(arena, ret, &uploads);
    add_pool(arena, ret, &unread);
    for (size_t i = 0; i < now->queue_count; i++)
        add_queue(arena, ret, now->queues[i]);
}

/* Leaves out a directory that cannot be measured, and one that does not exist yet, unless it does not
 * answer. */
static void fill_directories(const struct free_space *space, struct arena *arena, Creel__Metrics *ret)
{
    ret->directories = arena_array0(arena, FREE_SPACE_DIRECTORIES, sizeof(*ret->directories));
    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++) {
        Creel__DirectorySpace *directory;

        if (space->directories[i].silent_ms == 0 &&
            (space->directories[i].error != 0 || !space->directories[i].measured))
            continue;
        directory = arena_new0(arena, Creel__DirectorySpace);
        creel__directory_space__init(directory);
        directory->name = arena_strdup(arena, space->directories[i].name);
        directory->free_bytes = (uint64_t)space->directories[i].bytes;
        directory->unknown = space->directories[i].error != 0 || !space->directories[i].measured;
        directory->inodes = space->directories[i].inodes;
        directory->free_inodes = space->directories[i].free_inodes;
        directory->silent_ms = (uint64_t)space->directories[i].silent_ms;
        ret->directories[ret->n_directories++] = directory;
    }
}

void metrics_fill(const struct metrics *metrics, const struct metrics_now *now, struct arena *arena,
                  Creel__Metrics *ret)
{
    const struct own_process process = own_process_read();

    ret->scheduler_tick = histogram_to_message(arena, &metrics->tick);
    ret->scheduler_tick_ms = metrics->tick_ms;
    ret->waiting_events = now->waiting_events;
    ret->state_backend = arena_strdup(arena, now->state_backend);
    ret->state_write = histogram_to_message(arena, &metrics->state_write);
    ret->state_errors = metrics->state_errors;
    ret->state_bytes = now->state_bytes;
    ret->backup_ms = now->backup_ms;
    ret->history_lag_ms = now->history_lag_ms;
    fill_reloads(metrics, arena, ret);
    ret->uploads_over_limit = now->uploads.over_limit;
    ret->sign_in_failures = metrics->sign_in_failures + now->refused_keys;
    ret->log_lines_dropped = log_dropped();
    ret->resident_bytes = process.resident_bytes;
    ret->cpu_us = process.cpu_us;
    ret->open_files = process.open_files;
    ret->refused_agents = now->refused_agents;
    ret->gateway_deaths = now->gateway_deaths;
    ret->has_munge = now->munge.used;
    ret->munge_answers = now->munge.problem == NULL;
    fill_pools(now, arena, ret);
    fill_directories(now->free_space, arena, ret);
}
