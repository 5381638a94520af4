/* SPDX-License-Identifier: Apache-2.0 */
/* node_health.c - checks the node's health periodically */
#include "nm-agent/linux/rss.h"
#include "nm-agent/net/daemon.h"

#define HEALTH_MS 3000 /* interval of checks */
#define TRIM_CHECKS 10 /* memory is trimmed once in so many checks */

void node_health_check(struct daemon *daemon)
{
    char report[512] = "";
    bool healthy = runtime_healthy(daemon->runtime, report, sizeof(report));

    agent_on_health(daemon->agent, daemon_now(), healthy, report, runtime_used_memory_bytes(daemon->runtime),
                    &daemon->effects);
}

static void health_due(void *context)
{
    struct daemon *daemon = context;

    node_health_check(daemon);
    if (daemon->health_checks <= 1 || daemon->health_checks % TRIM_CHECKS == 0)
        rss_trim();
    daemon->health_checks++;
    loop_add_timer(daemon->loop, HEALTH_MS, health_due, daemon);
}

void node_health_start(struct daemon *daemon)
{
    loop_add_timer(daemon->loop, 0, health_due, daemon);
}
