/* SPDX-License-Identifier: Apache-2.0 */
/* web_metrics.c - the agent's figures for /metrics as a message for creel-nm-web */
#include "nm-agent/net/web_metrics.h"

#include "common/base/shares.h"
#include "common/proto/histogram_message.h"
#include "common/io/server/gateway_frame.h"
#include "nm-agent/net/daemon.h"

static void fill_containers(const struct daemon *daemon, struct arena *arena, Creel__AgentMetrics *metrics)
{
    const struct runtime_counters *counters = runtime_counters(daemon->runtime);
    const struct agent_durations *durations = agent_durations(daemon->agent);

    metrics->start = histogram_to_message(arena, &durations->start);
    metrics->localize = histogram_to_message(arena, &durations->localize);
    metrics->localize_bytes = fetcher_received_bytes(daemon->fetcher);
    metrics->oom_kills_container = counters->oom_kills;
    metrics->oom_kills_slice = counters->oom_kills_above;
    metrics->log_bytes = counters->log_bytes;
    metrics->orphans_killed = counters->orphans_killed;
}

static void fill_pressure(struct arena *arena, const struct group_use *use, Creel__AgentMetrics *metrics)
{
    metrics->pressures = arena_array0(arena, PRESSURE_RESOURCES, sizeof(*metrics->pressures));
    for (int i = 0; i < PRESSURE_RESOURCES; i++) {
        const struct group_pressure *pressure = &use->pressure[i];
        Creel__AgentPressure *message;

        if (!pressure->has_some)
            continue;
        message = arena_new0(arena, Creel__AgentPressure);
        creel__agent_pressure__init(message);
        message->resource = arena_strdup(arena, group_pressure_name((enum group_pressure_resource)i));
        message->some = pressure->some;
        message->has_full = pressure->has_full;
        message->full = pressure->full;
        metrics->pressures[metrics->n_pressures++] = message;
    }
}

static void fill_group(const struct daemon *daemon, struct arena *arena, Creel__AgentMetrics *metrics)
{
    struct group_use use;

    runtime_group_use(daemon->runtime, &use);
    metrics->has_memory = use.has_memory;
    metrics->limit_bytes = use.limit_bytes;
    metrics->anon_bytes = use.memory.anon_bytes;
    metrics->file_bytes = use.memory.file_bytes;
    metrics->shmem_bytes = use.memory.shmem_bytes;
    metrics->kernel_bytes = use.memory.kernel_bytes;
    metrics->has_cpu = use.has_cpu;
    metrics->cpu_us = use.cpu_time_us;
    fill_pressure(arena, &use, metrics);
}

struct disk_list {
    struct arena *arena;
    Creel__AgentMetrics *metrics;
};

static void count_disk(void *context, const struct runtime_disk *disk)
{
    size_t *count = context;

    (void)disk;
    ++*count;
}

static void add_disk(void *context, const struct runtime_disk *found)
{
    struct disk_list *list = context;
    Creel__AgentDisk *disk = arena_new0(list->arena, Creel__AgentDisk);

    creel__agent_disk__init(disk);
    disk->dir = arena_strdup(list->arena, found->path);
    disk->good = found->good;
    disk->is_measured = found->measured;
    disk->free_bytes = found->measured ? found->free_bytes : 0;
    disk->inodes = found->measured ? found->inodes : 0;
    disk->free_inodes = found->measured ? found->free_inodes : 0;
    list->metrics->disks[list->metrics->n_disks++] = disk;
}

static void fill_disks(const struct daemon *daemon, struct arena *arena, Creel__AgentMetrics *metrics)
{
    struct disk_list list = { arena, metrics };
    size_t count = 0;

    runtime_each_disk(daemon->runtime, count_disk, &count);
    metrics->disks = arena_array0(arena, count + 1, sizeof(*metrics->disks));
    runtime_each_disk(daemon->runtime, add_disk, &list);
}

static Creel__PoolUse *make_pool(struct arena *arena, const char *name, const struct shares *places)
{
    Creel__PoolUse *pool = arena_new0(arena, Creel__PoolUse);

    creel__pool_use__init(pool);
    pool->name = arena_strdup(arena, name);
    pool->used = shares_used(places);
    pool->limit = shares_max(places);
    pool->refused_full = shares_refused(places, SHARES_FULL);
    pool->refused_owner = shares_refused(places, SHARES_OWNER_FULL);
    return pool;
}

static Creel__PoolUse *make_connections(struct arena *arena, const struct gateway_pool *gateways)
{
    Creel__PoolUse *pool = arena_new0(arena, Creel__PoolUse);
    struct gateway_counts counts;

    gateway_pool_connections(gateways, &counts);
    creel__pool_use__init(pool);
    pool->name = arena_strdup(arena, "connections");
    pool->used = counts.used;
    pool->limit = counts.limit;
    pool->refused_full = counts.refused_full;
    pool->refused_owner = counts.refused_address;
    return pool;
}

static Creel__PoolUse *make_unread(struct arena *arena, const struct gateway_pool *gateways)
{
    const struct gateway_unread unread = gateway_pool_unread(gateways);
    Creel__PoolUse *pool = arena_new0(arena, Creel__PoolUse);

    creel__pool_use__init(pool);
    pool->name = arena_strdup(arena, "unread-kib");
    pool->used = unread.used_kib;
    pool->limit = unread.limit_kib;
    pool->refused_full = unread.refused_full;
    pool->refused_owner = unread.refused_owner;
    return pool;
}

static void fill_pools(const struct daemon *daemon, struct arena *arena, Creel__AgentMetrics *metrics)
{
    const struct shares *logs = runtime_log_places(daemon->runtime);

    metrics->n_pools = logs != NULL ? 6 : 5;
    metrics->pools = arena_array0(arena, metrics->n_pools, sizeof(*metrics->pools));
    metrics->pools[0] = make_pool(arena, "exec", daemon->exec_places);
    metrics->pools[1] = make_pool(arena, "log", log_waits_places(daemon->log_waits));
    metrics->pools[2] = make_pool(arena, "fetch", fetcher_places(daemon->fetcher));
    metrics->pools[3] = make_connections(arena, daemon->gateways);
    metrics->pools[4] = make_unread(arena, daemon->gateways);
    if (logs != NULL)
        metrics->pools[5] = make_pool(arena, "log-move", logs);
}

static void fill_process(const struct own_process *own, Creel__AgentMetrics *metrics)
{
    metrics->process_open_fds = own->open_files;
    metrics->process_max_fds = own->open_files_max;
    metrics->process_virtual_bytes = own->virtual_bytes;
}

Creel__AgentMetrics *web_metrics_make(const struct daemon *daemon, const struct own_process *own,
                                      struct arena *arena)
{
    Creel__AgentMetrics *metrics = arena_new0(arena, Creel__AgentMetrics);

    creel__agent_metrics__init(metrics);
    metrics->has_rtt = daemon->heartbeat_rtt_us >= 0;
    metrics->rtt_us = metrics->has_rtt ? (uint64_t)daemon->heartbeat_rtt_us : 0;
    fill_containers(daemon, arena, metrics);
    fill_group(daemon, arena, metrics);
    fill_disks(daemon, arena, metrics);
    fill_pools(daemon, arena, metrics);
    fill_process(own, metrics);
    metrics->gateway_deaths = gateway_pool_deaths(daemon->gateways).count;
    metrics->web_deaths = daemon->web_deaths;
    return metrics;
}
