/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - /metrics of the agent, in Prometheus' text format or OpenMetrics */
#include <stdlib.h>
#include <string.h>

#include "common/proto/histogram_message.h"
#include "nm-agent/web/handlers.h"
#include "nm-agent/web/sums.h"
#include "nm-agent/web/view.h"
#include "web/http/traffic.h"
#include "web/text/exposition.h"

static void gauge(struct exposition *out, const char *name, const char *help)
{
    exposition_family(out, name, EXPOSITION_GAUGE, help);
}

static void add_counter(struct exposition *out, const char *name, const char *help, double value)
{
    exposition_family(out, name, EXPOSITION_COUNTER, help);
    exposition_sample(out, value, NULL);
}

static void add_node(struct exposition *out, const Creel__AgentSnapshot *node,
                     const Creel__AgentMetrics *metrics)
{
    exposition_family(out, "creel_build_info", EXPOSITION_INFO, "The version of the agent.");
    exposition_sample(out, 1, "version", node->version, NULL);
    gauge(out, "creel_agent_registered", "1: the agent is registered with the resource manager.");
    exposition_sample(out, node->registered, NULL);
    gauge(out, "creel_agent_health_ok", "1: the node is healthy.");
    exposition_sample(out, !node->unhealthy, NULL);
    gauge(out, "creel_agent_start_time_seconds", "Start of the agent, in Unix time.");
    exposition_sample(out, (double)node->started_ms / 1000, NULL);
    if (!metrics->has_rtt)
        return;
    gauge(out, "creel_agent_rm_rtt_seconds",
          "Time from the newest answered heartbeat to the reply of the resource manager.");
    exposition_sample(out, (double)metrics->rtt_us / 1e6, NULL);
}

static void add_containers(struct exposition *out, const struct node_sums *sums)
{
    static const char *const states[] = {
        [CREEL__AGENT_PHASE__AGENT_PHASE_NEW] = "new",
        [CREEL__AGENT_PHASE__AGENT_PHASE_FETCHING] = "fetching",
        [CREEL__AGENT_PHASE__AGENT_PHASE_WAITING] = "waiting",
        [CREEL__AGENT_PHASE__AGENT_PHASE_RUNNING] = "running",
        [CREEL__AGENT_PHASE__AGENT_PHASE_STOPPING] = "stopping",
        [CREEL__AGENT_PHASE__AGENT_PHASE_ENDED] = "ended",
        [CREEL__AGENT_PHASE__AGENT_PHASE_ACKNOWLEDGED] = "acknowledged",
    };

    gauge(out, "creel_agent_containers", "Containers on the node, by state.");
    for (size_t i = 0; i < NODE_PHASES; i++)
        exposition_sample(out, (double)sums->containers[i], "state", states[i], NULL);
}

static void add_amounts(struct exposition *out, const Creel__AgentMetrics *metrics,
                        const struct node_sums *sums)
{
    const double mib = 1024 * 1024;

    gauge(out, "creel_agent_memory_bytes",
          "Memory: total is what the node offers, allocated to containers, used by them as measured last. "
          "Of all containers together by the kernel: anon, file (with shmem), shmem, kernel; limit is the "
          "smallest limit of their control group and those above it, or the memory of the machine.");
    exposition_sample(out, (double)sums->total_mb * mib, "kind", "total", NULL);
    exposition_sample(out, (double)sums->allocated_mb * mib, "kind", "allocated", NULL);
    exposition_sample(out, (double)sums->used_bytes, "kind", "used", NULL);
    if (metrics->has_memory) {
        exposition_sample(out, (double)metrics->limit_bytes, "kind", "limit", NULL);
        exposition_sample(out, (double)metrics->anon_bytes, "kind", "anon", NULL);
        exposition_sample(out, (double)metrics->file_bytes, "kind", "file", NULL);
        exposition_sample(out, (double)metrics->shmem_bytes, "kind", "shmem", NULL);
        exposition_sample(out, (double)metrics->kernel_bytes, "kind", "kernel", NULL);
    }
    gauge(out, "creel_agent_vcores", "Virtual cores: what the node offers, what is allocated to containers.");
    exposition_sample(out, (double)sums->total_vcores, "kind", "total", NULL);
    exposition_sample(out, (double)sums->allocated_vcores, "kind", "allocated", NULL);
}

static void add_use(struct exposition *out, const Creel__AgentSnapshot *node,
                    const Creel__AgentMetrics *metrics)
{
    gauge(out, "creel_agent_cpu_usage_cores",
          "Processors in use: by containers, and by all processes of the node.");
    exposition_sample(out, (double)node->cpu_millicores / 1000, "by", "containers", NULL);
    exposition_sample(out, (double)node->node_cpu_millicores / 1000, "by", "node", NULL);
    gauge(out, "creel_agent_node_memory_used_bytes", "Memory in use on the node, by all processes.");
    exposition_sample(out, (double)node->node_memory_bytes, NULL);
    if (metrics->has_cpu)
        add_counter(out, "creel_agent_cpu_seconds_total",
                    "Processor time of all containers, those that have ended included.",
                    (double)metrics->cpu_us / 1e6);
}

/* A family without samples is left out: this kernel has no such figures. */
static void add_pressures(struct exposition *out, const Creel__AgentMetrics *metrics)
{
    if (metrics->n_pressures == 0)
        return;
    gauge(out, "creel_agent_pressure_ratio",
          "Share of the last minute in which tasks of containers waited for a resource: at least one task "
          "(some), all tasks at once (full). Control groups of version 2 have it.");
    for (size_t i = 0; i < metrics->n_pressures; i++) {
        const Creel__AgentPressure *pressure = metrics->pressures[i];

        exposition_sample(out, pressure->some, "resource", pressure->resource, "kind", "some", NULL);
        if (pressure->has_full)
            exposition_sample(out, pressure->full, "resource", pressure->resource, "kind", "full", NULL);
    }
}

static void add_disks(struct exposition *out, const Creel__AgentMetrics *metrics)
{
    gauge(
        out, "creel_agent_disk_ok",
        "1: the disk of this directory is good. Directories of the state, of containers and of logs, unless "
        "the checks of disks are turned off.");
    for (size_t i = 0; i < metrics->n_disks; i++)
        exposition_sample(out, metrics->disks[i]->good, "dir", metrics->disks[i]->dir, NULL);
    gauge(out, "creel_agent_disk_free_bytes",
          "Free space of the file system of this directory, at the last check of the disk.");
    for (size_t i = 0; i < metrics->n_disks; i++)
        if (metrics->disks[i]->is_measured)
            exposition_sample(out, (double)metrics->disks[i]->free_bytes, "dir", metrics->disks[i]->dir,
                              NULL);
    gauge(out, "creel_agent_disk_inodes",
          "Inodes of the file system of this directory. Some file systems have no fixed number of them.");
    for (size_t i = 0; i < metrics->n_disks; i++)
        if (metrics->disks[i]->inodes > 0)
            exposition_sample(out, (double)metrics->disks[i]->inodes, "dir", metrics->disks[i]->dir, NULL);
    gauge(out, "creel_agent_disk_free_inodes", "Those of these inodes that are free.");
    for (size_t i = 0; i < metrics->n_disks; i++)
        if (metrics->disks[i]->inodes > 0)
            exposition_sample(out, (double)metrics->disks[i]->free_inodes, "dir", metrics->disks[i]->dir,
                              NULL);
}

static void add_histogram(struct exposition *out, const char *name, const char *help,
                          const Creel__Histogram *message)
{
    struct received_histogram received;

    if (message == NULL)
        return;
    exposition_family(out, name, EXPOSITION_HISTOGRAM, help);
    exposition_histogram(out, histogram_from_message(message, &received), NULL);
}

static void add_starts(struct exposition *out, const Creel__AgentMetrics *metrics)
{
    add_histogram(out, "creel_agent_container_start_seconds",
                  "Time from the launch of a container, when its files are on the node and its resources are "
                  "free, until its command runs.",
                  metrics->start);
    add_histogram(
        out, "creel_agent_localize_seconds",
        "Time from the acceptance of a container until its files are on the node. Containers without "
        "files are not counted.",
        metrics->localize);
    add_counter(out, "creel_agent_localize_bytes_total",
                "Bytes of files that were received from the resource manager.",
                (double)metrics->localize_bytes);
}

static void add_incidents(struct exposition *out, const Creel__AgentMetrics *metrics)
{
    exposition_family(
        out, "creel_agent_oom_kills_total", EXPOSITION_COUNTER,
        "Processes that the kernel killed for memory: at the limit of their container, or because "
        "memory was short outside of it (slice). Counted when the container has ended.");
    exposition_sample(out, (double)metrics->oom_kills_container, "scope", "container", NULL);
    exposition_sample(out, (double)metrics->oom_kills_slice, "scope", "slice", NULL);
    add_counter(out, "creel_agent_log_bytes_total",
                "Bytes that containers have written to stdout and stderr on this node; those of running "
                "containers are counted every ten seconds at most.",
                (double)metrics->log_bytes);
    add_counter(
        out, "creel_agent_orphans_killed_total",
        "Containers of an earlier agent whose state directory was lost: they were ended at the start of "
        "the agent.",
        (double)metrics->orphans_killed);
    exposition_family(
        out, "creel_agent_gateway_deaths_total", EXPOSITION_COUNTER,
        "Processes of the agent that have ended unexpectedly, or were killed because they did not "
        "answer.");
    exposition_sample(out, (double)metrics->gateway_deaths, "process", "creel-gateway", NULL);
    exposition_sample(out, (double)metrics->web_deaths, "process", "creel-nm-web", NULL);
}

static void add_process(struct exposition *out, const Creel__AgentSnapshot *node,
                        const Creel__AgentMetrics *metrics)
{
    add_counter(out, "process_cpu_seconds_total", "Processor time of the agent itself.",
                (double)node->process_cpu_us / 1e6);
    gauge(out, "process_resident_memory_bytes", "Memory of the agent itself.");
    exposition_sample(out, (double)node->process_memory_bytes, NULL);
    gauge(out, "process_virtual_memory_bytes", "Address space of the agent itself.");
    exposition_sample(out, (double)metrics->process_virtual_bytes, NULL);
    gauge(out, "process_start_time_seconds", "Start of the agent, in Unix time.");
    exposition_sample(out, (double)node->started_ms / 1000, NULL);
    gauge(out, "process_open_fds", "Open file descriptors of the agent itself.");
    exposition_sample(out, (double)metrics->process_open_fds, NULL);
    gauge(out, "process_max_fds", "Limit of the open file descriptors of the agent.");
    exposition_sample(out, (double)metrics->process_max_fds, NULL);
}

static void add_pools(struct exposition *out, const Creel__AgentMetrics *metrics)
{
    if (metrics->n_pools == 0)
        return;
    gauge(out, "creel_agent_pool_used",
          "Places in use, by pool: exec is commands inside containers, log is clients that wait for a log, "
          "connections are those to the agent's port.");
    for (size_t i = 0; i < metrics->n_pools; i++)
        exposition_sample(out, metrics->pools[i]->used, "pool", metrics->pools[i]->name, NULL);
    gauge(out, "creel_agent_pool_limit", "Places of a pool.");
    for (size_t i = 0; i < metrics->n_pools; i++)
        exposition_sample(out, metrics->pools[i]->limit, "pool", metrics->pools[i]->name, NULL);
    exposition_family(
        out, "creel_agent_pool_refused_total", EXPOSITION_COUNTER,
        "Requests for a place that were refused because all were in use (full), or the user or address "
        "had its share (owner).");
    for (size_t i = 0; i < metrics->n_pools; i++) {
        const Creel__PoolUse *pool = metrics->pools[i];

        exposition_sample(out, (double)pool->refused_full, "pool", pool->name, "reason", "full", NULL);
        exposition_sample(out, (double)pool->refused_owner, "pool", pool->name, "reason", "owner", NULL);
    }
}

static void add_connections(struct exposition *out, const struct shares *places)
{
    if (places == NULL)
        return;
    gauge(out, "creel_agent_http_connections", "Open connections to the agent's REST interface.");
    exposition_sample(out, shares_used(places), NULL);
    exposition_family(
        out, "creel_agent_http_connections_refused_total", EXPOSITION_COUNTER,
        "Connections to the REST interface that were closed because all were in use (full), or their "
        "address had its share (address).");
    exposition_sample(out, (double)shares_refused(places, SHARES_FULL), "reason", "full", NULL);
    exposition_sample(out, (double)shares_refused(places, SHARES_OWNER_FULL), "reason", "address", NULL);
}

static void add_memory(struct exposition *out, const struct shares *memory)
{
    if (memory == NULL)
        return;
    gauge(out, "creel_agent_http_memory_bytes",
          "Memory of bodies and answers of the agent's REST interface.");
    exposition_sample(out, 1024.0 * shares_used(memory), NULL);
    exposition_family(
        out, "creel_agent_http_memory_refused_total", EXPOSITION_COUNTER,
        "Requests that were refused, or answers that were ended before they were read, because this memory "
        "was in use (full), or the address had its share (address).");
    exposition_sample(out, (double)shares_refused(memory, SHARES_FULL), "reason", "full", NULL);
    exposition_sample(out, (double)shares_refused(memory, SHARES_OWNER_FULL), "reason", "address", NULL);
}

static void add_certificate(struct exposition *out, int64_t expires_ms)
{
    if (expires_ms == 0)
        return;
    gauge(out, "creel_agent_certificate_expiry_timestamp_seconds",
          "When the TLS certificate of the REST interface expires, in Unix time.");
    exposition_sample(out, (double)expires_ms / 1000, NULL);
}

static void add_all(struct exposition *out, const struct node_view *view, const Creel__AgentSnapshot *node)
{
    const Creel__AgentMetrics none = CREEL__AGENT_METRICS__INIT;
    /* An agent of an earlier version sends none. */
    const Creel__AgentMetrics *metrics = node->metrics != NULL ? node->metrics : &none;
    const struct node_sums sums = node_sums_of(node);

    add_node(out, node, metrics);
    add_containers(out, &sums);
    add_starts(out, metrics);
    add_incidents(out, metrics);
    add_amounts(out, metrics, &sums);
    add_use(out, node, metrics);
    add_pressures(out, metrics);
    add_disks(out, metrics);
    add_process(out, node, metrics);
    add_pools(out, metrics);
    add_connections(out, traffic_connections(view->traffic));
    add_memory(out, traffic_memory(view->traffic));
    add_certificate(out, view->certificate_expires_ms);
}

void node_metrics(struct exchange *exchange)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    const char *accept = exchange_header(exchange, "Accept");
    bool open_metrics = accept != NULL && strstr(accept, "application/openmetrics-text") != NULL;
    struct exposition *out;
    size_t size;
    char *text;

    if (node == NULL)
        return;
    out = exposition_new(open_metrics);
    add_all(out, exchange_application(exchange), node);
    text = exposition_finish(out, &size);
    exchange_answer(exchange, 200,
                    open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                 : "text/plain; version=0.0.4; charset=utf-8",
                    text, size);
    free(text);
}
