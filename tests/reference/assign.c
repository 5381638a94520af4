/* SPDX-License-Identifier: Apache-2.0 */
/* assign.c - reference capacity scheduler: offers a node to queues and applications in order, within their
 * limits (CapacityScheduler, AbstractParentQueue and AbstractLeafQueue.assignContainers) */
#include "tests/reference/offer.h"

static struct resource zero(void)
{
    return resource_of(0, 0);
}

/* --- apps and queues ------------------------------------------------------------- */

/* Compares type by type (RegularContainerAllocator.checkHeadroom). */
static bool has_headroom(const struct offer *offer, const struct limits *limits, int app,
                         struct resource size)
{
    struct reference *ref = offer->ref;
    struct resource room = limits->headroom;

    if (ref->config.continue_look)
        room = resource_add(room, ref_app_reserved(ref, app, offer->label));
    return ref_fits(ref, size, room);
}

static bool names_places(const struct ref_key *want)
{
    bool any = false;

    for (int n = 0; n < REF_NODES; n++)
        any = any || want->node[n].given;
    for (int r = 0; r < REF_RACKS; r++)
        any = any || want->rack[r].given;
    return any;
}

/* Returns true if APP has pending requests with LABEL
 * (SchedulerApplicationAttempt.hasPendingResourceRequest). */
static bool wants_label(const struct reference *ref, int app, int label)
{
    for (int k = 0; k < REF_KEYS; k++)
        if (ref->apps[app].keys[k].any.count > 0 && ref->apps[app].keys[k].label == label)
            return true;
    return false;
}

static enum outcome offer_app(struct offer *offer, const struct limits *limits, int app)
{
    struct reference *ref = offer->ref;

    if (!wants_label(ref, app, offer->borrows ? 0 : offer->label))
        return APP_SKIPPED;
    for (int k = 0; k < REF_KEYS; k++) {
        struct ref_key *want = &ref->apps[app].keys[k];
        enum outcome outcome;
        bool of_use, counts;

        if (want->any.count == 0)
            continue;
        if (offer->borrows && ref->apps[app].has_master && !ref->apps[app].got_master)
            return APP_SKIPPED; /* no AM on a node with a label that it does not name */
        if (!ref->config.continue_look && !ref_needs_another(ref, app, k))
            continue;
        if (!has_headroom(offer, limits, app, want->size))
            return QUEUE_SKIPPED;
        of_use = !ref_differs(ref, REF_EXCHANGE_NOT_COUNTED) || ref_may_succeed(offer, limits, app, k);
        want->missed_plain += want->label == 0 && (offer->borrows || of_use) ? 1 : 0;
        if (offer->borrows && (want->label != 0 || want->missed_plain < ref_node_count(ref)))
            return APP_SKIPPED;
        if (want->label != (offer->borrows ? 0 : offer->label))
            continue; /* checked last (RegularContainerAllocator.preCheckForNode) */
        if (ref->apps[app].avoids[offer->node])
            return APP_SKIPPED;
        counts = of_use && (!ref_differs(ref, REF_TOO_SMALL_NOT_COUNTED) || names_places(want) ||
                            ref_fits(ref, want->size, ref->nodes[offer->node].total));
        want->missed += counts ? 1 : 0;
        outcome = ref_place(offer, limits, app, k);
        if (outcome != KEY_SKIPPED)
            return outcome;
        want->missed -= counts ? 1 : 0; /* not counted as a missed opportunity */
    }
    return APP_SKIPPED;
}

/* Returns true if a queue at its limit may exchange reservations. YARN counts those in partition 0, whatever
 * the node's partition (SchedulerApplicationAttempt.getCurrentReservation, QueueMetrics). */
static bool queue_exchanges(const struct offer *offer)
{
    return offer->label == 0 || !ref_differs(offer->ref, REF_EXCHANGE_BY_LABEL);
}

/* Returns true if QUEUE may use more, possibly after UNRESERVABLE is unreserved
 * (AbstractCSQueue.canAssignToThisQueue). Sets limits->headroom. */
static bool queue_may_use(struct offer *offer, int queue, struct limits *limits, struct resource unreservable)
{
    struct reference *ref = offer->ref;
    int label = offer->label;
    struct resource used = ref_queue_used(ref, queue, label, -1);
    struct resource limit = ref_min(ref, offer->total, ref->queues[queue].part[label].most, limits->limit);

    if (offer->borrows)
        limit = ref_label_total(ref, label);
    if (!ref->config.queues[queue].leaf)
        used = resource_subtract(used, ref_queue_killable(ref, queue, label));
    limits->headroom = resource_subtract(limit, used);
    if (ref_more_than(offer, limit, used))
        return true;
    return ref->config.continue_look && ref_more_than(offer, unreservable, zero()) &&
           ref_more_than(offer, limit, resource_subtract(used, unreservable));
}

/* Returns true if APP's user may use more (AbstractLeafQueue.canAssignToUser). Sets limits->excess to the
 * resource that must be unreserved in exchange. */
static bool user_may_use(struct offer *offer, int queue, int app, struct limits *limits)
{
    struct reference *ref = offer->ref;
    int user = ref->apps[app].user, of = ref_differs(ref, REF_EXCHANGE_BY_LABEL) ? offer->label : 0;
    struct resource used = ref_queue_used(ref, queue, offer->label, user), without;
    struct resource limit = ref_user_limit(ref, queue, offer->label, user, offer->borrows);

    limits->excess = zero();
    if (!ref_more_than(offer, used, limit))
        return true;
    without = resource_subtract(ref_queue_used(ref, queue, of, user), ref_app_reserved(ref, app, of));
    if (!ref->config.continue_look || ref_more_than(offer, without, limit))
        return false;
    limits->excess = resource_subtract(used, limit);
    return true;
}

static enum outcome offer_leaf(struct offer *offer, int queue, struct limits *limits)
{
    struct reference *ref = offer->ref;
    int order[REF_APPS], count = ref_order_apps(ref, queue, true, order);

    for (int i = 0; i < count; i++) {
        struct resource reserved = queue_exchanges(offer) ? ref_app_reserved(ref, order[i], 0) : zero();
        enum outcome outcome;

        if (!queue_may_use(offer, queue, limits, reserved))
            return NOTHING;
        ref->queues[queue].offered = ref_kept_limit(ref, limits->limit, queue);
        ref_users_count(ref, queue, offer->label, offer->borrows);
        if (!user_may_use(offer, queue, order[i], limits))
            continue;
        outcome = offer_app(offer, limits, order[i]);
        if (outcome != APP_SKIPPED)
            return outcome;
    }
    return NOTHING;
}

static bool has_pending(const struct offer *offer, int queue)
{
    const struct reference *ref = offer->ref;
    struct resource pending = ref_queue_pending(ref, queue, offer->borrows ? 0 : offer->label), none = zero();

    return ref_compare(ref, ref_total(ref), pending, none) > 0;
}

static enum outcome offer_queue(struct offer *offer, int queue, struct limits *limits);

/* As AbstractParentQueue.assignContainersToChildQueues: a child that is skipped for lack of headroom blocks
 * its remaining room for the siblings after it. */
static enum outcome offer_children(struct offer *offer, int parent, struct limits *limits)
{
    struct reference *ref = offer->ref;
    int order[REF_QUEUES], count = ref_order_queues(ref, parent, offer->label, order);
    enum outcome outcome = NOTHING;

    for (int i = 0; i < count; i++) {
        struct limits down = { .limit = ref_child_limit(ref, limits->limit, limits->blocked, order[i],
                                                        offer->label) };
        struct resource kept;

        switch (offer_queue(offer, order[i], &down)) {
        case ASSIGNED:
            return ASSIGNED;
        case QUEUE_SKIPPED:
            outcome = QUEUE_SKIPPED;
            kept = ref->config.queues[order[i]].leaf ? down.headroom : down.blocked;
            kept = ref_max(ref, offer->total, kept, zero());
            limits->blocked = resource_add(limits->blocked, kept);
            break;
        default:
            break;
        }
    }
    return outcome;
}

static enum outcome offer_queue(struct offer *offer, int queue, struct limits *limits)
{
    struct reference *ref = offer->ref;

    if ((!offer->borrows && !ref_may_name(ref, queue, offer->label)) || !has_pending(offer, queue))
        return NOTHING;
    if (ref->config.queues[queue].leaf)
        return offer_leaf(offer, queue, limits);
    if (!queue_may_use(offer, queue, limits,
                       queue_exchanges(offer) ? ref_queue_reserved(ref, queue, 0) : zero()))
        return NOTHING;
    return offer_children(offer, queue, limits);
}

/* --- heartbeats -------------------------------------------------------------------- */

void ref_retry(struct reference *ref, int node, bool heartbeat)
{
    struct offer offer = { .ref = ref,
                           .node = node,
                           .label = ref->nodes[node].label,
                           .total = ref_total(ref),
                           .retried = true,
                           .heartbeat = heartbeat };
    struct limits limits = { .limit = offer.total, .headroom = offer.total };
    int app = ref->nodes[node].reserved_app, key = ref->nodes[node].reserved_key;
    bool fits = ref_fits(ref, ref->nodes[node].reserved_size, ref->nodes[node].total);
    bool gives_up = ref_differs(ref, REF_GIVES_UP_USELESS);

    if (ref->apps[app].keys[key].any.count == 0 || (gives_up && (ref->apps[app].avoids[node] || !fits))) {
        ref_unreserve(ref, node);
        return;
    }
    if (ref->apps[app].avoids[node])
        return;
    ref->apps[app].keys[key].missed += heartbeat ? 1 : 0;
    if (ref_place(&offer, &limits, app, key) != ASSIGNED && gives_up)
        ref_unreserve(ref, node);
}

/* See REF_COUNTED_BY_OFFERS. */
static void count_users(struct reference *ref)
{
    for (int q = 0; q < ref->config.queue_count; q++)
        if (ref->config.queues[q].leaf && ref_differs(ref, REF_COUNTED_BY_OFFERS))
            ref_users_count(ref, q, 0, false);
}

/* Offers the node to requests for its partition, and then, if nothing was placed and its label is not
 * exclusive, to requests without label (CapacityScheduler.allocateOrReserveNewContainers). */
static enum outcome offer_node(struct offer *offer)
{
    const struct reference *ref = offer->ref;
    struct limits limits = { .limit = ref_label_total(ref, offer->label) };
    enum outcome outcome = offer_queue(offer, 0, &limits);

    if (outcome == ASSIGNED || offer->label == 0 || !ref->config.shared[offer->label])
        return outcome;
    offer->borrows = true;
    limits = (struct limits){ .limit = ref_label_total(ref, 0) };
    return offer_queue(offer, 0, &limits);
}

void ref_heartbeat(struct reference *ref, int node)
{
    const struct ref_config *config = &ref->config;
    int64_t offswitch = 0, assigned = 0;

    if (ref->nodes[node].reserved) {
        ref_retry(ref, node, true);
        return;
    }
    while (ref_has_room(ref, node) || ref_has_killable(ref, node)) {
        struct offer offer = { .ref = ref,
                               .node = node,
                               .label = ref->nodes[node].label,
                               .total = ref_total(ref),
                               .heartbeat = true };

        count_users(ref);
        if (offer_node(&offer) != ASSIGNED || offer.reserved)
            break;
        assigned++;
        offswitch += offer.locality == SCHED_OFF_SWITCH ? 1 : 0;
        if (!config->multiple_assignments || offswitch >= config->max_offswitch ||
            (config->max_assignments >= 0 && assigned >= config->max_assignments))
            break;
        if (offer.refused && config->max_assignments < 0)
            break; /* YARN would repeat the same proposal forever */
    }
}
