/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - reference capacity scheduler: tries one request on a node (RegularContainerAllocator) */
#include "tests/reference/offer.h"

static struct resource zero(void)
{
    return resource_of(0, 0);
}

bool ref_more_than(const struct offer *offer, struct resource a, struct resource b)
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

int ref_node_count(const struct reference *ref)
{
    int count = 0;

    for (int n = 0; n < REF_NODES; n++)
        count += ref->nodes[n].here ? 1 : 0;
    return count;
}

/* --- reservations ------------------------------------------------------ */

void ref_unreserve(struct reference *ref, int node)
{
    struct ref_node *at = &ref->nodes[node];

    at->reserved = false;
    ref_users_changed(ref, ref->apps[at->reserved_app].queue);
    ref->apps[at->reserved_app].keys[at->reserved_key].re_reserved = 0;
    ref_decide(ref, (struct ref_decision){ .kind = SCHED_UNRESERVED, .node = node, .app = at->reserved_app });
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

/* Returns true if one more container may be allocated or reserved (shouldAllocOrReserveNewContainer). */
bool ref_needs_another(const struct reference *ref, int app, int key)
{
    const struct ref_key *want = &ref->apps[app].keys[key];
    const struct ref_config *config = &ref->config;
    int64_t reserved = reservations(ref, app, key), starvation = 0;

    if (reserved > 0) {
        float of_node = ref_ratio(ref, want->size, config->maximum);
        float most = ref_ratio(ref, resource_subtract(config->maximum, config->minimum), config->maximum);

        starvation = (int64_t)(((float)want->re_reserved / (float)reserved) *
                               (1.0f - (of_node < most ? of_node : most)));
    }
    return starvation + (int64_t)want->any.count - reserved > 0;
}

/*
 * Returns the node of APP's oldest reservation for KEY that is at least as large as NEEDED; -1: none. LABEL:
 * only nodes of this partition; -1: of any. YARN takes the first in a hash map, whose order is arbitrary.
 */
static int node_to_unreserve(const struct reference *ref, int app, int key, struct resource needed, int label)
{
    int found = -1;

    for (int n = 0; n < REF_NODES; n++) {
        const struct ref_node *node = &ref->nodes[n];

        if (node->here && node->reserved && node->reserved_app == app && node->reserved_key == key &&
            (label < 0 || node->label == label) && ref_fits(ref, needed, node->reserved_size) &&
            (found < 0 || node->reserved_order < ref->nodes[found].reserved_order))
            found = n;
    }
    return found;
}

/* Returns the partition in which a reservation makes room for a container on the offered node; -1: any. */
static int within(const struct offer *offer)
{
    return ref_differs(offer->ref, REF_EXCHANGE_BY_LABEL) ? offer->label : -1;
}

/* --- lazy preemption ---------------------------------------------- */

static int newest_killable(const struct reference *ref, int node, uint64_t below)
{
    int found = -1;

    for (int c = 0; c < ref->container_top; c++) {
        const struct ref_container *container = &ref->containers[c];

        if (container->here && container->node == node && container->killable && !container->killed &&
            container->order < below && (found < 0 || container->order > ref->containers[found].order))
            found = c;
    }
    return found;
}

bool ref_has_killable(const struct reference *ref, int node)
{
    for (int c = 0; c < ref->container_top; c++)
        if (ref->containers[c].here && ref->containers[c].node == node && ref->containers[c].killable)
            return true;
    return false;
}

/* Returns true if SIZE would fit after killable containers are killed, the newest first. REALLY: kills
 * them. */
static bool clear(struct offer *offer, struct resource size, bool really)
{
    struct reference *ref = offer->ref;
    struct resource room = node_free(ref, offer->node);
    uint64_t below = UINT64_MAX;

    for (int c = 0; c < ref->container_top; c++)
        if (ref->containers[c].here && ref->containers[c].node == offer->node && ref->containers[c].killed)
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
        ref_decide(ref, (struct ref_decision){ .kind = SCHED_KILL,
                                               .node = offer->node,
                                               .app = ref->containers[c].app,
                                               .container = c });
    }
    return true;
}

/* Kills killable containers to make room. Only a queue below its guarantee may do this. */
static bool make_room(struct offer *offer, int app, struct resource size)
{
    struct reference *ref = offer->ref;
    int queue = ref->apps[app].queue;
    struct resource used = ref_queue_used(ref, queue, offer->label, -1);

    if (offer->retried)
        used = resource_subtract(used, ref->nodes[offer->node].reserved_size);
    return ref_has_killable(ref, offer->node) &&
           ref_compare(ref, offer->total, used, ref->queues[queue].part[offer->label].guarantee) < 0 &&
           clear(offer, size, false) && clear(offer, size, true);
}

/* In YARN a request that borrows a node may have containers of the node's own partition killed, too. */
static bool may_kill(const struct offer *offer)
{
    return !offer->borrows || !ref_differs(offer->ref, REF_BORROWER_KILLS_NONE);
}

bool ref_has_room(const struct reference *ref, int node)
{
    return ref_available(ref, node_free(ref, node), ref->config.minimum) > 0;
}

/* --- accepting (AbstractLeafQueue.accept, AbstractCSQueue.accept) ------------ */

/* Returns the sum of containers killed for a reservation, which YARN already counts as ended. */
static struct resource going(const struct reference *ref, int queue, int label)
{
    struct resource sum = zero();

    for (int c = 0; c < ref->container_top; c++)
        if (ref->containers[c].here && ref->containers[c].killed &&
            ref->nodes[ref->containers[c].node].label == label &&
            ref_below(ref, ref->apps[ref->containers[c].app].queue, queue))
            sum = resource_add(sum, ref->containers[c].size);
    return sum;
}

/* Returns true if a proposal for SIZE respects all maximums, type by type, if RELEASED is unreserved in
 * exchange. */
static bool is_accepted(const struct offer *offer, int app, struct resource size, struct resource released)
{
    const struct reference *ref = offer->ref;
    int queue = ref->apps[app].queue, user = ref->apps[app].user, label = offer->label;
    struct resource of_user = resource_subtract(ref_queue_used(ref, queue, label, user), released);
    struct resource more = resource_subtract(size, released);

    if (ref_more_than(offer, of_user, ref_user_limit(ref, queue, label, user, offer->borrows)))
        return false;
    for (; queue >= 0; queue = ref->config.queues[queue].parent) {
        struct resource used = ref_queue_used(ref, queue, label, -1);
        struct resource most =
            offer->borrows ? ref_label_total(ref, label) : ref->queues[queue].part[label].most;

        used = resource_subtract(used, going(ref, queue, label));
        if (!ref_fits(ref, resource_add(used, more), most))
            return false;
    }
    return true;
}

/* --- placing ---------------------------------------------------------------- */

/* Subtracts one container from ROW. A row whose last container was allocated is removed. */
static void subtract_row(struct ref_row *row)
{
    if (row->count > 0 && --row->count == 0)
        *row = (struct ref_row){ .given = false };
}

/* Resets the missed opportunities (RegularContainerAllocator.doAllocation). */
static void reset_missed(const struct offer *offer, struct ref_key *want, enum sched_locality locality)
{
    if (locality == SCHED_NODE_LOCAL || (locality == SCHED_RACK_LOCAL && offer->ref->config.rack_full_reset))
        want->missed = 0;
    if (offer->label == 0)
        want->missed_plain = 0;
}

/* Notes whether the proposal for WANT was rejected. Returns true if WANT is skipped, since all its proposals
 * have been rejected for some time. */
static bool is_skipped(struct offer *offer, struct ref_key *want)
{
    int64_t now_ms = offer->ref->now_ms;

    if (offer->refused && !want->dropped)
        want->dropped_since_ms = now_ms;
    want->dropped = offer->refused;
    if (!want->dropped || now_ms - want->dropped_since_ms < 10000 ||
        !ref_differs(offer->ref, REF_DROPPED_IS_SKIPPED))
        return false;
    offer->refused = false;
    return true;
}

static void allocate(struct offer *offer, int app, int key, enum sched_locality locality)
{
    struct reference *ref = offer->ref;
    struct ref_key *want = &ref->apps[app].keys[key];
    int container = ref_container_enter(ref, app, offer->node, key, want->size);
    struct ref_container *fresh = &ref->containers[container];
    struct ref_row *rack = &want->rack[ref->nodes[offer->node].rack];

    fresh->strict_any = want->any.strict;
    fresh->strict_rack = rack->strict;
    fresh->took_node = locality == SCHED_NODE_LOCAL;
    fresh->took_rack = locality != SCHED_OFF_SWITCH && rack->count > 0;
    subtract_row(&want->any);
    if (locality == SCHED_NODE_LOCAL)
        subtract_row(&want->node[offer->node]);
    if (locality != SCHED_OFF_SWITCH)
        subtract_row(rack);
    ref_decide(ref, (struct ref_decision){ .kind = SCHED_ALLOCATED,
                                           .locality = locality,
                                           .node = offer->node,
                                           .app = app,
                                           .container = container });
    if (ref_app_pending(ref, app) == 0)
        ref_app_rests(ref, app);
}

/* Returns what the partition of the offered node gets back if node UNRESERVE (-1: none) is unreserved. */
static struct resource released_by(const struct offer *offer, int unreserve)
{
    const struct reference *ref = offer->ref;

    if (unreserve < 0 ||
        (ref->nodes[unreserve].label != offer->label && ref_differs(ref, REF_EXCHANGE_BY_LABEL)))
        return zero();
    return ref->nodes[unreserve].reserved_size;
}

static enum outcome propose_container(struct offer *offer, int app, int key, int unreserve,
                                      enum sched_locality locality)
{
    struct reference *ref = offer->ref;
    struct ref_key *want = &ref->apps[app].keys[key];
    struct ref_node *node = &ref->nodes[offer->node];
    struct resource released = released_by(offer, unreserve);

    offer->locality = locality;
    if (!offer->retried) {
        offer->refused = !is_accepted(offer, app, want->size, released);
        if (is_skipped(offer, want))
            return APP_SKIPPED;
        reset_missed(offer, want, locality);
        if (offer->refused)
            return ASSIGNED;
    }
    if (unreserve >= 0)
        ref_unreserve(ref, unreserve);
    if (offer->retried) {
        node->reserved = false;
        want->re_reserved = 0;
    }
    allocate(offer, app, key, locality);
    return ASSIGNED;
}

static enum outcome propose_reservation(struct offer *offer, int app, int key, enum sched_locality locality)
{
    struct reference *ref = offer->ref;
    struct ref_key *want = &ref->apps[app].keys[key];
    struct ref_node *node = &ref->nodes[offer->node];

    if (offer->retried) {
        offer->reserved = true;
        want->re_reserved += offer->heartbeat ? 1 : 0;
        return ASSIGNED;
    }
    offer->refused = !is_accepted(offer, app, want->size, zero());
    if (is_skipped(offer, want))
        return APP_SKIPPED;
    offer->reserved = true;
    reset_missed(offer, want, locality);
    if (offer->refused)
        return ASSIGNED;
    node->reserved = true;
    node->reserved_app = app;
    node->reserved_key = key;
    node->reserved_size = want->size;
    node->reserved_order = ++ref->last_order;
    want->re_reserved = 0;
    ref_users_changed(ref, ref->apps[app].queue);
    ref_decide(ref, (struct ref_decision){ .kind = SCHED_RESERVED, .node = offer->node, .app = app });
    return ASSIGNED;
}

/* Returns the resource that must be unreserved for a container of SIZE; zero or less: nothing. */
static struct resource needed_for(const struct offer *offer, const struct limits *limits,
                                  struct resource size)
{
    return ref_max(offer->ref, offer->total, resource_subtract(size, limits->headroom), limits->excess);
}

bool ref_may_succeed(const struct offer *offer, const struct limits *limits, int app, int key)
{
    const struct reference *ref = offer->ref;
    struct resource size = ref->apps[app].keys[key].size;
    struct resource needed = needed_for(offer, limits, size);

    return !ref_more_than(offer, needed, resource_of(0, 0)) ||
           (node_to_unreserve(ref, app, key, zero(), within(offer)) >= 0 &&
            ref_available(ref, node_free(ref, offer->node), size) > 0);
}

/* Called after locality was checked: places the container, possibly after unreserving, or reserves the node
 * (RegularContainerAllocator.assignContainer). */
static enum outcome place(struct offer *offer, const struct limits *limits, int app, int key,
                          enum sched_locality locality)
{
    struct reference *ref = offer->ref;
    struct resource size = ref->apps[app].keys[key].size;
    struct resource needed = needed_for(offer, limits, size);
    bool must_unreserve = ref_more_than(offer, needed, zero());
    bool another = ref_needs_another(ref, app, key), look = ref->config.continue_look;
    int unreserve = -1;

    if (!ref_fits(ref, size, ref->nodes[offer->node].total))
        return LEVEL_SKIPPED;
    if (ref_available(ref, node_free(ref, offer->node), size) > 0) {
        if (!offer->retried && look && (!another || must_unreserve)) {
            unreserve = must_unreserve ? node_to_unreserve(ref, app, key, needed, within(offer))
                                       : node_to_unreserve(ref, app, key, size, -1);
            if (unreserve < 0)
                return LEVEL_SKIPPED;
        }
        return propose_container(offer, app, key, unreserve, locality);
    }
    if (offer->retried)
        make_room(offer, app, size);
    else if (ref_has_killable(ref, offer->node) && another && !must_unreserve && may_kill(offer) &&
             make_room(offer, app, size))
        return propose_reservation(offer, app, key, locality);
    if (!offer->retried && !ref_has_room(ref, offer->node))
        return LEVEL_SKIPPED;
    if (!offer->retried && (!another || (look && must_unreserve)))
        return LEVEL_SKIPPED;
    return propose_reservation(offer, app, key, locality);
}

/* --- locality (RegularContainerAllocator.canAssign) ----------------------------- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool may_be_node_local(const struct offer *offer, const struct ref_key *want)
{
    return want->rack[offer->ref->nodes[offer->node].rack].count > 0;
}

static bool may_be_rack_local(const struct offer *offer, const struct ref_key *want)
{
    return smaller(ref_node_count(offer->ref), offer->ref->config.node_locality_delay) < want->missed;
}

static int64_t count_locations(const struct ref_key *want)
{
    int64_t count = 1; /* "*" */

    for (int n = 0; n < REF_NODES; n++)
        count += want->node[n].given ? 1 : 0;
    for (int r = 0; r < REF_RACKS; r++)
        count += want->rack[r].given ? 1 : 0;
    return count;
}

static bool may_leave_rack(const struct offer *offer, const struct ref_key *want)
{
    const struct ref_config *config = &offer->ref->config;
    int64_t nodes = ref_node_count(offer->ref), locations = count_locations(want);
    float factor;

    if (offer->retried)
        return true;
    if (nodes == 0 || locations == 1)
        return nodes != 0;
    if (config->rack_additional_delay > -1)
        return want->missed > smaller(nodes, config->node_locality_delay + config->rack_additional_delay);
    factor = (float)(locations - 1) / (float)nodes;
    factor = (float)want->any.count * (factor < 1 ? factor : 1);
    return ((float)nodes < factor ? (float)nodes : factor) < (float)want->missed;
}

/* As RegularContainerAllocator.assignContainersOnNode. */
enum outcome ref_place(struct offer *offer, const struct limits *limits, int app, int key)
{
    struct reference *ref = offer->ref;
    const struct ref_key *want = &ref->apps[app].keys[key];
    const struct ref_row *rack = &want->rack[ref->nodes[offer->node].rack];
    enum outcome outcome;

    if (want->node[offer->node].count > 0 && may_be_node_local(offer, want) &&
        (outcome = place(offer, limits, app, key, SCHED_NODE_LOCAL)) != LEVEL_SKIPPED)
        return outcome;
    if (rack->count > 0) {
        if (rack->strict)
            return KEY_SKIPPED;
        if (may_be_rack_local(offer, want) &&
            (outcome = place(offer, limits, app, key, SCHED_RACK_LOCAL)) != LEVEL_SKIPPED)
            return outcome;
    }
    if (want->any.strict)
        return KEY_SKIPPED;
    if (may_leave_rack(offer, want) &&
        (outcome = place(offer, limits, app, key, SCHED_OFF_SWITCH)) == ASSIGNED)
        return outcome;
    return APP_SKIPPED;
}
