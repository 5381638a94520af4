/* SPDX-License-Identifier: Apache-2.0 */
/* node_record.h - creates, fills and frees the record of a node, which its containers reference */
#ifndef CREEL_RM_MASTER_NODE_RECORD_H
#define CREEL_RM_MASTER_NODE_RECORD_H

#include "rm/master/state.h"

struct node *rm_node_new(struct master *m, const char *id);
/* Copies what the agent says of itself in a registration: addresses, key, version and what it can do. */
void rm_node_take_registration(struct node *node, const Creel__RegisterNode *body);
/* Removes NODE from the tree and the scheduler. The struct is freed when no container references it any
 * more. */
void rm_node_free(struct master *m, struct node *node);
void rm_node_let_go(struct node *node); /* drops the reference of a container */
void rm_node_forget_acks(struct node *node);
void rm_node_forget_orphans(struct node *node);
void rm_node_forget_finished(struct node *node);
void rm_node_forget_history(struct node *node); /* NODE no longer waits for an operator */

#endif
