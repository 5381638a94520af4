/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - how far the clocks of nodes differ from the RM's, as their agents measure it */
#ifndef CREEL_RM_MASTER_CLOCK_H
#define CREEL_RM_MASTER_CLOCK_H

#include "rm/master/state.h"

void rm_clock_take(struct node *node, const Creel__Heartbeat *body);
void rm_clock_report(const struct node *node, Creel__NodeReport *report);
/* How many nodes' clocks differ by more than is allowed, and the node that differs most. */
void rm_clock_summarise(struct master *m, Creel__ClusterInfo *info);

#endif
