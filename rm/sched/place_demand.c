/* SPDX-License-Identifier: Apache-2.0 */
/* place_demand.c - places a request without locality delay, for policies that do not wait for a better
 * node */
#include "rm/sched/internal.h"

/* Returns how many containers of DEMAND may be placed on NODE at LOCALITY: as many as are requested for that
 * node, host or rack by name, and never more than are pending in total. */
static uint32_t allowed(const struct demand *demand, const struct sched_node *node,
                        enum sched_locality locality)
{
    const struct row *row = NULL;

    if (locality == SCHED_OFF_SWITCH)
        return demand->strict ? 0 : demand->count;
    if (demand->row_count == 0)
        return 0;
    if (locality == SCHED_RACK_LOCAL) {
        row = sched_demand_find_rack(demand, node);
        row = row && row->strict ? NULL : row;
    } else {
        row = sched_demand_find_local(demand, node);
    }
    if (row == NULL)
        return 0;
    return row->count < demand->count ? row->count : demand->count;
}

static unsigned place_at(struct sched *sched, struct sched_node *node, struct sched_app *app,
                         struct demand *demand, enum sched_locality locality, unsigned limit,
                         struct sched_decisions *decisions)
{
    uint32_t count = allowed(demand, node, locality);

    count = count < limit ? count : limit;
    if (count > 0)
        count = sched_node_count_fitting(sched, node, demand_size(demand), count);
    for (uint32_t i = 0; i < count; i++)
        sched_place_one(sched, node, app, demand, locality, decisions);
    return count;
}

unsigned sched_place_demand(struct sched *sched, struct sched_node *node, struct sched_app *app,
                            struct demand *demand, unsigned limit, struct sched_decisions *decisions)
{
    unsigned most = demand->count < limit ? demand->count : limit;
    unsigned placed = 0;

    /* When all containers are placed, the loop ends, because DEMAND may have been freed. */
    for (int l = SCHED_NODE_LOCAL; l <= SCHED_OFF_SWITCH && placed < most; l++)
        placed += place_at(sched, node, app, demand, (enum sched_locality)l, most - placed, decisions);
    return placed;
}
