/* SPDX-License-Identifier: Apache-2.0 */
/* node_health.c - checks the node's health periodically */
#include "nm-agent/linux/rss.h"
#include "nm-agent/net/daemon.h"
#include "nm-agent/net/web_service.h"

#define HEALTH_MS 3000 /* interval of checks */
#define TRIM_CHECKS 10 /* number of checks between two calls of rss_trim */

void node_health_check(struct daemon *daemon)
{
    char report[512] = "";
    bool healthy = runtime_healthy(daemon->runtime, report, sizeof(report));
    struct node_use node = node_use_measure(&daemon->node_use, loop_monotonic_ms());

    daemon->use = (struct agent_use){
        .memory_bytes = runtime_used_memory_bytes(daemon->runtime),
        .cpu_millicores = runtime_cpu_millicores(daemon->runtime),
        .node_memory_bytes = node.memory_bytes,
        .node_cpu_millicores = node.cpu_millicores,
    };
    agent_on_health(daemon->agent, daemon_now(), healthy, report, &daemon->use, &daemon->effects);
}

static void health_due(void *context)
{
    struct daemon *daemon = context;

    node_health_check(daemon);
    if (daemon->health_checks <= 1 || daemon->health_checks % TRIM_CHECKS == 0)
        rss_trim();
    web_service_warn(daemon->web);
    daemon->health_checks++;
    loop_add_timer(daemon->loop, HEALTH_MS, health_due, daemon);
}

void node_health_start(struct daemon *daemon)
{
    loop_add_timer(daemon->loop, 0, health_due, daemon);
}
