/* SPDX-License-Identifier: Apache-2.0 */
/* queue_tree.h - a capacity scheduler's queues by hand, for tests of what looks at them */
#ifndef CREEL_TESTS_QUEUE_TREE_H
#define CREEL_TESTS_QUEUE_TREE_H

#include "rm/sched/capacity/config.h"

struct capacity_config *queue_tree_new(void);           /* root alone */
void queue_tree_free(struct capacity_config *config);

/* The queue PATH, a leaf, below one that exists and stops being a leaf. No access lists. */
struct capacity_queue *queue_tree_add(struct capacity_config *config, const char *path);
/* PATH with levels of auto-queue-creation-v2; it is no leaf. */
struct capacity_queue *queue_tree_add_maker(struct capacity_config *config, const char *path,
                                            int64_t depth);

#endif
