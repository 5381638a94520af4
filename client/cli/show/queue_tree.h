/* SPDX-License-Identifier: Apache-2.0 */
/* queue_tree.h - queues in the order of their tree: each is followed by its children */
#ifndef CREEL_CLI_QUEUE_TREE_H
#define CREEL_CLI_QUEUE_TREE_H

#include "client/include/creel.h"

/* Fills ITEMS, which has room for all QUEUES, in the order of the tree; children of one queue keep their
 * order. Queues whose parent is not in QUEUES are left out. Returns the number of items. */
size_t queue_tree_order(const struct creel_queues *queues, const void **items);

#endif
