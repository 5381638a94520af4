/* SPDX-License-Identifier: Apache-2.0 */
/* tasks.c - handles timers and signals of the daemon */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "rm/net/daemon.h"
#include "rm/net/rescue/state_rescue.h"

#define CHORES_MS 1000
#define KEYS_SWEPT 1000 /* maximum of keys checked each time */
#define ROLL_RETRY_MS 60000

/* --- timers --------------------------------------------------------------- */

static void sweep_files(struct daemon *daemon, int64_t now_ms)
{
    blob_server_check(daemon->uploads.server);
    if (now_ms < daemon->next_sweep_ms)
        return;
    daemon->next_sweep_ms = now_ms + BLOBS_SWEEP_MS;
    blob_server_sweep(daemon->uploads.server, daemon->master);
    writer_drop_stalled(daemon->uploads.writer, now_ms);
}

static void roll_keys(struct daemon *daemon, int64_t now_ms)
{
    int64_t interval_ms = conf_ms(daemon->confs.started, CONF_TOKEN_ROLL_INTERVAL);
    struct err err = { 0 };

    if (now_ms < signing_keys_due_ms(&daemon->credentials.signing_keys, interval_ms) ||
        now_ms < daemon->roll_retry_ms)
        return;
    /* Messages that are not sent yet may contain pointers to the keys: sends them first. */
    apply_effects(daemon);
    if (signing_keys_roll(&daemon->credentials.signing_keys, daemon->state.store, now_ms, &err) < 0) {
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
    size_t nodes = master_live_nodes(daemon->master), apps = master_live_apps(daemon->master);

    log_notify("STATUS=%zu node%s, %zu application%s%s", nodes, nodes == 1 ? "" : "s", apps,
               apps == 1 ? "" : "s", daemon->commits.failing ? ", the state store refuses rows" : "");
}

/* Logs once that the wall clock, which is AHEAD_MS ahead, was set, and once that it agrees again. */
static void note_clock(struct daemon *daemon, int64_t ahead_ms)
{
    int64_t set_ms = ahead_ms < 0 ? -ahead_ms : ahead_ms;
    bool set = set_ms > daemon->settings.master.clock_skew_ms;

    if (set == daemon->clock_set)
        return;
    daemon->clock_set = set;
    if (set)
        log_line(LOG_LEVEL_WARN,
                 "the clock of this host was set %s by %lld s: if it is wrong now, nodes with the right time "
                 "are reported as different: timedatectl",
                 ahead_ms < 0 ? "back" : "forward", (long long)set_ms / 1000);
    else
        log_line(LOG_LEVEL_INFO, "the clock of this host is that of the resource manager again");
}

/* Follows the wall clock, which may be set at any time. */
static void follow_clock(struct daemon *daemon, int64_t now_ms)
{
    struct err err;

    note_clock(daemon, loop_now_ms() - now_ms);
    master_set_wall_ahead(daemon->master, loop_now_ms() - now_ms);
    apply_effects(daemon); /* the next deadline may be another one */
    if (!daemon->commits.failing &&
        clock_record_write(&daemon->state.clock_record, daemon->state.directory, now_ms, false, &err) < 0)
        log_line(LOG_LEVEL_WARN, "%s", err.text);
}

static void note_lost_state(struct daemon *daemon, const struct err *fault)
{
    if (fault->code != 0 && strcmp(fault->text, daemon->state.fault.text) != 0)
        log_line(LOG_LEVEL_ERROR,
                 "%s: changes from now on are lost at the next start, and submissions are refused; creel "
                 "cluster health has what to do",
                 fault->text);
    if (fault->code == 0 && daemon->state.fault.code != 0)
        log_line(LOG_LEVEL_INFO, "the files of the state are in their place again");
    daemon->state.fault = *fault;
    master_set_store_lost(daemon->master, fault->code != 0 ? fault->text : NULL);
}

/* Looks whether the files of the state are still in their place. While `head` cannot be written, every
 * commit fails: an empty one shows that before a user does, and is repeated as any other. */
static void watch_state(struct daemon *daemon)
{
    struct err err = { 0 }, none = { 0 };
    int r = store_watch(daemon->state.store, &err);
    bool head_fails = r < 0 && r != -ESTALE && r != -ENOLCK;

    if (r > 0 || (r == -ENOLCK && strcmp(err.text, daemon->state.guard_fault.text) != 0))
        log_line(LOG_LEVEL_WARN, "%s", err.text);
    note_lost_state(daemon, r == -ESTALE ? &err : &none);
    daemon->state.guard_fault = r == -ENOLCK ? err : none;
    if (daemon->commits.failing ? r > 0 : head_fails)
        daemon->commits.retry = true;
}

/* Tries to write at once when the state directory can be written again. */
static void watch_room(struct daemon *daemon)
{
    const struct free_space_directory *state = &daemon->free_space.directories[FREE_SPACE_STATE];
    bool writable = state->measured && state->error == 0 && state->write_error == 0;

    if (daemon->commits.failing && writable && !daemon->state.writable)
        daemon->commits.retry = true;
    daemon->state.writable = writable;
}

/* The copy of a large state takes longer than the watchdog allows, and no other process has this state. */
static void serve_rescue(struct daemon *daemon)
{
    bool pauses = daemon->watchdog_ms > 0 && daemon->state.fault.code != 0;

    if (pauses)
        log_notify("WATCHDOG_USEC=3600000000\nWATCHDOG=1");
    state_rescue_serve(daemon->state.store, daemon->state.directory);
    if (pauses)
        log_notify("WATCHDOG_USEC=%lld\nWATCHDOG=1", 2000LL * daemon->watchdog_ms);
}

static void do_chores(void *context)
{
    struct daemon *daemon = context;
    int64_t now_ms = daemon_now_ms(daemon);

    loop_add_timer(daemon->loop, CHORES_MS, do_chores, daemon);
    sweep_files(daemon, now_ms);
    roll_keys(daemon, now_ms);
    backups_check(daemon->state.backups, loop_now_ms());
    daemon->free_space.directories[FREE_SPACE_UPLOADS].in_use = blobs_directory(daemon->uploads.blobs);
    free_space_measure(&daemon->free_space, loop_monotonic_ms());
    if (!daemon->commits.failing)
        history_writer_record_loss(daemon->history.writer,
                                   daemon->free_space.directories[FREE_SPACE_HISTORY].moved);
    watch_state(daemon);
    watch_room(daemon);
    own_key_watch(daemon->own_key_files, now_ms, loop_monotonic_ms());
    serve_rescue(daemon);
    if (!daemon->commits.failing)
        apply_deletions(daemon); /* those that no other row has taken along */
    follow_clock(daemon, now_ms);
    derived_keys_sweep(daemon->credentials.attempt_keys, KEYS_SWEPT);
    derived_keys_sweep(daemon->credentials.job_keys, KEYS_SWEPT);
    asked_keys_sweep(daemon->credentials.asked_keys, loop_monotonic_ms(), KEYS_SWEPT);
    send_status(daemon);
    heap_trim_check(&daemon->heap_trim, loop_monotonic_ms());
}

static void examine_file(void *context)
{
    struct daemon *daemon = context;

    loop_add_timer(daemon->loop, conf_ms(daemon->confs.started, CONF_FAIR_RELOAD_INTERVAL), examine_file,
                   daemon);
    reload_check_file(&daemon->confs);
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
    daemon->commits.retry = daemon->commits.failing; /* a last try */
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
    if (conf_load(conf_loaded_from(daemon->confs.started), NULL, NULL, &conf, &err) < 0) {
        log_line(LOG_LEVEL_ERROR, "the configuration is not read again: %s", err.text);
        /* It is reported as a refresh that was refused. */
        (void)reload_apply(&daemon->confs, &reload, NULL, &err);
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
    (void)reload_queues(&daemon->confs, &reload, &err);
    (void)reload_hosts(&daemon->confs, &reload, &err);
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
    if (!daemon->commits.failing &&
        (r = clock_record_write(&daemon->state.clock_record, daemon->state.directory, daemon_now_ms(daemon),
                                true, err)) < 0)
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
