/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_link.h - an application master's side of the protocol with the RM, pure (no I/O, no clock)
 *
 * Registers, keeps the response ids of yarn-behaviour 4.2, repeats unanswered requests (the same bytes with
 * the same ids), registers again after RESYNC, releases unwanted containers and finishes. The owner of the
 * link decides which containers to request and what to run in them.
 *
 * Use: pass received messages to am_link_receive, change the requests (am_link_set_demand, am_link_release,
 * am_link_finish), then call am_link_poll until it returns no more message to send. At most one request is
 * unanswered at a time.
 */
#ifndef CREEL_CLIENT_AM_LINK_H
#define CREEL_CLIENT_AM_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

struct am_link; /* opaque */

struct am_link *am_link_new(const char *host, int64_t resend_ms);
void am_link_free(struct am_link *link); /* NULL is allowed */
/* Before am_link_start: SESSION of AmAccess, for an unmanaged AM. */
void am_link_set_session(struct am_link *link, uint64_t session);

/* Meaning of a message of the RM for the owner of the link. */
enum am_news_kind {
    AM_NEWS_NONE,       /* late, repeated, or handled by the link itself */
    AM_NEWS_REGISTERED, /* REGISTERED is set; the link sends all requests again */
    AM_NEWS_RESYNC,     /* the RM does not know the attempt: the link registers again */
    AM_NEWS_ALLOCATED,  /* ALLOCATED is set */
    AM_NEWS_REFUSED,    /* the last Allocate was refused permanently: TEXT */
    AM_NEWS_FINISHED,   /* the RM has stored the result, or the attempt is over and FinishAm was sent */
    AM_NEWS_OVER,       /* this attempt was ended by the RM: TEXT */
};

struct am_news {
    enum am_news_kind kind;
    const Creel__RegisterAmReply *registered; /* of all pieces; valid until the next am_link_poll */
    const Creel__AllocateReply *allocated;    /* borrowed from the envelope */
    const char *text;
};

void am_link_start(struct am_link *link, int64_t now_ms);
struct am_news am_link_receive(struct am_link *link, int64_t now_ms, const Creel__Envelope *envelope);

/* Requests COUNT containers of CAPABILITY (borrowed for the life of the link) at PRIORITY, in addition to
 * those granted so far. */
void am_link_set_demand(struct am_link *link, uint32_t priority, const Creel__Resource *capability,
                        uint32_t count);
/* Releases a container. The release is repeated until am_link_released, which the caller calls when the RM
 * has reported the container complete. Both functions may be called twice for a container. */
void am_link_release(struct am_link *link, const char *container_id);
void am_link_released(struct am_link *link, const char *container_id);
/* Requests no containers on NODE_ID until UNTIL_MS. */
void am_link_avoid(struct am_link *link, const char *node_id, int64_t until_ms);
/* The same for a node that could not start a container, unless half of the nodes that accept containers
 * are avoided: a reason that all nodes share does not keep the application from running. */
void am_link_avoid_broken(struct am_link *link, const char *node_id, int64_t now_ms);
/* am_link_released for a container that has ended with STATUS; if it was not started on NODE_ID for a
 * reason that other nodes may not have, avoids that node. NODE_ID NULL: unknown. */
void am_link_note_end(struct am_link *link, const Creel__ContainerStatus *status, const char *node_id,
                      int64_t now_ms);

/* Requests the size CAPABILITY, which the link owns from now on, for a running container of VERSION. The
 * answer is in a later AM_NEWS_ALLOCATED; the request is repeated after each registration until then. */
void am_link_update(struct am_link *link, const char *container_id, uint32_t version,
                    Creel__ContainerUpdateType type, Creel__Resource *capability);

void am_link_progress(struct am_link *link, float progress, const Creel__TaskCounts *counts);
/* Sets STATE, which returns the state for the next attempt: at most AM_STATE_BYTES_MAX bytes, in ARENA or
 * valid until the next call of the link. The link calls STATE for the next Allocate after
 * am_link_state_changed, and again after each new registration. The RM stores the state before it answers. */
typedef ProtobufCBinaryData am_state_fn(void *context, struct arena *arena);
void am_link_set_state(struct am_link *link, am_state_fn *state, void *context);
void am_link_state_changed(struct am_link *link);
/* Makes am_link_poll return an Allocate before the end of the interval. */
void am_link_hurry(struct am_link *link);
/* Registers again, to learn which containers the RM knows. */
void am_link_register_again(struct am_link *link);
/* Cancels all requests, sends pending releases, then FinishAm. A second call has no effect. */
void am_link_finish(struct am_link *link, Creel__FinalStatus status, int exit_status,
                    const char *diagnostics);

/* Returns the next envelope to send now, in ARENA; NULL if there is none. */
Creel__Envelope *am_link_poll(struct am_link *link, int64_t now_ms, struct arena *arena);
int64_t am_link_next_deadline_ms(const struct am_link *link);

bool am_link_is_over(const struct am_link *link);
/* Returns the number of containers that the RM has still to allocate at PRIORITY; -1: unknown, because the
 * request must be sent again. */
int64_t am_link_outstanding(const struct am_link *link, uint32_t priority);

#endif
