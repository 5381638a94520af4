/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fifo.c - one queue, first in first out (yarn-behaviour 9)
 *
 * Apps by id; within an app, asks by priority and allocation id, each as much
 * as fits, and not one behind an ask that got nothing: a large request does
 * not lose its place within its app, but other apps go past it. Apps that only
 * manage others' work do not take it all: see sched_may_manage.
 */
#include <errno.h>

#include "common/base/text.h"
#include "rm/sched/internal.h"

static int fifo_configure(struct sched *sched, const struct sched_config *config, struct err *err)
{
    struct sched_queue *root = sched_queue_new(sched, NULL, "root", false);

    (void)config;
    (void)err;
    sched_queue_new(sched, root, "root.default", true);
    return 0;
}

static int fifo_admit(struct sched *sched, const struct sched_app_spec *spec,
                      struct sched_queue **ret, struct err *err)
{
    const char *name = text_equal(spec->queue, "") ? "default" : spec->queue;
    struct sched_queue *queue = sched_queue_find(sched, name);

    if (queue == NULL || !queue->leaf)
        return err_set(err, ENOENT, "queue %s: not defined (there is: default)", name);
    *ret = queue;
    return 0;
}

static int fifo_order(const struct sched_app *a, const struct sched_app *b)
{
    return app_id_compare(&a->id, &b->id);
}

static unsigned assign_app(struct sched *sched, struct sched_node *node, struct sched_app *app,
                           unsigned limit, struct sched_decisions *decisions)
{
    unsigned placed = 0;
    struct demand *demand, *next;

    for (demand = RB_MIN(sched_demand_tree, &app->demands); demand && placed < limit;
         demand = next) {
        unsigned here;

        next = RB_NEXT(sched_demand_tree, &app->demands, demand);
        if (demand->count == 0)
            continue;
        if (!sched_may_manage(sched, demand, app, NULL))
            break;
        here = sched_place_demand(sched, node, app, demand, limit - placed, decisions);
        if (here == 0)
            break;
        placed += here;
    }
    return placed;
}

static unsigned fifo_assign(struct sched *sched, struct sched_node *node, unsigned limit,
                            struct sched_decisions *decisions)
{
    unsigned placed = 0;
    struct sched_app *app, *next;

    for (app = RB_MIN(sched_wanting_tree, &sched->wanting); app && placed < limit && node->has_room;
         app = next) {
        next = RB_NEXT(sched_wanting_tree, &sched->wanting, app);     /* APP may stop wanting */
        if (!sched_app_avoids(app, node))
            placed += assign_app(sched, node, app, limit - placed, decisions);
    }
    return placed;
}

static void fifo_explain(const struct sched *sched, const struct sched_app *app,
                         struct sched_why *ret)
{
    if (ret->ahead > 0)
        ret->reason = SCHED_REASON_BEHIND_IN_QUEUE;
    (void)sched;
    (void)app;
}

const struct sched_strategy sched_fifo = {
    .name = "fifo",
    .configure = fifo_configure,
    .admit = fifo_admit,
    .order = fifo_order,
    .assign = fifo_assign,
    .explain = fifo_explain,
};
