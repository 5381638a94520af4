/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.c - samples the usage of containers, reports it, and stops containers over a limit
 *
 * The runtime reads the usage, nm-agent/core/monitor.h checks the limits, the core reports to the RM and
 * stops containers.
 */
#include "nm-agent/net/daemon.h"

#include <stdio.h>

#include "common/base/job/exit_status.h"
#include "common/base/mem.h"

static void judge(struct daemon *daemon, const struct runtime_sample *sample)
{
    const struct monitor_rules *rules = &daemon->settings.monitor;
    scoped_free struct monitor_process *processes = mem_array0(sample->process_count + 1, sizeof(*processes));
    struct monitor_finding finding;
    struct resource resource;
    char text[MONITOR_TEXT_MAX];

    if (!agent_container_resource(daemon->agent, sample->container_id, &resource))
        return;
    for (size_t i = 0; i < sample->process_count; i++)
        processes[i] = (struct monitor_process){
            .pid = sample->processes[i].pid,
            .age = sample->processes[i].age,
            .physical_bytes = sample->processes[i].physical_bytes,
            .virtual_bytes = sample->processes[i].virtual_bytes,
        };
    finding = monitor_judge(rules, resource.value[RESOURCE_MEMORY_MB], sample->number, processes,
                            sample->process_count);
    if (finding.verdict == MONITOR_WITHIN)
        return;
    agent_on_over_limit(
        daemon->agent, daemon_now(), sample->container_id, monitor_exit_status(finding.verdict),
        monitor_explain(rules, &finding, processes, sample->process_count, runtime_command_line, text),
        &daemon->effects);
}

static void on_sample(void *context, const struct runtime_sample *sample)
{
    struct daemon *daemon = context;
    struct agent_figures figures = {
        .memory_bytes = sample->memory_bytes,
        .pids = sample->pids,
        .totals = sample->totals,
    };

    if (sample->group_gone) {
        agent_on_over_limit(daemon->agent, daemon_now(), sample->container_id, CONTAINER_EXIT_ABORTED,
                            "its control group was removed by another program on this node, and its "
                            "limits with it",
                            &daemon->effects);
        return;
    }
    if (sample->memory_killed) {
        agent_on_over_limit(
            daemon->agent, daemon_now(), sample->container_id, CONTAINER_EXIT_PHYSICAL,
            "The kernel killed a process of it for its memory limit, which ends the container "
            "(creel.container.memory-kill); raise --memory",
            &daemon->effects);
        return;
    }
    agent_on_figures(daemon->agent, daemon_now(), sample->container_id, &figures);
    if (sample->number > 0)
        judge(daemon, sample);
}

static void sample_due(void *context)
{
    struct daemon *daemon = context;

    runtime_find_ended_commands(daemon->runtime);
    runtime_sample(daemon->runtime, daemon->settings.sample_depth, on_sample, daemon);
    loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_NM_MONITOR_INTERVAL), sample_due, daemon);
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

    runtime_measure_logs(daemon->runtime, on_logs, daemon);
    loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_NM_LOG_MONITOR_INTERVAL), logs_due, daemon);
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

    runtime_measure_disks(daemon->runtime, disk_max(daemon), on_disk, daemon);
    loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_NM_MONITOR_INTERVAL), disks_due, daemon);
}

void measure_start(struct daemon *daemon)
{
    struct err err = { .code = 0 };

    if (conf_bool(daemon->conf, CONF_NM_MONITOR))
        loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_NM_MONITOR_INTERVAL), sample_due, daemon);
    if (conf_bool(daemon->conf, CONF_NM_LOG_MONITOR))
        loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_NM_LOG_MONITOR_INTERVAL), logs_due, daemon);
    if (disk_max(daemon) > 0)
        loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_NM_MONITOR_INTERVAL), disks_due, daemon);
    if (!runtime_quotas_work(daemon->runtime, &err))
        log_line(LOG_LEVEL_WARN, "%s; the limit of working directories is only measured there", err.text);
    if (!runtime_counts_swap(daemon->runtime))
        log_line(LOG_LEVEL_WARN, "this kernel does not count swap: containers may swap beyond "
                                 "their memory limit (boot with swapaccount=1, or turn swap off)");
}
