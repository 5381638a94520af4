/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owners.h - counts, for each owner of connections, the bytes of replies not yet sent to it (private)
 *
 * The owner of a connection is the user or the host behind its key. A user has one key for each credential
 * and one more for each job and attempt that runs, and any number of connections with each: all count for
 * the user. An agent counts for its host. A peer that has not signed in counts for its address. Each kind of
 * owners has a pool of its own, so that one kind cannot use up the memory of another.
 */
#ifndef CREEL_IO_OWNERS_H
#define CREEL_IO_OWNERS_H

#include <stddef.h>

#include "common/io/server/admission.h"
#include "common/io/server/gateway_frame.h"

enum owner_kind {
    OWNER_HOST,     /* of agents */
    OWNER_USER,     /* users, their jobs and attempts */
    OWNER_STRANGER, /* guests, and hosts that join */
    OWNER_KINDS,
};

struct owner; /* opaque: it lives as long as it has connections */

struct owners { /* zeros: there are none */
    struct owner *by_text;
    size_t waiting[GATEWAYS_MAX][OWNER_KINDS]; /* bytes not yet sent, of all owners of a kind */
};

/* What decides the owner of a connection: admission.h explains ADMITTED and NAME. */
struct owner_facts {
    enum admitted admitted;
    const char *name;
    const char *user; /* of the job, attempt or key NAME; NULL: not known, and NAME is its own owner */
    const char *address;
};

enum owner_room {
    OWNER_ROOM,  /* there is room */
    OWNER_FULL,  /* the owner has its whole share */
    OWNERS_FULL, /* the pool of its kind is nearly used up: the owner has more than what is left */
};

/* Adds a connection to the owner by FACTS. */
struct owner *owners_join(struct owners *owners, const struct owner_facts *facts);
/* Removes a connection, which must have no waiting bytes. */
void owners_leave(struct owners *owners, struct owner *owner);

/* Add to and subtract from the bytes that wait in GATEWAY. */
void owners_wait(struct owners *owners, struct owner *owner, unsigned gateway, size_t bytes);
void owners_sent(struct owners *owners, struct owner *owner, unsigned gateway, size_t bytes);

/* Returns whether a message of BYTES may be sent by GATEWAY. One message is always allowed. */
enum owner_room owners_room(const struct owners *owners, const struct owner *owner, unsigned gateway,
                            size_t bytes);
/* Returns whether an answer of any size may be made now, of which the owner may have UNREAD_MAX bytes. The
 * rest of the pool is for short answers, as the error that refuses a long one. */
enum owner_room owners_room_for_answer(const struct owners *owners, const struct owner *owner,
                                       unsigned gateway, size_t unread_max);

const char *owner_text(const struct owner *owner); /* for the log: "user ada"; borrowed */
size_t owner_waiting(const struct owner *owner);   /* by all gateways */
/* Returns the bytes that wait for all owners in all gateways. */
size_t owners_waiting(const struct owners *owners);

#endif
