/* SPDX-License-Identifier: Apache-2.0 */
/* am_peer.h - the attempt of an AM that sends a request, and limits of the replies to it */
#ifndef CREEL_RM_MASTER_AM_PEER_H
#define CREEL_RM_MASTER_AM_PEER_H

#include "rm/master/state.h"

/* Returns the attempt that the token of PEER names; NULL: it is not known. */
struct attempt *rm_am_attempt(const struct master *m, const struct master_peer *peer);
/* Returns true if the AM of ATTEMPT may register and allocate. ATTEMPT may be NULL. */
bool rm_am_may_work(const struct attempt *attempt);
bool rm_am_is_command(const struct attempt *attempt);
void rm_am_note_alive(struct master *m, struct attempt *attempt, const struct master_peer *peer);
/* Asks the AM to retry later: its attempt belongs to a history that is missing here, and an operator decides
 * whether that history is lost (history.h). */
void rm_am_reply_later(struct master *m, const struct master_peer *peer, uint64_t request_id);

/* Returns true if a process that has registered with a greater session is the AM of the unmanaged
 * application. */
bool rm_am_is_replaced(const struct attempt *attempt, uint64_t session);
void rm_am_reply_replaced(struct master *m, const struct master_peer *peer, uint64_t request_id,
                          const struct attempt *attempt);

/* Number of items in a message, and its size so far. */
struct am_room {
    size_t count, bytes, max;
};

/* Returns the room of a reply to an AM of which BYTES are used. The message is shorter than
 * WIRE_FRAME_MAX. */
struct am_room rm_am_room(const struct master *m, size_t bytes);
/* Returns true if ITEM fits, which is counted then. The first item always fits. */
bool rm_am_room_try_add(struct am_room *room, const ProtobufCMessage *item);
/* Returns true if no further item fits. */
bool rm_am_room_is_full(const struct am_room *room);
/* Counts ITEM, which may exceed the room by its own size: it must be small. */
void rm_am_room_add(struct am_room *room, const ProtobufCMessage *item);

#endif
