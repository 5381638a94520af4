/* SPDX-License-Identifier: Apache-2.0 */
/* node_record.h - the record of a node: made, referred to by containers, released */
#ifndef CREEL_RM_MASTER_NODE_RECORD_H
#define CREEL_RM_MASTER_NODE_RECORD_H

#include "rm/master/state.h"

struct node *rm_node_new(struct master *m, const char *id);
/* Takes it out of the tree and the scheduler. The struct stays while containers refer to it. */
void rm_node_free(struct master *m, struct node *node);
void rm_node_let_go(struct node *node);         /* a container that referred to it goes */
void rm_node_forget_acks(struct node *node);
void rm_node_forget_orphans(struct node *node);
void rm_node_forget_finished(struct node *node);
void rm_node_forget_history(struct node *node); /* it waits for no operator any more */

#endif
