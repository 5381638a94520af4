/* SPDX-License-Identifier: Apache-2.0 */
/* earmark.c - earmarks: room on nodes for the starved applications for which containers are preempted */
#include "rm/sched/fair/internal.h"

struct fair_earmark *fair_earmark_find(const struct sched_node *node, const struct fair_app *app)
{
    struct fair_earmark *earmark;

    if (fair_of(app->app->sched)->earmark_count == 0 || fair_node_data(node) == NULL)
        return NULL;
    TAILQ_FOREACH(earmark, &fair_node_data(node)->earmarks, of_node)
        if (earmark->app == app)
            return earmark;
    return NULL;
}

void fair_earmark_drop(struct fair_earmark *earmark)
{
    struct fair_node *node = fair_node_data(earmark->node);

    node->earmarked = resource_subtract(node->earmarked, earmark->left);
    fair_of(earmark->app->app->sched)->earmark_count--;
    TAILQ_REMOVE(&node->earmarks, earmark, of_node);
    TAILQ_REMOVE(&earmark->app->earmarks, earmark, of_app);
    free(earmark);
}

void fair_earmark_use(struct fair_earmark *earmark, const struct demand *demand)
{
    struct fair_node *node = fair_node_data(earmark->node);
    struct resource used = resource_min(earmark->left, demand_capability(demand));

    earmark->left = resource_subtract(earmark->left, used);
    node->earmarked = resource_subtract(node->earmarked, used);
    if (resource_is_zero(&earmark->left))
        fair_earmark_drop(earmark);
}
