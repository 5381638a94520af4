/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - differences between the clocks of nodes and the resource manager's, as measured by the agents */
#ifndef CREEL_RM_MASTER_CLOCK_H
#define CREEL_RM_MASTER_CLOCK_H

#include "rm/master/state.h"

/* Takes the measurement of a heartbeat. An event is added when the clock begins or ceases to differ. It
 * ceases below half of the limit, so that a clock near the limit is not an event with each heartbeat. */
void rm_clock_update(struct master *m, struct node *node, const Creel__Heartbeat *body);
/* Returns true if the clock of NODE certainly differs by more than is allowed. */
bool rm_clock_differs(const struct master *m, const struct node *node);
void rm_clock_report(const struct node *node, Creel__NodeReport *report);
/* Sets the number of nodes whose clocks differ by more than is allowed, and the node with the largest
 * difference. */
void rm_clock_summarise(struct master *m, Creel__ClusterInfo *info);

#endif
