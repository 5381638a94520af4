/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.h - writes schedulerInfo of /ws/v1/cluster/scheduler for each type of scheduler */
#ifndef CREEL_WEB_REST_SCHEDULER_H
#define CREEL_WEB_REST_SCHEDULER_H

#include "web/rest/queues/queue_tree.h"
#include "web/text/document.h"

struct rest_tree_writer {
    struct document *document;
    const struct web_model *model;
    const Creel__ClusterInfo *cluster;
    struct arena *arena;
};

/* How a type of scheduler writes the tree. The reports of the queue and of its parent are set. */
struct rest_tree_kind {
    const char *type;
    /* Writes what comes before the children, or the users, of QUEUE. */
    void (*enter)(const struct rest_tree_writer *to, struct rest_queue *queue);
    /* Writes the next user of a queue without children. Returns false if there is none. NULL: there are no
     * users. */
    bool (*user)(const struct rest_tree_writer *to, struct rest_queue *queue);
    /* Writes the rest of QUEUE. */
    void (*leave)(const struct rest_tree_writer *to, struct rest_queue *queue);
};

extern const struct rest_tree_kind rest_capacity_tree, rest_fair_tree;

/* Write {"user":[...]} of a leaf queue: its beginning, the next user (false: there is none), its end. */
void rest_capacity_begin_users(const struct rest_tree_writer *to, const struct rest_queue *leaf);
bool rest_capacity_user(const struct rest_tree_writer *to, struct rest_queue *leaf);
void rest_capacity_end_users(const struct rest_tree_writer *to, const struct rest_queue *leaf);

#endif
