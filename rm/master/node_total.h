/* SPDX-License-Identifier: Apache-2.0 */
/* node_total.h - the resources that a node counts with in the cluster */
#ifndef CREEL_RM_MASTER_NODE_TOTAL_H
#define CREEL_RM_MASTER_NODE_TOTAL_H

#include "rm/master/state.h"

/* Updates the contribution of NODE to the total of the cluster: its used resources, if NODE accepts no new
 * containers. */
void rm_node_total_update(struct master *m, struct node *node);
/* Sets the total of NODE to the resources that its agent offers, or those that an administrator set. */
void rm_node_total_resize(struct master *m, struct node *node);

#endif
