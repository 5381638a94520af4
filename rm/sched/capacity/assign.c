/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assign.c - offers a node to the tree of queues (yarn-behaviour 5.5 to 5.7)
 *
 * An offer starts at root and is passed on to the children of a queue in order, and to the applications of a
 * leaf in order, until an application uses the node. The use of a queue is limited by its own maximum and by
 * the room left in its parent. A queue that could use the node but whose headroom is too small for its first
 * request blocks that headroom for its later siblings (AbstractParentQueue.assignContainersToChildQueues).
 *
 * The index (index.c) excludes queues and users that a limit of their own refuses on any node. A queue
 * without room left can only exchange a reservation for the node. The index finds those that have reserved
 * containers for which the node has room.
 */
#include "rm/sched/capacity/internal.h"

enum result { NOTHING, PLACED, KEPT }; /* KEPT: the node was reserved */

static bool is_thorough(const struct visit *visit)
{
    return visit->asking && visit->asking->thorough;
}

/* --- limits ---------------------------------------------------------------- */

/* Returns true if USED is below LIMIT, or would be below LIMIT without RESERVED
 * (AbstractCSQueue.canAssignToThisQueue).
 * Differs: YARN takes for RESERVED, on the nodes of every label, what is reserved on nodes without a label.
 * creel exchanges reservations of a queue at its limit only on nodes without a label. */
static bool is_below(const struct visit *visit, const struct resource *used, const struct resource *limit,
                     const struct amount *reserved)
{
    const struct calc *calc = &visit->sched->calc;
    struct resource without = *used;

    if (calc_is_less(calc, &visit->sched->total, used, limit))
        return true;
    if (!visit->exceeds)
        return false;
    calc_subtract(calc, &without, reserved);
    return calc_is_less(calc, &visit->sched->total, &without, limit);
}

/* --- a leaf ---------------------------------------------------------------- */

/* Returns true if the user of APP may get more resources (AbstractLeafQueue.canAssignToUser). *UNRESERVE is
 * set to the part of APP's reservations that must be cancelled in exchange.
 * Differs: to decide whether reservations may be exchanged, YARN compares what the user and APP have on nodes
 * without a label with the limit, also if the node has a label. creel compares what they have on nodes of the
 * same label. */
static bool user_may(struct visit *visit, const struct app_partition *app, struct resource *unreserve)
{
    const struct calc *calc = &visit->sched->calc;
    struct resource limit = visit_user_limit(visit, app), without = visit_user_used(visit, app);

    visit->unreserve = NULL;
    if (!calc_is_more(calc, &visit->sched->total, &without, &limit))
        return true;
    if (!visit->looks_on)
        return false;
    *unreserve = without;
    calc_subtract(calc, &without, visit_reserved(visit, app));
    if (calc_is_more(calc, &visit->sched->total, &without, &limit))
        return false;
    calc_subtract(calc, unreserve, &limit);
    visit->unreserve = unreserve;
    return true;
}

static void know_user_limit(struct queue_partition *leaf)
{
    const struct calc *calc = &leaf->sched->calc;
    struct resource limit;

    if (part_data(leaf)->limit_known)
        return;
    limit = capacity_user_limit(leaf->sched, leaf, true);
    calc_store(calc, queue_user_limit(leaf), &limit);
    part_data(leaf)->limit_known = true;
}

/* Returns true if an offer of this node to APP would end for lack of HEADROOM. Changes nothing. */
static bool is_refused_here(const struct visit *visit, struct app_partition *app,
                            const struct resource *headroom)
{
    struct visit dry = *visit;

    dry.dry = true;
    dry.asking = NULL;
    return capacity_allocate(&dry, app, headroom) == SKIP_QUEUE;
}

/* Visits APP while looking for the one application that is offered the node (capacity_assign_to()). The
 * other applications were offered the nodes before and could not use them; but the headroom that they
 * block counts. */
static bool visit_until_app(struct visit *visit, struct app_partition *app, const struct resource *headroom,
                            enum result *result, struct resource *blocked)
{
    struct asking *asking = visit->asking;
    struct resource unreserve;
    bool may = user_may(visit, app, &unreserve);

    if (app == asking->part) {
        asking->reached = may;
        asking->over_user_limit = !may;
        asking->headroom = *headroom;
        asking->exchanges = visit->unreserve != NULL;
        asking->unreserve = unreserve;
        *result = PLACED;
        return true;
    }
    if (asking->thorough && ++asking->visited > SCHED_WHY_AHEAD_MAX) {
        asking->before = app;
        *result = PLACED; /* enough applications are served first to be the reason why this
                             application waits */
        return true;
    }
    if (!may || !(asking->thorough ? is_refused_here(visit, app, headroom)
                                   : capacity_lacks_headroom(visit, app, headroom)))
        return false;
    *blocked = *headroom;
    if (app->leaf == asking->part->leaf)
        asking->before = app;
    return true;
}

/* Records that PART has no headroom, if that affects the application that the visit looks for. */
static void note_full(const struct visit *visit, const struct queue_partition *part)
{
    const struct queue_partition *at = visit->asking ? visit->asking->part->leaf : NULL;

    for (; at; at = at->up)
        if (at == part)
            visit->asking->full = part;
}

/* Offers the node to APP. Returns true if the offer to its leaf ends: RESULT and BLOCKED are then set. */
static bool offer_app(struct visit *visit, struct app_partition *app, const struct resource *headroom,
                      enum result *result, struct resource *blocked)
{
    struct resource unreserve;
    enum outcome outcome;

    visit->sched->visits++;
    if (visit->asking)
        return visit_until_app(visit, app, headroom, result, blocked);
    if (!user_may(visit, app, &unreserve))
        return false;
    outcome = capacity_allocate(visit, app, headroom);
    *result = outcome == ALLOCATED ? PLACED : outcome == RESERVED ? KEPT : NOTHING;
    if (outcome == SKIP_QUEUE) {
        *blocked = *headroom;
        visit->limited = true;
    }
    return *result != NOTHING || outcome == SKIP_QUEUE;
}

/* Offers the node to LEAF, which is at its limit. Applications with reservations may still exchange them. The
 * first application without reservations ends the offer, whether it has requests or not. */
static enum result exchange_in_leaf(struct visit *visit, struct queue_partition *leaf,
                                    const struct resource *limit, struct resource *blocked)
{
    struct resource used = capacity_use(visit_counts_in(visit, leaf)), headroom = *limit;
    struct capacity_app_partition_data *app;
    enum result result = NOTHING;

    calc_subtract(&visit->sched->calc, &headroom, &used);
    RB_FOREACH(app, capacity_active_tree, &part_data(leaf)->active)
        if (!is_below(visit, &used, limit, visit_reserved(visit, app->part)) ||
            offer_app(visit, app->part, &headroom, &result, blocked))
            break;
    return result;
}

/* Returns the total of the node if applications of LEAF that need a larger node can be skipped, or NULL. They
 * cannot be skipped if HEADROOM may be too small for one of them, since this one would end the offer, nor if
 * offers count as missed on the way to nodes that are borrowed. */
static const struct resource *total_that_matters(const struct visit *visit,
                                                 const struct queue_partition *leaf,
                                                 const struct resource *headroom)
{
    if (visit->borrowing || visit->asking || capacity_of(visit->sched)->visits_refused ||
        visit->sched->labels_share || !calc_fits(&visit->sched->calc, &part_data(leaf)->largest, headroom))
        return NULL;
    return &visit->node->total;
}

static enum result visit_leaf(struct visit *visit, struct queue_partition *leaf, const struct resource *limit,
                              struct resource *blocked)
{
    const struct calc *calc = &visit->sched->calc;
    const struct amount *used = queue_used(visit_counts_in(visit, leaf));
    struct resource headroom = *limit;
    enum result result = NOTHING;
    struct app_walk walk;
    struct app_partition *app;

    know_user_limit(leaf);
    if (!calc_is_less(calc, &visit->sched->total, used, limit)) {
        visit->limited = true;
        note_full(visit, leaf);
        return exchange_in_leaf(visit, leaf, limit, blocked);
    }
    calc_subtract(calc, &headroom, used);
    capacity_walk_begin(&walk, leaf, visit->borrowing || is_thorough(visit) ? NULL : queue_user_limit(leaf),
                        total_that_matters(visit, leaf, &headroom));
    while ((app = capacity_walk_next(&walk)) != NULL)
        if (offer_app(visit, app, &headroom, &result, blocked))
            break;
    visit->certain = visit->certain && !walk.passed_over;
    return result;
}

/* --- a parent -------------------------------------------------------------- */

/* Returns the child of PARENT that may borrow the node after AFTER (NULL: the first). */
static struct queue_partition *next_borrower(const struct visit *visit, const struct queue_partition *parent,
                                             const struct queue_partition *after)
{
    struct capacity_partition_data *next =
        after ? RB_NEXT(capacity_borrower_tree, NULL, part_data(visit_counts_in(visit, after)))
              : RB_MIN(capacity_borrower_tree, &part_data(visit_counts_in(visit, parent))->borrowers);

    return next ? next->part->queue->parts[0] : NULL;
}

/* Returns the child to visit after AFTER (NULL: the first). Subtracts the room blocked by skipped children
 * from ROOM. */
static struct queue_partition *next_child(struct visit *visit, const struct queue_partition *parent,
                                          const struct queue_partition *after, struct resource *room)
{
    const struct sched *sched = visit->sched;
    const struct order_entry *behind = after ? &part_data(after)->entry : NULL, *entry;
    struct order_offer offer = { .exchange = visit->exchange };
    int types = calc_types(&sched->calc);
    bool used_up = capacity_is_used_up(parent, room);

    if (visit->borrowing)
        return next_borrower(visit, parent, after);
    if (is_thorough(visit) || (used_up && (visit->asking || capacity_of(sched)->visits_refused))) {
        entry = order_find(&part_data(parent)->children, behind, NULL);
    } else if (used_up) {
        offer.room = order_no_room;
        entry = order_find(&part_data(parent)->children, behind, &offer);
        visit->limited = true;
    } else {
        /* A child is skipped only if ROOM is at least one minimum container more than what the child blocks.
         * Its limit is then its own maximum, although limits are rounded down. */
        for (int t = 0; t < types; t++)
            offer.room.value[t] = room->value[t] - sched->minimum.value[t];
        entry = order_pass(&part_data(parent)->children, behind, &offer);
        for (int t = 0; t < types; t++)
            room->value[t] = offer.room.value[t] + sched->minimum.value[t];
    }
    return entry ? capacity_queue_of(entry) : NULL;
}

static enum result visit_queue(struct visit *visit, struct queue_partition *part,
                               const struct resource *offered, struct resource *blocked);

static enum result visit_children(struct visit *visit, struct queue_partition *parent,
                                  const struct resource *limit, struct resource *blocked)
{
    const struct calc *calc = &visit->sched->calc;
    const struct queue_partition *counts_in = visit_counts_in(visit, parent);
    struct resource used = capacity_use(counts_in), room;
    struct queue_partition *child = NULL;

    if (!is_below(visit, &used, limit, queue_reserved(counts_in))) {
        visit->limited = true;
        note_full(visit, parent);
        return NOTHING;
    }
    room = *blocked = capacity_room(parent, limit);
    while ((child = next_child(visit, parent, child, &room)) != NULL) {
        struct resource down = capacity_child_limit(child, &room), kept;
        enum result result = visit_queue(visit, child, &down, &kept);

        if (result != NOTHING)
            return result;
        calc_subtract(calc, &room, &kept);
        if (visit->asking && !calc_is_zero(calc, &kept))
            visit->asking->keeper = child;
    }
    calc_subtract(calc, blocked, &room);
    return NOTHING;
}

/* Offers the node to PART. OFFERED: limit of PART by the room of its parent. If PART does not use the node,
 * sets BLOCKED to the room that PART blocks for its later siblings. */
static enum result visit_queue(struct visit *visit, struct queue_partition *part,
                               const struct resource *offered, struct resource *blocked)
{
    const struct calc *calc = &visit->sched->calc;
    const struct resource *maximum = &part_data(part)->share->effective_maximum;
    const struct resource *limit =
        visit->borrowing ? visit->partition : calc_least(calc, &visit->sched->total, maximum, offered);
    bool certain = visit->certain, limited = visit->limited;
    enum result result;

    *blocked = calc_zero;
    visit->certain = !visit->borrowing && !visit->asking;
    visit->limited = false;
    result =
        part->is_leaf ? visit_leaf(visit, part, limit, blocked) : visit_children(visit, part, limit, blocked);
    if (!calc_above_zero(calc, &visit->sched->total, blocked))
        *blocked = calc_zero;
    if (limit == maximum)
        visit->limited = false; /* the queue's own maximum is the limit, independent of its parent */
    if (result == NOTHING && part->up && visit->certain && !visit->limited)
        capacity_index_block(part, blocked);
    visit->certain = visit->certain && certain;
    visit->limited = visit->limited || limited;
    return result;
}

static void enter_partition(struct visit *visit)
{
    visit->partition = &visit->sched->label_total[visit->node->label];
    visit->looks_on = capacity_of(visit->sched)->config->reservations_continue_look;
    visit->exceeds = visit->looks_on && visit->node->label == 0;
    visit->exchange = visit->exceeds ? sched_node_room(visit->node) : order_no_room;
}

static enum result visit_root(struct visit *visit)
{
    const struct sched_queue *root = TAILQ_FIRST(&visit->sched->queues);
    struct queue_partition *part = sched_queue_partition_have(root, visit->label);
    struct resource blocked;

    if (part == NULL || !capacity_has_pending(part))
        return NOTHING;
    enter_partition(visit);
    return visit_queue(visit, part, visit->partition, &blocked);
}

/* Allocates or reserves one container. A node of a non-exclusive label serves requests without a label if its
 * own partition has no request that it can serve (CapacityScheduler.allocateOrReserveNewContainers). */
static enum result assign_one(struct visit *visit)
{
    struct capacity *capacity = capacity_of(visit->sched);
    int label = visit->node->label;
    enum result result;

    capacity->offers++;
    visit->off_switch = visit->rejected = visit->borrowing = false;
    visit->label = label;
    result = visit_root(visit);
    if (result != NOTHING || label == 0 || !visit->sched->labels[label].shared)
        return result;
    visit->label = 0;
    visit->borrowing = true;
    return visit_root(visit);
}

/* Returns true if the heartbeat may continue after ASSIGNED containers, OFF_SWITCH of them neither node- nor
 * rack-local (CapacityScheduler.canAllocateMore). A rejected decision counts as a container.
 * Differs: without a limit on their number, YARN repeats such a decision endlessly. */
static bool may_go_on(const struct visit *visit, int64_t assigned, int64_t off_switch)
{
    const struct capacity_config *config = capacity_of(visit->sched)->config;

    if (!visit->offer->heartbeat)
        return !visit->rejected;
    if (!config->multiple_assignments || off_switch >= config->maximum_offswitch_assignments)
        return false;
    return config->maximum_container_assignments < 0 ? !visit->rejected
                                                     : assigned < config->maximum_container_assignments;
}

unsigned capacity_assign(struct sched *sched, struct sched_node *node, const struct offer *offer,
                         struct sched_decisions *decisions)
{
    struct visit visit = { .sched = sched, .node = node, .offer = offer, .decisions = decisions };
    int64_t assigned = 0, off_switch = 0;
    unsigned placed = 0;

    capacity_recompute(sched);
    if (node->reserved.app) /* the node is offered to no other application */
        return capacity_allocate_reserved(&visit) == ALLOCATED ? 1 : 0;
    while (placed < offer->limit && (node->has_room || node->killable > 0) && assign_one(&visit) == PLACED) {
        placed += visit.rejected ? 0 : 1;
        off_switch += visit.off_switch ? 1 : 0;
        if (!may_go_on(&visit, ++assigned, off_switch))
            break;
    }
    return placed;
}

/* --- one application ------------------------------------------------------- */

/* Returns whether an offer of NODE's partition would reach PART, and with which headroom. The result is
 * cached until a sum, a request or the cluster changes. */
static const struct asking *reach(struct visit *visit, struct app_partition *part)
{
    struct asking *asking = &capacity_of(visit->sched)->asking;

    if (asking->part == part && asking->changes == capacity_of(visit->sched)->changes)
        return asking;
    *asking = (struct asking){ .part = part, .changes = capacity_of(visit->sched)->changes };
    visit->asking = asking;
    visit_root(visit);
    visit->asking = NULL;
    return asking;
}

enum sched_answer capacity_assign_to(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                     struct sched_decisions *decisions)
{
    const struct offer offer = { .limit = 1 };
    struct visit visit = {
        .sched = sched, .node = node, .offer = &offer, .decisions = decisions, .label = node->label
    };
    struct app_partition *part;
    const struct asking *asking;

    capacity_recompute(sched);
    part = sched_app_partition_have(app, node->label);
    if (part == NULL || sched_app_avoids(app, node))
        return SCHED_DECLINED;
    enter_partition(&visit);
    asking = reach(&visit, part);
    if (asking->reached) {
        struct resource headroom = asking->headroom, unreserve = asking->unreserve;

        visit.unreserve = asking->exchanges ? &unreserve : NULL;
        if (capacity_allocate(&visit, part, &headroom) == ALLOCATED && !visit.rejected)
            return SCHED_TAKEN;
    }
    return visit.hopeful || sched->label_count > 1 ? SCHED_DECLINED : SCHED_HOPELESS;
}

/* --- reports ------------------------------------------------------------------ */

static const struct offer next_heartbeat = {
    .limit = 1,
    .heartbeat = true,
    .opportunity = true,
    .reserve = true,
};

void capacity_probe(struct sched *sched, struct sched_node *node, struct app_partition *part,
                    struct asking *asking)
{
    struct visit visit = {
        .sched = sched, .node = node, .offer = &next_heartbeat, .label = part->label, .asking = asking
    };

    capacity_recompute(sched);
    *asking = (struct asking){ .part = part, .thorough = true };
    visit_root(&visit);
}

enum outcome capacity_probe_node(struct sched *sched, struct sched_node *node, struct app_partition *part,
                                 const struct asking *asking, bool *rejected)
{
    struct visit visit = {
        .sched = sched, .node = node, .offer = &next_heartbeat, .label = part->label, .dry = true
    };
    struct resource headroom = asking->headroom, unreserve = asking->unreserve;
    enum outcome outcome;

    enter_partition(&visit);
    visit.unreserve = asking->exchanges ? &unreserve : NULL;
    outcome = capacity_allocate(&visit, part, &headroom);
    *rejected = visit.rejected;
    return outcome;
}

bool capacity_can_assign(const struct sched *sched)
{
    const struct sched_queue *root = TAILQ_FIRST(&sched->queues);

    capacity_recompute((struct sched *)(uintptr_t)sched);
    for (int l = 0; l < root->part_count; l++) {
        const struct queue_partition *part = root->parts[l];
        const struct resource *need, *exchange;

        if (part == NULL || !capacity_has_pending(part))
            continue;
        need = order_least_need(&part_data(part)->children);
        exchange = order_least_exchange(&part_data(part)->children);
        if (need->value[0] != ORDER_NEVER || exchange->value[0] != ORDER_NEVER ||
            sched->label_count > 1) /* limits do not apply to borrowed nodes */
            return true;
    }
    return false;
}
