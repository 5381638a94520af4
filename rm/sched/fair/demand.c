/* SPDX-License-Identifier: Apache-2.0 */
/* demand.c - marks queues that the next update must visit; computes the demand of applications and queues */
#include <math.h>

#include "rm/sched/fair/internal.h"

/* --- marks -------------------------------------------------------------------- */

void fair_mark(struct fair_queue *queue)
{
    for (; queue && !queue->marked; queue = queue->parent) {
        queue->marked = true;
        if (queue->parent)
            TAILQ_INSERT_TAIL(&queue->parent->changed, queue, changed_link);
    }
}

void fair_mark_active(struct fair_queue *leaf)
{
    leaf->members_changed = true;
    for (struct fair_queue *at = leaf->parent; at; at = at->parent)
        at->members_changed = true;
    fair_mark(leaf);
}

/* --- demand ------------------------------------------------------------------- */

static float weight_of(const struct fair *fair, const struct fair_app *app)
{
    double demand = (double)app->demand.value[RESOURCE_MEMORY_MB];

    if (!fair->config->size_based_weight)
        return 1;
    return (float)(log1p(demand) / log(2));
}

void fair_demand_measure(struct fair_app *app)
{
    struct resource before = app->demand;
    struct sched *sched = app->app->sched;
    float weight;

    app->demand = fair_app_next_demand(app);
    calc_add(&sched->calc, &app->leaf->demand_sum, &app->demand);
    calc_subtract(&sched->calc, &app->leaf->demand_sum, &before);
    weight = weight_of(fair_of(sched), app);
    if (weight != app->weight) {
        app->weight = weight;
        app->leaf->members_changed = true;
    }
}

struct resource fair_demand_below_maximum(const struct fair_queue *queue)
{
    return resource_min(queue->demand_sum, queue->maximum);
}

void fair_demand_cut(struct fair_queue *queue)
{
    struct fair_queue *parent = queue->parent;
    struct resource before = queue->demand;

    queue->demand = fair_demand_below_maximum(queue);
    if (parent)
        parent->demand_sum = resource_add(parent->demand_sum, resource_subtract(queue->demand, before));
}

void fair_count_demand(struct fair_app *app)
{
    fair_demand_measure(app);
    for (struct fair_queue *at = app->leaf; at; at = at->parent)
        fair_demand_cut(at);
}
