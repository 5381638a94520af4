/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - /metrics: metrics of the cluster in Prometheus' text format, or in OpenMetrics if accepted */
#include "web/rest/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "web/rest/lists.h"
#include "web/rest/metrics_parts.h"
#include "web/rest/parts.h"
#include "web/rest/queue_tree.h"
#include "web/rest/reply.h"
#include "web/text/exposition.h"

#define MIB 1048576.0

static double bytes_of(const Creel__Resource *resource)
{
    return (double)rest_memory_mb(resource) * MIB;
}

static double vcores_of(const Creel__Resource *resource)
{
    return (double)rest_vcores(resource);
}

/* --- the cluster ---------------------------------------------------------------- */

/* The part that exists without any reply of the resource manager. */
static void add_answers(struct metrics_writer *to, bool active)
{
    metrics_gauge(to, "creel_rm_active", "Whether the resource manager answers creel-web.");
    exposition_sample(to->out, active ? 1 : 0, NULL);
    metrics_gauge(to, "creel_web_copy_age_seconds",
                  "Age of the copy of the cluster in creel-web, from which these figures are.");
    exposition_sample(to->out, (double)to->view->age_ms / 1000, NULL);
}

static void add_manager(struct metrics_writer *to)
{
    const Creel__ClusterInfo *cluster = to->cluster;

    exposition_family(to->out, "creel_build_info", EXPOSITION_INFO, "Version of the resource manager.");
    exposition_sample(to->out, 1, "version", cluster->version, "scheduler", cluster->scheduler, NULL);
    metrics_gauge(to, "creel_rm_start_time_seconds", "Start of the resource manager, in seconds since 1970.");
    exposition_sample(to->out, (double)cluster->started_ms / 1000, NULL);
    metrics_gauge(to, "creel_rm_time_seconds",
                  "Clock of the resource manager at the newest change of these figures.");
    exposition_sample(to->out, (double)cluster->now_ms / 1000, NULL);
    metrics_gauge(to, "creel_config_last_reload_successful",
                  "Whether the last refresh of the queues was accepted.");
    exposition_sample(to->out, *cluster->refresh_error == '\0' ? 1 : 0, NULL);
}

static void add_apps(struct metrics_writer *to)
{
    const Creel__ClusterInfo *cluster = to->cluster;

    metrics_gauge(to, "creel_apps", "Applications that have not ended, by state.");
    exposition_sample(to->out, cluster->apps_pending, "state", "pending", NULL);
    exposition_sample(to->out, cluster->apps_running, "state", "running", NULL);
    exposition_family(to->out, "creel_apps_total", EXPOSITION_COUNTER_BESIDE,
                      "Applications that have ended, by result.");
    exposition_sample(to->out, (double)cluster->apps_finished, "result", "finished", NULL);
    exposition_sample(to->out, (double)cluster->apps_failed, "result", "failed", NULL);
    exposition_sample(to->out, (double)cluster->apps_killed, "result", "killed", NULL);
}

static void add_counters(struct metrics_writer *to)
{
    static const Creel__ClusterCounters none = CREEL__CLUSTER_COUNTERS__INIT;
    const Creel__ClusterCounters *counters = to->cluster->counters ? to->cluster->counters : &none;

    metrics_counter(to, "creel_apps_submitted_total", "Applications submitted or recovered since the start.");
    exposition_sample(to->out, (double)counters->apps_submitted, NULL);
    exposition_family(to->out, "creel_containers_total", EXPOSITION_COUNTER_BESIDE,
                      "Containers since the start, by what happened to them.");
    exposition_sample(to->out, (double)counters->containers_allocated, "event", "allocated", NULL);
    exposition_sample(to->out, (double)counters->containers_launched, "event", "launched", NULL);
    exposition_sample(to->out, (double)counters->containers_succeeded, "event", "completed", NULL);
    exposition_sample(to->out, (double)counters->containers_failed, "event", "failed", NULL);
    exposition_sample(to->out, (double)counters->containers_out_of_memory, "event", "oom", NULL);
    exposition_sample(to->out, (double)counters->containers_preempted, "event", "preempted", NULL);
    exposition_sample(to->out, (double)counters->containers_lost, "event", "lost", NULL);
    exposition_sample(to->out, (double)counters->containers_stopped, "event", "stopped", NULL);
    exposition_sample(to->out, (double)counters->containers_resized, "event", "resized", NULL);
    metrics_counter(to, "creel_user_limit_refusals_total",
                    "Requests refused by a limit on one user since the start.");
    exposition_sample(to->out, (double)counters->jobs_over_limit, "limit", "jobs", NULL);
    exposition_sample(to->out, (double)counters->asks_over_limit, "limit", "asks", NULL);
    exposition_sample(to->out, (double)counters->requests_over_limit, "limit", "requests", NULL);
    metrics_counter(to, "creel_heartbeats_total", "Heartbeats of nodes since the start.");
    exposition_sample(to->out, (double)counters->heartbeats, NULL);
}

static void add_containers(struct metrics_writer *to)
{
    metrics_gauge(to, "creel_containers", "Containers, by state.");
    exposition_sample(to->out, to->cluster->containers, "state", "allocated", NULL);
    exposition_sample(to->out, to->root ? (double)to->root->pending_containers : 0, "state", "pending", NULL);
    exposition_sample(to->out, to->root ? (double)to->root->reserved_containers : 0, "state", "reserved",
                      NULL);
}

/* 0 if THEN_MS is not known. */
static double age_seconds(int64_t now_ms, int64_t then_ms)
{
    return then_ms > 0 && now_ms > then_ms ? (double)(now_ms - then_ms) / 1000 : 0;
}

static void add_nodes(struct metrics_writer *to)
{
    const Creel__ClusterInfo *cluster = to->cluster;
    const struct {
        const char *state;
        uint32_t count;
    } states[] = {
        { "running", cluster->nodes_running },
        { "lost", cluster->nodes_lost },
        { "unhealthy", cluster->nodes_unhealthy },
        { "draining", cluster->nodes_draining },
        { "drained", cluster->nodes_drained },
        { "decommissioning", cluster->nodes_decommissioning },
        { "decommissioned", cluster->nodes_decommissioned },
        { "shut_down", cluster->nodes_shut_down },
        { "waiting", cluster->nodes_waiting },
    };

    metrics_gauge(to, "creel_nodes", "Nodes, by state.");
    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
        exposition_sample(to->out, states[i].count, "state", states[i].state, NULL);
    metrics_gauge(to, "creel_nodes_silent", "Nodes in service whose agents have missed several heartbeats.");
    exposition_sample(to->out, cluster->nodes_silent, NULL);
    metrics_gauge(to, "creel_heartbeat_oldest_age_seconds",
                  "Age of the last message of the node in service that has been silent longest.");
    exposition_sample(to->out, age_seconds(cluster->now_ms, cluster->oldest_heartbeat_ms), NULL);
    metrics_gauge(to, "creel_nodes_skewed", "Nodes whose clock differs by more than clock-skew-warn-ms.");
    exposition_sample(to->out, cluster->nodes_skewed, NULL);
}

static void add_checks(struct metrics_writer *to)
{
    const Creel__ClusterInfo *cluster = to->cluster;

    if (cluster->n_checks == 0) /* a resource manager of an earlier version sends none */
        return;
    metrics_gauge(to, "creel_health_check",
                  "Results of the checks of the resource manager: 0 ok, 1 warning, 2 failed.");
    for (size_t i = 0; i < cluster->n_checks; i++)
        exposition_sample(to->out, (double)cluster->checks[i]->result, "check", cluster->checks[i]->name,
                          NULL);
}

static void add_use(struct metrics_writer *to)
{
    const struct web_node_filter all = { .states = 0 };
    const Creel__NodeReport **nodes;
    size_t count = rest_list_nodes(to->view->model, to->arena, &all, &nodes);
    double containers = 0, whole = 0, memory = 0, stuck = 0;

    for (size_t i = 0; i < count; i++) {
        containers += nodes[i]->cpu_millicores;
        whole += nodes[i]->node_cpu_millicores;
        memory += (double)nodes[i]->node_memory_bytes;
        stuck += nodes[i]->containers_stuck;
    }
    metrics_gauge(to, "creel_cluster_cpu_usage_cores",
                  "Processors in use, by containers and on whole nodes.");
    exposition_sample(to->out, containers / 1000, "by", "containers", NULL);
    exposition_sample(to->out, whole / 1000, "by", "nodes", NULL);
    metrics_gauge(to, "creel_cluster_node_memory_used_bytes",
                  "Memory in use on the nodes, by all processes.");
    exposition_sample(to->out, memory, NULL);
    metrics_gauge(to, "creel_containers_stuck",
                  "Containers with a process that was killed and does not end.");
    exposition_sample(to->out, stuck, NULL);
}

typedef double amount_fn(const Creel__Resource *resource);

static void add_amounts(struct metrics_writer *to, const char *name, const char *help, amount_fn *amount)
{
    const Creel__ClusterInfo *cluster = to->cluster;

    metrics_gauge(to, name, help);
    exposition_sample(to->out, amount(cluster->total), "kind", "total", NULL);
    exposition_sample(to->out, amount(cluster->used) - amount(cluster->reserved), "kind", "allocated", NULL);
    exposition_sample(to->out, amount(cluster->reserved), "kind", "reserved", NULL);
    exposition_sample(to->out, amount(cluster->pending), "kind", "pending", NULL);
    exposition_sample(to->out, amount(cluster->total) - amount(cluster->used), "kind", "available", NULL);
}

/* Adds all resource types, each in its own unit. */
static void add_resources(struct metrics_writer *to)
{
    const Creel__ClusterInfo *cluster = to->cluster;
    const Creel__Resource *allocated = rest_difference(to->arena, cluster->used, cluster->reserved);
    const Creel__Resource *available = rest_difference(to->arena, cluster->total, cluster->used);
    const struct {
        const char *kind;
        const Creel__Resource *resource;
    } kinds[] = {
        { "total", cluster->total },     { "allocated", allocated }, { "reserved", cluster->reserved },
        { "pending", cluster->pending }, { "available", available },
    };

    metrics_gauge(to, "creel_cluster_resource",
                  "Each resource type of the cluster, in the unit of the type (memory-mb: MiB), by kind.");
    for (size_t t = 0; t < cluster->n_types; t++)
        for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
            exposition_sample(to->out, (double)rest_amount(kinds[i].resource, cluster->types[t]->name),
                              "resource", cluster->types[t]->name, "kind", kinds[i].kind, NULL);
}

/* --- queues ---------------------------------------------------------------------- */

typedef void queue_fn(struct metrics_writer *to, const struct rest_queue *queue);

static void each_queue(struct metrics_writer *to, const struct rest_queue *queue, queue_fn *fn)
{
    for (; queue != NULL; queue = queue->next) {
        fn(to, queue);
        each_queue(to, queue->first, fn);
    }
}

static void queue_amounts(struct metrics_writer *to, const struct rest_queue *queue, amount_fn *amount)
{
    const Creel__QueueReport *report = queue->report;
    const struct {
        const char *kind;
        const Creel__Resource *resource;
    } kinds[] = {
        { "used", report->used },          { "reserved", report->reserved }, { "pending", report->pending },
        { "guaranteed", report->minimum }, { "max", report->maximum },       { "am_used", report->am_used },
        { "am_limit", report->am_limit },
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        exposition_sample(to->out, amount(kinds[i].resource), "queue", report->path, "kind", kinds[i].kind,
                          NULL);
}

static void queue_memory(struct metrics_writer *to, const struct rest_queue *queue)
{
    queue_amounts(to, queue, bytes_of);
}

static void queue_vcores(struct metrics_writer *to, const struct rest_queue *queue)
{
    queue_amounts(to, queue, vcores_of);
}

static void queue_used(struct metrics_writer *to, const struct rest_queue *queue)
{
    exposition_sample(to->out, (double)queue->report->used_capacity, "queue", queue->report->path, NULL);
}

static void queue_absolute_used(struct metrics_writer *to, const struct rest_queue *queue)
{
    exposition_sample(to->out, (double)queue->report->absolute_used, "queue", queue->report->path, NULL);
}

static void queue_fair_share(struct metrics_writer *to, const struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;

    exposition_sample(to->out, bytes_of(report->steady_fair_share), "queue", report->path, "kind", "steady",
                      NULL);
    exposition_sample(to->out, bytes_of(report->fair_share), "queue", report->path, "kind", "instant", NULL);
}

static void queue_apps(struct metrics_writer *to, const struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;

    exposition_sample(to->out, report->apps_running, "queue", report->path, "state", "running", NULL);
    exposition_sample(to->out, report->apps_pending, "queue", report->path, "state", "pending", NULL);
}

#define REASONS_MAX 64 /* more than there are codes */

/* Adds the numbers of applications of a leaf that wait, by the code of the reason. */
static void queue_reasons(struct metrics_writer *to, const struct rest_queue *queue)
{
    const char *codes[REASONS_MAX];
    uint32_t counts[REASONS_MAX];
    size_t known = 0;

    for (size_t i = 0; i < queue->app_count; i++) {
        const char *code = queue->apps[i]->reason_code;
        size_t at = 0;

        while (at < known && strcmp(codes[at], code) != 0)
            at++;
        if (*code == '\0' || at == REASONS_MAX)
            continue;
        if (at == known) {
            codes[known] = code;
            counts[known++] = 0;
        }
        counts[at]++;
    }
    for (size_t i = 0; i < known; i++)
        exposition_sample(to->out, counts[i], "queue", queue->report->path, "reason", codes[i], NULL);
}

static void add_queues(struct metrics_writer *to)
{
    metrics_gauge(to, "creel_queue_memory_bytes", "Memory of a queue, by kind.");
    each_queue(to, to->root, queue_memory);
    metrics_gauge(to, "creel_queue_vcores", "Virtual cores of a queue, by kind.");
    each_queue(to, to->root, queue_vcores);
    metrics_gauge(to, "creel_queue_used_ratio", "Use of what a queue is guaranteed; above 1 is borrowed.");
    each_queue(to, to->root, queue_used);
    metrics_gauge(to, "creel_queue_absolute_used_ratio", "Use of a queue as a fraction of the cluster.");
    each_queue(to, to->root, queue_absolute_used);
    metrics_gauge(to, "creel_queue_apps", "Applications in a queue, by state.");
    each_queue(to, to->root, queue_apps);
    metrics_gauge(to, "creel_queue_pending_reason", "Applications in a leaf that wait, by reason.");
    each_queue(to, to->root, queue_reasons);
    if (!text_equal(to->cluster->queue_model, "fair"))
        return;
    metrics_gauge(to, "creel_queue_fair_share_bytes", "Fair share of a queue in memory, by kind.");
    each_queue(to, to->root, queue_fair_share);
}

static void add_cluster(struct metrics_writer *to)
{
    to->cluster = web_model_cluster(to->view->model);
    to->root = rest_queue_tree(to->view->model, to->arena);
    add_manager(to);
    add_apps(to);
    add_counters(to);
    add_containers(to);
    add_nodes(to);
    add_checks(to);
    add_use(to);
    add_amounts(to, "creel_cluster_memory_bytes", "Memory of the cluster, by kind.", bytes_of);
    add_amounts(to, "creel_cluster_vcores", "Virtual cores of the cluster, by kind.", vcores_of);
    add_resources(to);
    add_queues(to);
    if (metrics_copy_last(to->view->metrics) != NULL)
        metrics_add_measured(to);
}

/* Answers with what the model and the copy of the metrics have. */
static void send_metrics(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const char *accept = exchange_header(exchange, "Accept");
    bool open_metrics = accept != NULL && strstr(accept, "application/openmetrics-text") != NULL;
    struct metrics_writer to = { .view = exchange_application(exchange), .arena = exchange_arena(exchange) };
    size_t size;
    char *text;

    (void)context;
    (void)reply; /* the copy has it; if it is an error, the copy has the figures before */
    to.out = exposition_new(open_metrics);
    add_answers(&to, rest_rm_answers(exchange));
    if (web_model_is_complete(to.view->model))
        add_cluster(&to);
    metrics_add_own(&to);
    text = exposition_finish(to.out, &size);
    exchange_answer(exchange, 200,
                    open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                 : "text/plain; version=0.0.4; charset=utf-8",
                    text, size);
    free(text);
}

void metrics_serve(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetMetrics body = CREEL__GET_METRICS__INIT;

    if (view->metrics == NULL || !web_model_is_complete(view->model)) {
        send_metrics(exchange, NULL, NULL);
        return;
    }
    query.body_case = CREEL__ENVELOPE__BODY_GET_METRICS;
    query.get_metrics = &body;
    exchange_ask(exchange, &query, send_metrics, NULL);
}
