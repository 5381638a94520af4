/* SPDX-License-Identifier: Apache-2.0 */
/* claims.c - claims of starved applications to the room that preemption frees on nodes */
#include "rm/sched/fair/internal.h"

struct fair_claim *fair_claim_find(const struct sched_node *node, const struct fair_app *app)
{
    struct fair_claim *claim;

    if (fair_of(app->app->sched)->claim_count == 0 || fair_node_data(node) == NULL)
        return NULL;
    TAILQ_FOREACH(claim, &fair_node_data(node)->claims, of_node)
        if (claim->app == app)
            return claim;
    return NULL;
}

void fair_claim_drop(struct fair_claim *claim)
{
    struct fair_node *node = fair_node_data(claim->node);

    node->claimed = resource_subtract(node->claimed, claim->left);
    fair_of(claim->app->app->sched)->claim_count--;
    TAILQ_REMOVE(&node->claims, claim, of_node);
    TAILQ_REMOVE(&claim->app->claims, claim, of_app);
    claim->app = NULL;
    if (claim->victims == 0)
        free(claim);
}

void fair_claim_victim_gone(struct fair_claim *claim)
{
    if (--claim->victims > 0)
        return;
    claim->kills = false;
    if (claim->app == NULL)
        free(claim);
}

bool fair_claim_awaits_victims(const struct fair_claim *claim)
{
    return claim->kills && claim->victims > 0 && sched_node_is_offered(claim->node);
}

bool fair_node_awaits_victims(const struct sched_node *node)
{
    const struct fair_claim *claim;

    if (fair_node_data(node) == NULL)
        return false;
    TAILQ_FOREACH(claim, &fair_node_data(node)->claims, of_node)
        if (fair_claim_awaits_victims(claim))
            return true;
    return false;
}

void fair_claim_use(struct fair_claim *claim, const struct demand *demand)
{
    struct fair_node *node = fair_node_data(claim->node);
    struct resource used = resource_min(claim->left, demand_capability(demand));

    claim->left = resource_subtract(claim->left, used);
    node->claimed = resource_subtract(node->claimed, used);
    if (resource_is_zero(&claim->left))
        fair_claim_drop(claim);
}
