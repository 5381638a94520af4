/* SPDX-License-Identifier: Apache-2.0 */
/* avoid.c - avoids nodes on which launches fail */
#include "rm/master/nodes/avoid.h"

#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"

/* Returns true if one more node may be avoided. Reads all nodes, and runs only when a node qualifies. */
static bool is_allowed(struct master *m)
{
    size_t registered = 0, avoided = 0;
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        registered += node->sched != NULL;
        avoided += node->sched != NULL && rm_avoid_reason(m, node) != NULL;
    }
    return (avoided + 1) * 2 <= registered;
}

static void count_fault(struct master *m, struct node *node, const struct container *container,
                        const char *why)
{
    const struct app_id *id = &container->app->id;

    for (size_t i = 0; i < node->faults.count; i++)
        if (app_id_compare(&node->faults.apps[i], id) == 0)
            return;
    node->faults.apps[node->faults.count++] = *id;
    if (node->faults.count < AVOID_FAULTS)
        return;
    node->faults.count = 0;
    if (!is_allowed(m))
        return;
    node->faults.until_ms = m->now_ms + AVOID_MS;
    rm_text_set(&node->faults.reason,
                arena_printf(m->out->arena,
                             "avoided for %d minutes: launches of %d applications failed one after another; "
                             "the last was %s: %s",
                             AVOID_MS / 60000, AVOID_FAULTS, container->text, why));
}

void rm_avoid_count(struct master *m, const struct container *container, const Creel__ContainerStatus *status)
{
    if (container->state == CONTAINER_COMPLETED) /* a repeated report */
        return;
    if (status->node_fault)
        count_fault(m, container->node, container, status->diagnostics);
    else if (status->started_ms > 0 && container->started_ms == 0)
        container->node->faults.count = 0;
}

const char *rm_avoid_reason(const struct master *m, const struct node *node)
{
    return m->now_ms < node->faults.until_ms ? node->faults.reason : NULL;
}
