/* SPDX-License-Identifier: Apache-2.0 */
/* effects.c - sends the messages of a step, at once or after a row is on disk */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"

void master_effects_init(struct master_effects *effects)
{
    *effects = (struct master_effects){ .arena = arena_new() };
}

void master_effects_reset(struct master_effects *effects)
{
    arena_reset(effects->arena);
    effects->count = 0;
    effects->watched = NULL;
}

void master_effects_done(struct master_effects *effects)
{
    arena_free(effects->arena);
    free(effects->items);
    *effects = (struct master_effects){ .arena = NULL };
}

struct master_effect *rm_effect_add(struct master *m, enum master_effect_kind kind)
{
    struct master_effects *out = m->out;

    mem_grow(out->items, out->count, out->capacity);
    out->items[out->count] = (struct master_effect){ .kind = kind };
    return &out->items[out->count++];
}

/* --- sending --------------------------------------------------------------- */

Creel__Envelope *rm_envelope_new(struct master *m, uint64_t request_id, Creel__Envelope__BodyCase body)
{
    Creel__Envelope *envelope = arena_new0(m->out->arena, Creel__Envelope);

    creel__envelope__init(envelope);
    envelope->request_id = request_id;
    envelope->body_case = body;
    return envelope;
}

void rm_send_to(struct master *m, enum master_channel channel, uint64_t connection, Creel__Envelope *envelope)
{
    struct master_effect *effect = rm_effect_add(m, MASTER_SEND);

    effect->channel = channel;
    effect->connection = connection;
    effect->envelope = envelope;
}

void rm_reply_to(struct master *m, const struct master_peer *peer, Creel__Envelope *envelope)
{
    rm_send_to(m, peer->channel, peer->connection, envelope);
}

Creel__RegisterNodeReply *rm_register_reply_new(struct master *m)
{
    Creel__RegisterNodeReply *reply = arena_new0(m->out->arena, Creel__RegisterNodeReply);

    creel__register_node_reply__init(reply);
    reply->version = arena_strdup(m->out->arena, m->config.version);
    reply->protocol_oldest = m->config.protocol.oldest;
    reply->protocol_newest = m->config.protocol.newest;
    return reply;
}

static Creel__Envelope *error_envelope(struct master *m, uint64_t request_id, Creel__ErrorCode code,
                                       const char *text)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_ERROR);

    envelope->error = arena_new0(m->out->arena, Creel__Error);
    creel__error__init(envelope->error);
    envelope->error->code = code;
    envelope->error->message = arena_strdup(m->out->arena, text);
    return envelope;
}

void rm_reply_error(struct master *m, const struct master_peer *peer, uint64_t request_id,
                    Creel__ErrorCode code, const char *format, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    rm_reply_to(m, peer, error_envelope(m, request_id, code, text));
}

Creel__ErrorCode rm_error_code(int r)
{
    switch (-r) {
    case EACCES:
    case EPERM:
        return CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
    case EDQUOT:
    case EBUSY:
    case ESHUTDOWN:
    case EEXIST:
        return CREEL__ERROR_CODE__ERROR_BAD_STATE;
    case ERANGE:
        return CREEL__ERROR_CODE__ERROR_NEVER_RUNS;
    case EINVAL:
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    case EMSGSIZE:
        return CREEL__ERROR_CODE__ERROR_TOO_LARGE;
    case EOPNOTSUPP:
        return CREEL__ERROR_CODE__ERROR_UNSUPPORTED;
    case EAGAIN:
        return CREEL__ERROR_CODE__ERROR_UNAVAILABLE;
    default:
        return CREEL__ERROR_CODE__ERROR_NOT_FOUND;
    }
}

Creel__Envelope *rm_error_envelope(struct master *m, uint64_t request_id, const struct err *err)
{
    return error_envelope(m, request_id, rm_error_code(-err->code), err->text);
}

void rm_reply_err(struct master *m, const struct master_peer *peer, uint64_t request_id,
                  const struct err *err)
{
    rm_reply_to(m, peer, rm_error_envelope(m, request_id, err));
}

void rm_effect_request(struct master *m, enum master_effect_kind kind, const struct master_peer *peer,
                       const Creel__Envelope *in, const char *user)
{
    struct master_effect *effect = rm_effect_add(m, kind);

    effect->reload = (struct master_reload){
        .channel = peer->channel,
        .connection = peer->connection,
        .request_id = in->request_id,
        .user = arena_strdup(m->out->arena, user),
        .principal = arena_strdup(m->out->arena, peer->principal),
    };
    effect->envelope = (Creel__Envelope *)rm_message_copy_in(m->out->arena, &in->base);
}

void rm_effect_reload_hosts(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                            const char *user)
{
    struct master_reload *reload;

    rm_effect_request(m, MASTER_RELOAD_HOSTS, peer, in, user);
    reload = &m->out->items[m->out->count - 1].reload;
    reload->kind = in->refresh_nodes->kind;
    reload->timeout_given = in->refresh_nodes->timeout_given;
    reload->timeout_ms = in->refresh_nodes->timeout_ms;
}

void rm_effect_accept(struct master *m, const struct master_peer *peer, uint64_t request_id, const char *user,
                      const Creel__History *const *histories, size_t count)
{
    struct master_effect *effect = rm_effect_add(m, MASTER_ACCEPT);

    effect->reload = (struct master_reload){
        .channel = peer->channel,
        .connection = peer->connection,
        .request_id = request_id,
        .user = arena_strdup(m->out->arena, user),
    };
    effect->histories = histories;
    effect->history_count = count;
}

/* --- delayed until a row is on disk ------------------------------------ */

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
    free(saving->done);
    free(saving->name);
    free(saving);
}

/* Sends ENVELOPE when row STORE_SEQ is on disk. Returns the action; NULL: it is, and ENVELOPE is sent. */
static struct saving *send_stored(struct master *m, uint64_t store_seq, enum master_channel channel,
                                  uint64_t connection, Creel__Envelope *envelope)
{
    struct saving *held;

    if (store_seq <= m->stored_seq) {
        rm_send_to(m, channel, connection, envelope);
        return NULL;
    }
    held = rm_saving_add(m, store_seq, SAVING_HELD);
    held->channel = channel;
    held->connection = connection;
    held->size = creel__envelope__get_packed_size(envelope);
    held->packed = mem_alloc(held->size + 1);
    creel__envelope__pack(envelope, held->packed);
    return held;
}

void rm_send_stored(struct master *m, uint64_t store_seq, enum master_channel channel, uint64_t connection,
                    Creel__Envelope *envelope)
{
    (void)send_stored(m, store_seq, channel, connection, envelope);
}

void rm_effects_release_held(struct master *m, const struct saving *saving)
{
    ProtobufCMessage *message =
        rm_message_unpack_in(m->out->arena, &creel__envelope__descriptor, saving->packed, saving->size);

    rm_send_to(m, saving->channel, saving->connection, (Creel__Envelope *)message);
}

static void answer_changed(struct master *m, enum master_channel channel, uint64_t connection,
                           uint64_t request_id, const char *done)
{
    const struct master_peer peer = { .channel = channel, .connection = connection };

    rm_reply_error(m, &peer, request_id, CREEL__ERROR_CODE__ERROR_STORE, "%s" RM_STORED_LATER, done,
                   m->store_trouble);
}

void rm_send_changed(struct master *m, const struct master_peer *peer, uint64_t store_seq,
                     Creel__Envelope *envelope, const char *done)
{
    struct saving *held;

    if (m->store_trouble != NULL && store_seq > m->turns.disk_seq) {
        answer_changed(m, peer->channel, peer->connection, envelope->request_id, done);
        return;
    }
    held = send_stored(m, store_seq, peer->channel, peer->connection, envelope);
    if (held == NULL)
        return;
    held->done = mem_strdup(done);
    held->request_id = envelope->request_id;
}

static void answer_undone(struct master *m, const struct saving *saving)
{
    const struct master_peer peer = { .channel = saving->channel, .connection = saving->connection };

    saving->undo(m, saving->name);
    rm_reply_error(m, &peer, saving->request_id, CREEL__ERROR_CODE__ERROR_STORE,
                   "%s is not created: the resource manager cannot write its state: %s", saving->done,
                   m->store_trouble);
}

void rm_send_created(struct master *m, const struct master_peer *peer, Creel__Envelope *envelope,
                     const char *what, undo_fn *undo, const char *name)
{
    struct saving *held = send_stored(m, m->store_seq, peer->channel, peer->connection, envelope);

    if (held == NULL)
        return;
    held->done = mem_strdup(what);
    held->undo = undo;
    held->name = mem_strdup(name);
    held->request_id = envelope->request_id;
}

void rm_send_changed_ok(struct master *m, const struct master_peer *peer, uint64_t request_id,
                        const char *done)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_OK);

    envelope->ok = arena_new0(m->out->arena, Creel__Ok);
    creel__ok__init(envelope->ok);
    rm_send_changed(m, peer, m->store_seq, envelope, done);
}

void rm_effects_answer_changed(struct master *m)
{
    struct saving *saving, *next;

    for (saving = TAILQ_FIRST(&m->savings); saving; saving = next) {
        next = TAILQ_NEXT(saving, link);
        if (saving->done == NULL || saving->store_seq <= m->turns.disk_seq)
            continue;
        if (saving->undo != NULL)
            answer_undone(m, saving);
        else
            answer_changed(m, saving->channel, saving->connection, saving->request_id, saving->done);
        TAILQ_REMOVE(&m->savings, saving, link);
        rm_saving_free(saving);
    }
}
