/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_orders.h - orders to a node: start, stop or preempt a container, clean up after an application
 *
 * An order is repeated in each heartbeat reply until a report of the node shows that the order is carried
 * out. New orders are also pushed to the agent at the end of the step.
 */
#ifndef CREEL_RM_MASTER_NODE_ORDERS_H
#define CREEL_RM_MASTER_NODE_ORDERS_H

#include "rm/master/state.h"

struct orphan { /* a container that runs on the node, but must not */
    UT_hash_handle hh;
    TAILQ_ENTRY(orphan) in_turn;
    char *container_id; /* owned */
    int64_t sent_ms;    /* of the last order; -1: not sent in this session */
    int32_t status;
    bool unseen;        /* the node has not reported the container yet, and must refuse to start it */
    const char *reason; /* static */
    char *stuck;        /* owned; ContainerStatus.stuck; NULL: none */
};

struct finished { /* an application after which the node has to clean up */
    UT_hash_handle hh;
    TAILQ_ENTRY(finished) in_turn;
    char *app_id;    /* owned */
    int64_t sent_ms; /* as above */
};

void rm_node_order(struct master *m, struct container *container, enum order_kind kind);
/* Orders the node to announce the preemption of CONTAINER. */
void rm_node_preempt_notice(struct master *m, struct container *container);
/* PENDING: orders the node to apply the present time limit of CONTAINER. Not PENDING: withdraws that
 * order. */
void rm_node_limit(struct master *m, struct container *container, bool pending);
void rm_node_finish_app(struct master *m, struct node *node, const char *app_id);
void rm_node_app_cleaned(struct master *m, struct node *node, const char *app_id);
/* Orders NODE to stop a container that the resource manager does not know (any more). REASON is a static
 * text. */
void rm_node_stop_orphan(struct master *m, struct node *node, const char *container_id, int32_t status,
                         const char *reason);
/* The agent of NODE has reported that a process of the container does not end; STUCK "": no process is known.
 * Does nothing if the container is no orphan. */
void rm_node_orphan_stuck(struct master *m, struct node *node, const char *container_id, const char *stuck);
void rm_node_orphan_gone(struct master *m, struct node *node, const char *container_id);
/* Orders the node to refuse the start of CONTAINER, which was given up before the node reported it. Does
 * nothing if the grant has expired, since no AM can start the container then. */
void rm_node_refuse(struct master *m, const struct container *container);
/* Sends the key of the AM of ATTEMPT to the agent of NODE, where a container was allocated to ATTEMPT, so
 * that the AM can start the container even if the resource manager is down. The key is sent once for each
 * attempt and node; an agent that has not received it requests it (FindKeys). */
void rm_node_announce_key(struct master *m, struct node *node, const struct attempt *attempt);
void rm_node_resend(struct master *m, struct node *node); /* sends all orders again, in a new session */
/* Allows or forbids the scheduler to place containers on NODE, according to the state of NODE. */
void rm_node_update_open(struct master *m, struct node *node);
/* Returns a message without orders. It has the total of NODE: without one, the agent takes its own offer. */
Creel__NodeOrders *rm_node_orders_new(struct master *m, const struct node *node);
/* Returns the orders, as many as a message may have (orders_message.c). ALL: including orders that were sent
 * before. */
Creel__NodeOrders *rm_node_orders(struct master *m, struct node *node, bool all);
/* Returns the token of APP (TOKEN_JOB) for its containers; empty if the configuration has none. */
ProtobufCBinaryData rm_job_token(struct master *m, const struct app *app);
/* Returns the order that sends the present size of CONTAINER to its agent. */
Creel__ResizeOrder *rm_resize_order(struct master *m, const struct container *container);

#endif
