/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply.c - carries out the effects of the master
 *
 * Once in each turn of the loop: writes all rows in one transaction, reports the commit to the master (which
 * releases the replies that waited for it), then sends all messages. If the disk refuses, the rows are kept
 * for another try and submissions are refused; all other work continues.
 */
#include "rm/net/daemon.h"

#include <string.h>

#define BACKOFF_FIRST_MS 500
#define BACKOFF_MAX_MS 5000 /* people wait for the first submission after the repair */
#define FAILURE_LOG_MS 30000
#define DELETIONS_MAX 200 /* of ended applications in one commit */
#define CONTAINER_DELETIONS_MAX 1000
#define APPLY_MS 10 /* of effects of effects, before the loop serves the sockets */
#define APPLY_LAST_MS 2000
#define FORGOTTEN_BYTES 4096 /* that a forgotten application or container had, about */

static void retry_due(void *context)
{
    struct daemon *daemon = context;

    daemon->commits.retry = true; /* the hook at the end of the turn writes */
}

static void log_write_failure(struct daemon *daemon, int64_t now_ms, const struct err *err)
{
    if (daemon->commits.failing && now_ms - daemon->commits.logged_ms < FAILURE_LOG_MS &&
        strcmp(err->text, daemon->commits.error.text) == 0)
        return;
    daemon->commits.logged_ms = now_ms;
    log_line(daemon->commits.failing ? LOG_LEVEL_WARN : LOG_LEVEL_ERROR,
             "%s; %zu rows wait, submissions are refused, running jobs continue", err->text,
             pending_count(daemon->commits.pending));
}

static void on_write_failed(struct daemon *daemon, uint64_t last_seq, const struct err *err)
{
    log_write_failure(daemon, daemon_now_ms(daemon), err);
    daemon->commits.backoff_ms *= 2;
    if (!daemon->commits.failing) {
        daemon->commits.backoff_ms = BACKOFF_FIRST_MS;
        daemon->commits.failing_ms = daemon_now_ms(daemon);
    }
    if (daemon->commits.backoff_ms > BACKOFF_MAX_MS)
        daemon->commits.backoff_ms = BACKOFF_MAX_MS;
    daemon->commits.failing = true;
    daemon->commits.error = *err;
    loop_cancel_timer(daemon->loop, daemon->commits.timer); /* this try may have been an earlier one */
    daemon->commits.timer = loop_add_timer(daemon->loop, daemon->commits.backoff_ms, retry_due, daemon);
    report_store_failed(daemon->report, err->text);
    master_on_store_failed(daemon->master, daemon_now_ms(daemon), last_seq, err->text,
                           daemon->commits.filling);
}

/* Handles a row that is on disk: adds an ended application or container to the history. A forgotten
 * application or container is deleted when the history has it. */
static void on_row_written(void *context, const Creel__StoredApp *app,
                           const Creel__StoredContainer *container, const char *forgotten)
{
    struct daemon *daemon = context;

    if (app != NULL)
        history_writer_add_app(daemon->history.writer, app);
    if (container != NULL)
        history_writer_add_container(daemon->history.writer, container->report);
    if (forgotten != NULL)
        history_writer_forget(daemon->history.writer, forgotten);
}

void apply_deletions(struct daemon *daemon)
{
    char id[ID_TEXT_MAX];

    for (unsigned i = 0; i < DELETIONS_MAX && history_writer_next_deletion(daemon->history.writer, id); i++)
        pending_delete(daemon->commits.pending, id);
    for (unsigned i = 0;
         i < CONTAINER_DELETIONS_MAX && history_writer_next_container(daemon->history.writer, id); i++)
        pending_delete(daemon->commits.pending, id);
}

static void on_stored(struct daemon *daemon, uint64_t last_seq)
{
    int64_t begun_ns = metrics_begin(), now_ms = daemon_now_ms(daemon);

    master_on_stored(daemon->master, now_ms, last_seq, daemon->commits.filling);
    metrics_end_tick(&daemon->metrics, begun_ns, now_ms);
}

static void write_rows(struct daemon *daemon)
{
    uint64_t last_seq = pending_last_seq(daemon->commits.pending);
    struct err err = { 0 };
    int64_t begun_ns;
    int r;

    if (!daemon->commits.retry && (daemon->commits.failing || pending_count(daemon->commits.pending) == 0))
        return;
    daemon->commits.retry = false;
    if (daemon->commits.failing)
        (void)pending_drop_refused(daemon->commits.pending);
    else
        apply_deletions(daemon);
    begun_ns = metrics_begin();
    r = pending_write(daemon->commits.pending, daemon->state.store, on_row_written, daemon, &err);
    metrics_end_write(&daemon->metrics, begun_ns, r == 0);
    if (r < 0) {
        on_write_failed(daemon, last_seq, &err);
        return;
    }
    if (daemon->commits.failing)
        log_line(LOG_LEVEL_INFO, "the state store can be written again");
    daemon->commits.failing = false;
    report_stored(daemon->report);
    on_stored(daemon, last_seq);
}

static void collect_rows(struct daemon *daemon, const struct master_effects *effects)
{
    for (size_t i = 0; i < effects->count; i++) {
        const struct master_effect *effect = &effects->items[i];

        if (effect->store_seq == 0)
            continue;
        pending_add(daemon->commits.pending, effect);
        if (master_changes_joined_hosts(effect))
            joined_keys_add(daemon->credentials.joined_keys, effect->setting);
        if (effect->kind == MASTER_FORGET_APP || effect->kind == MASTER_FORGET_CONTAINER)
            heap_trim_count(&daemon->heap_trim, FORGOTTEN_BYTES, loop_monotonic_ms());
        if (effect->kind == MASTER_STORE_NODE && effect->node->forgotten)
            report_node_forgotten(effect->node->node_id);
    }
}

/* Stores an operator's decision: histories that agents have seen are lost. */
static void accept_histories(struct daemon *daemon, const struct master_effect *effect)
{
    struct err err = { 0 };
    int r = 0;

    for (size_t i = 0; r == 0 && i < effect->history_count; i++) {
        const Creel__History *seen = effect->histories[i];

        if (store_compare(daemon->state.store, seen) == STORE_COMPARED_NEWER ||
            store_compare(daemon->state.store, seen) == STORE_COMPARED_OTHER)
            r = store_accept(daemon->state.store, seen, &err);
    }
    if (r < 0)
        log_line(LOG_LEVEL_ERROR, "%s could not accept the state: %s", effect->reload.user, err.text);
    else
        log_line(LOG_LEVEL_WARN, "%s accepts that what %zu waiting nodes have seen is lost",
                 effect->reload.user, effect->history_count);
    master_accepted(daemon->master, daemon_now_ms(daemon), &effect->reload, store_epoch(daemon->state.store),
                    store_last_app_seq(daemon->state.store), r < 0 ? &err : NULL, daemon->commits.filling);
}

static void set_log_level(Creel__LogLevel level)
{
    enum log_level named = (enum log_level)((int)level - (int)CREEL__LOG_LEVEL__LOG_LEVEL_ERROR);

    log_set_level(named);
    log_line(LOG_LEVEL_INFO, "log level is %s, until the next start or SIGHUP", log_level_name(named));
}

static void refresh(struct daemon *daemon, const struct master_effect *effect)
{
    struct err err = { 0 };
    int r;

    if (effect->kind == MASTER_RELOAD)
        r = reload_queues(&daemon->confs, &effect->reload, &err);
    else if (effect->kind == MASTER_RELOAD_HOSTS)
        r = reload_hosts(&daemon->confs, &effect->reload, &err);
    else
        r = reload_access(&daemon->confs, &effect->reload, effect->envelope->refresh_access, &err);
    outcome_report(&daemon->confs.parts, &effect->reload, effect->envelope, r < 0 ? &err : NULL);
}

/* Logs an event, and runs the notify command for the beginning and the end of a job. */
static void note_event(struct daemon *daemon, const struct master_effect *effect)
{
    report_event(daemon->report, effect->event);
    if (effect->app.len > 0)
        notifier_add(daemon->notifier, effect->event, &effect->app);
}

/* Sends the messages. A message that cannot be sent (its peer is gone or does not read) is lost: agents and
 * AMs repeat their requests, clients time out. */
static void send_messages(struct daemon *daemon, const struct master_effects *effects)
{
    for (size_t i = 0; i < effects->count; i++) {
        const struct master_effect *effect = &effects->items[i];

        if (effect->kind == MASTER_SEND)
            (void)channel_server_send(daemon->ports[effect->channel].server, effect->connection,
                                      effect->envelope);
        if (effect->kind == MASTER_RELOAD || effect->kind == MASTER_RELOAD_HOSTS ||
            effect->kind == MASTER_REFRESH_ACCESS)
            refresh(daemon, effect);
        if (effect->kind == MASTER_SCHEDULER_CONF)
            scheduler_conf_answer(&daemon->confs, &effect->reload, effect->envelope);
        if (effect->kind == MASTER_EVENT)
            note_event(daemon, effect);
        if (effect->kind == MASTER_LOG_LEVEL)
            set_log_level(effect->log_level);
        if (effect->kind == MASTER_ACCEPT)
            accept_histories(daemon, effect);
    }
}

static void deadline_due(void *context)
{
    struct daemon *daemon = context;
    int64_t begun_ns = metrics_begin(), now_ms = daemon_now_ms(daemon);

    daemon->commits.deadline_ms = INT64_MAX;
    master_on_timer(daemon->master, now_ms, daemon->commits.filling);
    metrics_end_tick(&daemon->metrics, begun_ns, now_ms);
}

static void set_deadline(struct daemon *daemon)
{
    bool left = daemon->commits.filling->count > 0;
    int64_t next_ms = left ? daemon_now_ms(daemon) : master_next_deadline_ms(daemon->master);
    int64_t delay_ms;

    if (next_ms == daemon->commits.deadline_ms)
        return;
    if (daemon->commits.deadline_ms != INT64_MAX)
        loop_cancel_timer(daemon->loop, daemon->commits.deadline_timer);
    daemon->commits.deadline_ms = next_ms;
    if (next_ms == INT64_MAX)
        return;
    delay_ms = next_ms - daemon_now_ms(daemon);
    daemon->commits.deadline_timer =
        loop_add_timer(daemon->loop, delay_ms > 1 ? delay_ms : 1, deadline_due, daemon);
}

static void apply_round(struct daemon *daemon)
{
    struct master_effects *effects = daemon->commits.filling;

    daemon->commits.filling =
        effects == &daemon->commits.effects[0] ? &daemon->commits.effects[1] : &daemon->commits.effects[0];
    collect_rows(daemon, effects);
    write_rows(daemon);
    if (daemon->credentials.joined_keys != NULL && !daemon->commits.failing)
        joined_keys_write(daemon->credentials.joined_keys, daemon->master, loop_monotonic_ms());
    send_messages(daemon, effects);
    master_effects_reset(effects);
}

/* Returns true if effects are left for which no row must be written: replies, mostly. */
static bool is_cheap(const struct master_effects *effects)
{
    for (size_t i = 0; i < effects->count; i++)
        if (effects->items[i].store_seq != 0)
            return false;
    return effects->count > 0;
}

/* Rows that are stored have effects in turn, and a long chain of them is worked off in turns (turns.h).
 * Between two parts of it the loop serves the sockets. */
void apply_effects(struct daemon *daemon)
{
    int64_t begun_ms = loop_monotonic_ms();

    do
        apply_round(daemon);
    while (is_cheap(daemon->commits.filling) ||
           (daemon->commits.filling->count > 0 && loop_monotonic_ms() - begun_ms < APPLY_MS));
    set_deadline(daemon);
}

void apply_last(struct daemon *daemon)
{
    int64_t begun_ms = loop_monotonic_ms();

    while (daemon->commits.filling->count > 0 && !daemon->commits.failing &&
           loop_monotonic_ms() - begun_ms < APPLY_LAST_MS)
        apply_round(daemon);
}

static void before_sleep(void *context)
{
    apply_effects(context);
}

void apply_start(struct daemon *daemon)
{
    master_effects_init(&daemon->commits.effects[0]);
    master_effects_init(&daemon->commits.effects[1]);
    daemon->commits.filling = &daemon->commits.effects[0];
    daemon->commits.pending = pending_new();
    daemon->commits.deadline_ms = INT64_MAX;
    loop_before_sleep(daemon->loop, before_sleep, daemon);
}

void apply_done(struct daemon *daemon)
{
    if (daemon->commits.filling == NULL)
        return;
    pending_free(daemon->commits.pending);
    master_effects_done(&daemon->commits.effects[0]);
    master_effects_done(&daemon->commits.effects[1]);
}
