/* SPDX-License-Identifier: Apache-2.0 */
/* tasks.c - what happens by time, by signals, and in the runtime */
#include <signal.h>
#include <systemd/sd-daemon.h>

#include "nm-agent/linux/trim.h"
#include "nm-agent/net/daemon.h"

#define HEALTH_MS 3000                  /* between looks at disks and memory */
#define TRIM_LOOKS 10                   /* memory is given back once in so many looks */

/* --- containers ---------------------------------------------------------------- */

static void take_event(struct daemon *daemon, const struct runtime_event *event)
{
    struct agent_exit end = {
        .exit_status = event->exit_status,
        .diagnostics = event->diagnostics,
        .started_ms = event->started_ms,
        .finished_ms = event->finished_ms,
        .memory_peak_bytes = event->memory_peak_bytes,
        .cpu_time_us = event->cpu_time_us,
        .read_bytes = event->read_bytes,
        .written_bytes = event->written_bytes,
        .pids_peak = event->pids_peak,
    };
    struct log_about about = { .container_id = event->container_id, .node = daemon->node_id };

    if (event->kind == RUNTIME_STUCK)
        log_about(&about, LOG_LEVEL_WARN, "container %s: %s", event->container_id,
                  event->diagnostics);
    else if (event->kind == RUNTIME_RUNNING)
        agent_on_running(daemon->agent, daemon_now(), event->container_id, event->started_ms,
                         &daemon->effects);
    else
        agent_on_exited(daemon->agent, daemon_now(), event->container_id, &end, &daemon->effects);
}

void tasks_poll_runtime(struct daemon *daemon)
{
    struct runtime_event event;

    apply_tell_launched(daemon);        /* before it runs, and ends */
    while (runtime_poll(daemon->runtime, &event))
        take_event(daemon, &event);
}

static void on_runtime(void *context, int fd)
{
    (void)fd;
    tasks_poll_runtime(context);
}

/* --- time ------------------------------------------------------------------------ */

static void say_status(const struct daemon *daemon)
{
    struct agent_summary summary = agent_summarise(daemon->agent);
    char used[RESOURCE_TEXT_MAX], total[RESOURCE_TEXT_MAX];

    if (!daemon->rm_away)
        log_notify("STATUS=%s, %zu containers, %s of %s in use",
                   summary.registered ? "registered" : "not registered yet", summary.live,
                   resource_format(&summary.used, used), resource_format(&summary.total, total));
}

static void health_due(void *context)
{
    struct daemon *daemon = context;
    char report[512] = "";
    bool healthy = runtime_healthy(daemon->runtime, report, sizeof(report));

    agent_on_health(daemon->agent, daemon_now(), healthy, report,
                    runtime_used_memory_bytes(daemon->runtime), &daemon->effects);
    say_status(daemon);
    if (daemon->health_looks <= 1 || daemon->health_looks % TRIM_LOOKS == 0)
        trim_memory();
    daemon->health_looks++;
    loop_add_timer(daemon->loop, HEALTH_MS, health_due, daemon);
}

static void watchdog_due(void *context)
{
    struct daemon *daemon = context;

    log_notify("WATCHDOG=1");
    loop_add_timer(daemon->loop, daemon->watchdog_ms, watchdog_due, daemon);
}

/* --- signals ----------------------------------------------------------------------- */

static void on_end_signal(void *context, int signal_number)
{
    struct daemon *daemon = context;
    struct agent_summary summary = agent_summarise(daemon->agent);

    log_line(LOG_LEVEL_INFO, "%s: ends; %zu containers go on",
             signal_number == SIGINT ? "SIGINT" : "SIGTERM", summary.live);
    log_notify("STOPPING=1");
    loop_stop(daemon->loop);
}

static void on_hang_up(void *context, int signal_number)
{
    struct daemon *daemon = context;
    struct err err = { 0 };
    struct conf *fresh;

    (void)signal_number;
    if (daemon->verbose)
        return;
    if (conf_load(conf_loaded_from(daemon->conf), NULL, NULL, &fresh, &err) < 0) {
        log_line(LOG_LEVEL_ERROR, "SIGHUP: the configuration is invalid, the log level stays: %s",
                 err.text);
        return;
    }
    log_open("creel-nm", log_level_parse(conf_text(fresh, CONF_LOG_LEVEL)));
    log_line(LOG_LEVEL_INFO, "SIGHUP: log level is %s", conf_text(fresh, CONF_LOG_LEVEL));
    conf_free(fresh);
}

int tasks_start(struct daemon *daemon, struct err *err)
{
    uint64_t watchdog_us = 0;
    int r;

    if ((r = loop_on_signal(daemon->loop, SIGTERM, on_end_signal, daemon, err)) < 0 ||
        (r = loop_on_signal(daemon->loop, SIGINT, on_end_signal, daemon, err)) < 0 ||
        (r = loop_on_signal(daemon->loop, SIGHUP, on_hang_up, daemon, err)) < 0 ||
        (r = loop_add_fd(daemon->loop, runtime_fd(daemon->runtime), false, on_runtime, daemon,
                         err)) < 0)
        return r;
    daemon->watching_runtime = true;
    /* What ended while nobody looked is told before the RM hears of this agent. */
    tasks_poll_runtime(daemon);
    loop_add_timer(daemon->loop, 0, health_due, daemon);
    measure_start(daemon);
    if (sd_watchdog_enabled(0, &watchdog_us) > 0 && watchdog_us >= 2000) {
        daemon->watchdog_ms = (int64_t)(watchdog_us / 2000);
        loop_add_timer(daemon->loop, daemon->watchdog_ms, watchdog_due, daemon);
    }
    return 0;
}
