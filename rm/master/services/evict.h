/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evict.h - stops containers on nodes that are drained or were made smaller
 *
 * The eviction of a container is announced some time before the container is stopped (preempt.h). When a
 * drained node returns to service, an announced eviction is still carried out, since the container may have
 * begun to exit because of the notice. On a node that was made smaller, containers are evicted only while the
 * others alone do not fit, as in YARN: an announced eviction is withdrawn as soon as it is not needed.
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
