/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evict.h - stops containers on nodes that are drained or were made smaller
 *
 * A container is first announced a time (preempt.h) and stopped then. What was announced stays, even
 * if the node serves again meanwhile: the container may have begun to end because of it.
 */
#ifndef CREEL_RM_MASTER_EVICT_H
#define CREEL_RM_MASTER_EVICT_H

#include "rm/master/state.h"

/* Announces and stops what is due on NODE now, and sets a timer for the rest. */
void rm_evict_check(struct master *m, struct node *node);
/* Could BODY be carried out? -EINVAL: ERR has the reason. */
int rm_node_resources_judge(struct master *m, const struct node *node, const Creel__SetNodeResources *body,
                            struct err *err);
void rm_node_resources_set(struct master *m, struct node *node, const Creel__SetNodeResources *body,
                           const char *user);

#endif
