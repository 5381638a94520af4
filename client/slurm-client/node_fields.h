/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_fields.h - nodes and partitions in the formats of sinfo
 *
 * An item is a struct node_group: nodes of one partition that are alike in what the format shows.
 */
#ifndef CREEL_SLURM_CLIENT_NODE_FIELDS_H
#define CREEL_SLURM_CLIENT_NODE_FIELDS_H

#include "client/include/creel.h"
#include "client/slurm-client/format.h"

struct node_group {
    const struct creel_queue *queue;
    const struct creel_node **nodes; /* owned */
    size_t count, capacity;
};

extern const struct field sinfo_fields[]; /* letters of -o and names of -O */

/* Returns whether PUT adds up the nodes of a group; other fields are the same for all of them. */
bool node_field_is_sum(field_put *put);

/* Returns the state of NODE: "idle", "mix", "alloc", "drng", "drain", "down", "unk"; IS_LONG: "mixed", ... */
const char *node_state(const struct creel_node *node, bool is_long);
/* Returns whether jobs of QUEUE may run on NODE. */
bool node_serves(const struct creel_node *node, const struct creel_queue *queue);
/* Returns the host of NODE in ARENA. */
const char *node_host(const struct creel_node *node, struct arena *arena);

#endif
