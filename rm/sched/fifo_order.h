/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fifo_order.h - apps that want something, first in first out, and who of them a node has room for
 *
 * A tree in which each app also says the least that it or anybody below it asks for first, of memory and
 * of vcores, so that a node with little room does not come to the thousands who want more: the next who may
 * be served is found in the depth of the tree.
 */
#ifndef CREEL_RM_SCHED_FIFO_ORDER_H
#define CREEL_RM_SCHED_FIFO_ORDER_H

#include "rm/sched/internal.h"

struct fifo_app {                       /* owned by its app */
    float asks[2];                      /* its first ask, or less: of memory in MB and vcores */
    float least[2];                     /* and the least of those below it in its tree */
};

void fifo_order_insert(struct sched_wanting_tree *tree, struct sched_app *app);
void fifo_order_remove(struct sched_wanting_tree *tree, struct sched_app *app);
/* What APP, which stands in a tree, asks for first may be another. */
void fifo_order_renew(struct sched_app *app);
/* The first behind BEHIND (NULL: of all) whose first ask may fit into ROOM; NULL: none. */
struct sched_app *fifo_order_next(const struct sched_wanting_tree *tree, const struct app_id *behind,
                                  const struct resource *room);
/* Are the sums of APP, which stands in a tree, what they should be? */
bool fifo_order_is_right(const struct sched_app *app);

#endif
