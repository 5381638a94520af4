/* SPDX-License-Identifier: Apache-2.0 */
/* counters.c - counts events since the resource manager started: submissions, containers by exit status,
 * preemption */

#include "rm/master/state/measure.h"

static uint64_t *counter_of(struct counters *counters, int32_t exit_status)
{
    switch (exit_status) {
    case 0:
        return &counters->succeeded;
    case CONTAINER_EXIT_PREEMPTED:
        return &counters->preempted;
    case CONTAINER_EXIT_PHYSICAL:
    case CONTAINER_EXIT_VIRTUAL:
        return &counters->out_of_memory;
    case CONTAINER_EXIT_ABORTED:
    case CONTAINER_EXIT_LOST:
        return &counters->lost;
    case CONTAINER_EXIT_APP_OVER:
    case CONTAINER_EXIT_BY_RM:
    case CONTAINER_EXIT_BY_AM:
        return &counters->stopped;
    default:
        return &counters->failed;
    }
}

/* Adds the lost work of a preempted CONTAINER to the counters of APP. */
static void count_preempted(struct app *app, const struct container *container)
{
    int64_t passed = container->finished_ms - container->allocated_ms;
    uint64_t ms = passed > 0 && container->allocated_ms > 0 ? (uint64_t)passed : 0;

    if (container->is_am)
        app->preempted.ams++;
    else
        app->preempted.containers++;
    app->preempted.amount = resource_add(app->preempted.amount, container->resource);
    app->preempted.memory_mb_ms += (uint64_t)container->resource.value[RESOURCE_MEMORY_MB] * ms;
    app->preempted.vcore_ms += (uint64_t)container->resource.value[RESOURCE_VCORES] * ms;
}

void rm_count_container_end(struct master *m, const struct container *container)
{
    (*counter_of(&m->counters, container->exit_status))++;
    if (container->exit_status != CONTAINER_EXIT_PREEMPTED)
        return;
    count_preempted(container->app, container);
    rm_measure_preempted(m, container);
}

void master_count_refused_request(struct master *m)
{
    m->counters.requests_over_limit++;
}

Creel__ClusterCounters *rm_counters_message(const struct master *m, struct arena *arena)
{
    Creel__ClusterCounters *message = arena_new0(arena, Creel__ClusterCounters);
    const struct counters *counters = &m->counters;

    creel__cluster_counters__init(message);
    message->apps_submitted = counters->apps_submitted;
    message->containers_allocated = counters->allocated;
    message->containers_launched = counters->launched;
    message->containers_succeeded = counters->succeeded;
    message->containers_failed = counters->failed;
    message->containers_preempted = counters->preempted;
    message->containers_out_of_memory = counters->out_of_memory;
    message->containers_lost = counters->lost;
    message->containers_stopped = counters->stopped;
    message->heartbeats = counters->heartbeats;
    message->node_silences = m->contacts.silences;
    message->containers_resized = counters->resized;
    message->jobs_over_limit = counters->jobs_over_limit;
    message->asks_over_limit = counters->asks_over_limit;
    message->requests_over_limit = counters->requests_over_limit;
    return message;
}
