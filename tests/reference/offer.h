/* SPDX-License-Identifier: Apache-2.0 */
/* offer.h - declarations shared by assign.c and place.c: one offer of a node, and the limits of the queue */
#ifndef CREEL_TESTS_REFERENCE_OFFER_H
#define CREEL_TESTS_REFERENCE_OFFER_H

#include "tests/reference/reference.h"

/* How far an offer got; corresponds to YARN's AllocationState and SkippedType. */
enum outcome {
    NOTHING,       /* no request can use the node */
    ASSIGNED,      /* a container or a reservation was proposed */
    APP_SKIPPED,   /* try the next application */
    QUEUE_SKIPPED, /* skip the queue for lack of headroom; it blocks its headroom for
                      siblings */
    KEY_SKIPPED,   /* try the next key */
    LEVEL_SKIPPED, /* try the next locality level */
};

/* The limits of the queue being visited (YARN's ResourceLimits). */
struct limits {
    struct resource limit;    /* limit of the total use */
    struct resource headroom; /* limit - used */
    struct resource blocked;  /* parent: headroom blocked by its children */
    struct resource excess;   /* use of the user above the user limit: must be unreserved */
};

/* One offer of one node. */
struct offer {
    struct reference *ref;
    int node;
    int label;                    /* of the node */
    bool borrows;                 /* the node is offered to requests without label, although it has
                                     one */
    struct resource total;        /* of the cluster, all partitions */
    bool heartbeat;               /* true: the offer is from a heartbeat; false: from the end of a
                                     container */
    bool retried;                 /* the node is reserved, and is offered to the application of the
                                     reservation */
    bool reserved;                /* result: a reservation, not a container */
    bool refused;                 /* result: the proposal was rejected, nothing changed */
    enum sched_locality locality; /* result */
};

/* Tries to place KEY of APP on the node, at the closest locality level that is allowed. */
enum outcome ref_place(struct offer *offer, const struct limits *limits, int app, int key);
/* Returns true if KEY of APP may get a container, either without cancelling a reservation or in exchange for
 * one of its own. */
bool ref_may_succeed(const struct offer *offer, const struct limits *limits, int app, int key);
/* Returns true if one more container may be allocated or reserved. */
bool ref_needs_another(const struct reference *ref, int app, int key);
int ref_node_count(const struct reference *ref);
bool ref_has_room(const struct reference *ref, int node);
bool ref_has_killable(const struct reference *ref, int node);
bool ref_more_than(const struct offer *offer, struct resource a, struct resource b);

#endif
