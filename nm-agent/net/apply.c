/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply.c - what the core decided is carried out
 *
 * Once a turn of the loop, in order. What comes of an effect is told to the
 * core at once; the effects that follow are carried out in the same turn.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "nm-agent/linux/record.h"
#include "nm-agent/net/daemon.h"

static void launches_due(void *context);

/* --- launching --------------------------------------------------------------- */

static void to_hex(const uint8_t hash[32], char hex[65])
{
    for (size_t i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
}

struct runtime_plan apply_make_plan(struct arena *arena, const struct agent_plan *plan)
{
    struct runtime_file *files = arena_array0(arena, plan->file_count + 1, sizeof(*files));
    struct runtime_secret *secrets = arena_array0(arena, plan->secret_count + 1,
                                                  sizeof(*secrets));

    for (size_t i = 0; i < plan->file_count; i++) {
        char *hex = arena_alloc0(arena, 65);

        to_hex(plan->files[i].hash, hex);
        files[i] = (struct runtime_file){ plan->files[i].name, hex, plan->files[i].mode };
    }
    for (size_t i = 0; i < plan->secret_count; i++)
        secrets[i] = (struct runtime_secret){
            .name = plan->secrets[i].name, .data = plan->secrets[i].data,
            .size = plan->secrets[i].size, .variable = plan->secrets[i].variable,
        };
    return (struct runtime_plan){
        .container_id = plan->container_id, .app_id = plan->app_id, .user = plan->user,
        .resource = plan->resource, .argv = plan->argv, .environment = plan->environment,
        .files = files, .file_count = plan->file_count, .directory = plan->directory,
        .secrets = secrets, .secret_count = plan->secret_count,
        .stop_after_ms = plan->stop_after_ms,
    };
}

void apply_tell_story(const struct daemon *daemon, const char *container_id, const char *app_id,
                      const char *text)
{
    struct container_id id;
    char app[ID_TEXT_MAX];
    struct log_about about = {
        .app_id = app_id, .container_id = container_id, .node = daemon->node_id,
    };

    if (app_id == NULL && container_id_parse(container_id, &id))
        about.app_id = app_id_format(&id.attempt.app, app);
    log_about(&about, LOG_LEVEL_INFO, "container %s: %s", container_id, text);
}

static void tell_start(const struct daemon *daemon, const struct runtime_plan *plan)
{
    char size[RESOURCE_TEXT_MAX];
    scoped_free char *text = mem_printf("starts as %s with %s", plan->user,
                                        resource_format(&plan->resource, size));

    apply_tell_story(daemon, plan->container_id, plan->app_id, text);
}

/* What came of it is told in the next turn: a core that has many to launch goes on at once, and
 * in between heartbeats have to leave and ends to be seen. */
static void launch(struct daemon *daemon, const struct agent_effect *effect)
{
    struct runtime_plan plan = apply_make_plan(daemon->effects.arena, effect->plan);
    struct launched *launched = mem_new0(struct launched);
    struct err err = { 0 };

    snprintf(launched->container_id, sizeof(launched->container_id), "%s", effect->container_id);
    tell_start(daemon, &plan);
    launched->code = runtime_launch(daemon->runtime, &plan, &err);
    launched->why = launched->code < 0 ? mem_strdup(err.text) : NULL;
    if (STAILQ_EMPTY(&daemon->launched))
        loop_add_timer(daemon->loop, 0, launches_due, daemon);
    STAILQ_INSERT_TAIL(&daemon->launched, launched, link);
}

static void launches_due(void *context)
{
    apply_tell_launched(context);
}

void apply_tell_launched(struct daemon *daemon)
{
    struct launched *launched;
    STAILQ_HEAD(, launched) told = STAILQ_HEAD_INITIALIZER(told);

    STAILQ_CONCAT(&told, &daemon->launched);
    /* It may be the host's fault: the RM is to hear that before who asked tries again, here. */
    STAILQ_FOREACH(launched, &told, link)
        if (launched->code < 0) {
            tasks_look_at_health(daemon);
            break;
        }
    while ((launched = STAILQ_FIRST(&told)) != NULL) {
        STAILQ_REMOVE_HEAD(&told, link);
        agent_on_launched(daemon->agent, daemon_now(), launched->container_id, launched->code,
                          launched->why, &daemon->effects);
        free(launched->why);
        free(launched);
    }
}

void apply_forget_launched(struct daemon *daemon)
{
    struct launched *launched;

    while ((launched = STAILQ_FIRST(&daemon->launched)) != NULL) {
        STAILQ_REMOVE_HEAD(&daemon->launched, link);
        free(launched->why);
        free(launched);
    }
}

/* --- the disk ------------------------------------------------------------------- */

static void save(struct daemon *daemon, const struct agent_effect *effect)
{
    struct err err = { 0 };
    int code = runtime_save(daemon->runtime, effect->container_id, effect->data, effect->size,
                            &err);

    if (code < 0)
        log_line(LOG_LEVEL_ERROR, "container %s: %s", effect->container_id, err.text);
    agent_on_saved(daemon->agent, daemon_now(), effect->container_id, code,
                   code < 0 ? err.text : NULL, &daemon->effects);
}

/* --- preemption ------------------------------------------------------------- */

static void warn_container(struct daemon *daemon, const struct agent_effect *effect)
{
    struct err err = { 0 };

    if (runtime_warn(daemon->runtime, effect->container_id, effect->deadline_ms, effect->text,
                     effect->signal_number, &err) < 0 && err.code != ESRCH)
        log_line(LOG_LEVEL_WARN, "%s", err.text);
}

/* --- the other effects ---------------------------------------------------------- */

static void note(struct daemon *daemon, const struct agent_effect *effect)
{
    struct log_about about = {
        .app_id = effect->app_id, .container_id = effect->container_id, .node = daemon->node_id,
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
             refused ? "the resource manager refuses this node"
                     : "stops, since the resource manager says so", effect->text);
    daemon->refused = refused;
    loop_stop(daemon->loop);
}

static void clean_up_app(struct daemon *daemon, const struct agent_effect *effect)
{
    past_add(daemon->past, effect->app_id);
    runtime_cleanup_app(daemon->runtime, effect->app_id, conf_ms(daemon->conf, CONF_NM_LOG_RETAIN));
}

static void keep_history(struct daemon *daemon, const struct agent_effect *effect)
{
    scoped_fd int fd = open(conf_text(daemon->conf, CONF_NM_STATE_DIR),
                            O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct err err = { 0 };

    if (fd < 0 || record_put(fd, "history", effect->data, effect->size, &err) < 0)
        log_line(LOG_LEVEL_WARN, "what the resource manager's state has come to cannot be kept: %s",
                 fd < 0 ? strerror(errno) : err.text);
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
    case AGENT_LEARN_KEYS:
        token_ring_replace(&daemon->ring, effect->keys, effect->key_count);
        return;
    case AGENT_FETCH:
        fetcher_want(daemon->fetcher, effect->data);
        return;
    case AGENT_LAUNCH:
        launch(daemon, effect);
        return;
    case AGENT_WARN:
        warn_container(daemon, effect);
        return;
    case AGENT_SPARE:
        runtime_spare(daemon->runtime, effect->container_id);
        return;
    case AGENT_STOP:
        apply_tell_story(daemon, effect->container_id, effect->app_id, "is told to end");
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
        keep_history(daemon, effect);
        return;
    case AGENT_NOTE:
        note(daemon, effect);
        return;
    case AGENT_SAVE:
        save(daemon, effect);
        return;
    case AGENT_ACKNOWLEDGE:
        runtime_acknowledge(daemon->runtime, effect->container_id);
        return;
    }
    abort();
}

/* --- once a turn ------------------------------------------------------------------ */

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
        daemon->deadline_timer = loop_add_timer(daemon->loop, at_ms > now_ms ? at_ms - now_ms : 0,
                                                deadline_due, daemon);
}

static void carry_out_all(struct daemon *daemon)
{
    for (size_t i = 0; i < daemon->effects.count; i++) {
        struct agent_effect effect = daemon->effects.items[i];  /* the list grows meanwhile */

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
