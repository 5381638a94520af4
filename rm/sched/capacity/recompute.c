/* SPDX-License-Identifier: Apache-2.0 */
/* recompute.c - recomputes all values that depend on the size of the cluster, before these values are next
 * used */
#include <string.h>

#include "rm/sched/capacity/internal.h"

void capacity_recompute(struct sched *sched)
{
    struct capacity *capacity = capacity_of(sched);
    struct resource totals[CAPACITY_LABELS_MAX];

    if (!sched->stale)
        return;
    sched->stale = false;
    memset(totals, 0, sizeof(totals));
    for (int l = 0; l < sched->label_count; l++)
        totals[capacity->to_config[l]] = sched->label_total[l];
    capacity_config_compute(capacity->config, totals);
    capacity_index_rebuild(sched, capacity->reconfigured);
    capacity->reconfigured = false;
    capacity_activate_all(sched);
    capacity_users_recompute(sched);
}
