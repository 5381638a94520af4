/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - what the daemon creel-rm measures about itself, for GetMetrics */
#include "rm/net/metrics.h"

#include "common/base/monotonic.h"
#include "common/base/own_process.h"
#include "common/io/log.h"
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
    metrics->reload_success_ms = now_ms; /* the start reads the configuration, too */
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

void metrics_note_reload(struct metrics *metrics, bool success, int64_t now_ms)
{
    if (success) {
        metrics->reloads_succeeded++;
        metrics->reload_success_ms = now_ms;
    } else {
        metrics->reloads_failed++;
    }
}

static void add_pool(struct arena *arena, Creel__Metrics *ret, const Creel__PoolUse *use)
{
    Creel__PoolUse *pool = arena_dup(arena, use, sizeof(*use));

    pool->name = arena_strdup(arena, use->name);
    ret->pools[ret->n_pools++] = pool;
}

static void fill_pools(const struct metrics_now *now, struct arena *arena, Creel__Metrics *ret)
{
    Creel__PoolUse connections = CREEL__POOL_USE__INIT, uploads = CREEL__POOL_USE__INIT;

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
    ret->pools = arena_array0(arena, 2, sizeof(*ret->pools));
    add_pool(arena, ret, &connections);
    add_pool(arena, ret, &uploads);
}

/* Leaves out a directory that cannot be measured, and one that does not exist yet. */
static void fill_directories(const struct free_space *space, struct arena *arena, Creel__Metrics *ret)
{
    ret->directories = arena_array0(arena, FREE_SPACE_DIRECTORIES, sizeof(*ret->directories));
    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++) {
        Creel__DirectorySpace *directory;

        if (space->directories[i].error != 0)
            continue;
        directory = arena_new0(arena, Creel__DirectorySpace);
        creel__directory_space__init(directory);
        directory->name = arena_strdup(arena, space->directories[i].name);
        directory->free_bytes = (uint64_t)space->directories[i].bytes;
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
    ret->reloads_succeeded = metrics->reloads_succeeded;
    ret->reloads_failed = metrics->reloads_failed;
    ret->reload_success_ms = metrics->reload_success_ms;
    ret->sign_in_failures = metrics->sign_in_failures + now->refused_keys;
    ret->log_lines_dropped = log_dropped();
    ret->resident_bytes = process.resident_bytes;
    ret->cpu_us = process.cpu_us;
    ret->open_files = process.open_files;
    ret->refused_agents = now->refused_agents;
    ret->gateway_deaths = now->gateway_deaths;
    fill_pools(now, arena, ret);
    fill_directories(now->free_space, arena, ret);
}
