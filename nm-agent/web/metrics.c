/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - /metrics of the agent, in Prometheus' text format or OpenMetrics */
#include <stdlib.h>
#include <string.h>

#include "nm-agent/web/handlers.h"
#include "nm-agent/web/sums.h"
#include "web/text/exposition.h"

static void gauge(struct exposition *out, const char *name, const char *help)
{
    exposition_family(out, name, EXPOSITION_GAUGE, help);
}

static void add_node(struct exposition *out, const Creel__AgentSnapshot *node)
{
    exposition_family(out, "creel_build_info", EXPOSITION_INFO, "The version of the agent.");
    exposition_sample(out, 1, "version", node->version, NULL);
    gauge(out, "creel_agent_registered", "1: the agent is registered with the resource manager.");
    exposition_sample(out, node->registered, NULL);
    gauge(out, "creel_agent_health_ok", "1: the node is healthy.");
    exposition_sample(out, !node->unhealthy, NULL);
    gauge(out, "creel_agent_start_time_seconds", "Start of the agent, in Unix time.");
    exposition_sample(out, (double)node->started_ms / 1000, NULL);
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

static void add_amounts(struct exposition *out, const struct node_sums *sums)
{
    const double mib = 1024 * 1024;

    gauge(out, "creel_agent_memory_bytes",
          "Memory: what the node offers, what is allocated to containers, what they use.");
    exposition_sample(out, (double)sums->total_mb * mib, "kind", "total", NULL);
    exposition_sample(out, (double)sums->allocated_mb * mib, "kind", "allocated", NULL);
    exposition_sample(out, (double)sums->used_bytes, "kind", "used", NULL);
    gauge(out, "creel_agent_vcores", "Virtual cores: what the node offers, what is allocated to containers.");
    exposition_sample(out, (double)sums->total_vcores, "kind", "total", NULL);
    exposition_sample(out, (double)sums->allocated_vcores, "kind", "allocated", NULL);
}

static void add_use(struct exposition *out, const Creel__AgentSnapshot *node)
{
    gauge(out, "creel_agent_cpu_usage_cores",
          "Processors in use: by containers, and by all processes of the node.");
    exposition_sample(out, (double)node->cpu_millicores / 1000, "by", "containers", NULL);
    exposition_sample(out, (double)node->node_cpu_millicores / 1000, "by", "node", NULL);
    gauge(out, "creel_agent_node_memory_used_bytes", "Memory in use on the node, by all processes.");
    exposition_sample(out, (double)node->node_memory_bytes, NULL);
    exposition_family(out, "process_cpu_seconds_total", EXPOSITION_COUNTER,
                      "Processor time of the agent itself.");
    exposition_sample(out, (double)node->process_cpu_us / 1e6, NULL);
    gauge(out, "process_resident_memory_bytes", "Memory of the agent itself.");
    exposition_sample(out, (double)node->process_memory_bytes, NULL);
}

void node_metrics(struct exchange *exchange)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    const char *accept = exchange_header(exchange, "Accept");
    bool open_metrics = accept != NULL && strstr(accept, "application/openmetrics-text") != NULL;
    struct exposition *out;
    struct node_sums sums;
    size_t size;
    char *text;

    if (node == NULL)
        return;
    sums = node_sums_of(node);
    out = exposition_new(open_metrics);
    add_node(out, node);
    add_containers(out, &sums);
    add_amounts(out, &sums);
    add_use(out, node);
    text = exposition_finish(out, &size);
    exchange_answer(exchange, 200,
                    open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                 : "text/plain; version=0.0.4; charset=utf-8",
                    text, size);
    free(text);
}
