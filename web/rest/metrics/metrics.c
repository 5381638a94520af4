/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - /metrics: metrics of the cluster in Prometheus' text format, or in OpenMetrics if accepted */
#include "web/rest/metrics/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "web/rest/metrics/metrics_parts.h"
#include "web/rest/parts/amounts.h"
#include "web/rest/parts/lists.h"
#include "web/rest/parts/pieces.h"
#include "web/rest/queues/queue_tree.h"
#include "web/text/exposition.h"
#include "yarn/resource.h"

#define MIB 1048576.0

static double bytes_of(const Creel__Resource *resource)
{
    return (double)yarn_memory_mb(resource) * MIB;
}

static double vcores_of(const Creel__Resource *resource)
{
    return (double)yarn_vcores(resource);
}

/* --- the cluster ---------------------------------------------------------------- */

/* The part that exists without any reply of the resource manager. */
static void add_answers(struct metrics_writer *to)
{
    bool active = web_model_is_complete(to->view->model) && to->view->trouble == NULL;

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
    if (to->measured != NULL)
        exposition_sample(to->out, (double)to->measured->uploads_over_limit, "limit", "uploads", NULL);
    metrics_counter(to, "creel_heartbeats_total", "Heartbeats of nodes since the start.");
    exposition_sample(to->out, (double)counters->heartbeats, NULL);
    metrics_counter(to, "creel_node_silences_total", "How often a node has become silent since the start.");
    exposition_sample(to->out, (double)counters->node_silences, NULL);
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
    double containers = 0, whole = 0, memory = 0, stuck = 0, reports = 0, heard = 0;

    for (size_t i = 0; i < count; i++) {
        containers += nodes[i]->cpu_millicores;
        whole += nodes[i]->node_cpu_millicores;
        memory += (double)nodes[i]->node_memory_bytes;
        stuck += nodes[i]->containers_stuck;
        reports += nodes[i]->state == CREEL__NODE_STATE__NODE_RUNNING && *nodes[i]->health_report != '\0';
        heard += nodes[i]->state == CREEL__NODE_STATE__NODE_RUNNING && nodes[i]->lost_at_ms == 0;
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
    metrics_gauge(to, "creel_nodes_reporting",
                  "Healthy nodes that report a problem, as logs that cannot be moved to shared storage.");
    exposition_sample(to->out, reports, NULL);
    metrics_gauge(to, "creel_nodes_heard", "Running nodes that are not silent.");
    exposition_sample(to->out, heard, NULL);
}

typedef double amount_fn(const Creel__Resource *resource);

static void add_amounts(struct metrics_writer *to, const char *name, const char *help, amount_fn *amount)
{
    struct rest_amounts amounts = rest_cluster_amounts(to->arena, to->view->model);

    metrics_gauge(to, name, help);
    exposition_sample(to->out, amount(amounts.total), "kind", "total", NULL);
    exposition_sample(to->out, amount(amounts.allocated), "kind", "allocated", NULL);
    exposition_sample(to->out, amount(amounts.reserved), "kind", "reserved", NULL);
    exposition_sample(to->out, amount(amounts.pending), "kind", "pending", NULL);
    exposition_sample(to->out, amount(amounts.available), "kind", "available", NULL);
}

/* Adds all resource types, each in its own unit. */
static void add_resources(struct metrics_writer *to)
{
    const Creel__ClusterInfo *cluster = to->cluster;
    struct rest_amounts amounts = rest_cluster_amounts(to->arena, to->view->model);
    const struct {
        const char *kind;
        const Creel__Resource *resource;
    } kinds[] = {
        { "total", amounts.total },     { "allocated", amounts.allocated }, { "reserved", amounts.reserved },
        { "pending", amounts.pending }, { "available", amounts.available },
    };

    metrics_gauge(to, "creel_cluster_resource",
                  "Each resource type of the cluster, in the unit of the type (memory-mb: MiB), by kind.");
    for (size_t t = 0; t < cluster->n_types; t++)
        for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
            exposition_sample(to->out, (double)yarn_amount(kinds[i].resource, cluster->types[t]->name),
                              "resource", cluster->types[t]->name, "kind", kinds[i].kind, NULL);
}

/* --- queues ---------------------------------------------------------------------- */

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
    struct rest_names apps = queue->apps;
    const Creel__AppReport *app;
    size_t known = 0;

    while ((app = rest_queue_take_app(&apps, queue, to->view->model)) != NULL) {
        const char *code = app->reason_code;
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

static void begin_memory(struct metrics_writer *to)
{
    metrics_gauge(to, "creel_queue_memory_bytes", "Memory of a queue, by kind.");
}

static void begin_vcores(struct metrics_writer *to)
{
    metrics_gauge(to, "creel_queue_vcores", "Virtual cores of a queue, by kind.");
}

static void begin_used(struct metrics_writer *to)
{
    metrics_gauge(to, "creel_queue_used_ratio", "Use of what a queue is guaranteed; above 1 is borrowed.");
}

static void begin_absolute_used(struct metrics_writer *to)
{
    metrics_gauge(to, "creel_queue_absolute_used_ratio", "Use of a queue as a fraction of the cluster.");
}

static void begin_apps(struct metrics_writer *to)
{
    metrics_gauge(to, "creel_queue_apps", "Applications in a queue, by state.");
}

static void begin_reasons(struct metrics_writer *to)
{
    metrics_gauge(to, "creel_queue_pending_reason", "Applications in a leaf that wait, by reason.");
}

static void begin_fair_share(struct metrics_writer *to)
{
    metrics_gauge(to, "creel_queue_fair_share_bytes", "Fair share of a queue in memory, by kind.");
}

static void add_cluster(struct metrics_writer *to)
{
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
}

/* --- the answer ------------------------------------------------------------------ */

static const struct metrics_section first[] = {
    { METRICS_NEED_NOTHING, add_answers, NULL, NULL, 0 },
    { METRICS_NEED_MODEL, add_cluster, NULL, NULL, 0 },
    { METRICS_NEED_MODEL, begin_memory, queue_memory, NULL, 0 },
    { METRICS_NEED_MODEL, begin_vcores, queue_vcores, NULL, 0 },
    { METRICS_NEED_MODEL, begin_used, queue_used, NULL, 0 },
    { METRICS_NEED_MODEL, begin_absolute_used, queue_absolute_used, NULL, 0 },
    { METRICS_NEED_MODEL, begin_apps, queue_apps, NULL, 0 },
    { METRICS_NEED_MODEL, begin_reasons, queue_reasons, NULL, 0 },
    { METRICS_NEED_FAIR_MODEL, begin_fair_share, queue_fair_share, NULL, 0 },
};
static const struct metrics_section last = { METRICS_NEED_NOTHING, metrics_add_own, NULL, NULL, 0 };

struct answer { /* in the arena of the exchange */
    struct metrics_writer to;
    bool complete, measured;               /* what there was when the request came */
    size_t next;                           /* section */
    const struct metrics_section *section; /* whose queues or series are next; NULL: none */
    struct rest_queue *queue;              /* the next one */
    char *key; /* owned: of the series before the next one; NULL: the first is next */
};

static const struct metrics_section *section_at(size_t i)
{
    const size_t count = sizeof(first) / sizeof(*first);

    if (i < count)
        return &first[i];
    i -= count;
    return i < metrics_measured_count ? &metrics_measured[i] : i == metrics_measured_count ? &last : NULL;
}

static bool has(const struct answer *answer, enum metrics_needs needs)
{
    switch (needs) {
    case METRICS_NEED_NOTHING:
        break;
    case METRICS_NEED_MODEL:
        return answer->complete;
    case METRICS_NEED_FAIR_MODEL:
        return answer->complete && text_equal(answer->to.cluster->queue_model, "fair");
    case METRICS_NEED_MEASURED:
        return answer->complete && answer->measured && answer->to.measured != NULL;
    }
    return true;
}

/* Begins the next section. Returns false if there is none. */
static bool begin_section(struct answer *answer)
{
    const struct metrics_section *section = section_at(answer->next++);

    if (section == NULL)
        return false;
    if (!has(answer, section->needs))
        return true;
    section->add(&answer->to);
    answer->section = section->queue != NULL || section->row != NULL ? section : NULL;
    answer->queue = answer->to.root;
    return true;
}

static void add_queue(struct answer *answer)
{
    struct rest_queue *queue = answer->queue;

    if (queue == NULL) {
        answer->section = NULL;
        return;
    }
    if (rest_queue_look(queue, answer->to.view->model))
        answer->section->queue(&answer->to, queue);
    answer->queue = rest_queue_after(queue);
}

static void add_row(struct answer *answer)
{
    const char *key;
    const void *message =
        metrics_copy_next(answer->to.view->metrics, answer->section->series, answer->key, &key);

    if (message != NULL)
        answer->section->row(&answer->to, message);
    else
        answer->section = NULL;
    free(answer->key);
    answer->key = message != NULL ? mem_strdup(key) : NULL;
}

static enum rest_more next_metrics(struct exchange *exchange, void *context, struct arena *arena,
                                   struct text_builder *out)
{
    struct answer *answer = context;
    size_t size;
    char *text;

    answer->to.view = exchange_application(exchange);
    answer->to.cluster = web_model_cluster(answer->to.view->model);
    answer->to.measured = metrics_copy_last(answer->to.view->metrics);
    answer->to.arena = arena;
    if (answer->section != NULL && answer->section->queue != NULL) {
        add_queue(answer);
    } else if (answer->section != NULL) {
        add_row(answer);
    } else if (!begin_section(answer)) {
        text = exposition_finish(answer->to.out, &size);
        answer->to.out = NULL;
        text_builder_adopt(out, text, size);
        return REST_END;
    }
    exposition_take(answer->to.out, out);
    return REST_MORE;
}

static void end_answer(void *context)
{
    struct answer *answer = context;

    exposition_free(answer->to.out);
    free(answer->key);
}

/* Answers with what the model and the copy of the metrics have. */
static void send_metrics(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const struct web_view *view = exchange_application(exchange);
    const char *accept = exchange_header(exchange, "Accept");
    bool open_metrics = accept != NULL && strstr(accept, "application/openmetrics-text") != NULL;
    struct answer *answer = arena_new0(exchange_arena(exchange), struct answer);

    (void)context;
    (void)reply; /* the copy has it; if it is an error, the copy has the figures before */
    answer->complete = web_model_is_complete(view->model);
    answer->measured = metrics_copy_last(view->metrics) != NULL;
    answer->to.out = exposition_new(open_metrics);
    if (answer->complete)
        answer->to.root = rest_queue_tree(view->model, exchange_arena(exchange));
    rest_send_pieces(exchange,
                     open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                  : "text/plain; version=0.0.4; charset=utf-8",
                     next_metrics, end_answer, answer);
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
