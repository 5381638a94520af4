/* SPDX-License-Identifier: Apache-2.0 */
/* counters.h - how often things have happened since the resource manager started */
#ifndef CREEL_RM_MASTER_COUNTERS_H
#define CREEL_RM_MASTER_COUNTERS_H

#include "rm/master/state.h"

/* CONTAINER has ended, with its exit status: once for each. */
void rm_count_container_end(struct master *m, const struct container *container);
Creel__ClusterCounters *rm_counters_message(const struct master *m, struct arena *arena);

#endif
