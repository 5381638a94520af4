/* SPDX-License-Identifier: Apache-2.0 */
/*
 * common_faults.h - finds a fault that most nodes have at once
 *
 * A shared directory that is gone, or a limit that a new configuration sets everywhere, breaks all nodes.
 * Each node is then named by itself, with the same text. This file compares the texts: the reports of
 * agents about their nodes, starts that failed by a fault of the node (ContainerStatus.node_fault), and
 * the last failures of failing nodes (failing.h). Texts are the same if they differ only in numbers other
 * than exit statuses, and in the name of the node. Only their first COMMON_COMPARED bytes count.
 *
 * If the clocks of most nodes differ from the resource manager's in the same direction, that clock is
 * probably wrong.
 *
 * The sums change with the reports of a node, so that a query does not read all nodes.
 *
 * A fault is common if at least two nodes, and more than half of the nodes that are registered, have it.
 * Nothing of this is stored.
 */
#ifndef CREEL_RM_MASTER_COMMON_FAULTS_H
#define CREEL_RM_MASTER_COMMON_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

#define COMMON_COMPARED 200
#define COMMON_OF_NODE 16       /* different faults of a node that are counted; further ones are not */
#define COMMON_SHOWN_MS 1800000 /* time for which a start that failed counts, unless another one succeeds */

struct common_fault;
struct container;
struct master;
struct master_node_faults;
struct node;

struct failed_start { /* of a node: its last start of a container, if it failed by a fault of the node */
    char *why;        /* owned; NULL: it did not */
    int64_t at_ms;
};

struct counted_faults { /* of a node: what the sums have of it */
    uint64_t keys[COMMON_OF_NODE];
    size_t count;
    bool serves;
};

/* NODE has reported, or does not serve any more: changes the sums. */
void rm_common_faults_update(struct master *m, struct node *node);
/* Takes the start, or the failure of the start, in STATUS. Called before CONTAINER is updated from STATUS. */
void rm_common_faults_count(struct master *m, const struct container *container,
                            const Creel__ContainerStatus *status);
/* NODE does not serve any more: its last start is forgotten. */
void rm_common_faults_forget(struct node *node);
/* Sets the number of nodes that have the most common fault, 0 if there is none, and a text with that number
 * and the fault, in the arena of the step. */
void rm_common_faults_find(const struct master *m, struct master_node_faults *ret);
/* Returns that text if the fault prevents starts of containers, in the arena of the step; NULL: none does. */
const char *rm_common_faults_of_starts(const struct master *m);

#endif
