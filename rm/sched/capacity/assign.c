/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assign.c - a node on its way down the tree of queues (yarn-behaviour 5.5 to 5.7)
 *
 * Only what stands in the trees of index.c is visited. Who is refused by a limit of its own goes to
 * sleep there, so that the next node does not ask again.
 */
#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"

enum descent { PLACED, KEPT, NOTHING, NO_HEADROOM };    /* KEPT: the node was reserved */

/* --- limits ---------------------------------------------------------------- */

/* What PART may hold when its parent offers OFFERED. A borrowed node knows no maximum. */
static const struct resource *own_limit(const struct visit *visit, const struct queue_part *part,
                                        const struct resource *offered)
{
    if (visit->borrowing)
        return visit->total;
    return calc_is_less(&visit->sched->calc, visit->total, offered, queue_maximum(part))
               ? offered : &part->share->effective_maximum;
}

/* May PART have more, if RESERVED is given up for it? */
static bool below_without(const struct visit *visit, const struct amount *used,
                          const struct resource *limit, const struct amount *reserved)
{
    const struct calc *calc = &visit->sched->calc;
    struct resource without;

    if (!visit->looks_on)
        return false;
    without = calc_load(calc, used);
    calc_subtract(calc, &without, reserved);
    return calc_is_less(calc, visit->total, &without, limit);
}

/* May PART, a queue above others, have more? */
static inline bool below_limit(const struct visit *visit, const struct queue_part *part,
                        const struct resource *limit)
{
    struct resource firm;
    const struct amount *used = capacity_use_of(part, &firm);

    return calc_is_less(&visit->sched->calc, visit->total, used, limit) ||
           below_without(visit, used, limit, queue_reserved(part));
}

/* Is it PART's own maximum that refuses it, whatever its parents have? */
static bool at_own_maximum(const struct visit *visit, const struct queue_part *part)
{
    const struct sched *sched = visit->sched;
    struct resource most, firm;
    const struct amount *used;

    if (visit->borrowing || !calc_is_zero(&sched->calc, queue_reserved(part)))
        return false;
    most = capacity_room_at_most(sched, part);
    used = capacity_use_of(part, &firm);
    calc_add(&sched->calc, &most, used);
    return calc_compare(&sched->calc, visit->total, used, &most) >= 0;
}

/* The next ask of a leaf, PART's, is more than there is room for: not again while there is no more. */
static void starve(const struct visit *visit, const struct app_part *part)
{
    const struct sched *sched = visit->sched;
    struct queue_part *leaf = part->leaf;
    struct resource most = capacity_room_at_most(sched, leaf), refused = demand_capability(visit->refused);

    capacity_starve(part, visit->refused);
    if (calc_is_more(&sched->calc, visit->total, &refused, &most) &&
        calc_is_zero(&sched->calc, queue_reserved(leaf)))
        capacity_sleep(leaf);
}

/* --- a leaf ---------------------------------------------------------------- */

static void know_user_limit(struct sched *sched, struct queue_part *leaf)
{
    struct resource limit;

    if (leaf->limit_known)
        return;
    limit = capacity_user_limit(sched, leaf, true);
    calc_store(&sched->calc, queue_user_limit(leaf), &limit);
    leaf->limit_known = true;
}

/* The user of APP has reached its limit. May it have more if reservations of APP's go for it? How much of
 * them is UNRESERVE. (What is rare stands for itself, so that the usual way is short.) */
static bool __attribute__((noinline)) user_may_exchange(struct visit *visit, const struct app_part *app,
                                                        const struct amount *limit,
                                                        struct resource *unreserve)
{
    const struct sched *sched = visit->sched;
    struct resource own, without;

    if (!visit->looks_on)
        return false;
    own = sched_load(sched, limit);
    own = capacity_weighted_limit(sched, &own, app->user->user->weight);
    without = sched_load(sched, user_used(app->user));
    *unreserve = without;
    calc_subtract(&sched->calc, &without, app_reserved(app));
    if (calc_is_more(&sched->calc, visit->total, &without, &own))
        return false;
    calc_subtract(&sched->calc, unreserve, &own);
    visit->unreserve = unreserve;
    return true;
}

/* May the user of APP have more? */
static inline bool user_may(struct visit *visit, const struct app_part *app, struct resource *unreserve)
{
    struct sched *sched = visit->sched;
    const struct amount *limit = queue_user_limit(app->leaf);

    visit->unreserve = NULL;
    if (visit->borrowing || capacity_below_floor(app->user))
        return true;
    visit->firm = false;
    know_user_limit(sched, app->leaf);
    return !capacity_user_over(sched, app->user, limit) ||
           user_may_exchange(visit, app, limit, unreserve);
}

static enum descent finish(enum outcome outcome)
{
    return outcome == ALLOCATED ? PLACED : outcome == RESERVED ? KEPT : NO_HEADROOM;
}

/* LEAF is to be visited. Whatever its parents have left is its own to take while it has so much more room
 * below its maximum, and is in whole containers if what it uses is. */
static void look_ahead_from(struct visit *visit, struct queue_part *leaf,
                            const struct resource *headroom)
{
    const struct sched *sched = visit->sched;

    visit->exchanging = visit->looks_on && !calc_is_zero(&sched->calc, queue_reserved(leaf)) ? leaf : NULL;
    visit->sure = visit->counts = visit->firm = true;
    visit->least = visit->most = INFINITY;
    visit->steady = visit->exchanging && capacity_in_whole(sched, headroom);
}

/* If the visit of LEAF was in vain, for how long it need not be visited again. */
static enum descent remember(struct visit *visit, struct queue_part *leaf, enum descent result)
{
    bool steady;

    if (visit->exchanging == NULL)
        return result;
    steady = visit->steady && visit->most < INFINITY &&
             capacity_hold_reaches(visit->sched, leaf, visit->most);
    if (result == PLACED || result == KEPT || !visit->sure || !(steady || visit->full))
        SLIST_INIT(&leaf->counted);
    else
        capacity_hold_remember(visit, leaf, steady ? visit->most : 0);
    visit->exchanging = NULL;
    return result;
}

/* TAKER's app was given a container; those before it were passed over in vain, and are while there is less
 * than LEAST and MOST. If it would be refused from now on, nobody behind it is asked either. */
static void remember_taker(struct visit *visit, struct queue_part *leaf, const struct app_part *taker,
                           double least, double most)
{
    const struct sched *sched = visit->sched;
    struct resource used = sched_load(sched, queue_used(leaf));
    double need = leaf->fair || !visit->firm ? 0 : (double)capacity_app_need(taker);

    most = need < most ? need : most;
    visit->exchanging = NULL;
    visit->least = least;
    if (most > 0 && capacity_in_whole(sched, &used) && capacity_hold_reaches(sched, leaf, most))
        capacity_hold_remember_taker(visit, leaf, most);
    else
        SLIST_INIT(&leaf->counted);
}

/* Before users of LEAF are asked whether they may have more. */
static inline void begin_leaf(struct visit *visit, struct queue_part *leaf)
{
    if (!leaf->limit_known && !RB_EMPTY(&leaf->sleepers)) {
        know_user_limit(visit->sched, leaf);
        capacity_wake_users(visit->sched, leaf, false);
    }
    capacity_hold_visit(leaf);
    if (visit->borrowing && !RB_EMPTY(&leaf->sleepers))
        capacity_wake_users(visit->sched, leaf, true);  /* no limit holds there */
}

static enum descent visit_leaf(struct visit *visit, struct queue_part *leaf,
                               const struct resource *offered)
{
    struct sched *sched = visit->sched;
    const struct resource *limit = own_limit(visit, leaf, offered);
    struct resource headroom = { .value = { 0 } };
    struct app_walk walk = { .capacity = sched->capacity, .leaf = leaf };
    const struct cursor *top;
    bool below;                         /* without anything given up for it */

    calc_store(&sched->calc, &headroom, limit);
    calc_subtract(&sched->calc, &headroom, queue_used(leaf));
    begin_leaf(visit, leaf);
    walk.next_user = capacity_first_user(leaf);
    visit->passed = false;
    below = calc_is_less(&sched->calc, visit->total, queue_used(leaf), limit);
    look_ahead_from(visit, leaf, &headroom);
    while ((top = capacity_walk_top(&walk)) != NULL) {
        struct app_part *app = top->app;
        struct user_part *user = top->user;
        double least = visit->least, most = visit->most;
        bool known = visit->exchanging && visit->sure && visit->steady && most < INFINITY;
        struct resource unreserve;
        enum outcome outcome;

        if (!user_may(visit, app, &unreserve)) {
            bool all = calc_is_zero(&sched->calc, user_reserved(user));

            capacity_walk_next(&walk, all);
            if (all)
                capacity_sleep_user(user);
            continue;
        }
        if (!below && !below_without(visit, queue_used(leaf), limit, app_reserved(app))) {
            if (visit->exchanging)
                capacity_look_beyond(visit, app);
            if (at_own_maximum(visit, leaf))
                capacity_sleep(leaf);
            return remember(visit, leaf, NOTHING);
        }
        outcome = capacity_allocate(visit, app, &headroom);
        if (outcome == SKIP_QUEUE && !visit->passed && !visit->borrowing)
            starve(visit, app);
        if (outcome == ALLOCATED && known) {
            remember_taker(visit, leaf, app, least, most);
            return PLACED;
        }
        if (outcome == ALLOCATED || outcome == RESERVED || outcome == SKIP_QUEUE)
            return remember(visit, leaf, finish(outcome));
        visit->passed = true;
        capacity_walk_next(&walk, false);
    }
    if (RB_EMPTY(&leaf->awake))
        capacity_sleep(leaf);           /* all are over their limits */
    return remember(visit, leaf, NOTHING);
}

/* --- a parent -------------------------------------------------------------- */

/* Would the smallest container be too much for ROOM? */
static inline bool is_too_little(const struct visit *visit, const struct resource *room)
{
    return calc_is_more(&visit->sched->calc, visit->total, &visit->sched->minimum, room);
}

/* Would it for what PART, which may hold LIMIT, has left when that is not cut to its maximum? */
static bool is_full(const struct visit *visit, const struct queue_part *part,
                    const struct resource *limit)
{
    struct resource left = *limit;

    capacity_subtract_use(visit->sched, &left, part);
    return is_too_little(visit, &left);
}

static enum descent visit_queue(struct visit *visit, struct queue_part *part,
                                const struct resource *offered);

static inline enum descent visit_part(struct visit *visit, struct queue_part *part,
                                      const struct resource *offered)
{
    enum descent result;

    if (part->is_leaf) {
        result = visit_leaf(visit, part, offered);
    } else {
        result = visit_queue(visit, part, offered);
        if (result != PLACED && result != KEPT)
            capacity_hold_vain(visit, part);
    }
    if (part->held_unsaid)
        capacity_note(part);
    return result;
}

/* CHILD is asked for what it has reserved. A leaf remembers by itself that this was in vain. */
static enum descent exchange_with(struct visit *visit, struct queue_part *child,
                                  const struct resource *offered)
{
    enum descent result;

    visit->full = true;
    visit->sure = true;
    visit->least = INFINITY;
    result = visit_part(visit, child, offered);
    visit->full = true;                 /* (what is below may have unset it) */
    if (!child->is_leaf && !child->held && result != PLACED && result != KEPT && visit->sure)
        capacity_hold_remember(visit, child, 0);
    return result;
}

/* PART, which has ROOM left, is full: only who has reserved something could take the node for that. */
static enum descent exchange(struct visit *visit, struct queue_part *part,
                             const struct resource *room)
{
    const struct shelf_filter filter = shelf_filter_hold(visit->room_measure);
    struct resource down = { .value = { 0 } };
    struct queue_part *child;

    capacity_hold_begin(part, room);
    for (child = shelf_first(part->shelf, &filter); child;) {
        uint64_t key = child->key;
        enum descent result;

        capacity_hand_down(visit->sched, room, child, &down);
        result = exchange_with(visit, child, &down);
        if (result == PLACED || result == KEPT) {
            capacity_hold_taken(visit, part, key);
            return result;
        }
        child = shelf_after(part->shelf, key, &filter);
    }
    capacity_hold_passed(visit, part);
    visit->sure = visit->counts = true;
    visit->least = (double)part->shelf->hold;
    return NOTHING;
}

/* None of PART's children took the node, with ROOM left for them. If each remembers that, or is known to want
 * more room, PART does, until one of them may: as a leaf, and as long. */
static void remember_children(struct visit *visit, struct queue_part *part, const struct resource *room)
{
    const struct sched *sched = visit->sched;
    double most;

    if (visit->room_measure >= (double)part->shelf->hold || !capacity_in_whole(sched, room) ||
        calc_is_zero(&sched->calc, queue_reserved(part)))
        return;
    most = (double)shelf_standing(part->shelf);
    if (most <= capacity_measure(sched, part->label, room) || !capacity_hold_reaches(sched, part, most))
        return;
    visit->least = (double)part->shelf->hold;
    visit->counts = visit->firm = true;
    capacity_hold_remember(visit, part, most);
}

static bool passes_nobody(const struct visit *visit, const struct queue_part *part)
{
    return visit->sched->capacity->visits_all || capacity_any_killable(part);
}

/* Would nobody below PART have use for what it has left even if it might hold its own maximum? */
static bool full_at_most(const struct visit *visit, const struct queue_part *part)
{
    const struct resource *most = &part->share->effective_maximum;
    struct resource room = { .value = { 0 } };

    capacity_leave_room(visit->sched, part, most, &room);
    return is_too_little(visit, &room) &&
           (double)part->shelf->need > capacity_measure(visit->sched, part->label, &room);
}

/* PART has ROOM left, which is of use to nobody below but for an exchange. */
static enum descent __attribute__((noinline)) visit_full(struct visit *visit, struct queue_part *part,
                                                        const struct resource *room)
{
    if (part->up && calc_is_zero(&visit->sched->calc, queue_reserved(part)) && full_at_most(visit, part))
        capacity_sleep(part);           /* for want of room of its own */
    return visit->looks_on ? exchange(visit, part, room) : NOTHING;
}

/* PART has ROOM left for its children, which MEASUREs so much. ALL: whatever is known of them. */
static enum descent visit_children(struct visit *visit, struct queue_part *part,
                                   const struct resource *room, double measure, bool all)
{
    struct shelf_filter filter = {
        .room = all ? SHELF_NEVER : measure,
        .node_room = visit->room_measure,
        .standing = !all && visit->looks_on && !calc_any_below_zero(&visit->sched->calc, room)
                        ? measure : SHELF_NEVER,
    };
    struct resource down = { .value = { 0 } };
    struct queue_part *child;

    visit->full = false;
    for (child = shelf_first(part->shelf, &filter); child;) {
        enum descent result;
        uint64_t key;

        key = child->key;
        capacity_hand_down(visit->sched, room, child, &down);
        result = visit_part(visit, child, &down);
        if (result == PLACED || result == KEPT) {
            if (visit->looks_on)
                capacity_hold_taken(visit, part, key);
            return result;
        }
        visit->full = false;
        child = shelf_after(part->shelf, key, &filter);
    }
    if (visit->looks_on) {
        capacity_hold_passed(visit, part);
        if (part->up && !all)
            remember_children(visit, part, room);
    }
    visit->sure = false;
    if ((double)part->shelf->need > measure && part->up && !all) {
        struct resource own = capacity_room_at_most(visit->sched, part);

        if ((double)part->shelf->need > capacity_measure(visit->sched, part->label, &own))
            capacity_sleep(part);       /* for want of room of its own */
    }
    return NOTHING;
}

static enum descent visit_queue(struct visit *visit, struct queue_part *part,
                                const struct resource *offered)
{
    bool all = visit->borrowing || passes_nobody(visit, part);
    const struct resource *limit = own_limit(visit, part, offered);
    struct resource room = { .value = { 0 } };
    double measure;

    capacity_hold_visit(part);
    visit->counts = false;
    if (!below_limit(visit, part, limit)) {
        if (part->up && at_own_maximum(visit, part))
            capacity_sleep(part);
        return NOTHING;
    }
    capacity_leave_room(visit->sched, part, limit, &room);
    measure = capacity_measure(visit->sched, part->label, &room);
    if (!all && is_too_little(visit, &room) && is_full(visit, part, limit)) {
        if ((double)part->shelf->need > measure)
            return visit_full(visit, part, &room);
        all = true;                     /* one below that is nearly full may have more room: see gap_of */
    }
    return visit_children(visit, part, &room, measure, all);
}

static inline void look_at_node(struct visit *visit)
{
    struct resource room = calc_load(&visit->sched->calc, &visit->node->total);

    visit->total = &visit->sched->label_total[visit->label];
    visit->looks_on = visit->sched->capacity->config->reservations_continue_look &&
                      visit->label == 0 && visit->node->label == 0;
    calc_subtract(&visit->sched->calc, &room, &visit->node->used);
    visit->room_measure = capacity_measure(visit->sched, visit->label, &room);
}

static enum descent descend(struct visit *visit)
{
    const struct sched_queue *root = TAILQ_FIRST(&visit->sched->queues);
    struct queue_part *part = sched_queue_part_have(root, visit->label);

    if (part == NULL || !capacity_part_wants(part))
        return NOTHING;
    look_at_node(visit);
    return visit_part(visit, part, visit->total);
}

/* One container or reservation. A node of a label that is not exclusive serves others' asks when its
 * own find nothing. */
static enum descent assign_one(struct visit *visit)
{
    struct capacity *capacity = visit->sched->capacity;
    int label = visit->node->label;
    enum descent result;

    capacity->offers++;
    visit->off_switch = false;
    visit->borrowing = false;
    visit->label = label;
    result = descend(visit);
    if (result != NOTHING || label == 0 || capacity->to_config[label] < 0 ||
        !capacity->config->label_shared[capacity->to_config[label]])
        return result;
    visit->label = 0;
    visit->borrowing = true;
    return descend(visit);
}

unsigned capacity_assign(struct sched *sched, struct sched_node *node, const struct offer *offer,
                         struct sched_decisions *decisions)
{
    const struct capacity_config *config = sched->capacity->config;
    struct visit visit = { .sched = sched, .node = node, .offer = offer, .decisions = decisions };
    int64_t most = config->multiple_assignments ? config->maximum_container_assignments : 1;
    int64_t off_switch = 0;
    unsigned placed = 0;

    capacity_settle(sched);
    if (node->reserved.app)             /* nobody else has a turn */
        return capacity_allocate_reserved(&visit) == ALLOCATED ? 1 : 0;
    if (!offer->heartbeat)
        most = -1;                      /* the limits are of heartbeats */
    while (placed < offer->limit && (node->has_room || node->killable > 0) &&
           (most < 0 || placed < (uint64_t)most)) {
        if (assign_one(&visit) != PLACED)
            break;
        placed++;
        off_switch += visit.off_switch ? 1 : 0;
        if (offer->heartbeat && config->maximum_offswitch_assignments >= 0 &&
            off_switch >= config->maximum_offswitch_assignments)
            break;
    }
    return placed;
}

/* --- one app --------------------------------------------------------------- */

/* What PART's parents, each within its limits, offer it; false: nothing. */
static bool offered_to(const struct visit *visit, const struct queue_part *part, struct resource *ret)
{
    struct resource offered = { .value = { 0 } }, room = { .value = { 0 } };
    const struct resource *limit;

    if (part->up == NULL) {
        *ret = *visit->total;
        return true;
    }
    if (!offered_to(visit, part->up, &offered))
        return false;
    limit = own_limit(visit, part->up, &offered);
    if (!below_limit(visit, part->up, limit))
        return false;
    capacity_leave_room(visit->sched, part->up, limit, &room);
    capacity_hand_down(visit->sched, &room, part, ret);
    return true;
}

/* As a visit from the root that comes to no other leaf and no other app. */
static enum outcome visit_app(struct visit *visit, struct app_part *app)
{
    struct queue_part *leaf = app->leaf;
    struct resource offered = { .value = { 0 } }, headroom = { .value = { 0 } }, unreserve;
    const struct resource *limit;

    if (!offered_to(visit, leaf, &offered))
        return SKIP_QUEUE;
    capacity_hold_forget(leaf);         /* what is known of visits in vain does not say what this one does */
    begin_leaf(visit, leaf);
    limit = own_limit(visit, leaf, &offered);
    calc_store(&visit->sched->calc, &headroom, limit);
    calc_subtract(&visit->sched->calc, &headroom, queue_used(leaf));
    if (!user_may(visit, app, &unreserve))
        return SKIP_APP;
    if (!calc_is_less(&visit->sched->calc, visit->total, queue_used(leaf), limit) &&
        !below_without(visit, queue_used(leaf), limit, app_reserved(app)))
        return SKIP_QUEUE;
    return capacity_allocate(visit, app, &headroom);
}

enum sched_answer capacity_assign_to(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                     struct sched_decisions *decisions)
{
    const struct offer offer = { .limit = 1 };
    struct visit visit = { .sched = sched, .node = node, .offer = &offer, .decisions = decisions,
                           .label = node->label };
    struct app_part *part;

    capacity_settle(sched);
    part = sched_app_part_have(app, node->label);
    if (part == NULL || sched_app_avoids(app, node))
        return SCHED_DECLINED;
    look_at_node(&visit);
    if (visit_app(&visit, part) == ALLOCATED)
        return SCHED_TAKEN;
    return visit.hopeful || sched->capacity->label_count > 1 ? SCHED_DECLINED : SCHED_HOPELESS;
}
