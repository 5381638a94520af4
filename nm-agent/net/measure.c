/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.c - what containers use is sampled, reported, and judged
 *
 * The runtime reads, nm-agent/core/monitor.h judges, the core reports to the RM and ends containers over a
 * limit.
 */
#include "nm-agent/net/daemon.h"

#include <stdio.h>

#include "common/base/exit_status.h"
#include "common/base/mem.h"

static void judge(struct daemon *daemon, const struct runtime_look *look)
{
    const struct monitor_rules *rules = &daemon->settings.monitor;
    scoped_free struct monitor_process *processes =
        mem_array0(look->process_count + 1, sizeof(*processes));
    struct monitor_finding finding;
    struct resource resource;
    char text[MONITOR_TEXT_MAX];

    if (!agent_container_resource(daemon->agent, look->container_id, &resource))
        return;
    for (size_t i = 0; i < look->process_count; i++)
        processes[i] = (struct monitor_process){
            .pid = look->processes[i].pid, .age = look->processes[i].age,
            .physical_bytes = look->processes[i].physical_bytes,
            .virtual_bytes = look->processes[i].virtual_bytes,
        };
    finding = monitor_judge(rules, resource.value[RESOURCE_MEMORY_MB], look->number, processes,
                            look->process_count);
    if (finding.verdict == MONITOR_WITHIN)
        return;
    agent_on_over_limit(daemon->agent, daemon_now(), look->container_id,
                        monitor_exit_status(finding.verdict),
                        monitor_explain(rules, &finding, processes, look->process_count,
                                        runtime_command_line, text),
                        &daemon->effects);
}

static void on_look(void *context, const struct runtime_look *look)
{
    struct daemon *daemon = context;
    struct agent_figures figures = {
        .memory_bytes = look->memory_bytes, .memory_peak_bytes = look->memory_peak_bytes,
        .cpu_time_us = look->cpu_time_us, .read_bytes = look->read_bytes,
        .written_bytes = look->written_bytes, .pids = look->pids,
    };

    if (look->group_gone) {
        agent_on_over_limit(daemon->agent, daemon_now(), look->container_id, CONTAINER_EXIT_ABORTED,
                            "its control group was removed by somebody else on this node, and its "
                            "limits with it", &daemon->effects);
        return;
    }
    agent_on_figures(daemon->agent, daemon_now(), look->container_id, &figures);
    if (look->number > 0)
        judge(daemon, look);
}

static void look_due(void *context)
{
    struct daemon *daemon = context;

    runtime_look(daemon->runtime, daemon->settings.look_at, on_look, daemon);
    loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_NM_MONITOR_INTERVAL), look_due,
                   daemon);
}

/* --- logs ---------------------------------------------------------------------- */

static void on_logs(void *context, const char *container_id, uint64_t bytes)
{
    struct daemon *daemon = context;
    char text[MONITOR_TEXT_MAX];

    if (monitor_judge_logs(&bytes, 1, (uint64_t)conf_bytes(daemon->conf, CONF_NM_LOG_DIR_MAX),
                           (uint64_t)conf_bytes(daemon->conf, CONF_NM_LOG_TOTAL_MAX), text))
        agent_on_over_limit(daemon->agent, daemon_now(), container_id, CONTAINER_EXIT_LOGS, text,
                            &daemon->effects);
}

static void logs_due(void *context)
{
    struct daemon *daemon = context;

    runtime_look_at_logs(daemon->runtime, on_logs, daemon);
    loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_NM_LOG_MONITOR_INTERVAL), logs_due,
                   daemon);
}

/* --- working directories --------------------------------------------------------- */

static uint64_t disk_max(const struct daemon *daemon)
{
    return (uint64_t)conf_int(daemon->conf, CONF_NM_DISK_LIMIT) << 20;
}

static void on_disk(void *context, const char *container_id, uint64_t bytes, bool too_deep)
{
    struct daemon *daemon = context;
    char text[MONITOR_TEXT_MAX];

    if (monitor_judge_disk(bytes, too_deep, disk_max(daemon), text))
        agent_on_over_limit(daemon->agent, daemon_now(), container_id, CONTAINER_EXIT_DIRECTORY, text,
                            &daemon->effects);
}

static void disks_due(void *context)
{
    struct daemon *daemon = context;

    runtime_look_at_disks(daemon->runtime, disk_max(daemon), on_disk, daemon);
    loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_NM_MONITOR_INTERVAL), disks_due, daemon);
}

void measure_start(struct daemon *daemon)
{
    struct err err = { .code = 0 };

    if (conf_bool(daemon->conf, CONF_NM_MONITOR))
        loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_NM_MONITOR_INTERVAL), look_due,
                       daemon);
    if (conf_bool(daemon->conf, CONF_NM_LOG_MONITOR))
        loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_NM_LOG_MONITOR_INTERVAL),
                       logs_due, daemon);
    if (disk_max(daemon) > 0)
        loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_NM_MONITOR_INTERVAL), disks_due, daemon);
    if (!runtime_quotas_work(daemon->runtime, &err))
        log_line(LOG_LEVEL_WARN, "%s; the limit of working directories is only measured there", err.text);
    if (!runtime_counts_swap(daemon->runtime))
        log_line(LOG_LEVEL_WARN, "this kernel does not count swap: containers may swap beyond "
                 "their memory limit (boot with swapaccount=1, or turn swap off)");
}
