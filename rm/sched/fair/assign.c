/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assign.c - a node on its way down the tree of queues (yarn-behaviour 8.8)
 *
 * Only what stands in the trees of index.c is visited, and of that only where the bounds of
 * the asks below (REACH) leave a hope. Bounds are found anew whenever a visit finds nothing.
 */
#include "rm/sched/fair/internal.h"

/* --- bounds -------------------------------------------------------------------- */

static struct fair_reach reach_none(void)
{
    struct fair_reach none = { .known = true };

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        none.least.value[t] = INT64_MAX;
    return none;
}

static void reach_add(struct fair_reach *sum, const struct fair_reach *more)
{
    sum->known = sum->known && more->known;
    sum->counts = sum->counts || more->counts;
    sum->least = resource_min(sum->least, more->least);
    sum->most = resource_max(sum->most, more->most);
}

/* --- a leaf -------------------------------------------------------------------- */

/* Masters that the limit refused: is there room for the smallest now? */
static void wake_masters(const struct fair_visit *visit, struct fair_queue *leaf)
{
    struct resource limit, sum;
    bool limited;

    if (!leaf->asleep_lightly || RB_EMPTY(&leaf->asleep))
        return;
    limit = fair_am_limit(visit->sched, leaf, &limited);
    sum = resource_add(leaf->am_used, leaf->asleep_least);
    if (!limited || resource_fits(&sum, &limit))
        fair_wake_apps(leaf);
}

static enum fair_outcome visit_app(struct fair_visit *visit, struct fair_app *app)
{
    bool lightly;

    if (!app->reach.known)
        app->reach = fair_app_reach(visit->fair, app);
    if (!fair_may_serve(visit, app->leaf, &app->reach) || sched_app_avoids(app->app, visit->node))
        return FAIR_NOTHING;
    if (fair_over_am_limit(visit->sched, app, &lightly)) {
        fair_sleep_app(app, lightly);
        return FAIR_NOTHING;
    }
    return fair_allocate(visit, app);
}

static enum fair_outcome visit_leaf(struct fair_visit *visit, struct fair_queue *leaf)
{
    struct fair_reach reach = reach_none();
    struct fair_app *app, *next;

    for (app = RB_MIN(fair_app_tree, &leaf->awake); app; app = next) {
        enum fair_outcome outcome;

        next = RB_NEXT(fair_app_tree, &leaf->awake, app);
        outcome = visit_app(visit, app);
        if (outcome != FAIR_NOTHING)
            return outcome;
        if (!app->asleep)
            reach_add(&reach, &app->reach);
    }
    if (leaf->asleep_lightly && !RB_EMPTY(&leaf->asleep)) {
        reach.least = resource_min(reach.least, leaf->asleep_least);
        for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
            reach.most.value[t] = INT64_MAX;
    }
    leaf->reach = reach;
    return FAIR_NOTHING;
}

/* --- a queue ------------------------------------------------------------------- */

static enum fair_outcome visit_queue(struct fair_visit *visit, struct fair_queue *queue);

static enum fair_outcome visit_children(struct fair_visit *visit, struct fair_queue *queue)
{
    struct fair_reach reach = reach_none();
    struct fair_queue *child, *next;

    for (child = RB_MIN(fair_queue_tree, &queue->wanting); child; child = next) {
        enum fair_outcome outcome;

        next = RB_NEXT(fair_queue_tree, &queue->wanting, child);
        outcome = visit_queue(visit, child);
        if (outcome != FAIR_NOTHING)
            return outcome;
        if (child->listed)
            reach_add(&reach, &child->reach);
    }
    queue->reach = reach;
    return FAIR_NOTHING;
}

/* Is QUEUE above its maximum, or so near that no ask below goes into what is left? */
static bool is_full(const struct fair_queue *queue)
{
    struct resource used = fair_used(queue), room;

    if (!resource_fits(&used, &queue->maximum))
        return true;
    room = resource_subtract(queue->maximum, used);
    return queue->reach.known && !resource_fits(&queue->reach.least, &room);
}

static enum fair_outcome visit_queue(struct fair_visit *visit, struct fair_queue *queue)
{
    if (is_full(queue)) {
        fair_sleep(queue);
        return FAIR_NOTHING;
    }
    if (queue->queue->leaf)
        wake_masters(visit, queue);
    if (!fair_may_serve(visit, queue, &queue->reach))
        return FAIR_NOTHING;
    return queue->queue->leaf ? visit_leaf(visit, queue) : visit_children(visit, queue);
}

/* --- a node -------------------------------------------------------------------- */

/* Those for whom containers here had to go have the first call. */
static unsigned serve_earmarks(struct fair_visit *visit)
{
    struct fair_node *node = visit->node->fair;
    struct fair_earmark *earmark, *next;
    unsigned placed = 0;

    if (node == NULL)
        return 0;
    TAILQ_FOREACH_SAFE(earmark, &node->earmarks, of_node, next) {
        struct fair_app *app = earmark->app;
        bool lightly, last = false;

        if (!fair_is_starved(app) || app->app->state != APP_ACTIVE) {
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

/* One more, after PLACED of which SUM is all? HALF of what was free at the start. */
static bool goes_on(const struct fair_visit *visit, unsigned placed, const struct resource *sum,
                    const struct resource *half)
{
    const struct fair_config *config = visit->fair->config;

    if (placed >= visit->offer->limit)
        return false;
    if (!visit->offer->heartbeat)
        return true;                    /* the limits are of heartbeats */
    if (!config->assign_multiple)
        return false;
    if (config->dynamic_max_assign)
        return resource_fits(sum, half);
    return config->max_assign <= 0 || placed < (uint64_t)config->max_assign;
}

static unsigned serve_queues(struct fair_visit *visit)
{
    struct resource half = visit->free, sum = resource_of(0, 0);
    unsigned placed = 0;

    if (!fair_wants(visit->sched))
        return 0;
    for (int t = 0; t < visit->sched->calc.types; t++)
        half.value[t] = half.value[t] / 2;

    do {
        if (visit->node->reserved.app || visit_queue(visit, visit->fair->root) != FAIR_PLACED)
            break;
        sum = resource_add(sum, visit->placed);
        placed++;
    } while (goes_on(visit, placed, &sum, &half));
    return placed;
}

unsigned fair_assign(struct sched *sched, struct sched_node *node, const struct offer *offer,
                     struct sched_decisions *decisions)
{
    struct fair *fair = sched->fair;
    struct fair_visit visit = {
        .sched = sched, .fair = fair, .node = node, .offer = offer, .decisions = decisions,
        .free = sched_node_free(node),
    };
    enum fair_outcome outcome;
    unsigned placed;

    fair_settle(sched);
    placed = serve_earmarks(&visit);
    if (placed >= offer->limit)
        return placed;
    if (node->reserved.app && fair_allocate_reserved(&visit, &outcome))
        return placed + (outcome == FAIR_PLACED ? 1 : 0);
    return placed + serve_queues(&visit);
}
