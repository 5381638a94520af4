/* SPDX-License-Identifier: Apache-2.0 */
/* tasks.c - handles timers and signals of the daemon */
#include <signal.h>
#include <systemd/sd-daemon.h>

#include "rm/net/daemon.h"

#define CHORES_MS 1000
#define SWEEP_MS 60000
#define KEYS_SWEPT 1000 /* maximum of keys checked each time */
#define ROLL_RETRY_MS 60000

/* --- timers --------------------------------------------------------------- */

static void sweep_files(struct daemon *daemon, int64_t now_ms)
{
    size_t removed;

    if (now_ms < daemon->next_sweep_ms)
        return;
    daemon->next_sweep_ms = now_ms + SWEEP_MS;
    master_each_live_job(daemon->master, blobs_mark_job, daemon->blobs);
    removed = blobs_sweep(daemon->blobs, now_ms);
    writer_drop_stalled(daemon->writer, now_ms);
    if (removed > 0)
        log_line(LOG_LEVEL_DEBUG, "%zu submitted files removed that no application uses", removed);
}

static void roll_keys(struct daemon *daemon, int64_t now_ms)
{
    int64_t interval_ms = conf_ms(daemon->conf, CONF_TOKEN_ROLL_INTERVAL);
    struct err err = { 0 };

    if (now_ms < signing_keys_due_ms(&daemon->signing_keys, interval_ms) || now_ms < daemon->roll_retry_ms)
        return;
    /* Messages that are not sent yet may contain pointers to the keys: sends them first. */
    apply_effects(daemon);
    if (signing_keys_roll(&daemon->signing_keys, daemon->store, now_ms, &err) < 0) {
        daemon->roll_retry_ms = now_ms + ROLL_RETRY_MS;
        daemon->metrics.state_errors++;
        log_line(LOG_LEVEL_WARN, "the key of container tokens is not renewed: %s", err.text);
        return;
    }
    master_keys_changed(daemon->master);
    log_line(LOG_LEVEL_INFO, "the key of container tokens was renewed");
}

/* Sends the text of systemctl status. */
static void send_status(const struct daemon *daemon)
{
    size_t nodes = report_nodes(daemon->report), apps = report_live_apps(daemon->report);

    log_notify("STATUS=%zu node%s, %zu application%s%s", nodes, nodes == 1 ? "" : "s", apps,
               apps == 1 ? "" : "s", daemon->store_failing ? ", the state store refuses rows" : "");
}

/* Follows the wall clock, which may be set at any time. */
static void follow_clock(struct daemon *daemon, int64_t now_ms)
{
    struct err err;

    master_set_wall_ahead(daemon->master, loop_now_ms() - now_ms);
    apply_effects(daemon); /* the next deadline may be another one */
    if (!daemon->store_failing &&
        clock_record_write(&daemon->clock_record, daemon->state_directory, now_ms, false, &err) < 0)
        log_line(LOG_LEVEL_WARN, "%s", err.text);
}

/* Looks whether the file of the state is still in its place. */
static void watch_state(struct daemon *daemon)
{
    bool moved = store_is_moved(daemon->store);

    if (moved && !daemon->store_moved)
        log_line(LOG_LEVEL_ERROR,
                 "%s/state.db was removed or replaced: all that is accepted from now on is lost at the next "
                 "start; creel cluster health has what to do",
                 daemon->state_directory);
    daemon->store_moved = moved;
}

static void do_chores(void *context)
{
    struct daemon *daemon = context;
    int64_t now_ms = daemon_now_ms(daemon);

    loop_add_timer(daemon->loop, CHORES_MS, do_chores, daemon);
    report_tick(daemon->report, now_ms);
    sweep_files(daemon, now_ms);
    roll_keys(daemon, now_ms);
    backups_check(daemon->backups, loop_now_ms());
    free_space_measure(&daemon->free_space, loop_monotonic_ms());
    watch_state(daemon);
    if (!daemon->store_failing)
        apply_deletions(daemon); /* those that no other row has taken along */
    follow_clock(daemon, now_ms);
    attempt_keys_sweep(daemon->attempt_keys, KEYS_SWEPT);
    asked_keys_sweep(daemon->asked_keys, loop_monotonic_ms(), KEYS_SWEPT);
    send_status(daemon);
}

static void examine_file(void *context)
{
    struct daemon *daemon = context;

    loop_add_timer(daemon->loop, conf_ms(daemon->conf, CONF_FAIR_RELOAD_INTERVAL), examine_file, daemon);
    reload_check_file(daemon);
}

static void feed_watchdog(void *context)
{
    struct daemon *daemon = context;

    loop_add_timer(daemon->loop, daemon->watchdog_ms, feed_watchdog, daemon);
    log_notify("WATCHDOG=1");
}

/* --- signals ------------------------------------------------------------ */

static void on_stop(void *context, int signal_number)
{
    struct daemon *daemon = context;

    log_line(LOG_LEVEL_INFO, "stops (signal %d); running containers stay", signal_number);
    log_notify("STOPPING=1");
    daemon->store_retry = true; /* a last try, if rows are pending */
    loop_stop(daemon->loop);
}

void tasks_note_log_level(struct daemon *daemon)
{
    master_log_level_is(daemon->master,
                        (Creel__LogLevel)((int)log_level_now() + (int)CREEL__LOG_LEVEL__LOG_LEVEL_ERROR));
}

static void on_reload(void *context, int signal_number)
{
    struct daemon *daemon = context;
    struct conf *conf;
    struct err err = { 0 };
    const struct master_reload reload = { .user = "SIGHUP" };
    const char *level;

    (void)signal_number;
    log_notify_reloading();
    if (conf_load(conf_loaded_from(daemon->conf), NULL, NULL, &conf, &err) < 0) {
        log_line(LOG_LEVEL_ERROR, "the configuration is not read again: %s", err.text);
        metrics_note_reload(&daemon->metrics, false, daemon_now_ms(daemon));
        log_notify_reloaded();
        return;
    }
    level = conf_text(conf, CONF_LOG_LEVEL);
    log_open("creel-rm", daemon->verbose ? LOG_LEVEL_DEBUG : log_level_parse(level));
    tasks_note_log_level(daemon);
    log_line(LOG_LEVEL_INFO,
             "configuration read again: log level %s; but for the queues and the lists of "
             "hosts, other keys take effect at the next start; certificates are read as they are needed",
             level);
    conf_free(conf);
    (void)reload_queues(daemon, &reload, &err);
    (void)reload_hosts(daemon, &reload, &err);
    log_notify_reloaded();
}

int tasks_start(struct daemon *daemon, struct err *err)
{
    uint64_t watchdog_us = 0;
    int r;

    if ((r = loop_on_signal(daemon->loop, SIGTERM, on_stop, daemon, err)) < 0 ||
        (r = loop_on_signal(daemon->loop, SIGINT, on_stop, daemon, err)) < 0 ||
        (r = loop_on_signal(daemon->loop, SIGHUP, on_reload, daemon, err)) < 0)
        return r;
    /* The time limits that the recovery has moved are stored before the record has the new clock: if this
     * start fails in between, the next one must move them. */
    apply_effects(daemon);
    if (!daemon->store_failing && (r = clock_record_write(&daemon->clock_record, daemon->state_directory,
                                                          daemon_now_ms(daemon), true, err)) < 0)
        return r;
    loop_add_timer(daemon->loop, CHORES_MS, do_chores, daemon);
    if (daemon->settings.sched.fair)
        examine_file(daemon);
    if (sd_watchdog_enabled(0, &watchdog_us) > 0 && watchdog_us >= 2000) {
        daemon->watchdog_ms = (int64_t)(watchdog_us / 2000);
        loop_add_timer(daemon->loop, daemon->watchdog_ms, feed_watchdog, daemon);
    }
    return 0;
}
