/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node.h - the state machine of a node
 *
 * The caller of rm_node_event also calls rm_hosts_watch, since the event may connect or remove the node.
 */
#ifndef CREEL_RM_MASTER_NODE_H
#define CREEL_RM_MASTER_NODE_H

#include "rm/master/state.h"

void rm_node_event(struct master *m, struct node *node, enum node_event event);

#endif
