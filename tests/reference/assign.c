/* SPDX-License-Identifier: Apache-2.0 */
/* assign.c - a node is offered: order, limits, locality, reservations (yarn-behaviour 5.5-5.7, 6, 12) */
#include <assert.h>

#include "tests/reference/reference.h"

/* How far an offer came. */
enum outcome {
    NOTHING,                            /* nobody here takes it */
    ASSIGNED,                           /* a container or a reservation */
    APP_SKIPPED,                        /* the next app is asked */
    QUEUE_SKIPPED,                      /* the queue is left */
    KEY_SKIPPED,                        /* the next key is asked */
    LEVEL_SKIPPED,                      /* the next level of locality is asked */
};

/* One offer of one node. */
struct offer {
    struct reference *ref;
    int node;
    struct resource total;              /* of the partition */
    struct resource headroom;           /* limit - used, of the queue that is asked */
    struct resource excess;             /* what the user holds above the limit, to be unreserved */
    bool heartbeat;                     /* it is no container's end that offers it */
    bool retried;                       /* the node is reserved, and is offered for that */
    bool reserved;                      /* outcome: a reservation, not a container */
    enum sched_locality locality;       /* outcome */
};

static bool differs(const struct reference *ref, enum ref_difference difference)
{
    return (ref->config.differences & (unsigned)difference) != 0;
}

static bool more_than(const struct offer *offer, struct resource a, struct resource b)
{
    return ref_compare(offer->ref, offer->total, a, b) > 0;
}

static struct resource node_free(const struct reference *ref, int node)
{
    struct resource room = ref->nodes[node].total;

    for (int c = 0; c < ref->container_top; c++)
        if (ref->containers[c].here && ref->containers[c].node == node)
            room = resource_subtract(room, ref->containers[c].size);
    return room;
}

static int node_count(const struct reference *ref)
{
    int count = 0;

    for (int n = 0; n < REF_NODES; n++)
        count += ref->nodes[n].here ? 1 : 0;
    return count;
}

/* --- reservations (6) ------------------------------------------------------ */

void ref_unreserve(struct reference *ref, int node)
{
    struct ref_node *at = &ref->nodes[node];

    at->reserved = false;
    ref->apps[at->reserved_app].keys[at->reserved_key].re_reserved = 0;
    ref_decide(ref, (struct ref_decision){ .kind = SCHED_UNRESERVED, .node = node,
                                           .app = at->reserved_app });
}

static int64_t reservations(const struct reference *ref, int app, int key)
{
    int64_t count = 0;

    for (int n = 0; n < REF_NODES; n++)
        if (ref->nodes[n].here && ref->nodes[n].reserved && ref->nodes[n].reserved_app == app &&
            ref->nodes[n].reserved_key == key)
            count++;
    return count;
}

/* May one more be allocated or reserved, given how many are reserved already? */
static bool wants_another(const struct reference *ref, int app, int key)
{
    const struct ref_key *want = &ref->apps[app].keys[key];
    const struct ref_config *config = &ref->config;
    int64_t reserved = reservations(ref, app, key), starvation = 0;

    if (reserved > 0) {
        float of_node = ref_ratio(ref, want->size, config->maximum);
        float most = ref_ratio(ref, resource_subtract(config->maximum, config->minimum),
                               config->maximum);

        starvation = (int64_t)(((float)want->re_reserved / (float)reserved) *
                               (1.0f - (of_node < most ? of_node : most)));
    }
    return starvation + (int64_t)want->any - reserved > 0;
}

/* The node on which APP holds the oldest reservation for KEY that is at least as big; -1: none. */
static int node_to_unreserve(const struct reference *ref, int app, int key, struct resource needed)
{
    int found = -1;

    for (int n = 0; n < REF_NODES; n++) {
        const struct ref_node *node = &ref->nodes[n];

        if (node->here && node->reserved && node->reserved_app == app &&
            node->reserved_key == key && ref_fits(ref, needed, node->reserved_size) &&
            (found < 0 || node->reserved_order < ref->nodes[found].reserved_order))
            found = n;
    }
    return found;
}

/* --- lazy preemption (6, 7.6) ---------------------------------------------- */

static int newest_killable(const struct reference *ref, int node, uint64_t below)
{
    int found = -1;

    for (int c = 0; c < ref->container_top; c++) {
        const struct ref_container *container = &ref->containers[c];

        if (container->here && container->node == node && container->killable &&
            !container->killed && container->order < below &&
            (found < 0 || container->order > ref->containers[found].order))
            found = c;
    }
    return found;
}

static bool has_killable(const struct reference *ref, int node)
{
    for (int c = 0; c < ref->container_top; c++)
        if (ref->containers[c].here && ref->containers[c].node == node &&
            ref->containers[c].killable)
            return true;
    return false;
}

/* Would SIZE fit if containers that may be killed were? The newest of them first; REALLY: they are. */
static bool clear(struct offer *offer, struct resource size, bool really)
{
    struct reference *ref = offer->ref;
    struct resource room = node_free(ref, offer->node);
    uint64_t below = UINT64_MAX;

    for (int c = 0; c < ref->container_top; c++)
        if (ref->containers[c].here && ref->containers[c].node == offer->node &&
            ref->containers[c].killed)
            room = resource_add(room, ref->containers[c].size);
    while (!ref_fits(ref, size, room)) {
        int c = newest_killable(ref, offer->node, below);

        if (c < 0)
            return false;
        below = ref->containers[c].order;
        room = resource_add(room, ref->containers[c].size);
        if (!really)
            continue;
        ref->containers[c].killed = true;
        ref_decide(ref, (struct ref_decision){ .kind = SCHED_KILL, .node = offer->node,
                                               .app = ref->containers[c].app, .container = c });
    }
    return true;
}

/* Only a queue below its guarantee may have containers of others killed. */
static bool make_room(struct offer *offer, int app, struct resource size)
{
    struct reference *ref = offer->ref;
    int queue = ref->apps[app].queue;
    struct resource used = ref_queue_used(ref, queue, -1);

    if (offer->retried)
        used = resource_subtract(used, ref->nodes[offer->node].reserved_size);
    return has_killable(ref, offer->node) &&
           ref_compare(ref, offer->total, used, ref->queues[queue].guarantee) < 0 &&
           clear(offer, size, false) && clear(offer, size, true);
}

static bool has_room(const struct reference *ref, int node)
{
    return ref_available(ref, node_free(ref, node), ref->config.minimum) > 0;
}

/* --- placing --------------------------------------------------------------- */

static void take_row(uint32_t *count)
{
    *count -= *count > 0 ? 1 : 0;
}

static void allocate(struct offer *offer, int app, int key, enum sched_locality locality)
{
    struct reference *ref = offer->ref;
    struct ref_key *want = &ref->apps[app].keys[key];
    int container = ref_container_enter(ref, app, offer->node, key, want->size);
    struct ref_container *fresh = &ref->containers[container];
    int rack = ref->nodes[offer->node].rack;

    fresh->strict_any = want->strict_any;
    fresh->strict_rack = want->strict_rack[rack];
    fresh->took_node = locality == SCHED_NODE_LOCAL;
    fresh->took_rack = locality != SCHED_OFF_SWITCH && want->rack[rack] > 0;
    take_row(&want->any);
    if (locality == SCHED_NODE_LOCAL)
        take_row(&want->node[offer->node]);
    if (locality != SCHED_OFF_SWITCH)
        take_row(&want->rack[rack]);
    if (locality == SCHED_NODE_LOCAL ||
        (locality == SCHED_RACK_LOCAL && ref->config.rack_full_reset))
        want->missed = 0;
    offer->locality = locality;
    if (want->any == 0 && differs(ref, REF_FORGETS_MISSED))
        want->missed = 0;
    ref_decide(ref, (struct ref_decision){ .kind = SCHED_ALLOCATED, .locality = locality,
                                           .node = offer->node, .app = app,
                                           .container = container });
    if (want->any == 0 && differs(ref, REF_DROPS_AT_ONCE))
        ref_drop_key(ref, app, key);
}

static void reserve(struct offer *offer, int app, int key)
{
    struct ref_key *want = &offer->ref->apps[app].keys[key];
    struct ref_node *node = &offer->ref->nodes[offer->node];

    offer->reserved = true;
    if (offer->retried) {
        want->re_reserved += offer->heartbeat ? 1 : 0;
        return;
    }
    node->reserved = true;
    node->reserved_app = app;
    node->reserved_key = key;
    node->reserved_size = want->size;
    node->reserved_order = ++offer->ref->last_order;
    want->re_reserved = 0;
    ref_decide(offer->ref, (struct ref_decision){ .kind = SCHED_RESERVED, .node = offer->node,
                                                  .app = app });
}

/* Locality allows it: does it fit, must something be unreserved for it, may it be reserved? */
static enum outcome place(struct offer *offer, int app, int key, enum sched_locality locality)
{
    struct reference *ref = offer->ref;
    struct resource size = ref->apps[app].keys[key].size;
    struct resource needed = ref_max(ref, offer->total, resource_subtract(size, offer->headroom),
                                     offer->excess);
    bool must_unreserve = more_than(offer, needed, resource_of(0, 0));
    bool another = wants_another(ref, app, key), look = ref->config.continue_look;
    int node;

    if (!ref_fits(ref, size, ref->nodes[offer->node].total))
        return LEVEL_SKIPPED;
    if (ref_available(ref, node_free(ref, offer->node), size) > 0) {
        if (!offer->retried && look && (!another || must_unreserve)) {
            node = node_to_unreserve(ref, app, key, must_unreserve ? needed : size);
            if (node < 0)
                return LEVEL_SKIPPED;
            ref_unreserve(ref, node);
        }
        if (offer->retried) {
            ref->nodes[offer->node].reserved = false;
            ref->apps[app].keys[key].re_reserved = 0;
        }
        allocate(offer, app, key, locality);
        return ASSIGNED;
    }
    if (offer->retried)
        make_room(offer, app, size);
    else if (has_killable(ref, offer->node) && another && !must_unreserve &&
             make_room(offer, app, size)) {
        reserve(offer, app, key);
        return ASSIGNED;
    }
    if (!offer->retried && !has_room(ref, offer->node))
        return LEVEL_SKIPPED;
    if (!offer->retried && (!another || (look && must_unreserve)))
        return LEVEL_SKIPPED;
    reserve(offer, app, key);
    return ASSIGNED;
}

/* --- locality (12.2) ------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool may_be_rack_local(const struct offer *offer, const struct ref_key *want)
{
    if (offer->retried && differs(offer->ref, REF_RETRY_HAS_NO_DELAY))
        return true;
    return smaller(node_count(offer->ref), offer->ref->config.node_locality_delay) < want->missed;
}

static bool may_leave_rack(const struct offer *offer, const struct ref_key *want)
{
    const struct ref_config *config = &offer->ref->config;
    int64_t nodes = node_count(offer->ref), names = 1;
    float factor;

    if (offer->retried)
        return true;
    for (int n = 0; n < REF_NODES; n++)
        names += want->node[n] > 0 ? 1 : 0;
    for (int r = 0; r < REF_RACKS; r++)
        names += want->rack[r] > 0 ? 1 : 0;
    if (nodes == 0 || names == 1)
        return nodes != 0;
    if (config->rack_additional_delay > -1)
        return want->missed > smaller(nodes, config->node_locality_delay +
                                                 config->rack_additional_delay);
    factor = (float)(names - 1) / (float)nodes;
    factor = (float)want->any * (factor < 1 ? factor : 1);
    return ((float)nodes < factor ? (float)nodes : factor) < (float)want->missed;
}

static enum outcome place_near(struct offer *offer, int app, int key)
{
    struct reference *ref = offer->ref;
    const struct ref_key *want = &ref->apps[app].keys[key];
    int rack = ref->nodes[offer->node].rack;
    enum outcome outcome;

    if (want->node[offer->node] > 0 &&
        (outcome = place(offer, app, key, SCHED_NODE_LOCAL)) == ASSIGNED)
        return outcome;
    if (want->rack[rack] > 0) {
        if (want->strict_rack[rack])
            return KEY_SKIPPED;
        if (may_be_rack_local(offer, want) &&
            (outcome = place(offer, app, key, SCHED_RACK_LOCAL)) == ASSIGNED)
            return outcome;
    }
    if (want->strict_any)
        return KEY_SKIPPED;
    if (may_leave_rack(offer, want) &&
        (outcome = place(offer, app, key, SCHED_OFF_SWITCH)) == ASSIGNED)
        return outcome;
    return APP_SKIPPED;
}

/* --- who is asked (5.6) ---------------------------------------------------- */

static enum outcome offer_app(struct offer *offer, int app)
{
    struct reference *ref = offer->ref;

    if (ref->apps[app].avoids[offer->node])
        return APP_SKIPPED;
    for (int k = 0; k < REF_KEYS; k++) {
        struct ref_key *want = &ref->apps[app].keys[k];
        struct resource room = offer->headroom;
        enum outcome outcome;

        if (want->any == 0 || (!ref->config.continue_look && !wants_another(ref, app, k)))
            continue;
        if (ref->config.continue_look)
            room = resource_add(room, ref_app_reserved(ref, app));
        if (more_than(offer, want->size, room))
            return QUEUE_SKIPPED;
        want->missed++;
        outcome = place_near(offer, app, k);
        if (outcome != KEY_SKIPPED)
            return outcome;
        want->missed--;                 /* this was no opportunity */
    }
    return APP_SKIPPED;
}

/* LIMIT against what QUEUE uses, of which UNRESERVABLE might be given up (5.5). Sets the headroom. */
static bool queue_takes(struct offer *offer, int queue, struct resource limit,
                        struct resource unreservable)
{
    struct resource used = ref_queue_used(offer->ref, queue, -1);

    if (!offer->ref->config.queues[queue].leaf)
        used = resource_subtract(used, ref_queue_killable(offer->ref, queue));
    limit = ref_min(offer->ref, offer->total, offer->ref->queues[queue].most, limit);
    offer->headroom = resource_subtract(limit, used);
    if (more_than(offer, limit, used))
        return true;
    return offer->ref->config.continue_look && more_than(offer, unreservable, resource_of(0, 0)) &&
           more_than(offer, limit, resource_subtract(used, unreservable));
}

/* The user's limit (5.4). Sets what must be unreserved to respect it. */
static bool user_takes(struct offer *offer, int queue, int app)
{
    struct reference *ref = offer->ref;
    int user = ref->apps[app].user;
    struct resource used = ref_queue_used(ref, queue, user);
    struct resource limit = ref_user_limit(ref, queue, user);

    offer->excess = resource_of(0, 0);
    if (!more_than(offer, used, limit))
        return true;
    if (!ref->config.continue_look ||
        more_than(offer, resource_subtract(used, ref_app_reserved(ref, app)), limit))
        return false;
    offer->excess = resource_subtract(used, limit);
    return true;
}

static enum outcome offer_leaf(struct offer *offer, int queue, struct resource limit)
{
    struct reference *ref = offer->ref;
    int order[REF_APPS], count = ref_order_apps(ref, queue, true, order);

    for (int i = 0; i < count; i++) {
        enum outcome outcome;

        if (ref_app_pending(ref, order[i]) == 0)
            continue;
        if (!user_takes(offer, queue, order[i]))
            continue;
        if (!queue_takes(offer, queue, limit, ref_app_reserved(ref, order[i])))
            return NOTHING;
        outcome = offer_app(offer, order[i]);
        if (outcome != APP_SKIPPED)
            return outcome;
    }
    return NOTHING;
}

static bool wants_something(const struct reference *ref, int queue)
{
    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].here && ref->apps[a].active &&
            ref_below(ref, ref->apps[a].queue, queue) && ref_app_pending(ref, a) > 0)
            return true;
    return false;
}

static enum outcome offer_queue(struct offer *offer, int queue, struct resource limit)
{
    struct reference *ref = offer->ref;
    int order[REF_QUEUES], count;

    if (!wants_something(ref, queue))
        return NOTHING;                 /* so it was not offered this limit (5.3) */
    ref->queues[queue].offered = limit;
    if (ref->config.queues[queue].leaf)
        return offer_leaf(offer, queue, limit);
    if (!queue_takes(offer, queue, limit, ref_queue_reserved(ref, queue)))
        return NOTHING;
    count = ref_order_queues(ref, queue, order);
    for (int i = 0; i < count; i++)
        if (offer_queue(offer, order[i], ref_child_limit(ref, limit, order[i])) == ASSIGNED)
            return ASSIGNED;
    return NOTHING;
}

/* --- heartbeats (5.7) ------------------------------------------------------ */

void ref_retry(struct reference *ref, int node, bool heartbeat)
{
    struct offer offer = { .ref = ref, .node = node, .total = ref_total(ref), .retried = true,
                           .heartbeat = heartbeat };
    int app = ref->nodes[node].reserved_app, key = ref->nodes[node].reserved_key;

    /* What a node never will have, or an app will not take from it, is not waited for. */
    if (ref->apps[app].keys[key].any == 0 || ref->apps[app].avoids[node] ||
        !ref_fits(ref, ref->nodes[node].reserved_size, ref->nodes[node].total)) {
        ref_unreserve(ref, node);
        return;
    }
    ref->apps[app].keys[key].missed += differs(ref, REF_RETRY_IS_NO_OFFER) ? 0 : 1;
    if (place_near(&offer, app, key) != ASSIGNED)
        ref_unreserve(ref, node);
}

void ref_heartbeat(struct reference *ref, int node)
{
    const struct ref_config *config = &ref->config;
    int64_t offswitch = 0, assigned = 0;

    if (ref->nodes[node].reserved) {
        ref_retry(ref, node, true);
        return;
    }
    while (has_room(ref, node) || has_killable(ref, node)) {
        struct offer offer = { .ref = ref, .node = node, .total = ref_total(ref), .heartbeat = true };

        if (offer_queue(&offer, 0, offer.total) != ASSIGNED || offer.reserved)
            break;
        assigned++;
        offswitch += offer.locality == SCHED_OFF_SWITCH ? 1 : 0;
        if (!config->multiple_assignments || offswitch >= config->max_offswitch ||
            (config->max_assignments >= 0 && assigned >= config->max_assignments))
            break;
    }
}
