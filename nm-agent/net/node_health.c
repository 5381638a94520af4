/* SPDX-License-Identifier: Apache-2.0 */
/* node_health.c - checks the node's health periodically */
#include "nm-agent/linux/parts/rss.h"
#include "nm-agent/net/daemon.h"
#include "nm-agent/net/web_service.h"

#define HEALTH_MS 3000 /* interval of checks */
#define SHIM_CHECKS 5  /* number of checks between two looks at the shims */
#define TRIM_CHECKS 10 /* number of checks between two calls of rss_trim */

void node_health_check(struct daemon *daemon)
{
    char report[512] = "";
    bool healthy = node_health_report(daemon, report, sizeof(report));
    struct node_use node = node_use_measure(&daemon->node_use, loop_monotonic_ms());

    daemon->use = (struct agent_use){
        .memory_bytes = runtime_used_memory_bytes(daemon->runtime),
        .cpu_millicores = runtime_cpu_millicores(daemon->runtime),
        .node_memory_bytes = node.memory_bytes,
        .node_cpu_millicores = node.cpu_millicores,
    };
    agent_crashes_are(daemon->agent, (uint32_t)run_record_recent(&daemon->run_record, loop_now_ms()));
    own_key_watch(daemon->own_key_files, loop_now_ms(), loop_monotonic_ms());
    agent_on_health(daemon->agent, daemon_now(), healthy, report, &daemon->use, &daemon->effects);
}

void node_health_note_failure(struct daemon *daemon, int code)
{
    if (!agent_is_disk_error(code))
        return;
    runtime_doubt_disks(daemon->runtime);
    node_health_check(daemon);
}

static void look_at_containers(struct daemon *daemon)
{
    runtime_find_stuck(daemon->runtime);
    runtime_keep_records(daemon->runtime);
}

static void health_due(void *context)
{
    struct daemon *daemon = context;

    node_health_check(daemon);
    if (deferred_write_all(&daemon->deferred, daemon->runtime))
        finished_apps_write(daemon->finished);
    if (daemon->health_checks <= 1 || daemon->health_checks % TRIM_CHECKS == 0)
        rss_trim();
    if (daemon->health_checks % SHIM_CHECKS == 0)
        look_at_containers(daemon);
    web_service_warn(daemon->web);
    daemon->health_checks++;
    loop_add_timer(daemon->loop, HEALTH_MS, health_due, daemon);
}

void node_health_start(struct daemon *daemon)
{
    loop_add_timer(daemon->loop, 0, health_due, daemon);
}
