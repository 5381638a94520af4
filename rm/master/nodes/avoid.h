/* SPDX-License-Identifier: Apache-2.0 */
/*
 * avoid.h - avoids nodes on which launches fail
 *
 * If the launches of AVOID_FAULTS different applications fail on a node one after another, each for a reason
 * of the node (ContainerStatus.node_fault), the node counts as unhealthy for AVOID_MS, with that reason, and
 * comes back by itself. A container that starts on the node resets the count. So one broken node does not
 * fail all jobs that arrive. At most half of the registered nodes are avoided at a time, and never the only
 * one: a reason that all nodes share does not stop the cluster. Nothing of this is stored.
 */
#ifndef CREEL_RM_MASTER_AVOID_H
#define CREEL_RM_MASTER_AVOID_H

#include "rm/master/state.h"

#define AVOID_MS 300000

/* Counts the success or failure of the launch in STATUS. Called before CONTAINER is updated from STATUS. */
void rm_avoid_count(struct master *m, const struct container *container,
                    const Creel__ContainerStatus *status);
/* Returns the reason for which NODE is avoided now; NULL: it is not. */
const char *rm_avoid_reason(const struct master *m, const struct node *node);

#endif
