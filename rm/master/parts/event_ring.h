/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_ring.h - the newest events, in bounded memory
 *
 * Events are numbered in the order in which they are added. Each event belongs to a share: the events of one
 * kind of object and one user; those of nodes are one share, and those of queues another. When the ring is
 * full, the share that has the most bytes loses its oldest event. So a user with many jobs, or a job with
 * many containers, removes its own events, not those of others. Adding an event, and finding the next one
 * after a number, take time proportional to the logarithm of the number of events.
 */
#ifndef CREEL_RM_MASTER_EVENT_RING_H
#define CREEL_RM_MASTER_EVENT_RING_H

#include <stddef.h>
#include <stdint.h>

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

#define EVENT_TEXT_MAX 4096 /* bytes of a text of an event; a longer one is cut */

struct event_share; /* event_ring.c */

struct kept_event {
    RB_ENTRY(kept_event) link;
    TAILQ_ENTRY(kept_event) in_list; /* of its share; before it is added: of the caller */
    struct event_share *share;
    size_t bytes;
    uint64_t store_seq; /* for the caller: number of the row that must be on disk before it is added */
    uint8_t *row;       /* owned, for the caller: row of the application at that time, packed; NULL: none */
    size_t row_size;
    Creel__Event event; /* its texts are part of this allocation */
};

TAILQ_HEAD(kept_event_list, kept_event);

struct event_ring_limits {
    size_t count, bytes;
};

struct event_ring;  /* opaque */
struct known_queue; /* event_queues.c */

/* For event_log.h. */
struct event_log {
    struct event_ring *ring;         /* owned */
    struct kept_event_list unstored; /* owned, in the order of STORE_SEQ: their rows are not on disk yet */
    size_t unstored_count;
    struct known_queue *queues; /* owned, uthash by path: all queues, with the state in their last event */
};

/* The first event gets the number after BEFORE. */
struct event_ring *event_ring_new(const struct event_ring_limits *limits, uint64_t before);
void event_ring_free(struct event_ring *ring); /* NULL is fine */

/* Returns a copy of EVENT, which is in no ring yet. */
struct kept_event *kept_event_new(const Creel__Event *event);
void kept_event_free(struct kept_event *kept);

/* Numbers KEPT and adds it; the ring owns it then. Another event may be removed for it, never KEPT. */
void event_ring_add(struct event_ring *ring, struct kept_event *kept);

/* Returns the number before that of the first event that was added. */
uint64_t event_ring_before(const struct event_ring *ring);
/* Returns the number of the newest event. */
uint64_t event_ring_newest(const struct event_ring *ring);
/* Returns the first event with a number above NUMBER; NULL: there is none. */
const struct kept_event *event_ring_after(const struct event_ring *ring, uint64_t number);
/* Returns the last event with a number below NUMBER; NULL: there is none. */
const struct kept_event *event_ring_below(const struct event_ring *ring, uint64_t number);

/* Gives the events of the ring their numbers again, in the order of their times. */
void event_ring_sort(struct event_ring *ring);

#endif
