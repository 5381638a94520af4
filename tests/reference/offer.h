/* SPDX-License-Identifier: Apache-2.0 */
/* offer.h - between assign.c and place.c: one offer of a node, and what the queue that is tried may use */
#ifndef CREEL_TESTS_REFERENCE_OFFER_H
#define CREEL_TESTS_REFERENCE_OFFER_H

#include "tests/reference/reference.h"

/* How far an offer came: YARN's AllocationState and SkippedType. */
enum outcome {
    NOTHING,                            /* nothing here takes it */
    ASSIGNED,                           /* a container or a reservation was proposed */
    APP_SKIPPED,                        /* the next app is tried */
    QUEUE_SKIPPED,                      /* the queue is left for want of headroom: it blocks what it has */
    KEY_SKIPPED,                        /* the next key is tried */
    LEVEL_SKIPPED,                      /* the next level of locality is tried */
};

/* What the queue that is tried may use (ResourceLimits). */
struct limits {
    struct resource limit;              /* what it may use in all */
    struct resource headroom;           /* limit - used */
    struct resource blocked;            /* of a parent: what its children block */
    struct resource excess;             /* what the user uses above its limit, to be unreserved */
};

/* One offer of one node. */
struct offer {
    struct reference *ref;
    int node;
    struct resource total;              /* of the cluster */
    bool heartbeat;                     /* the offer comes from a heartbeat, not from a container's end */
    bool retried;                       /* the node is reserved, and is offered to that app */
    bool reserved;                      /* outcome: a reservation, not a container */
    bool refused;                       /* outcome: the proposal was not accepted, nothing happened */
    enum sched_locality locality;       /* outcome */
};

/* The node for KEY of APP, at the closest level of locality that takes it. */
enum outcome ref_place(struct offer *offer, const struct limits *limits, int app, int key);
/* May KEY of APP get a container, without giving up a reservation or by giving up one of its own? */
bool ref_may_succeed(const struct offer *offer, const struct limits *limits, int app, int key);
/* May one more be allocated or reserved? */
bool ref_wants_another(const struct reference *ref, int app, int key);
bool ref_has_room(const struct reference *ref, int node);
bool ref_has_killable(const struct reference *ref, int node);
bool ref_more_than(const struct offer *offer, struct resource a, struct resource b);

#endif
