/* SPDX-License-Identifier: Apache-2.0 */
/* node_total.h - how large a node counts */
#ifndef CREEL_RM_MASTER_NODE_TOTAL_H
#define CREEL_RM_MASTER_NODE_TOTAL_H

#include "rm/master/state.h"

/* The node's share in the cluster's total: what is in use, if it accepts nothing new. */
void rm_node_total_update(struct master *m, struct node *node);
/* Its total follows from what its agent offers and what an administrator set. */
void rm_node_total_resize(struct master *m, struct node *node);

#endif
