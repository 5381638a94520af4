/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects.c - what a step says and stores, and what is kept back until a row is on disk
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rm/master/internal.h"

void master_effects_init(struct master_effects *effects)
{
    *effects = (struct master_effects){ .arena = arena_new() };
}

void master_effects_reset(struct master_effects *effects)
{
    arena_reset(effects->arena);
    effects->count = 0;
}

void master_effects_done(struct master_effects *effects)
{
    arena_free(effects->arena);
    free(effects->items);
    *effects = (struct master_effects){ .arena = NULL };
}

static struct master_effect *add(struct master *m, enum master_effect_kind kind)
{
    struct master_effects *out = m->out;

    mem_grow(out->items, out->count, out->capacity);
    out->items[out->count] = (struct master_effect){ .kind = kind };
    return &out->items[out->count++];
}

/* --- sending --------------------------------------------------------------- */

Creel__Envelope *rm_envelope_new(struct master *m, uint64_t request_id,
                              Creel__Envelope__BodyCase body)
{
    Creel__Envelope *envelope = arena_new0(m->out->arena, Creel__Envelope);

    creel__envelope__init(envelope);
    envelope->request_id = request_id;
    envelope->body_case = body;
    return envelope;
}

void rm_send_to(struct master *m, enum master_channel channel, uint64_t connection,
             Creel__Envelope *envelope)
{
    struct master_effect *effect = add(m, MASTER_SEND);

    effect->channel = channel;
    effect->connection = connection;
    effect->envelope = envelope;
}

void rm_send_stored(struct master *m, uint64_t store_seq, enum master_channel channel,
                 uint64_t connection, Creel__Envelope *envelope)
{
    struct saving *held;

    if (store_seq <= m->stored_seq) {
        rm_send_to(m, channel, connection, envelope);
        return;
    }
    held = rm_saving_add(m, store_seq, SAVING_HELD);
    held->channel = channel;
    held->connection = connection;
    held->size = creel__envelope__get_packed_size(envelope);
    held->packed = mem_alloc(held->size + 1);
    creel__envelope__pack(envelope, held->packed);
}

static void *arena_allocate(void *arena, size_t size)
{
    return arena_alloc0(arena, size);
}

static void arena_release(void *arena, void *pointer)
{
    (void)arena;
    (void)pointer;
}

void rm_effects_release_held(struct master *m, const struct saving *saving)
{
    ProtobufCAllocator allocator = { arena_allocate, arena_release, m->out->arena };
    Creel__Envelope *envelope = creel__envelope__unpack(&allocator, saving->size, saving->packed);

    assert(envelope);
    rm_send_to(m, saving->channel, saving->connection, envelope);
}

void rm_reply_to(struct master *m, const struct master_peer *peer, Creel__Envelope *envelope)
{
    rm_send_to(m, peer->channel, peer->connection, envelope);
}

void rm_reply_stored(struct master *m, const struct master_peer *peer, Creel__Envelope *envelope)
{
    rm_send_stored(m, m->store_seq, peer->channel, peer->connection, envelope);
}

void rm_reply_ok(struct master *m, const struct master_peer *peer, uint64_t request_id)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_OK);

    envelope->ok = arena_new0(m->out->arena, Creel__Ok);
    creel__ok__init(envelope->ok);
    rm_reply_to(m, peer, envelope);
}

void rm_reply_error(struct master *m, const struct master_peer *peer, uint64_t request_id,
                 Creel__ErrorCode code, const char *format, ...)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_ERROR);
    char text[ERR_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    envelope->error = arena_new0(m->out->arena, Creel__Error);
    creel__error__init(envelope->error);
    envelope->error->code = code;
    envelope->error->message = arena_strdup(m->out->arena, text);
    rm_reply_to(m, peer, envelope);
}

void rm_effect_reload(struct master *m, const struct master_peer *peer, uint64_t request_id,
                      const char *user)
{
    struct master_effect *effect = add(m, MASTER_RELOAD);

    effect->reload = (struct master_reload){
        .channel = peer->channel, .connection = peer->connection, .request_id = request_id,
        .user = arena_strdup(m->out->arena, user),
    };
}

void rm_effect_reload_hosts(struct master *m, const struct master_peer *peer,
                            const Creel__Envelope *in, const char *user)
{
    struct master_effect *effect = add(m, MASTER_RELOAD_HOSTS);

    effect->reload = (struct master_reload){
        .channel = peer->channel, .connection = peer->connection, .request_id = in->request_id,
        .user = arena_strdup(m->out->arena, user), .kind = in->refresh_nodes->kind,
        .timeout_said = in->refresh_nodes->timeout_said,
        .timeout_ms = in->refresh_nodes->timeout_ms,
    };
}

void rm_effect_accept(struct master *m, const struct master_peer *peer, uint64_t request_id,
                      const char *user, const Creel__History *const *histories, size_t count)
{
    struct master_effect *effect = add(m, MASTER_ACCEPT);

    effect->reload = (struct master_reload){
        .channel = peer->channel, .connection = peer->connection, .request_id = request_id,
        .user = arena_strdup(m->out->arena, user),
    };
    effect->histories = histories;
    effect->history_count = count;
}

/* --- storing --------------------------------------------------------------- */

struct saving *rm_saving_add(struct master *m, uint64_t store_seq, enum saving_kind kind)
{
    struct saving *saving = mem_new0(struct saving), *before;

    saving->store_seq = store_seq;
    saving->kind = kind;
    TAILQ_FOREACH_REVERSE(before, &m->savings, saving_list, link)
        if (before->store_seq <= store_seq)
            break;
    if (before)
        TAILQ_INSERT_AFTER(&m->savings, before, saving, link);
    else
        TAILQ_INSERT_HEAD(&m->savings, saving, link);
    return saving;
}

void rm_saving_free(struct saving *saving)
{
    free(saving->packed);
    free(saving);
}

uint64_t rm_store_app(struct master *m, const struct app *app)
{
    struct arena *arena = m->out->arena;
    Creel__StoredApp *row = arena_new0(arena, Creel__StoredApp);
    struct master_effect *effect = add(m, MASTER_STORE_APP);

    creel__stored_app__init(row);
    row->app_id = rm_message_text(arena, app->text);
    row->user = rm_message_text(arena, app->user);
    row->job = (Creel__JobSpec *)rm_message_copy_in(arena, &app->job->base);
    row->submission_key = rm_message_text(arena, app->key ? strchr(app->key, '\n') + 1 : NULL);
    row->submitted_ms = app->submitted_ms;
    row->state = app->state == APP_STATE_FINAL_SAVING ? app->shown_target : app->shown;
    row->final_status = app->final_status;
    row->exit_status = app->exit_status;
    row->diagnostics = rm_message_text(arena, app->diagnostics);
    row->started_ms = app->started_ms;
    row->finished_ms = app->finished_ms;
    row->memory_mb_seconds = app->memory_mb_ms / 1000;
    row->vcore_seconds = app->vcore_ms / 1000;
    row->queue = rm_message_text(arena, app->queue);
    row->kill_requested = app->kill_requested;
    row->kill_reason = rm_message_text(arena, app->kill_reason);
    row->priority = app->priority;
    row->expires_ms = app->expires_ms;
    row->groups = arena_array0(arena, app->group_count + 1, sizeof(char *));
    for (size_t i = 0; i < app->group_count; i++)
        row->groups[row->n_groups++] = arena_strdup(arena, app->groups[i]);
    row->tasks = rm_task_counts(arena, app);
    row->attempts = app->attempt ? app->attempt->id.attempt : 0;
    effect->app = row;
    return effect->store_seq = ++m->store_seq;
}

uint64_t rm_store_attempt(struct master *m, const struct attempt *attempt)
{
    struct arena *arena = m->out->arena;
    Creel__StoredAttempt *row = arena_new0(arena, Creel__StoredAttempt);
    struct master_effect *effect = add(m, MASTER_STORE_ATTEMPT);
    const struct container *master = attempt->master;

    creel__stored_attempt__init(row);
    row->attempt_id = rm_message_text(arena, attempt->text);
    row->master_container_id = rm_message_text(arena, master ? master->text : NULL);
    row->master_node_id = rm_message_text(arena, master ? master->node->id : NULL);
    row->over = rm_attempt_is_over(attempt) ||
                (attempt->state == ATTEMPT_FINAL_SAVING && attempt->target != ATTEMPT_FINISHING);
    row->unregistered = attempt->unregistered;
    row->final_status = attempt->final_status;
    row->exit_status = attempt->exit_status;
    row->diagnostics = rm_message_text(arena, attempt->diagnostics);
    row->registered = attempt->registered;
    row->counts = attempt->counts;
    if (master)
        row->master_grant = rm_grant_message(m, master);
    effect->attempt = row;
    return effect->store_seq = ++m->store_seq;
}

uint64_t rm_store_container(struct master *m, struct container *container)
{
    Creel__StoredContainer *row = arena_new0(m->out->arena, Creel__StoredContainer);
    struct master_effect *effect = add(m, MASTER_STORE_CONTAINER);

    creel__stored_container__init(row);
    row->report = rm_container_report(m, container);
    row->grant = rm_grant_message(m, container);
    container->stored = true;
    effect->container = row;
    return effect->store_seq = ++m->store_seq;
}

uint64_t rm_store_setting(struct master *m, const struct setting *setting, bool forget)
{
    struct master_effect *effect = add(m, MASTER_STORE_SETTING);
    Creel__StoredSetting *row = arena_new0(m->out->arena, Creel__StoredSetting);

    creel__stored_setting__init(row);
    row->kind = rm_message_text(m->out->arena, setting->kind);
    row->name = rm_message_text(m->out->arena, setting->name);
    row->value = rm_message_text(m->out->arena, forget ? NULL : setting->value);
    row->before = rm_message_text(m->out->arena, setting->before);
    row->by = rm_message_text(m->out->arena, setting->by);
    row->since_ms = setting->since_ms;
    effect->setting = row;
    return effect->store_seq = ++m->store_seq;
}

uint64_t rm_store_node(struct master *m, const struct node *node)
{
    struct arena *arena = m->out->arena;
    Creel__StoredNode *row = arena_new0(arena, Creel__StoredNode);
    struct master_effect *effect = add(m, MASTER_STORE_NODE);

    creel__stored_node__init(row);
    row->node_id = rm_message_text(arena, node->id);
    row->state = rm_duty_stored(node->duty.state);
    row->by = rm_message_text(arena, node->duty.by);
    row->reason = rm_message_text(arena, node->duty.reason);
    row->since_ms = node->duty.since_ms;
    row->deadline_ms = node->duty.deadline_ms;
    row->by_file = node->duty.by_file;
    row->forced = node->duty.forced;
    row->forgotten = node->forgotten;
    if (node->size.by) {
        row->total = rm_resource_message(m, &node->size.set);
        row->total_until_ms = node->size.until_ms;
        row->overcommit_ms = node->size.overcommit_ms;
        row->total_by = rm_message_text(arena, node->size.by);
    }
    effect->node = row;
    return effect->store_seq = ++m->store_seq;
}

uint64_t rm_store_forget(struct master *m, const struct app *app)
{
    struct master_effect *effect = add(m, MASTER_FORGET_APP);

    effect->app_id = arena_strdup(m->out->arena, app->text);
    return effect->store_seq = ++m->store_seq;
}
