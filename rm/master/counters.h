/* SPDX-License-Identifier: Apache-2.0 */
/* counters.h - counts events since the resource manager started: submissions, containers by exit status,
 * preemption */
#ifndef CREEL_RM_MASTER_COUNTERS_H
#define CREEL_RM_MASTER_COUNTERS_H

#include "rm/master/state.h"

/* Counts the end of CONTAINER by its exit status. Called once for each container. */
void rm_count_container_end(struct master *m, const struct container *container);
Creel__ClusterCounters *rm_counters_message(const struct master *m, struct arena *arena);

#endif
