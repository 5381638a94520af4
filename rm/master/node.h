/* SPDX-License-Identifier: Apache-2.0 */
/* node.h - the state machine of a node */
#ifndef CREEL_RM_MASTER_NODE_H
#define CREEL_RM_MASTER_NODE_H

#include "rm/master/state.h"

void rm_node_event(struct master *m, struct node *node, enum node_event event);
void rm_node_on_expiry(struct master *m, struct node *node);

#endif
