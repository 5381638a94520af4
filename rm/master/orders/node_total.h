/* SPDX-License-Identifier: Apache-2.0 */
/* node_total.h - the resources that a node counts with in the cluster */
#ifndef CREEL_RM_MASTER_NODE_TOTAL_H
#define CREEL_RM_MASTER_NODE_TOTAL_H

#include "rm/master/state.h"

/* Updates the resources of NODE in the scheduler: its total, as far as its agent has accepted that, or its
 * used resources if NODE is not in service. */
void rm_node_total_update(struct master *m, struct node *node);
/* Sets the total of NODE to the resources that its agent offers, or those that an administrator set. */
void rm_node_total_resize(struct master *m, struct node *node);

#endif
