/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply.c - executes the effects of the core
 *
 * Once in each turn of the loop, in order. The results of launches and fetches are reported to the core
 * later, all others at once; effects that result from these are executed in the same turn.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "common/base/mem.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/net/daemon.h"

/* --- the disk ------------------------------------------------------------------- */

/* Returns true if the record can be written now. If the state directory does not answer, the first record of
 * a container is refused, as by a bad disk: another node gets it. Later records wait. */
static bool save_now(struct daemon *daemon, const struct agent_effect *effect)
{
    struct err err = { 0 };

    if (deferred_write_all(&daemon->deferred, daemon->runtime))
        return true;
    (void)runtime_state_answers(daemon->runtime, &err);
    log_line(LOG_LEVEL_ERROR, "container %s: %s", effect->container_id, err.text);
    if (agent_on_saved(daemon->agent, daemon_now(), effect->container_id, -EIO, err.text, &daemon->effects))
        deferred_add_record(&daemon->deferred, effect->container_id, effect->data, effect->size);
    return false;
}

static void save(struct daemon *daemon, const struct agent_effect *effect)
{
    struct err err = { 0 };
    int code;

    if (!save_now(daemon, effect))
        return;
    code = runtime_save(daemon->runtime, effect->container_id, effect->data, effect->size, &err);
    if (code < 0)
        log_line(LOG_LEVEL_ERROR, "%s", err.text); /* names the container */
    node_health_note_failure(daemon, code);
    agent_on_saved(daemon->agent, daemon_now(), effect->container_id, code, code < 0 ? err.text : NULL,
                   &daemon->effects);
}

static void acknowledge(struct daemon *daemon, const struct agent_effect *effect)
{
    if (deferred_write_all(&daemon->deferred, daemon->runtime))
        runtime_acknowledge(daemon->runtime, effect->container_id);
    else
        deferred_add_acknowledgement(&daemon->deferred, effect->container_id);
}

/* --- notices ------------------------------------------------------------- */

static void send_notice(struct daemon *daemon, const struct agent_effect *effect)
{
    static const enum runtime_scope scopes[] = {
        [JOB_SIGNAL_TO_ALL] = RUNTIME_SIGNAL_ALL,
        [JOB_SIGNAL_TO_FIRST] = RUNTIME_SIGNAL_MAIN,
        [JOB_SIGNAL_TO_OTHERS] = RUNTIME_SIGNAL_OTHERS,
        [JOB_SIGNAL_TO_STEPS] = RUNTIME_SIGNAL_STEPS,
    };
    struct err err = { 0 };

    if (runtime_preempt_notice(daemon->runtime, effect->container_id, effect->deadline_ms, effect->text,
                               scopes[effect->signal_to], effect->signal_number, &err) < 0 &&
        err.code != ESRCH)
        log_line(LOG_LEVEL_WARN, "%s", err.text);
}

/* --- sizes ------------------------------------------------------------------- */

static void resize(struct daemon *daemon, const struct agent_effect *effect)
{
    struct err err = { 0 };
    int code = runtime_resize(daemon->runtime, effect->container_id, &effect->resource, &err);

    agent_on_resized(daemon->agent, daemon_now(), effect->resize, code, code < 0 ? err.text : NULL,
                     &daemon->effects);
}

/* --- the other effects ---------------------------------------------------------- */

static void note(struct daemon *daemon, const struct agent_effect *effect)
{
    struct log_about about = {
        .app_id = effect->app_id,
        .container_id = effect->container_id,
        .node = daemon->node_id,
    };
    enum log_level level = effect->warning ? LOG_LEVEL_WARN : LOG_LEVEL_INFO;

    if (effect->container_id != NULL)
        log_about(&about, level, "container %s: %s", effect->container_id, effect->text);
    else
        log_about(&about, level, "node %s: %s", daemon->node_id, effect->text);
}

static void shut_down(struct daemon *daemon, const struct agent_effect *effect)
{
    bool refused = effect->warning;

    log_line(refused ? LOG_LEVEL_ERROR : LOG_LEVEL_WARN, "node %s: %s: %s", daemon->node_id,
             refused ? "the resource manager refuses this node" : "stops by order of the resource manager",
             effect->text);
    daemon->refused = refused;
    loop_stop(daemon->loop);
}

static void clean_up_app(struct daemon *daemon, const struct agent_effect *effect)
{
    struct err err = { 0 };

    finished_apps_add(daemon->finished, effect->app_id);
    if (runtime_state_answers(daemon->runtime, &err))
        finished_apps_write(daemon->finished);
    runtime_cleanup_app(daemon->runtime, effect->app_id, conf_ms(daemon->conf, CONF_NM_LOG_RETAIN));
}

static void save_history(struct daemon *daemon, const struct agent_effect *effect)
{
    const char *directory = conf_text(daemon->conf, CONF_NM_STATE_DIR);
    scoped_fd int fd = -1;
    struct err err = { 0 };

    if (runtime_state_answers(daemon->runtime, &err)) {
        fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            err_set_errno(&err, errno, "%s", directory);
        else
            record_put(fd, "history", effect->data, effect->size, &err);
    }
    if (err.code != 0)
        log_line(LOG_LEVEL_WARN, "what the resource manager's state has come to cannot be kept: %s",
                 err.text);
}

static void set_log_level(Creel__LogLevel level)
{
    enum log_level named = (enum log_level)((int)level - (int)CREEL__LOG_LEVEL__LOG_LEVEL_ERROR);

    log_set_level(named);
    log_line(LOG_LEVEL_INFO, "log level is %s, until the next start or SIGHUP", log_level_name(named));
}

static void carry_out(struct daemon *daemon, const struct agent_effect *effect)
{
    switch (effect->kind) {
    case AGENT_SEND:
        if (!rm_link_send(daemon, effect->envelope))
            agent_on_unsent(daemon->agent, daemon_now());
        return;
    case AGENT_REPLY:
        channel_server_send(daemon->server, effect->connection, effect->envelope);
        return;
    case AGENT_LOG_LEVEL:
        set_log_level(effect->log_level);
        return;
    case AGENT_LEARN_KEYS:
        token_ring_replace(&daemon->ring, effect->keys, effect->key_count);
        return;
    case AGENT_FETCH:
        fetcher_request(daemon->fetcher, effect->data, effect->user);
        return;
    case AGENT_LAUNCH:
        launch_start(daemon, effect);
        return;
    case AGENT_PREEMPT_NOTICE:
    case AGENT_SIGNAL:
        send_notice(daemon, effect);
        return;
    case AGENT_SPARE:
        runtime_spare(daemon->runtime, effect->container_id);
        return;
    case AGENT_RESIZE:
        resize(daemon, effect);
        return;
    case AGENT_STOP:
        journal_container(daemon, effect->container_id, effect->app_id, "is being stopped");
        if (effect->at_once)
            runtime_kill(daemon->runtime, effect->container_id);
        else
            runtime_stop(daemon->runtime, effect->container_id);
        return;
    case AGENT_CLEANUP:
        log_service_ended(daemon, effect->container_id);
        runtime_cleanup(daemon->runtime, effect->container_id);
        return;
    case AGENT_CLEANUP_APP:
        clean_up_app(daemon, effect);
        return;
    case AGENT_SHUTDOWN:
        shut_down(daemon, effect);
        return;
    case AGENT_KEEP_HISTORY:
        save_history(daemon, effect);
        return;
    case AGENT_NOTE:
        note(daemon, effect);
        return;
    case AGENT_SAVE:
        save(daemon, effect);
        return;
    case AGENT_ACKNOWLEDGE:
        acknowledge(daemon, effect);
        return;
    }
    abort();
}

/* --- once in each turn ------------------------------------------------------------ */

static void deadline_due(void *context)
{
    struct daemon *daemon = context;

    daemon->deadline_timer = 0;
    daemon->deadline_ms = INT64_MAX;
    agent_on_timer(daemon->agent, daemon_now(), &daemon->effects);
}

static void set_deadline(struct daemon *daemon)
{
    int64_t at_ms = agent_next_deadline_ms(daemon->agent);
    int64_t now_ms = loop_monotonic_ms();

    if (at_ms == daemon->deadline_ms)
        return;
    loop_cancel_timer(daemon->loop, daemon->deadline_timer);
    daemon->deadline_timer = 0;
    daemon->deadline_ms = at_ms;
    if (at_ms != INT64_MAX)
        daemon->deadline_timer =
            loop_add_timer(daemon->loop, at_ms > now_ms ? at_ms - now_ms : 0, deadline_due, daemon);
}

static void carry_out_all(struct daemon *daemon)
{
    for (size_t i = 0; i < daemon->effects.count; i++) {
        struct agent_effect effect = daemon->effects.items[i]; /* a copy, since the array may grow */

        carry_out(daemon, &effect);
    }
    agent_effects_reset(&daemon->effects);
}

void apply_effects(struct daemon *daemon)
{
    int64_t contact_ms = agent_contact_ms(daemon->agent);

    if (contact_ms != daemon->contact_ms && contact_ms != INT64_MIN)
        runtime_contact(daemon->runtime, contact_ms);
    daemon->contact_ms = contact_ms;
    while (daemon->effects.count > 0)
        carry_out_all(daemon);
    if (daemon->started)
        set_deadline(daemon);
}
