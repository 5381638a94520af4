/* SPDX-License-Identifier: Apache-2.0 */
/* queue_tree.h - builds the tree of queues from the model, with each leaf's submitted, accepted
 * and running applications (pure) */
#ifndef CREEL_WEB_REST_QUEUE_TREE_H
#define CREEL_WEB_REST_QUEUE_TREE_H

#include <uthash.h>

#include "common/base/arena.h"
#include "web/model/model.h"

#define REST_AGES 4

struct rest_queue {
    const Creel__QueueReport *report;
    const char *name;                         /* the last part of its path */
    struct rest_queue *parent, *first, *next; /* FIRST child; NEXT sibling */
    struct rest_queue *last;                  /* last child */
    size_t child_count;
    const Creel__AppReport **apps; /* of a leaf, sorted by user */
    size_t app_count;
    uint64_t pending_containers, reserved_containers; /* of a parent: sum over all leaves below */
    /* running applications, by the time since their start: below 1 h, 5 h, 24 h, others; as
     * PENDING_CONTAINERS */
    uint64_t running_by_age[REST_AGES];
    UT_hash_handle hh; /* by path */
};

/* Returns the root queue, in ARENA; NULL: the model has no queue. */
struct rest_queue *rest_queue_tree(const struct web_model *model, struct arena *arena);

#endif
