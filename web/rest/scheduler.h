/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.h - writes schedulerInfo of /ws/v1/cluster/scheduler for each type of scheduler */
#ifndef CREEL_WEB_REST_SCHEDULER_H
#define CREEL_WEB_REST_SCHEDULER_H

#include "web/rest/queue_tree.h"
#include "web/text/document.h"

struct rest_tree_writer {
    struct document *document;
    const Creel__ClusterInfo *cluster;
    struct arena *arena;
};

void rest_capacity_info(const struct rest_tree_writer *to, const struct rest_queue *root);
/* Writes {"user":[...]} of a leaf queue. */
void rest_capacity_users(const struct rest_tree_writer *to, const struct rest_queue *leaf);
void rest_fair_info(const struct rest_tree_writer *to, const struct rest_queue *root);

#endif
