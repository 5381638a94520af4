/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evict.h - stops containers on nodes that are drained or were made smaller
 *
 * The eviction of a container is announced some time before the container is stopped (preempt.h). An
 * announced eviction is carried out even if the node returns to service meanwhile, since the container may
 * have begun to exit because of the notice.
 */
#ifndef CREEL_RM_MASTER_EVICT_H
#define CREEL_RM_MASTER_EVICT_H

#include "rm/master/state.h"

/* Announces the evictions and stops the containers that are due on NODE now, and sets a timer for the
 * others. */
void rm_evict_check(struct master *m, struct node *node);
/* Checks whether the size in BODY is possible for NODE. -EINVAL: ERR has the reason. */
int rm_node_resources_judge(struct master *m, const struct node *node, const Creel__SetNodeResources *body,
                            struct err *err);
void rm_node_resources_set(struct master *m, struct node *node, const Creel__SetNodeResources *body,
                           const char *user);

#endif
