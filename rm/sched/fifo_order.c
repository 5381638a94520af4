/* SPDX-License-Identifier: Apache-2.0 */
/* fifo_order.c - apps that want something, first in first out, and who of them a node has room for */
#include <math.h>

#include "rm/sched/fifo_order.h"

enum { MEMORY, VCORES, MEASURES };

static float at_least(int64_t value)
{
    return (float)((double)value * (1 - 1e-6));         /* a float may be above the number it is made of */
}

/* Of what APP asks for first, which decides whether it gets anything: nothing goes past it within the app. */
static void measure(const struct sched_app *app, float ret[MEASURES])
{
    struct sched_demand_tree all = app->demands;
    struct demand *demand = RB_MIN(sched_demand_tree, &all);

    while (demand && demand->count == 0)
        demand = RB_NEXT(sched_demand_tree, &all, demand);
    ret[MEMORY] = demand ? at_least(demand_size(demand)->value[RESOURCE_MEMORY_MB]) : INFINITY;
    ret[VCORES] = demand ? at_least(demand_size(demand)->value[RESOURCE_VCORES]) : INFINITY;
    if (!app->sched->calc.dominant)
        ret[VCORES] = -INFINITY;        /* by memory alone */
}

static void take_least(float least[MEASURES], const struct sched_app *below)
{
    for (int i = 0; below && i < MEASURES; i++)
        least[i] = below->fifo->least[i] < least[i] ? below->fifo->least[i] : least[i];
}

static void sum_up(const struct sched_app *app, float ret[MEASURES])
{
    for (int i = 0; i < MEASURES; i++)
        ret[i] = app->fifo->asks[i];
    take_least(ret, RB_LEFT(app, wanting));
    take_least(ret, RB_RIGHT(app, wanting));
}

/* The tree calls it where it turns; what is above follows when it is done. */
#undef RB_AUGMENT
#define RB_AUGMENT(app) sum_up(app, (app)->fifo->least)

RB_GENERATE(sched_wanting_tree, sched_app, wanting, sched_app_compare)

static void sum_up_from(struct sched_app *app)
{
    for (; app; app = RB_PARENT(app, wanting))
        sum_up(app, app->fifo->least);
}

void fifo_order_insert(struct sched_wanting_tree *tree, struct sched_app *app)
{
    measure(app, app->fifo->asks);
    measure(app, app->fifo->least);     /* it begins with nobody below it */
    RB_INSERT(sched_wanting_tree, tree, app);
    sum_up_from(app);
}

void fifo_order_remove(struct sched_wanting_tree *tree, struct sched_app *app)
{
    bool both = RB_LEFT(app, wanting) && RB_RIGHT(app, wanting);
    struct sched_app *above = both ? NULL : RB_PARENT(app, wanting);

    RB_REMOVE(sched_wanting_tree, tree, app);
    sum_up_from(above);                 /* with BOTH the tree itself goes up to its root */
}

void fifo_order_renew(struct sched_app *app)
{
    float asks[MEASURES];

    measure(app, asks);
    if (asks[MEMORY] == app->fifo->asks[MEMORY] && asks[VCORES] == app->fifo->asks[VCORES])
        return;
    app->fifo->asks[MEMORY] = asks[MEMORY];
    app->fifo->asks[VCORES] = asks[VCORES];
    sum_up_from(app);
}

static bool fits(const float need[MEASURES], const struct resource *room)
{
    return (double)need[MEMORY] <= (double)room->value[RESOURCE_MEMORY_MB] &&
           (double)need[VCORES] <= (double)room->value[RESOURCE_VCORES];
}

/* The least of memory and the least of vcores may be those of two apps: then a part of the tree is gone
 * through in vain. */
static struct sched_app *first_of(struct sched_app *app, const struct app_id *behind,
                                  const struct resource *room)
{
    struct sched_app *first;

    if (app == NULL || !fits(app->fifo->least, room))
        return NULL;
    if (behind && app_id_compare(&app->id, behind) <= 0)
        return first_of(RB_RIGHT(app, wanting), behind, room);
    if ((first = first_of(RB_LEFT(app, wanting), behind, room)) != NULL)
        return first;
    return fits(app->fifo->asks, room) ? app : first_of(RB_RIGHT(app, wanting), NULL, room);
}

struct sched_app *fifo_order_next(const struct sched_wanting_tree *tree, const struct app_id *behind,
                                  const struct resource *room)
{
    return first_of(tree->rbh_root, behind, room);
}

bool fifo_order_is_right(const struct sched_app *app)
{
    float asks[MEASURES], least[MEASURES];
    bool right = true;

    measure(app, asks);
    sum_up(app, least);
    for (int i = 0; i < MEASURES; i++)
        right = right && asks[i] == app->fifo->asks[i] && least[i] == app->fifo->least[i];
    return right;
}
