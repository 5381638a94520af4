/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demand.c - what an app asks for: a tree of (priority, allocation id)
 *
 * Every change of a count or size goes through here, so that what app and
 * queues have pending, and whether the app wants anything, stay right.
 */
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/internal.h"

int sched_demand_compare(const struct demand *a, const struct demand *b)
{
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    return (a->allocation_id > b->allocation_id) - (a->allocation_id < b->allocation_id);
}

RB_GENERATE(sched_demand_tree, demand, link, sched_demand_compare)

static struct resource times(const struct resource *each, uint32_t count)
{
    struct resource sum;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        sum.value[t] = each->value[t] * (int64_t)count;
    return sum;
}

/* DEMAND's part of the sums changes from what it is to COUNT of CAPABILITY. */
static void change(struct sched_app *app, struct demand *demand,
                   const struct resource *capability, uint32_t count)
{
    struct resource before = times(&demand->capability, demand->count);
    struct resource after = times(capability, count);
    bool wanted = app->pending_containers > 0;

    app->pending = resource_add(resource_subtract(app->pending, before), after);
    app->pending_containers = app->pending_containers - demand->count + count;
    for (struct sched_queue *queue = app->queue; queue; queue = queue->parent)
        queue->pending = resource_add(resource_subtract(queue->pending, before), after);
    demand->capability = *capability;
    demand->count = count;
    if (wanted && app->pending_containers == 0)
        RB_REMOVE(sched_wanting_tree, &app->sched->wanting, app);
    if (!wanted && app->pending_containers > 0)
        RB_INSERT(sched_wanting_tree, &app->sched->wanting, app);
}

struct demand *sched_demand_get(struct sched_app *app, uint32_t priority, uint64_t allocation_id)
{
    struct demand key = { .priority = priority, .allocation_id = allocation_id };
    struct demand *demand = RB_FIND(sched_demand_tree, &app->demands, &key);

    if (demand)
        return demand;
    demand = mem_new0(struct demand);
    demand->priority = priority;
    demand->allocation_id = allocation_id;
    RB_INSERT(sched_demand_tree, &app->demands, demand);
    app->row_count++;
    return demand;
}

static void drop_row(struct sched_app *app, struct demand *demand, struct row *row)
{
    HASH_DEL(demand->rows, row);
    free(row->name);
    free(row);
    app->row_count--;
}

void sched_demand_drop(struct sched_app *app, struct demand *demand)
{
    struct row *row, *next;

    change(app, demand, &demand->capability, 0);
    HASH_ITER(hh, demand->rows, row, next)
        drop_row(app, demand, row);
    RB_REMOVE(sched_demand_tree, &app->demands, demand);
    app->row_count--;
    free(demand);
}

void sched_demand_drop_all(struct sched_app *app)
{
    struct demand *demand;

    while ((demand = RB_MIN(sched_demand_tree, &app->demands)) != NULL)
        sched_demand_drop(app, demand);
}

void sched_demand_set_count(struct sched_app *app, struct demand *demand, uint32_t count)
{
    struct resource same = demand->capability;

    change(app, demand, &same, count);
}

void sched_demand_set_capability(struct sched_app *app, struct demand *demand,
                           const struct resource *capability)
{
    change(app, demand, capability, demand->count);
}

struct row *sched_demand_find_row(const struct demand *demand, const char *name)
{
    struct row *row;

    HASH_FIND(hh, demand->rows, name, strlen(name), row);
    return row;
}

void sched_demand_set_row(struct sched_app *app, struct demand *demand, const char *name,
                    uint32_t count, bool strict)
{
    struct row *row = sched_demand_find_row(demand, name);

    if (row && count == 0) {
        drop_row(app, demand, row);
        return;
    }
    if (count == 0)
        return;
    if (row == NULL) {
        row = mem_new0(struct row);
        row->name = mem_strdup(name);
        HASH_ADD_KEYPTR(hh, demand->rows, row->name, strlen(row->name), row);
        app->row_count++;
    }
    row->count = count;
    row->strict = strict;
}
