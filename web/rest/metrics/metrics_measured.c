/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_measured.c - the part of /metrics that the resource manager measures (GetMetrics) */
#include "common/proto/histogram_message.h"
#include "web/rest/metrics/metrics_parts.h"

#define MIB 1048576.0

void metrics_gauge(struct metrics_writer *to, const char *name, const char *help)
{
    exposition_family(to->out, name, EXPOSITION_GAUGE, help);
}

void metrics_counter(struct metrics_writer *to, const char *name, const char *help)
{
    exposition_family(to->out, name, EXPOSITION_COUNTER, help);
}

/* --- histograms -------------------------------------------------------------------- */

static void add_histogram(struct metrics_writer *to, const char *name, const char *help,
                          const Creel__Histogram *message)
{
    struct received_histogram room;

    exposition_family(to->out, name, EXPOSITION_HISTOGRAM, help);
    exposition_histogram(to->out, histogram_from_message(message, &room), NULL);
}

/* --- series by queue and user -------------------------------------------------------- */

static void begin_wait(struct metrics_writer *to)
{
    exposition_family(to->out, "creel_app_wait_seconds", EXPOSITION_HISTOGRAM,
                      "Time from entering the queue to the first start of an application, by queue.");
}

static void add_wait(struct metrics_writer *to, const void *message)
{
    const Creel__QueueMetrics *queue = message;
    struct received_histogram room;

    exposition_histogram(to->out, histogram_from_message(queue->wait, &room), "queue", queue->queue, NULL);
}

static void begin_run(struct metrics_writer *to)
{
    exposition_family(to->out, "creel_app_run_seconds", EXPOSITION_HISTOGRAM,
                      "Time from the first start to the end of an application, by queue.");
}

static void add_run(struct metrics_writer *to, const void *message)
{
    const Creel__QueueMetrics *queue = message;
    struct received_histogram room;

    exposition_histogram(to->out, histogram_from_message(queue->run, &room), "queue", queue->queue, NULL);
}

static void begin_users(struct metrics_writer *to)
{
    if (to->measured->has_users)
        metrics_gauge(to, "creel_user_memory_bytes", "Memory of allocated containers, by queue and user.");
}

static void add_user(struct metrics_writer *to, const void *message)
{
    const Creel__UserMetrics *user = message;

    if (to->measured->has_users && user->memory_mb > 0)
        exposition_sample(to->out, (double)user->memory_mb * MIB, "queue", user->queue, "user", user->user,
                          NULL);
}

static void begin_preemptions(struct metrics_writer *to)
{
    metrics_counter(to, "creel_preemption_containers_total",
                    "Containers that the scheduler has preempted, by the queue that gets the room and the "
                    "queue that loses them.");
}

static void add_preemption(struct metrics_writer *to, const void *message)
{
    const Creel__PreemptionMetrics *preemption = message;

    exposition_sample(to->out, (double)preemption->containers, "queue", preemption->queue, "victim_queue",
                      preemption->victim_queue, NULL);
}

/* --- single figures ------------------------------------------------------------------ */

static void add_scheduler(struct metrics_writer *to, const Creel__Metrics *metrics)
{
    metrics_counter(to, "creel_preemption_wasted_seconds_total",
                    "Time that preempted containers had run, over all containers.");
    exposition_sample(to->out, (double)metrics->preemption_wasted_ms / 1000, NULL);
    metrics_counter(to, "creel_preemption_rounds_total",
                    "Rounds in which the capacity scheduler has looked for containers to preempt.");
    exposition_sample(to->out, (double)metrics->preemption_rounds, NULL);
    add_histogram(to, "creel_sched_tick_seconds",
                  "Time that the resource manager takes for an event after which the scheduler may decide.",
                  metrics->scheduler_tick);
    metrics_counter(to, "creel_sched_allocations_total",
                    "Containers for which the scheduler has found a node.");
    exposition_sample(to->out, (double)metrics->scheduler_allocations, NULL);
    metrics_gauge(to, "creel_sched_last_tick_timestamp_seconds",
                  "Last event of creel_sched_tick_seconds, in seconds since 1970.");
    exposition_sample(to->out, (double)metrics->scheduler_tick_ms / 1000, NULL);
    add_histogram(to, "creel_heartbeat_delay_seconds",
                  "Time by which heartbeats of nodes came later than their interval.",
                  metrics->heartbeat_delay);
    metrics_gauge(to, "creel_events_queue_length",
                  "Queries that wait in the resource manager, and rows that wait for the state store.");
    exposition_sample(to->out, (double)metrics->waiting_events, NULL);
}

/* Leaves out file systems without a fixed number of inodes. */
static void add_inodes(struct metrics_writer *to, const Creel__Metrics *metrics)
{
    metrics_gauge(to, "creel_directory_inodes",
                  "Inodes of the file systems of the directories to which the resource manager writes.");
    for (size_t i = 0; i < metrics->n_directories; i++)
        if (!metrics->directories[i]->unknown && metrics->directories[i]->inodes > 0)
            exposition_sample(to->out, (double)metrics->directories[i]->inodes, "directory",
                              metrics->directories[i]->name, NULL);
    metrics_gauge(to, "creel_directory_free_inodes", "Those of these inodes that are free.");
    for (size_t i = 0; i < metrics->n_directories; i++)
        if (!metrics->directories[i]->unknown && metrics->directories[i]->inodes > 0)
            exposition_sample(to->out, (double)metrics->directories[i]->free_inodes, "directory",
                              metrics->directories[i]->name, NULL);
}

static void add_state(struct metrics_writer *to, const Creel__Metrics *metrics)
{
    struct received_histogram room;

    exposition_family(to->out, "creel_state_write_seconds", EXPOSITION_HISTOGRAM,
                      "Time of a transaction of the state store, with its commit.");
    exposition_histogram(to->out, histogram_from_message(metrics->state_write, &room), "backend",
                         metrics->state_backend, NULL);
    metrics_counter(to, "creel_state_errors_total", "Transactions of the state store that have failed.");
    exposition_sample(to->out, (double)metrics->state_errors, "backend", metrics->state_backend, NULL);
    metrics_gauge(to, "creel_state_size_bytes", "Size of the files of the state store.");
    exposition_sample(to->out, (double)metrics->state_bytes, NULL);
    metrics_gauge(to, "creel_history_lag_seconds",
                  "Time since the oldest application or container ended that the history lacks.");
    exposition_sample(to->out, (double)metrics->history_lag_ms / 1000, NULL);
    metrics_gauge(to, "creel_state_backup_timestamp_seconds",
                  "Time of the newest automatic backup of the state; 0: there is none.");
    exposition_sample(to->out, (double)metrics->backup_ms / 1000, NULL);
    if (metrics->n_directories == 0) /* a resource manager of an earlier version sends none */
        return;
    metrics_gauge(to, "creel_directory_free_bytes",
                  "Free space of the directories to which the resource manager writes.");
    for (size_t i = 0; i < metrics->n_directories; i++)
        if (!metrics->directories[i]->unknown)
            exposition_sample(to->out, (double)metrics->directories[i]->free_bytes, "directory",
                              metrics->directories[i]->name, NULL);
    add_inodes(to, metrics);
    metrics_gauge(to, "creel_directory_silent_seconds",
                  "Time for which a directory of the resource manager has not answered; 0: it answers.");
    for (size_t i = 0; i < metrics->n_directories; i++)
        exposition_sample(to->out, (double)metrics->directories[i]->silent_ms / 1000, "directory",
                          metrics->directories[i]->name, NULL);
}

static void add_pools(struct metrics_writer *to, const Creel__Metrics *metrics)
{
    if (metrics->n_pools == 0) /* a resource manager of an earlier version sends none */
        return;
    metrics_gauge(to, "creel_pool_used", "Places of the resource manager in use, by pool.");
    for (size_t i = 0; i < metrics->n_pools; i++)
        exposition_sample(to->out, metrics->pools[i]->used, "pool", metrics->pools[i]->name, NULL);
    metrics_gauge(to, "creel_pool_limit", "Places of a pool of the resource manager.");
    for (size_t i = 0; i < metrics->n_pools; i++)
        exposition_sample(to->out, metrics->pools[i]->limit, "pool", metrics->pools[i]->name, NULL);
    metrics_counter(
        to, "creel_pool_refused_total",
        "Requests for a place that were refused because all were in use (full), or the user or address "
        "had its share (owner).");
    for (size_t i = 0; i < metrics->n_pools; i++) {
        const Creel__PoolUse *pool = metrics->pools[i];

        exposition_sample(to->out, (double)pool->refused_full, "pool", pool->name, "reason", "full", NULL);
        exposition_sample(to->out, (double)pool->refused_owner, "pool", pool->name, "reason", "owner", NULL);
    }
}

static void add_peers(struct metrics_writer *to, const Creel__Metrics *metrics)
{
    metrics_gauge(to, "creel_agents_refused", "Agents whose keys or registrations are refused, at most 64.");
    exposition_sample(to->out, metrics->refused_agents, NULL);
    if (metrics->has_munge) {
        metrics_gauge(to, "creel_munge_up", "Whether munged on the host of the resource manager answers.");
        exposition_sample(to->out, metrics->munge_answers ? 1 : 0, NULL);
    }
    metrics_counter(to, "creel_gateway_deaths_total",
                    "Gateways of the resource manager that have ended unexpectedly.");
    exposition_sample(to->out, (double)metrics->gateway_deaths, NULL);
}

static void add_reloads_of(struct metrics_writer *to, Creel__PartReload *const *parts, size_t count)
{
    metrics_counter(to, "creel_config_reload_total",
                    "Refreshes of a part of the configuration (creel admin refresh), by result.");
    for (size_t i = 0; i < count; i++) {
        exposition_sample(to->out, (double)parts[i]->succeeded, "part", parts[i]->name, "result", "success",
                          NULL);
        exposition_sample(to->out, (double)parts[i]->failed, "part", parts[i]->name, "result", "failure",
                          NULL);
    }
    metrics_gauge(to, "creel_config_last_reload_successful",
                  "Whether the last refresh of a part of the configuration was accepted.");
    for (size_t i = 0; i < count; i++)
        exposition_sample(to->out, parts[i]->refused ? 0 : 1, "part", parts[i]->name, NULL);
    metrics_gauge(to, "creel_config_last_reload_success_timestamp_seconds",
                  "When the part of the configuration in force was read, in seconds since 1970.");
    for (size_t i = 0; i < count; i++)
        exposition_sample(to->out, (double)parts[i]->success_ms / 1000, "part", parts[i]->name, NULL);
}

static void add_reloads(struct metrics_writer *to, const Creel__Metrics *metrics)
{
    Creel__PartReload queues = CREEL__PART_RELOAD__INIT, *parts[] = { &queues };

    if (metrics->n_reloads > 0) {
        add_reloads_of(to, metrics->reloads, metrics->n_reloads);
        return;
    }
    /* A resource manager of an earlier version counts those of the queues alone. */
    queues.name = (char[]){ "queues" };
    queues.succeeded = metrics->reloads_succeeded;
    queues.failed = metrics->reloads_failed;
    queues.success_ms = metrics->reload_success_ms;
    queues.refused = *to->cluster->refresh_error != '\0';
    add_reloads_of(to, parts, 1);
}

static void add_process(struct metrics_writer *to, const Creel__Metrics *metrics)
{
    metrics_gauge(to, "process_resident_memory_bytes", "Memory of creel-rm.");
    exposition_sample(to->out, (double)metrics->resident_bytes, NULL);
    metrics_counter(to, "process_cpu_seconds_total", "Processor time of creel-rm.");
    exposition_sample(to->out, (double)metrics->cpu_us / 1e6, NULL);
    metrics_gauge(to, "process_open_fds", "Open files of creel-rm.");
    exposition_sample(to->out, (double)metrics->open_files, NULL);
}

static void add_figures(struct metrics_writer *to)
{
    add_scheduler(to, to->measured);
    add_state(to, to->measured);
    add_reloads(to, to->measured);
    add_peers(to, to->measured);
    add_pools(to, to->measured);
    add_process(to, to->measured);
}

const struct metrics_section metrics_measured[] = {
    { METRICS_NEED_MEASURED, begin_wait, NULL, add_wait, METRICS_QUEUES },
    { METRICS_NEED_MEASURED, begin_run, NULL, add_run, METRICS_QUEUES },
    { METRICS_NEED_MEASURED, begin_users, NULL, add_user, METRICS_USERS },
    { METRICS_NEED_MEASURED, begin_preemptions, NULL, add_preemption, METRICS_PREEMPTIONS },
    { METRICS_NEED_MEASURED, add_figures, NULL, NULL, 0 },
};
const size_t metrics_measured_count = sizeof(metrics_measured) / sizeof(*metrics_measured);
