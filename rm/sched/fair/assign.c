/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assign.c - a node on its way down the tree of queues (yarn-behaviour 8.8)
 *
 * Only what stands in the orders of index.c is visited, and of that only where what is known of
 * the asks below leaves a hope. That is found anew whenever a visit finds nothing.
 */
#include "rm/sched/fair/internal.h"

/* --- bounds -------------------------------------------------------------------- */

static uint32_t cut(int64_t value)
{
    return value < 0 ? 0 : value < FAIR_NEED_MAX ? (uint32_t)value : FAIR_NEED_MAX;
}

void fair_visit_room(struct fair_visit *visit)
{
    const int64_t *total = visit->node->total.value, *used = visit->node->used.value;
    int64_t memory = total[0] - used[0], vcores = total[1] - used[1];
    int types = visit->sched->calc.types;

    visit->free[0] = memory;
    visit->free[1] = vcores;
    for (int t = 2; t < types; t++)
        visit->free[t] = total[t] - used[t];
    visit->filter = (struct fair_filter){ cut(memory), cut(vcores), visit->offer->reserve };
}

/* A visit of all in QUEUE's order found nothing: what do they ask for? */
static void sum_up(struct fair_queue *queue)
{
    fair_order_sum(&queue->order, &queue->item);
    queue->item.known = queue->item.unsaid = true;
}

/* ITEM was visited in vain. */
static void pass_over(struct fair_order *order, struct fair_item *item,
                      const struct fair_visit *visit, fair_compare_fn *compare)
{
    if (item->unsaid)
        fair_order_note(order, item);
    if (visit->sched->calc.types > 2 || fair_may_serve(visit, item))
        fair_order_set_aside(order, item, compare);     /* else it is stepped over from now on */
}

/* --- a leaf -------------------------------------------------------------------- */

/* Masters that the limit refused: is there room for the smallest now? */
static void wake_masters(const struct fair_visit *visit, struct fair_queue *leaf)
{
    struct resource limit, sum;
    bool limited;

    if (!fair_refused_lightly(leaf))
        return;
    limit = fair_am_limit(visit->sched, leaf, &limited);
    sum = resource_add(fair_get(leaf, FAIR_AM_USED),
                       calc_load_values(leaf->refused->least, leaf->item.types));
    if (!limited || resource_fits(&sum, &limit))
        fair_wake_apps(leaf);
}

static enum fair_outcome visit_app(struct fair_visit *visit, struct fair_app *app)
{
    bool lightly;

    if (!app->item.known)
        fair_app_measure(app);
    if (!fair_may_serve(visit, &app->item) || sched_app_avoids(app->app, visit->node))
        return FAIR_NOTHING;
    if (fair_over_am_limit(visit->sched, app, &lightly)) {
        fair_sleep_app(app, lightly);
        return FAIR_NOTHING;
    }
    return fair_allocate(visit, app);
}

static enum fair_outcome visit_leaf(struct fair_visit *visit, struct fair_queue *leaf)
{
    enum fair_outcome outcome = FAIR_NOTHING;
    struct fair_item *item;

    while (outcome == FAIR_NOTHING &&
           (item = fair_order_first(&leaf->order, &visit->filter, fair_compare_apps)) != NULL) {
        outcome = visit_app(visit, fair_app_of(item));
        if (outcome == FAIR_NOTHING && !item->asleep)
            pass_over(&leaf->order, item, visit, fair_compare_apps);
    }
    fair_order_put_back(&leaf->order, fair_compare_apps);
    if (outcome != FAIR_NOTHING)
        return outcome;
    sum_up(leaf);
    if (fair_refused_lightly(leaf)) {
        const int64_t *least = leaf->refused->least;

        for (int t = 0; t < leaf->item.types; t++)
            if (cut(least[t]) < fair_item_need(&leaf->item, t))
                fair_item_set_need(&leaf->item, t, cut(least[t]));
        leaf->item.reserves = true;
    }
    return FAIR_NOTHING;
}

/* --- a queue ------------------------------------------------------------------- */

static enum fair_outcome visit_queue(struct fair_visit *visit, struct fair_queue *queue);

static enum fair_outcome visit_children(struct fair_visit *visit, struct fair_queue *queue)
{
    enum fair_outcome outcome = FAIR_NOTHING;
    struct fair_item *item;

    while (outcome == FAIR_NOTHING &&
           (item = fair_order_first(&queue->order, &visit->filter, fair_compare_queues)) != NULL) {
        outcome = visit_queue(visit, fair_queue_of(item));
        if (outcome == FAIR_NOTHING && item->listed)
            pass_over(&queue->order, item, visit, fair_compare_queues);
    }
    fair_order_put_back(&queue->order, fair_compare_queues);
    if (outcome == FAIR_NOTHING)
        sum_up(queue);
    return outcome;
}

/* Is QUEUE above its maximum, or so near that no ask below goes into what is left? */
static bool is_full(const struct fair_queue *queue)
{
    const int64_t *maximum;

    if (!queue->limited)
        return false;
    maximum = fair_bound(queue, FAIR_MAXIMUM);
    for (int t = 0; t < queue->item.types; t++) {
        int64_t room = maximum[t] - fair_used_of(queue, t);

        if (room < 0 || (queue->item.known && room < (int64_t)fair_item_need(&queue->item, t)))
            return true;
    }
    return false;
}

static enum fair_outcome visit_queue(struct fair_visit *visit, struct fair_queue *queue)
{
    if (is_full(queue)) {
        fair_sleep(queue);
        return FAIR_NOTHING;
    }
    if (queue->leaf)
        wake_masters(visit, queue);
    if (!fair_may_serve(visit, &queue->item))
        return FAIR_NOTHING;
    return queue->leaf ? visit_leaf(visit, queue) : visit_children(visit, queue);
}

/* --- a node -------------------------------------------------------------------- */

/* Does APP still need the room that was made for it (FSSchedulerNode.cleanupPreemptionList)? */
static bool needs_earmark(const struct sched *sched, const struct fair_app *app)
{
    struct resource lacks = fair_app_lacks(app);

    return app->app->state == APP_ACTIVE && !resource_is_zero(&lacks) && fair_is_starved(sched, app);
}

/* Apps for which containers on this node were preempted are served first. */
static unsigned serve_earmarks(struct fair_visit *visit)
{
    struct fair_earmark *earmark, *next;
    struct fair_node *node;
    unsigned placed = 0;

    if (visit->fair->earmark_count == 0 || (node = visit->node->fair) == NULL)
        return 0;
    TAILQ_FOREACH_SAFE(earmark, &node->earmarks, of_node, next) {
        struct fair_app *app = earmark->app;
        bool lightly, last = false;

        if (!needs_earmark(visit->sched, app)) {
            fair_earmark_drop(earmark);
            continue;
        }
        while (!last && !sched_app_avoids(app->app, visit->node) &&
               !fair_over_am_limit(visit->sched, app, &lightly) &&
               fair_allocate(visit, app) == FAIR_PLACED) {
            placed++;
            last = fair_earmark_find(visit->node, app) != earmark;
        }
    }
    return placed;
}

/* Of FREE, which was free at the start, is no more than half gone? */
static bool half_is_free(const struct fair_visit *visit, const int64_t *free)
{
    int types = visit->sched->calc.types;
    bool most = true;

    for (int t = 0; t < types; t++)
        most &= free[t] - visit->free[t] <= free[t] / 2;
    return most;
}

/* One more, after PLACED? FREE was free at the start. */
static bool goes_on(const struct fair_visit *visit, unsigned placed, const int64_t *free)
{
    const struct fair_config *config = visit->fair->config;

    if (placed >= visit->offer->limit)
        return false;
    if (!visit->offer->heartbeat)
        return true;                    /* the limits are of heartbeats */
    if (!config->assign_multiple)
        return false;
    if (config->dynamic_max_assign)
        return half_is_free(visit, free);
    return config->max_assign <= 0 || placed < (uint64_t)config->max_assign;
}

static unsigned serve_queues(struct fair_visit *visit)
{
    int64_t free[RESOURCE_TYPES_MAX];
    unsigned placed = 0;

    if (!fair_wants(visit->sched))
        return 0;
    calc_store_values(free, visit->free, visit->sched->calc.types);
    do {
        if (visit->node->reserved.app || visit_queue(visit, visit->fair->root) != FAIR_PLACED)
            break;
        placed++;
    } while (goes_on(visit, placed, free));
    return placed;
}

static void begin_visit(struct fair_visit *visit, struct sched *sched, struct sched_node *node,
                        const struct offer *offer, struct sched_decisions *decisions)
{
    visit->sched = sched;
    visit->fair = sched->fair;
    visit->node = node;
    visit->offer = offer;
    visit->decisions = decisions;
    visit->serves_reservation = visit->hopeful = false;
    fair_settle(sched);
    fair_visit_room(visit);
}

unsigned fair_assign(struct sched *sched, struct sched_node *node, const struct offer *offer,
                     struct sched_decisions *decisions)
{
    enum fair_outcome outcome;
    struct fair_visit visit;
    unsigned placed;

    begin_visit(&visit, sched, node, offer, decisions);
    placed = serve_earmarks(&visit);
    if (placed >= offer->limit)
        return placed;
    if (node->reserved.app && fair_allocate_reserved(&visit, &outcome))
        return placed + (outcome == FAIR_PLACED ? 1 : 0);
    return placed + serve_queues(&visit);
}

enum sched_answer fair_assign_to(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                 struct sched_decisions *decisions)
{
    const struct offer offer = { .limit = 1 };
    struct fair_visit visit;
    bool lightly;

    begin_visit(&visit, sched, node, &offer, decisions);
    if (fair_over_am_limit(sched, app->fair, &lightly))
        return SCHED_HOPELESS;
    if (sched_app_avoids(app, node))
        return SCHED_DECLINED;
    if (serve_earmarks(&visit) > 0 || fair_allocate(&visit, app->fair) == FAIR_PLACED)
        return SCHED_TAKEN;
    return visit.hopeful ? SCHED_DECLINED : SCHED_HOPELESS;
}
