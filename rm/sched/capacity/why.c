/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why.c - explains why an application of the capacity scheduler waits
 *
 * This uses the functions that make the scheduling decisions: a node is offered to the tree of queues,
 * without changes, and what stops the offer before the application is recorded (capacity_probe()). If the
 * offer reaches the application, each node is offered to the application in the same way
 * (capacity_probe_node()).
 */
#include "rm/sched/capacity/internal.h"

/* --- items -------------------------------------------------------------------- */

static struct sched_why_item *add_queue(const struct queue_partition *part, const struct app_partition *app,
                                        bool blocking, struct sched_why *why)
{
    struct sched_why_item *item = sched_why_add(
        why, part == app->leaf ? SCHED_REASON_QUEUE_LIMIT : SCHED_REASON_PARENT_LIMIT, blocking);

    item->queue = part->queue->path;
    item->used = sched_load(part->sched, queue_used(part));
    item->allowed = part_data(part)->share->effective_maximum;
    item->since_ms = blocking ? app->app->waits_since_ms : 0;
    return item;
}

static void add_user(const struct sched *sched, const struct app_partition *app, bool blocking,
                     struct sched_why *why)
{
    struct resource limit = capacity_user_limit(sched, app->leaf, true);
    struct sched_why_item *item = sched_why_add(why, SCHED_REASON_USER_LIMIT, blocking);

    item->queue = app->leaf->queue->path;
    item->user = app->user->user->name;
    item->used = sched_load(sched, user_used(app->user));
    item->allowed = capacity_weighted_limit(sched, &limit, app->user->user->weight);
    item->since_ms = blocking ? app->app->waits_since_ms : 0;
}

static uint32_t count_ahead(const struct app_partition *app)
{
    struct app_walk walk;
    struct app_partition *at;
    uint32_t ahead = 0;

    capacity_walk_begin(&walk, app->leaf, NULL, NULL);
    while (ahead < SCHED_WHY_AHEAD_MAX && (at = capacity_walk_next(&walk)) != NULL && at != app)
        ahead++;
    return ahead;
}

/* --- an application that is not active ---------------------------------------- */

static void add_am_limits(const struct sched *sched, const struct sched_app *app,
                          const struct app_partition *part, struct sched_why *why)
{
    struct resource limit = resource_of(0, 0);
    enum sched_reason reason = capacity_am_refusal(sched, app, &limit);
    struct sched_why_item *item = sched_why_add(why, SCHED_REASON_AM_LIMIT, reason == SCHED_REASON_AM_LIMIT);

    item->queue = app->queue->path;
    item->used = sched_load(sched, queue_am_used(part->leaf));
    item->asked = sched_load(sched, app_master(app));
    item->allowed = capacity_am_limit(sched, part->leaf);
    item = sched_why_add(why, SCHED_REASON_USER_AM_LIMIT, reason == SCHED_REASON_USER_AM_LIMIT);
    item->queue = app->queue->path;
    item->user = app->user;
    item->used = sched_load(sched, user_am_used(part->user));
    item->asked = sched_load(sched, app_master(app));
    item->allowed = reason == SCHED_REASON_USER_AM_LIMIT
                        ? limit
                        : capacity_user_am_limit(sched, part->leaf, app->leaf_user->weight);
}

static void explain_waiting(const struct sched *sched, const struct sched_app *app,
                            const struct app_partition *part, struct sched_why *why)
{
    if (queue_data(app->queue)->config->state != CAPACITY_RUNNING)
        sched_why_add(why, SCHED_REASON_QUEUE_STOPPED, false)->queue = app->queue->path;
    capacity_parallel_explain(app, why);
    add_am_limits(sched, app, part, why);
    sched_why_settle(why);
}

/* --- headroom ------------------------------------------------------------------ */

enum without { NOTHING_LESS, WITHOUT_OWN_RESERVED, WITHOUT_RESERVED };

/* Returns true if PART has too little room for the request of APP, even if the reserved resources selected by
 * WITHOUT were free. */
static bool lacks_room(const struct queue_partition *part, const struct app_partition *app,
                       const struct resource *asked, enum without without)
{
    const struct sched *sched = part->sched;
    const struct resource *maximum = &part_data(part)->share->effective_maximum;
    struct resource used = capacity_use(part), sum;

    if (without == WITHOUT_RESERVED)
        calc_subtract(&sched->calc, &used, queue_reserved(part));
    else if (without == WITHOUT_OWN_RESERVED)
        calc_subtract(&sched->calc, &used, app_reserved(app));
    sum = used;
    calc_add(&sched->calc, &sum, asked);
    return !calc_is_less(&sched->calc, &sched->total, &used, maximum) ||
           !calc_fits(&sched->calc, &sum, maximum);
}

/* Returns the first queue from the leaf up that lacks room; NULL: none does. */
static const struct queue_partition *lacking(const struct app_partition *app, const struct resource *asked,
                                             enum without without)
{
    const struct queue_partition *at = app->leaf;

    while (at && !lacks_room(at, app, asked, without))
        at = at->up;
    return at;
}

static bool is_whole_cluster(const struct queue_partition *part)
{
    return calc_is_within(&part->sched->calc, &part->sched->label_total[part->label],
                          &part_data(part)->share->effective_maximum);
}

static void add_first(const struct queue_partition *queue, enum sched_reason reason, struct sched_why *why)
{
    struct sched_why_item *item = sched_why_add(why, reason, true);

    item->queue = queue->queue->path;
    item->nodes = why->nodes;
}

/* Returns true if all reservations of the application are for other requests than its first. */
static bool is_reserved_by_another(const struct app_partition *app)
{
    const struct demand *first = sched_demand_first(app->app);

    return app->app->reserved_count > 0 && first && first->reserved == 0;
}

/* Explains that the queue or one above has too little headroom. The application's own reservation does not
 * block it: the application waits for that node. If the cluster itself is too small, the reason is
 * CLUSTER_FULL. */
static void explain_headroom(const struct app_partition *app, const struct asking *asking,
                             struct sched_why *why)
{
    const struct queue_partition *full = lacking(app, &why->asked, NOTHING_LESS);
    const struct queue_partition *firm = lacking(app, &why->asked, WITHOUT_RESERVED);

    if (full == NULL && asking->keeper) {
        add_first(asking->keeper, SCHED_REASON_BEHIND_QUEUE, why);
    } else if (firm && !is_whole_cluster(firm)) {
        add_queue(firm, app, true, why);
    } else if (firm == NULL && full && lacking(app, &why->asked, WITHOUT_OWN_RESERVED)) {
        add_first(full, SCHED_REASON_RESERVED_FOR, why);
    } else if (why->reason == SCHED_REASON_NONE) {
        why->reason = is_reserved_by_another(app) ? SCHED_REASON_RESERVED_FOR : SCHED_REASON_CLUSTER_FULL;
    }
}

/* --- nodes ---------------------------------------------------------------------- */

struct nodes {
    bool headroom;         /* there is enough headroom for the first request */
    bool taken;            /* the application would use an offer of node BY */
    struct sched_node *by; /* valid if TAKEN */
    bool delayed;          /* a node will be used after more missed opportunities */
    bool rejected;         /* a node would be used, but a maximum rejects the decision
                              (AbstractCSQueue.accept) */
};

/* Returns true if DEMAND will be relaxed to NODE. A request that is not relaxed to any node has no missed
 * opportunities, and so is never relaxed to a rack, either, as in YARN
 * (RegularContainerAllocator.allocate). */
static bool is_relaxed_to(const struct demand *demand, const struct sched_node *node)
{
    const struct row *rack = sched_demand_find_rack(demand, node);

    return !demand->strict && !(sched_row_has_pending(rack) && rack->strict);
}

static void offer_node(struct sched *sched, struct sched_node *node, struct app_partition *app,
                       const struct asking *asking, struct nodes *found)
{
    const struct demand *first = sched_demand_first(app->app);
    bool rejected;
    enum outcome outcome = capacity_probe_node(sched, node, app, asking, &rejected);

    found->headroom = outcome != SKIP_QUEUE;
    found->taken = outcome == ALLOCATED && !rejected;
    found->by = node;
    found->rejected = found->rejected || (outcome == ALLOCATED && rejected);
    found->delayed = found->delayed || (!sched_app_avoids(app->app, node) &&
                                        sched_node_count_fitting(sched, node, demand_size(first), 1) > 0 &&
                                        is_relaxed_to(first, node));
}

/* Offers, without changes, the nodes in ROOM that have enough memory and are not reserved for another
 * request, until the application uses one of them. */
static void offer_nodes(struct sched *sched, struct sched_room_tree *room, struct app_partition *app,
                        const struct asking *asking, int64_t memory_mb, struct nodes *found)
{
    struct sched_node *node;

    RB_FOREACH(node, sched_room_tree, room) {
        if (found->taken || node->total.value[0] - node->used.value[0] < memory_mb)
            return;
        if (node->label == app->label && !sched_why_reserved(node, app->app, sched_demand_first(app->app)))
            offer_node(sched, node, app, asking, found);
    }
}

/* Returns true if ASKED exceeds the headroom, so that reservations must be cancelled in exchange
 * (must_give_up() in allocate.c). */
static bool needs_exchange(const struct app_partition *app, const struct asking *asking,
                           const struct resource *asked)
{
    const struct sched *sched = app->app->sched;
    struct resource over = resource_subtract(*asked, asking->headroom);

    return calc_above_zero(&sched->calc, &sched->total, &over);
}

/* Returns why FIRST is not placed although there is room. If FIRST has reserved all nodes that it needs, it
 * waits for these nodes. */
static enum sched_reason passed_over(const struct demand *first, const struct nodes *found)
{
    if (first == NULL || first->row_count == 0 || first->reserved >= first->count)
        return SCHED_REASON_CLUSTER_FULL;
    return found->delayed ? SCHED_REASON_LOCALITY_DELAY : SCHED_REASON_PLACEMENT;
}

/* Explains why the application waits although an offer of NODE reaches it. Returns the node that the
 * application would use, or NULL. */
static struct sched_node *explain_nodes(struct sched *sched, struct sched_node *node,
                                        struct app_partition *app, const struct asking *asking,
                                        struct sched_why *why)
{
    const struct demand *first = sched_demand_first(app->app);
    struct nodes found = { .headroom = true };

    offer_node(sched, node, app, asking, &found);
    found = (struct nodes){ .headroom = found.headroom }; /* reset, since NODE may be reserved, or
                                                             full */
    if (found.headroom) {
        offer_nodes(sched, &sched->room, app, asking, why->asked.value[0], &found);
        offer_nodes(sched, &sched->kept, app, asking, why->asked.value[0], &found);
    }
    if (!found.headroom || (found.rejected && !found.taken)) {
        explain_headroom(app, asking, why);
        return NULL;
    }
    if (found.taken) {
        why->reason = SCHED_REASON_NEXT_OFFER;
        return found.by;
    }
    if (why->reason == SCHED_REASON_NONE && asking->exchanges) {
        add_user(sched, app, true, why); /* no reservation of the application is large enough to be
                                            exchanged */
        return NULL;
    }
    if (why->reason == SCHED_REASON_NONE && needs_exchange(app, asking, &why->asked)) {
        explain_headroom(app, asking, why);
        return NULL;
    }
    if (why->reason == SCHED_REASON_NONE)
        why->reason = passed_over(first, &found);
    if (why->reason == SCHED_REASON_CLUSTER_FULL && app->app->reserved_count == 0) {
        why->ahead = count_ahead(app);
        why->reason = why->ahead > 0 ? SCHED_REASON_BEHIND_IN_QUEUE : why->reason;
    }
    return NULL;
}

static struct sched_node *some_node(const struct sched *sched, int label)
{
    struct sched_node *node, *next;

    HASH_ITER(hh, sched->nodes, node, next)
        if (sched_node_is_offered(node) && node->label == label)
            return node;
    return NULL;
}

/* Offers NODE without changes and explains the result. Returns the node that the application would use, or
 * NULL. */
static struct sched_node *explain_offer(struct sched *sched, struct sched_node *node,
                                        struct app_partition *app, struct sched_why *why)
{
    const struct queue_partition *firm = lacking(app, &why->asked, WITHOUT_RESERVED);
    struct asking asking;

    capacity_probe(sched, node, app, &asking);
    if (asking.reached)
        return explain_nodes(sched, node, app, &asking, why);
    if (asking.over_user_limit) {
        add_user(sched, app, true, why);
    } else if (asking.visited > SCHED_WHY_AHEAD_MAX && firm && !is_whole_cluster(firm)) {
        add_queue(firm, app, true, why); /* the visit ended early, but this limit applies in any
                                            case */
    } else if (asking.before && asking.before->leaf != app->leaf) {
        add_first(asking.before->leaf, SCHED_REASON_BEHIND_QUEUE, why);
    } else if (asking.before) {
        why->ahead = count_ahead(app);
        why->reason = SCHED_REASON_BEHIND_IN_QUEUE;
    } else {
        explain_headroom(app, &asking, why);
    }
    return NULL;
}

/* Explains why an active application waits, if there are nodes that it may use. Offers some node first. If
 * the application would use another node, offers that node, too: on that node, other applications before it
 * may be refused. */
static void explain_active(struct sched *sched, struct app_partition *app, struct sched_why *why)
{
    struct sched_node *node = some_node(sched, app->label), *taken = NULL;
    enum sched_reason reason = why->reason;

    if (node)
        taken = explain_offer(sched, node, app, why);
    if (taken && taken != node) {
        why->reason = reason;
        explain_offer(sched, taken, app, why);
    }
    if (!sched_why_settle(why)) {
        why->queue = app->leaf->queue->path;
        add_queue(app->leaf, app, false, why);
    }
    if (why->reason != SCHED_REASON_USER_LIMIT)
        add_user(sched, app, false, why);
}

void capacity_explain(const struct sched *sched, const struct sched_app *app, struct sched_why *why)
{
    struct sched *live = (struct sched *)(uintptr_t)sched;
    const struct demand *first;
    struct app_partition *part;

    capacity_recompute(live);
    first = sched_demand_first(app);
    part = sched_app_partition((struct sched_app *)(uintptr_t)app, first ? first->label : app->label);
    if (app->state != APP_ACTIVE)
        explain_waiting(sched, app, part, why);
    else if (first)
        explain_active(live, part, why);
}
