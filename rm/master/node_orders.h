/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_orders.h - what a node is ordered to do: start, stop, preempt, clean up
 *
 * An order is repeated in each heartbeat reply until a report of the node shows that it is done;
 * new ones are also pushed at the end of the step.
 */
#ifndef CREEL_RM_MASTER_NODE_ORDERS_H
#define CREEL_RM_MASTER_NODE_ORDERS_H

#include "rm/master/state.h"

void rm_node_order(struct master *m, struct container *container, enum order_kind kind);
/* Its node is to announce the preemption of CONTAINER. */
void rm_node_preempt_notice(struct master *m, struct container *container);
void rm_node_finish_app(struct master *m, struct node *node, const char *app_id);
void rm_node_app_cleaned(struct master *m, struct node *node, const char *app_id);
/* The RM does not know this container (any more): NODE is to stop it. REASON is static. */
void rm_node_stop_orphan(struct master *m, struct node *node, const char *container_id,
                         int32_t status, const char *reason);
void rm_node_orphan_gone(struct master *m, struct node *node, const char *container_id);
/* CONTAINER was given up before its node reported it. An AM can start it as long as its grant is
 * valid, so its node is ordered to refuse it. */
void rm_node_refuse(struct master *m, const struct container *container);
void rm_node_resend(struct master *m, struct node *node);       /* a new session: all orders again */
/* Whether the scheduler may place containers on NODE follows from its state. */
void rm_node_update_open(struct master *m, struct node *node);
/* As a message (orders_message.c); ALL: also those that were sent before. */
Creel__NodeOrders *rm_node_orders(struct master *m, struct node *node, bool all);

#endif
