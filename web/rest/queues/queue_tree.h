/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_tree.h - the tree of queues, with each leaf's submitted, accepted and running applications (pure)
 *
 * The tree has the names and sums of the moment in which it was made, and outlives changes of the model:
 * answers that are written a piece at a time (pieces.h) walk along it, and look at the reports again.
 */
#ifndef CREEL_WEB_REST_QUEUE_TREE_H
#define CREEL_WEB_REST_QUEUE_TREE_H

#include <uthash.h>

#include "common/base/arena.h"
#include "web/model/model.h"

#include "web/rest/parts/pieces.h"

#define REST_AGES 4

/* States of the applications of a leaf. */
#define REST_QUEUE_STATES \
    (1u << CREEL__APP_STATE__APP_SUBMITTED | 1u << CREEL__APP_STATE__APP_ACCEPTED | \
     1u << CREEL__APP_STATE__APP_RUNNING)

struct rest_queue {
    const Creel__QueueReport *report; /* of the model; set again by rest_queue_look */
    const char *path, *name;          /* NAME: the last part of its path */
    bool leaf, has_apps;
    struct rest_queue *parent, *first, *next; /* FIRST child; NEXT sibling */
    struct rest_queue *last;                  /* last child */
    size_t child_count;
    struct rest_names apps;                           /* ids of those of a leaf, sorted by user */
    uint64_t pending_containers, reserved_containers; /* of a parent: sum over all leaves below */
    uint64_t unlabelled_pending, unlabelled_reserved; /* those of nodes without a label, which YARN counts */
    /* running applications, by the time since their start: below 1 h, 5 h, 24 h, others; as
     * PENDING_CONTAINERS */
    uint64_t running_by_age[REST_AGES];
    UT_hash_handle hh; /* by path */
};

/* Returns the root queue, in ARENA; NULL: the model has no queue. */
struct rest_queue *rest_queue_tree(const struct web_model *model, struct arena *arena);
/* Sets the report of QUEUE. Returns false if there is no such queue any more. */
bool rest_queue_look(struct rest_queue *queue, const struct web_model *model);
/* Returns the next queue of the tree, children before siblings; NULL: there are no more. */
struct rest_queue *rest_queue_after(const struct rest_queue *queue);
/* Returns the next application out of APPS that is still in QUEUE, and has not ended; NULL: there is none. */
const Creel__AppReport *rest_queue_take_app(struct rest_names *apps, const struct rest_queue *queue,
                                            const struct web_model *model);

#endif
