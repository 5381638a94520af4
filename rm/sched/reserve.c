/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reserve.c - reserves nodes for requests that do not fit yet (yarn-behaviour 6)
 *
 * A node has at most one reservation. The reserved resource counts as used by application, user and queue,
 * but not by the node. A reservation ends when it is served, when its application or node is removed, or when
 * the node is next offered and nothing of the request is pending any more.
 */
#include <assert.h>

#include "rm/sched/policy.h"

void sched_reserve(struct sched *sched, struct sched_node *node, struct sched_app *app, struct demand *demand,
                   struct sched_decisions *decisions)
{
    struct app_partition *part = sched_app_partition(app, node->label);

    assert(node->reserved.app == NULL);
    sched_node_set_reserved(sched, node, app);
    node->reserved.resource = sched_load(sched, demand_size(demand));
    node->reserved.priority = demand->priority;
    node->reserved.allocation_id = demand->allocation_id;
    node->reserved.grows = demand->grows;
    node->reserved.since_ms = sched->now_ms;
    node->reserved.serial = ++sched->last_serial;
    TAILQ_INSERT_TAIL(&app->reservations, node, reserved.of_app);
    demand->reserved++;
    demand->rereserved = 0;
    sched_reserve_note_size(part, demand);
    sched_count_reserved(sched, part, &node->reserved.resource, 1);
    sched_decide(decisions, SCHED_RESERVED, node, app);
}

void sched_unreserve(struct sched *sched, struct sched_node *node, bool report,
                     struct sched_decisions *decisions)
{
    struct sched_app *app = node->reserved.app;

    TAILQ_REMOVE(&app->reservations, node, reserved.of_app);
    sched_node_set_reserved(sched, node, NULL);
    sched_demand_unreserved(app, &node->reserved);
    sched_count_reserved(sched, sched_app_partition(app, node->label), &node->reserved.resource, -1);
    if (report)
        sched_decide(decisions, SCHED_UNRESERVED, node, app);
}

void sched_unreserve_app(struct sched *sched, struct sched_app *app, struct sched_decisions *decisions)
{
    struct sched_node *node;

    while ((node = TAILQ_FIRST(&app->reservations)) != NULL)
        sched_unreserve(sched, node, decisions != NULL, decisions);
}
