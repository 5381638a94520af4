/* SPDX-License-Identifier: Apache-2.0 */
/* am_peer.c - the attempt of an AM that sends a request, and limits of the replies to it */
#include "rm/master/jobs/am_peer.h"

#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"
#include "rm/master/state/page.h"

struct attempt *rm_am_attempt(const struct master *m, const struct master_peer *peer)
{
    struct attempt_id id;

    return attempt_id_parse(peer->principal, &id) ? rm_attempt_find(m, &id) : NULL;
}

bool rm_am_may_work(const struct attempt *attempt)
{
    return attempt && attempt == attempt->app->attempt &&
           (attempt->state == ATTEMPT_ALLOCATED || attempt->state == ATTEMPT_LAUNCHED ||
            attempt->state == ATTEMPT_RUNNING) &&
           (attempt->app->state == APP_STATE_ACCEPTED || attempt->app->state == APP_STATE_RUNNING);
}

bool rm_am_is_command(const struct attempt *attempt)
{
    return attempt->app->job->kind == CREEL__APP_KIND__APP_COMMAND;
}

void rm_am_note_alive(struct master *m, struct attempt *attempt, const struct master_peer *peer)
{
    attempt->am_seen_ms = m->now_ms;
    attempt->am_connection = peer->connection;
}

bool rm_am_is_replaced(const struct attempt *attempt, uint64_t session)
{
    return attempt->app->job->unmanaged && session < attempt->am_session;
}

void rm_am_reply_replaced(struct master *m, const struct master_peer *peer, uint64_t request_id,
                          const struct attempt *attempt)
{
    rm_reply_error(m, peer, request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                   "%s: another process, on %s, has taken the application over", peer->principal,
                   rm_text_is_empty(attempt->am_host) ? "an unknown host" : attempt->am_host);
}

void rm_am_reply_later(struct master *m, const struct master_peer *peer, uint64_t request_id)
{
    rm_reply_error(m, peer, request_id, CREEL__ERROR_CODE__ERROR_UNAVAILABLE,
                   "%s: is newer than this resource manager's state; try again later", peer->principal);
}

struct am_room rm_am_room(const struct master *m, size_t bytes)
{
    return (struct am_room){ .bytes = bytes,
                             .max = m->config.am_reply_bytes ? m->config.am_reply_bytes : REPLY_BYTES_MAX };
}

bool rm_am_room_is_full(const struct am_room *room)
{
    return room->count > 0 && room->bytes >= room->max;
}

static void add_bytes(struct am_room *room, size_t bytes)
{
    room->count++;
    room->bytes += bytes;
}

bool rm_am_room_try_add(struct am_room *room, const ProtobufCMessage *item)
{
    size_t bytes = protobuf_c_message_get_packed_size(item) + FIELD_BYTES;

    if (room->count > 0 && room->bytes + bytes > room->max)
        return false;
    add_bytes(room, bytes);
    return true;
}

void rm_am_room_add(struct am_room *room, const ProtobufCMessage *item)
{
    add_bytes(room, protobuf_c_message_get_packed_size(item) + FIELD_BYTES);
}
