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

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/fifo_order.h"

/* Nothing is left of the demand, which is gone. */
#define PLACED_ALL (1u << 31)

struct sched_config sched_config_fifo(struct resource minimum, struct resource maximum,
                                      bool assign_on_demand)
{
    return (struct sched_config){
        .strategy = "fifo",
        .calculator = SCHED_EVERY_TYPE,
        .minimum = minimum,
        .step = minimum,
        .maximum = maximum,
        .managers_permille = 500,
        .assign_on_demand = assign_on_demand,
    };
}

static int fifo_configure(struct sched *sched, const struct sched_config *config, struct err *err)
{
    struct sched_queue *root = sched_queue_new(sched, NULL, "root", false);

    (void)config;
    (void)err;
    sched_queue_new(sched, root, "root.default", true);
    return 0;
}

static int find_leaf(const struct sched *sched, const char *asked, struct sched_queue **ret,
                     struct err *err)
{
    const char *name = text_equal(asked, "") ? "default" : asked;
    struct sched_queue *queue = sched_queue_find(sched, name);

    if (queue == NULL || !queue->leaf)
        return err_set(err, ENOENT, "queue %s: not defined (there is: default)", name);
    *ret = queue;
    return 0;
}

static int fifo_admit(struct sched *sched, const struct sched_app_spec *spec, bool test,
                      struct sched_queue **ret, struct err *err)
{
    (void)test;
    return find_leaf(sched, spec->queue, ret, err);
}

static int fifo_may_move(struct sched *sched, struct sched_app *app, const char *name,
                         struct sched_queue **ret, struct err *err)
{
    (void)app;
    return find_leaf(sched, name, ret, err);
}

/* No limit on apps keeps anybody back. */
static void fifo_join(struct sched *sched, struct sched_app *app)
{
    (void)sched;
    app->state = APP_ACTIVE;
    app->fifo = mem_new0(struct fifo_app);
}

static void fifo_forget(struct sched *sched, struct sched_app *app)
{
    (void)sched;
    free(app->fifo);
    app->fifo = NULL;
}

static int fifo_order(const struct sched_app *a, const struct sched_app *b)
{
    return app_id_compare(&a->id, &b->id);
}

static bool waits_to_manage(struct sched_app *app)
{
    const struct demand *first = RB_MIN(sched_demand_tree, &app->demands);

    return app->manages && first && first->master;
}

static struct sched_wanting_tree *tree_of(struct sched_app *app)
{
    return app->managing ? &app->sched->managing : &app->sched->wanting;
}

static void fifo_end(struct app_part *part)
{
    struct sched_app *app = part->app;
    bool wants = app->pending_containers > 0, manages = wants && waits_to_manage(app);

    if (app->listed && (!wants || manages != app->managing)) {
        fifo_order_remove(tree_of(app), app);
        app->listed = false;
    }
    app->managing = manages;
    if (app->listed)
        fifo_order_renew(app);
    else if (wants)
        fifo_order_insert(tree_of(app), app);
    app->listed = wants;
}

/* Who waits for its master, and may have it: the first of them, or none, so that a small one does not
 * pass a large one for ever. */
static struct sched_app *next_manager(const struct sched *sched)
{
    struct sched_wanting_tree all = sched->managing;
    struct sched_app *app = RB_MIN(sched_wanting_tree, &all);

    return app && sched_may_manage(sched, RB_MIN(sched_demand_tree, &app->demands), app, NULL) ? app
                                                                                               : NULL;
}

static bool fifo_wants(const struct sched *sched)
{
    return !RB_EMPTY(&sched->wanting) || next_manager(sched);
}

static struct resource fifo_headroom(const struct sched *sched, const struct sched_app *app)
{
    (void)app;
    return resource_max(resource_subtract(sched->total, sched->used), resource_of(0, 0));
}

/* --- placing --------------------------------------------------------------- */

/* How many of DEMAND may go to NODE at LOCALITY. */
static uint32_t wanted(const struct demand *demand, const struct sched_node *node,
                       enum sched_locality locality)
{
    const struct row *row = NULL;

    if (locality == SCHED_OFF_SWITCH)
        return demand->strict ? 0 : demand->count;
    if (demand->row_count > 0 && locality == SCHED_RACK_LOCAL) {
        row = sched_demand_find_rack(demand, node);
        row = row && row->strict ? NULL : row;
    } else if (demand->row_count > 0) {
        row = sched_demand_find_id(demand, node);
        row = row ? row : sched_demand_find_host(demand, node);
    }
    return row == NULL ? 0 : row->count < demand->count ? row->count : demand->count;
}

static unsigned place_level(struct sched *sched, struct sched_node *node, struct sched_app *app,
                            struct demand *demand, enum sched_locality locality, unsigned limit,
                            struct sched_decisions *decisions)
{
    uint32_t left = demand->count;
    uint32_t most = wanted(demand, node, locality);
    uint32_t count;

    most = most < limit ? most : limit;
    count = most > 0 ? sched_node_takes(sched, node, demand_size(demand), most) : 0;
    for (uint32_t i = 0; i < count; i++)
        sched_place_one(sched, node, app, demand, locality, decisions);
    return count == left ? count | PLACED_ALL : count;
}

/* Host-local, then rack-local, then anywhere: as much as fits. DEMAND may be gone then. */
static unsigned place_demand(struct sched *sched, struct sched_node *node, struct sched_app *app,
                             struct demand *demand, unsigned limit,
                             struct sched_decisions *decisions)
{
    unsigned placed = 0;

    for (int l = SCHED_NODE_LOCAL; l <= SCHED_OFF_SWITCH && placed < limit; l++) {
        unsigned here = place_level(sched, node, app, demand, (enum sched_locality)l,
                                    limit - placed, decisions);

        placed += here & ~PLACED_ALL;
        if (here & PLACED_ALL)
            break;
    }
    return placed;
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
        here = place_demand(sched, node, app, demand, limit - placed, decisions);
        if (here == 0)
            break;
        placed += here;
    }
    return placed;
}

/* The two trees in one order, as far as NODE has room for them. */
struct walk {
    struct sched *sched;
    const struct sched_node *node;
    struct app_id last;                 /* who was served last */
    bool begun;
};

/* The first who waits for its master may not have one: nor may those behind it. */
static bool managers_wait(const struct walk *walk)
{
    return RB_EMPTY(&walk->sched->managing) || next_manager(walk->sched) == NULL;
}

static struct sched_app *walk_next(struct walk *walk)
{
    const struct app_id *behind = walk->begun ? &walk->last : NULL;
    struct resource room = sched_node_free(walk->node);
    struct sched_app *app = fifo_order_next(&walk->sched->wanting, behind, &room), *manager = NULL;

    if (!managers_wait(walk))
        manager = fifo_order_next(&walk->sched->managing, behind, &room);
    if (app == NULL || (manager && fifo_order(manager, app) < 0))
        app = manager;
    if (app)
        walk->last = app->id;
    walk->begun = true;
    return app;
}

static unsigned fifo_assign(struct sched *sched, struct sched_node *node,
                            const struct offer *offer, struct sched_decisions *decisions)
{
    struct walk walk = { .sched = sched, .node = node };
    unsigned placed = 0;

    while (placed < offer->limit && node->has_room) {
        struct sched_app *app = walk_next(&walk);

        if (app == NULL)
            break;
        if (!sched_app_avoids(app, node))
            placed += assign_app(sched, node, app, offer->limit - placed, decisions);
    }
    return placed;
}

/* Those who wait to manage have their turns in order, see next_manager. */
static enum sched_answer fifo_assign_to(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                        struct sched_decisions *decisions)
{
    if (!app->listed || (app->managing && app != next_manager(sched)))
        return SCHED_HOPELESS;
    if (!node->has_room || sched_app_avoids(app, node))
        return SCHED_DECLINED;
    return assign_app(sched, node, app, 1, decisions) > 0 ? SCHED_TAKEN : SCHED_DECLINED;
}

/* --- apps that manage others' work ----------------------------------------- */

bool sched_may_manage(const struct sched *sched, const struct demand *demand,
                      const struct sched_app *app, struct resource *limit)
{
    int types = sched->calc.dominant ? sched->calc.types : 1;
    bool bound = demand->master && app->manages && sched->managers > 0 &&
                 sched->managers_permille > 0;
    bool may = true;

    if (!bound && limit == NULL)        /* most asks: no sum is needed */
        return true;
    for (int t = 0; t < types; t++) {
        int64_t most = sched->open_total.value[t] / 1000 * sched->managers_permille +
                       sched->open_total.value[t] % 1000 * sched->managers_permille / 1000;

        if (limit)
            limit->value[t] = most;
        may = may && sched->managed.value[t] + demand_size(demand)->value[t] <= most;
    }
    return may || !bound;
}

/* The limit of managers moved: those that it held back have their turn, in order. */
void sched_offer_managers(struct sched *sched, struct sched_decisions *decisions)
{
    struct sched_app *app;

    while (!RB_EMPTY(&sched->room) && (app = next_manager(sched)) != NULL) {
        size_t before = decisions->count;

        sched_offer_app(sched, app, decisions);
        if (decisions->count == before)
            return;
    }
}

/* --- looking --------------------------------------------------------------- */

static bool fifo_limits(const struct sched *sched, const struct sched_app *app,
                        struct sched_why *ret)
{
    struct sched_app *all = (struct sched_app *)(uintptr_t)app; /* RB_MIN takes no const */
    const struct demand *demand = RB_MIN(sched_demand_tree, &all->demands);

    if (demand == NULL || sched_may_manage(sched, demand, app, &ret->most))
        return false;
    ret->reason = SCHED_REASON_AM_LIMIT;
    ret->used = sched->managed;
    return true;
}

static void fifo_explain(const struct sched *sched, const struct sched_app *app,
                         struct sched_why *ret)
{
    if (ret->ahead > 0)
        ret->reason = SCHED_REASON_BEHIND_IN_QUEUE;
    (void)sched;
    (void)app;
}

static void fifo_queue_order(const struct sched *sched, const struct sched_queue *queue,
                             sched_name_fn *each, void *context)
{
    struct sched *live = (struct sched *)(uintptr_t)sched;      /* RB_MIN takes no const */
    struct sched_app *app = RB_MIN(sched_wanting_tree, &live->wanting), *next;
    struct sched_app *manager = RB_MIN(sched_wanting_tree, &live->managing);
    char text[ID_TEXT_MAX];

    if (!queue->leaf) {
        each(context, "default");
        return;
    }
    while (app || manager) {
        bool first = app && (manager == NULL || fifo_order(app, manager) < 0);

        next = first ? app : manager;
        each(context, app_id_format(&next->id, text));
        if (first)
            app = RB_NEXT(sched_wanting_tree, &live->wanting, app);
        else
            manager = RB_NEXT(sched_wanting_tree, &live->managing, manager);
    }
}

static int fifo_refresh(struct sched *sched, const struct sched_config *config,
                        struct sched_decisions *decisions, struct err *err)
{
    (void)decisions;
    (void)err;
    sched->maximum = config->maximum;
    return 0;
}

const struct sched_strategy sched_fifo = {
    .name = "fifo",
    .configure = fifo_configure,
    .refresh = fifo_refresh,
    .admit = fifo_admit,
    .may_move = fifo_may_move,
    .join = fifo_join,
    .forget = fifo_forget,
    .order = fifo_order,
    .end = fifo_end,
    .wants = fifo_wants,
    .assign = fifo_assign,
    .assign_to = fifo_assign_to,
    .offer_released = sched_offer_managers,
    .headroom = fifo_headroom,
    .queue_order = fifo_queue_order,
    .limits = fifo_limits,
    .explain = fifo_explain,
};
