/* SPDX-License-Identifier: Apache-2.0 */
/* node_total.c - the resources that a node counts with in the cluster */
#include "rm/master/orders/node_total.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/index.h"

void rm_node_total_update(struct master *m, struct node *node)
{
    struct resource total, known;

    rm_changes_node(m, node);
    if (node->sched == NULL)
        return;
    /* As in YARN, unused resources of a node being decommissioned are not part of the cluster. */
    if (rm_node_serves(node)) {
        known = resource_max(node->offered, node->grown);
        total = resource_min(node->total, known);
    } else {
        total = sched_node_used(node->sched);
    }
    known = sched_node_total(node->sched);
    if (!resource_equal(&total, &known))
        sched_node_update(m->sched, node->sched, total, &m->decisions);
}

void rm_node_total_resize(struct master *m, struct node *node)
{
    node->total = node->offered;
    for (int t = 0; node->size.by && t < RESOURCE_TYPES_MAX; t++)
        if (node->size.set.value[t] > 0)
            node->total.value[t] = node->size.set.value[t];
    rm_node_total_update(m, node);
    m->nodes_changed = true;
}
