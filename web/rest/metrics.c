/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - /metrics: metrics of the cluster in Prometheus' text format, or in OpenMetrics if accepted */
#include "web/rest/metrics.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/base/text.h"
#include "web/rest/lists.h"
#include "web/rest/parts.h"
#include "web/rest/queue_tree.h"
#include "web/rest/reply.h"
#include "web/text/exposition.h"

#define MIB 1048576.0

struct writer {
    struct exposition *out;
    const struct web_view *view;
    const Creel__ClusterInfo *cluster;
    struct arena *arena;
    struct rest_queue *root; /* NULL: the model has no queues */
};

static void gauge(struct writer *to, const char *name, const char *help)
{
    exposition_family(to->out, name, EXPOSITION_GAUGE, help);
}

static void counter(struct writer *to, const char *name, const char *help)
{
    exposition_family(to->out, name, EXPOSITION_COUNTER, help);
}

static double bytes_of(const Creel__Resource *resource)
{
    return (double)rest_memory_mb(resource) * MIB;
}

static double vcores_of(const Creel__Resource *resource)
{
    return (double)rest_vcores(resource);
}

/* --- the cluster ---------------------------------------------------------------- */

static void add_manager(struct writer *to)
{
    const Creel__ClusterInfo *cluster = to->cluster;

    exposition_family(to->out, "creel_build_info", EXPOSITION_INFO, "Version of the resource manager.");
    exposition_sample(to->out, 1, "version", cluster->version, "scheduler", cluster->scheduler, NULL);
    gauge(to, "creel_rm_active", "Whether this resource manager is the active one.");
    exposition_sample(to->out, 1, NULL);
    gauge(to, "creel_rm_start_time_seconds", "Start of the resource manager, in seconds since 1970.");
    exposition_sample(to->out, (double)cluster->started_ms / 1000, NULL);
    gauge(to, "creel_rm_time_seconds",
          "Clock of the resource manager at the newest change of these figures.");
    exposition_sample(to->out, (double)cluster->now_ms / 1000, NULL);
    gauge(to, "creel_config_last_reload_successful", "Whether the last refresh of the queues was accepted.");
    exposition_sample(to->out, *cluster->refresh_error == '\0' ? 1 : 0, NULL);
    gauge(to, "creel_config_last_reload_success_timestamp_seconds",
          "Last refresh of the queues that was accepted; 0: there was none, or the last one was refused.");
    exposition_sample(to->out, *cluster->refresh_error == '\0' ? (double)cluster->refreshed_ms / 1000 : 0,
                      NULL);
}

static void add_apps(struct writer *to)
{
    const Creel__ClusterInfo *cluster = to->cluster;

    gauge(to, "creel_apps", "Applications that have not ended, by state.");
    exposition_sample(to->out, cluster->apps_pending, "state", "pending", NULL);
    exposition_sample(to->out, cluster->apps_running, "state", "running", NULL);
    exposition_family(to->out, "creel_apps_total", EXPOSITION_COUNTER_BESIDE,
                      "Applications that have ended, by result.");
    exposition_sample(to->out, (double)cluster->apps_finished, "result", "finished", NULL);
    exposition_sample(to->out, (double)cluster->apps_failed, "result", "failed", NULL);
    exposition_sample(to->out, (double)cluster->apps_killed, "result", "killed", NULL);
}

static void add_counters(struct writer *to)
{
    static const Creel__ClusterCounters none = CREEL__CLUSTER_COUNTERS__INIT;
    const Creel__ClusterCounters *counters = to->cluster->counters ? to->cluster->counters : &none;

    counter(to, "creel_apps_submitted_total", "Applications submitted or recovered since the start.");
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
    counter(to, "creel_heartbeats_total", "Heartbeats of nodes since the start.");
    exposition_sample(to->out, (double)counters->heartbeats, NULL);
}

static void add_containers(struct writer *to)
{
    gauge(to, "creel_containers", "Containers, by state.");
    exposition_sample(to->out, to->cluster->containers, "state", "allocated", NULL);
    exposition_sample(to->out, to->root ? (double)to->root->pending_containers : 0, "state", "pending", NULL);
    exposition_sample(to->out, to->root ? (double)to->root->reserved_containers : 0, "state", "reserved",
                      NULL);
}

static void add_nodes(struct writer *to)
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

    gauge(to, "creel_nodes", "Nodes, by state.");
    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
        exposition_sample(to->out, states[i].count, "state", states[i].state, NULL);
    gauge(to, "creel_nodes_skewed", "Nodes whose clock differs by more than clock-skew-warn-ms.");
    exposition_sample(to->out, cluster->nodes_skewed, NULL);
}

static void add_use(struct writer *to)
{
    const struct web_node_filter all = { .states = 0 };
    const Creel__NodeReport **nodes;
    size_t count = rest_list_nodes(to->view->model, to->arena, &all, &nodes);
    double containers = 0, whole = 0, memory = 0;

    for (size_t i = 0; i < count; i++) {
        containers += nodes[i]->cpu_millicores;
        whole += nodes[i]->node_cpu_millicores;
        memory += (double)nodes[i]->node_memory_bytes;
    }
    gauge(to, "creel_cluster_cpu_usage_cores", "Processors in use, by containers and on whole nodes.");
    exposition_sample(to->out, containers / 1000, "by", "containers", NULL);
    exposition_sample(to->out, whole / 1000, "by", "nodes", NULL);
    gauge(to, "creel_cluster_node_memory_used_bytes", "Memory in use on the nodes, by all processes.");
    exposition_sample(to->out, memory, NULL);
}

typedef double amount_fn(const Creel__Resource *resource);

static void add_amounts(struct writer *to, const char *name, const char *help, amount_fn *amount)
{
    const Creel__ClusterInfo *cluster = to->cluster;

    gauge(to, name, help);
    exposition_sample(to->out, amount(cluster->total), "kind", "total", NULL);
    exposition_sample(to->out, amount(cluster->used) - amount(cluster->reserved), "kind", "allocated", NULL);
    exposition_sample(to->out, amount(cluster->reserved), "kind", "reserved", NULL);
    exposition_sample(to->out, amount(cluster->pending), "kind", "pending", NULL);
    exposition_sample(to->out, amount(cluster->total) - amount(cluster->used), "kind", "available", NULL);
}

/* --- queues ---------------------------------------------------------------------- */

typedef void queue_fn(struct writer *to, const struct rest_queue *queue);

static void each_queue(struct writer *to, const struct rest_queue *queue, queue_fn *fn)
{
    for (; queue != NULL; queue = queue->next) {
        fn(to, queue);
        each_queue(to, queue->first, fn);
    }
}

static void queue_amounts(struct writer *to, const struct rest_queue *queue, amount_fn *amount)
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

static void queue_memory(struct writer *to, const struct rest_queue *queue)
{
    queue_amounts(to, queue, bytes_of);
}

static void queue_vcores(struct writer *to, const struct rest_queue *queue)
{
    queue_amounts(to, queue, vcores_of);
}

static void queue_used(struct writer *to, const struct rest_queue *queue)
{
    exposition_sample(to->out, (double)queue->report->used_capacity, "queue", queue->report->path, NULL);
}

static void queue_absolute_used(struct writer *to, const struct rest_queue *queue)
{
    exposition_sample(to->out, (double)queue->report->absolute_used, "queue", queue->report->path, NULL);
}

static void queue_fair_share(struct writer *to, const struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;

    exposition_sample(to->out, bytes_of(report->steady_fair_share), "queue", report->path, "kind", "steady",
                      NULL);
    exposition_sample(to->out, bytes_of(report->fair_share), "queue", report->path, "kind", "instant", NULL);
}

static void queue_apps(struct writer *to, const struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;

    exposition_sample(to->out, report->apps_running, "queue", report->path, "state", "running", NULL);
    exposition_sample(to->out, report->apps_pending, "queue", report->path, "state", "pending", NULL);
}

#define REASONS_MAX 64 /* more than there are codes */

/* Adds the numbers of applications of a leaf that wait, by the code of the reason. */
static void queue_reasons(struct writer *to, const struct rest_queue *queue)
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

static void add_queues(struct writer *to)
{
    gauge(to, "creel_queue_memory_bytes", "Memory of a queue, by kind.");
    each_queue(to, to->root, queue_memory);
    gauge(to, "creel_queue_vcores", "Virtual cores of a queue, by kind.");
    each_queue(to, to->root, queue_vcores);
    gauge(to, "creel_queue_used_ratio", "Use of what a queue is guaranteed; above 1 is borrowed.");
    each_queue(to, to->root, queue_used);
    gauge(to, "creel_queue_absolute_used_ratio", "Use of a queue as a fraction of the cluster.");
    each_queue(to, to->root, queue_absolute_used);
    gauge(to, "creel_queue_apps", "Applications in a queue, by state.");
    each_queue(to, to->root, queue_apps);
    gauge(to, "creel_queue_pending_reason", "Applications in a leaf that wait, by reason.");
    each_queue(to, to->root, queue_reasons);
    if (!text_equal(to->cluster->queue_model, "fair"))
        return;
    gauge(to, "creel_queue_fair_share_bytes", "Fair share of a queue in memory, by kind.");
    each_queue(to, to->root, queue_fair_share);
}

/* --- the process ------------------------------------------------------------------ */

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static void add_process(struct writer *to)
{
    struct rusage usage = { .ru_maxrss = 0 };

    getrusage(RUSAGE_SELF, &usage);
    counter(to, "process_cpu_seconds_total", "Processor time of creel-web.");
    exposition_sample(to->out, seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime), NULL);
    gauge(to, "process_resident_memory_max_bytes", "Most memory that creel-web has had.");
    exposition_sample(to->out, (double)usage.ru_maxrss * 1024, NULL);
}

void metrics_serve(struct exchange *exchange)
{
    const char *accept = exchange_header(exchange, "Accept");
    bool open_metrics = accept != NULL && strstr(accept, "application/openmetrics-text") != NULL;
    struct writer to = { .view = exchange_application(exchange), .arena = exchange_arena(exchange) };
    size_t size;
    char *text;

    if (!rest_model_is_complete(exchange))
        return;
    to.out = exposition_new(open_metrics);
    to.cluster = web_model_cluster(to.view->model);
    to.root = rest_queue_tree(to.view->model, to.arena);
    add_manager(&to);
    add_apps(&to);
    add_counters(&to);
    add_containers(&to);
    add_nodes(&to);
    add_use(&to);
    add_amounts(&to, "creel_cluster_memory_bytes", "Memory of the cluster, by kind.", bytes_of);
    add_amounts(&to, "creel_cluster_vcores", "Virtual cores of the cluster, by kind.", vcores_of);
    add_queues(&to);
    add_process(&to);
    text = exposition_finish(to.out, &size);
    exchange_answer(exchange, 200,
                    open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                 : "text/plain; version=0.0.4; charset=utf-8",
                    text, size);
    free(text);
}
