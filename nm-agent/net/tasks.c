/* SPDX-License-Identifier: Apache-2.0 */
/* tasks.c - handles timers, signals and the events of the runtime for the agent daemon */
#include <signal.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "common/base/mem.h"
#include "nm-agent/net/daemon.h"

#define STATUS_MS 1000 /* interval of status updates for systemctl status */

/* --- containers ---------------------------------------------------------------- */

static void handle_event(struct daemon *daemon, const struct runtime_event *event)
{
    struct log_about about = { .container_id = event->container_id, .node = daemon->node_id };

    if (event->kind == RUNTIME_LOGS_SAVED || event->kind == RUNTIME_LOGS_KEPT) {
        agent_on_logs(daemon->agent, event->container_id,
                      event->kind == RUNTIME_LOGS_SAVED ? CREEL__LOG_AGGREGATION__LOGS_SUCCEEDED
                                                        : CREEL__LOG_AGGREGATION__LOGS_FAILED);
    } else if (event->kind == RUNTIME_LOGS) {
        log_line(LOG_LEVEL_WARN, "node %s: %s", daemon->node_id, event->end.diagnostics);
    } else if (event->kind == RUNTIME_STUCK || event->kind == RUNTIME_GHOST ||
               event->kind == RUNTIME_CHANGED) {
        if (event->kind == RUNTIME_STUCK)
            agent_on_stuck(daemon->agent, daemon_now(), event->container_id, event->end.diagnostics,
                           &daemon->effects);
        log_about(&about, LOG_LEVEL_WARN, "container %s: %s", event->container_id,
                  *event->end.diagnostics != '\0' ? event->end.diagnostics : "its shim is found, and runs");
    } else if (event->kind == RUNTIME_RECORD_MADE) {
        log_about(&about, LOG_LEVEL_WARN, "container %s: %s", event->container_id, event->end.diagnostics);
    } else if (event->kind == RUNTIME_RECORD_LOST) {
        log_about(&about, LOG_LEVEL_WARN,
                  "container %s: its record in the state directory was removed: it is written again",
                  event->container_id);
        agent_on_record_lost(daemon->agent, daemon_now(), event->container_id, &daemon->effects);
    } else if (event->kind == RUNTIME_COMMAND_ENDED) {
        agent_on_command_ended(daemon->agent, daemon_now(), event->container_id, event->end.exit_status,
                               event->end.command_ms, &daemon->effects);
    } else if (event->kind == RUNTIME_RUNNING) {
        journal_container(daemon, event->container_id, NULL, "runs");
        agent_on_running(daemon->agent, daemon_now(), event->container_id, event->end.started_ms,
                         &daemon->effects);
    } else {
        agent_on_exited(daemon->agent, daemon_now(), event->container_id, &event->end, &daemon->effects);
    }
}

static void tasks_poll_runtime(struct daemon *daemon)
{
    struct runtime_event event;

    launch_report_results(daemon); /* before events about the launched containers */
    while (runtime_poll(daemon->runtime, &event))
        handle_event(daemon, &event);
}

static void on_runtime(void *context, int fd)
{
    (void)fd;
    tasks_poll_runtime(context);
}

/* --- timers ---------------------------------------------------------------------- */

static double gib(const struct resource *resource)
{
    return (double)resource->value[RESOURCE_MEMORY_MB] / 1024;
}

/* Sends the text of systemctl status: containers, their resources, the RM. Sent when it changes. */
void tasks_send_status(struct daemon *daemon)
{
    struct agent_summary summary = agent_summarise(daemon->agent);
    const char *link = daemon->rm_away      ? "no connection to"
                       : summary.registered ? "registered with"
                       : summary.waiting    ? "waits for an operator's decision about"
                                            : "not registered with";
    scoped_free char *text =
        mem_printf("%zu container%s, %.1f of %.1f GiB and %lld of %lld vcores allocated; %s %s%s%s",
                   summary.live, summary.live == 1 ? "" : "s", gib(&summary.used), gib(&summary.total),
                   (long long)summary.used.value[RESOURCE_VCORES],
                   (long long)summary.total.value[RESOURCE_VCORES], link, daemon->settings.rm_agent_address,
                   summary.mismatch ? ": " : "", summary.mismatch ? summary.mismatch : "");

    if (daemon->status_sent != NULL && strcmp(text, daemon->status_sent) == 0)
        return;
    log_notify("STATUS=%s", text);
    free(daemon->status_sent);
    daemon->status_sent = text;
    text = NULL;
}

/* Sends the status periodically, not at each change: a thousand starts must not send a thousand messages to
 * PID 1. */
static void status_due(void *context)
{
    struct daemon *daemon = context;

    tasks_send_status(daemon);
    loop_add_timer(daemon->loop, STATUS_MS, status_due, daemon);
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

    log_line(LOG_LEVEL_INFO, "%s: ends; %zu containers continue",
             signal_number == SIGINT ? "SIGINT" : "SIGTERM", summary.live);
    log_notify("STOPPING=1");
    loop_stop(daemon->loop);
}

void tasks_note_log_level(struct daemon *daemon)
{
    agent_log_level_is(daemon->agent,
                       (Creel__LogLevel)((int)log_level_now() + (int)CREEL__LOG_LEVEL__LOG_LEVEL_ERROR));
}

static void on_hang_up(void *context, int signal_number)
{
    struct daemon *daemon = context;
    struct err err = { 0 };
    struct conf *fresh;

    (void)signal_number;
    log_notify_reloading();
    if (conf_load(conf_loaded_from(daemon->conf), NULL, NULL, &fresh, &err) < 0) {
        log_line(LOG_LEVEL_ERROR, "SIGHUP: the configuration is invalid, the log level stays: %s", err.text);
        log_notify_reloaded();
        return;
    }
    if (!daemon->verbose)
        log_open("creel-nm", log_level_parse(conf_text(fresh, CONF_LOG_LEVEL)));
    tasks_note_log_level(daemon);
    log_line(LOG_LEVEL_INFO, "SIGHUP: log level is %s; other keys take effect at the next start",
             daemon->verbose ? "debug (-v)" : conf_text(fresh, CONF_LOG_LEVEL));
    conf_free(fresh);
    log_notify_reloaded();
}

int tasks_start(struct daemon *daemon, struct err *err)
{
    uint64_t watchdog_us = 0;
    int r;

    if ((r = loop_on_signal(daemon->loop, SIGTERM, on_end_signal, daemon, err)) < 0 ||
        (r = loop_on_signal(daemon->loop, SIGINT, on_end_signal, daemon, err)) < 0 ||
        (r = loop_on_signal(daemon->loop, SIGHUP, on_hang_up, daemon, err)) < 0 ||
        (r = loop_add_fd(daemon->loop, runtime_fd(daemon->runtime), false, on_runtime, daemon, err)) < 0)
        return r;
    daemon->watching_runtime = true;
    /* Exits that happened while no agent ran are reported with the registration. */
    tasks_poll_runtime(daemon);
    node_health_start(daemon);
    measure_start(daemon);
    loop_add_timer(daemon->loop, STATUS_MS, status_due, daemon);
    if (sd_watchdog_enabled(0, &watchdog_us) > 0 && watchdog_us >= 2000) {
        daemon->watchdog_ms = (int64_t)(watchdog_us / 2000);
        loop_add_timer(daemon->loop, daemon->watchdog_ms, watchdog_due, daemon);
    }
    return 0;
}
