/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assign.c - offers a node to the tree of queues, from root down (yarn-behaviour 8.8)
 *
 * Only queues and applications that are in an index (index.c), and whose need fits the node, are visited.
 * Others could neither place a container on the node nor reserve it.
 */
#include "rm/sched/fair/internal.h"

/* --- a leaf -------------------------------------------------------------------- */

/* If the AM limit of LEAF depends on the free room, offers room to refused AMs again as soon as the smallest
 * refused AM fits. */
static void wake_refused(const struct fair_visit *visit, struct fair_queue *leaf)
{
    struct resource limit, sum;
    bool limited;

    if (!leaf->refused_lightly || order_is_empty(&leaf->refused))
        return;
    limit = fair_am_limit(visit->sched, leaf, &limited);
    sum = leaf->am_used;
    calc_add(&visit->sched->calc, &sum, order_least_need(&leaf->refused));
    if (!limited || resource_fits(&sum, &limit))
        fair_wake_apps(leaf);
}

static enum fair_outcome visit_app(struct fair_visit *visit, struct fair_app *app)
{
    enum fair_outcome outcome;
    bool lightly;

    visit->sched->visits++;
    if (sched_app_avoids(app->app, visit->node))
        return FAIR_NOTHING;
    if (fair_over_am_limit(visit->sched, app, &lightly)) {
        fair_refuse_am(app, lightly);
        return FAIR_NOTHING;
    }
    outcome = fair_allocate(visit, app);
    if (outcome == FAIR_NOTHING)
        fair_app_measure(app);
    return outcome;
}

static enum fair_outcome visit_leaf(struct fair_visit *visit, struct fair_queue *leaf)
{
    enum fair_outcome outcome = FAIR_NOTHING;
    const struct order_entry *at = NULL;

    while (outcome == FAIR_NOTHING && (at = order_find(&leaf->order, at, &visit->offered)) != NULL)
        outcome = visit_app(visit, fair_app_of(at));
    return outcome;
}

/* --- a queue ------------------------------------------------------------------- */

static enum fair_outcome visit_queue(struct fair_visit *visit, struct fair_queue *queue);

static enum fair_outcome visit_children(struct fair_visit *visit, struct fair_queue *queue)
{
    enum fair_outcome outcome = FAIR_NOTHING;
    const struct order_entry *at = NULL;

    while (outcome == FAIR_NOTHING && (at = order_find(&queue->order, at, &visit->offered)) != NULL)
        outcome = visit_queue(visit, fair_queue_of(at));
    return outcome;
}

/* Returns true if the use of QUEUE leaves too little below its maximum for any request below QUEUE. */
static bool is_full(const struct fair_queue *queue)
{
    const struct calc *calc = &queue->part->sched->calc;
    struct resource used = fair_used(queue), room = queue->maximum;

    calc_subtract(calc, &room, &used);
    return !calc_is_within(calc, &queue->item.entry.need, &room);
}

static enum fair_outcome visit_queue(struct fair_visit *visit, struct fair_queue *queue)
{
    enum fair_outcome outcome;

    if (is_full(queue)) {
        fair_sleep(queue);
        return FAIR_NOTHING;
    }
    if (queue->leaf)
        wake_refused(visit, queue);
    outcome = queue->leaf ? visit_leaf(visit, queue) : visit_children(visit, queue);
    if (outcome == FAIR_NOTHING)
        fair_queue_measure(queue); /* after a placement, the change of sums did this */
    return outcome;
}

/* --- a node -------------------------------------------------------------------- */

/* Returns true if APP still needs the room freed for it (FSSchedulerNode.cleanupPreemptionList). */
static bool needs_claim(const struct sched *sched, const struct fair_app *app)
{
    struct resource lacks = fair_app_lacks(app);

    return app->app->state == APP_ACTIVE && !resource_is_zero(&lacks) && fair_is_starved(sched, app);
}

/* Serves first the applications for which containers on this node were preempted. */
static unsigned serve_claims(struct fair_visit *visit)
{
    struct fair_claim *claim, *next;
    struct fair_node *node;
    unsigned placed = 0;

    if (visit->fair->claim_count == 0 || (node = fair_node_data(visit->node)) == NULL)
        return 0;
    TAILQ_FOREACH_SAFE(claim, &node->claims, of_node, next) {
        struct fair_app *app = claim->app;
        bool lightly, last = false;

        if (!needs_claim(visit->sched, app)) {
            fair_claim_drop(claim);
            continue;
        }
        while (!last && !sched_app_avoids(app->app, visit->node) &&
               !fair_over_am_limit(visit->sched, app, &lightly) && fair_allocate(visit, app) == FAIR_PLACED) {
            placed++;
            last = fair_claim_find(visit->node, app) != claim;
        }
    }
    return placed;
}

/* Returns true if at most half of FREE, the free room when the offer began, has been used since. */
static bool half_is_free(const struct fair_visit *visit, const int64_t *free)
{
    int types = visit->sched->calc.types;

    for (int t = 0; t < types; t++)
        if (free[t] - visit->free[t] > free[t] / 2)
            return false;
    return true;
}

/* Returns true if another container may be placed, after PLACED. FREE was free when the offer began. */
static bool goes_on(const struct fair_visit *visit, unsigned placed, const int64_t *free)
{
    const struct fair_config *config = visit->fair->config;

    if (placed >= visit->offer->limit)
        return false;
    if (!visit->offer->heartbeat)
        return true; /* the following limits apply only to heartbeats */
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

    if (!fair_can_assign(visit->sched))
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
    visit->fair = fair_of(sched);
    visit->node = node;
    visit->offer = offer;
    visit->decisions = decisions;
    visit->serves_reservation = visit->hopeful = false;
    fair_recompute(sched);
    visit->available = resource_subtract(sched->total, sched->used);
    visit->fair->visit = visit;
    fair_visit_room(visit);
}

static void end_visit(struct fair_visit *visit)
{
    visit->fair->visit = NULL;
}

/* Places as many containers as the room of the node and the limits of an offer allow. */
static unsigned serve(struct fair_visit *visit)
{
    unsigned placed = serve_claims(visit);
    enum fair_outcome outcome;

    if (placed >= visit->offer->limit || fair_node_awaits_victims(visit->node))
        return placed;
    if (visit->node->reserved.app && fair_allocate_reserved(visit, &outcome))
        return placed + (outcome == FAIR_PLACED ? 1 : 0);
    return placed + serve_queues(visit);
}

unsigned fair_assign(struct sched *sched, struct sched_node *node, const struct offer *offer,
                     struct sched_decisions *decisions)
{
    struct fair_visit visit;
    unsigned placed;

    begin_visit(&visit, sched, node, offer, decisions);
    placed = serve(&visit);
    end_visit(&visit);
    return placed;
}

static enum sched_answer serve_app(struct fair_visit *visit, struct sched_app *app)
{
    bool lightly;

    if (fair_over_am_limit(visit->sched, fair_app_data(app), &lightly))
        return SCHED_HOPELESS;
    if (sched_app_avoids(app, visit->node))
        return SCHED_DECLINED;
    if (serve_claims(visit) > 0)
        return SCHED_TAKEN;
    if (fair_node_awaits_victims(visit->node))
        return SCHED_DECLINED;
    if (fair_allocate(visit, fair_app_data(app)) == FAIR_PLACED)
        return SCHED_TAKEN;
    return visit->hopeful ? SCHED_DECLINED : SCHED_HOPELESS;
}

enum sched_answer fair_assign_to(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                 struct sched_decisions *decisions)
{
    const struct offer offer = { .limit = 1 };
    enum sched_answer answer;
    struct fair_visit visit;

    begin_visit(&visit, sched, node, &offer, decisions);
    answer = serve_app(&visit, app);
    end_visit(&visit);
    return answer;
}
