/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocate.c - tries to place the requests of one application on one node: locality, reservations
 * (yarn-behaviour 5.6, 6, 12.2)
 *
 * A request is placed if the node is local for it, or if it has waited long enough for a local node. If the
 * request fits the node's total but not the free room, the node is reserved for it.
 */
#include <math.h>

#include "rm/sched/capacity/internal.h"

/* --- delay scheduling ------------------------------------------------------ */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool may_be_off_switch(const struct visit *visit, const struct demand *demand)
{
    const struct capacity_config *config = capacity_of(visit->sched)->config;
    int64_t nodes = visit->sched->node_count;
    int64_t missed = demand->opportunities;
    int64_t names = (int64_t)demand->row_count + 1;
    float share, wanted;

    if (nodes == 0)
        return false;
    if (names == 1)
        return true;
    if (config->rack_locality_additional_delay > -1)
        return missed > least(nodes, config->node_locality_delay + config->rack_locality_additional_delay);
    share = (float)(names - 1) / (float)nodes;
    wanted = (float)demand->count * (share < 1.0f ? share : 1.0f);
    return ((float)nodes < wanted ? (float)nodes : wanted) < (float)missed;
}

static bool may_be_rack_local(const struct visit *visit, const struct demand *demand)
{
    return least(visit->sched->node_count, capacity_of(visit->sched)->config->node_locality_delay) <
           demand->opportunities;
}

/* --- reservations ---------------------------------------------------------- */

/* Returns true if DEMAND may use or reserve more nodes than are reserved for it already. The more often these
 * nodes were offered without enough room, the more nodes are allowed (fewer for a request that takes most of
 * a node). */
static bool needs_more(const struct sched *sched, const struct demand *demand)
{
    int64_t starved;
    struct resource room;
    float size, most;

    if (demand->count > demand->reserved)
        return true;
    if (demand->reserved == 0 || demand->rereserved == 0)
        return false;
    room = resource_subtract(sched->maximum, sched->minimum);
    size = calc_ratio(&sched->calc, demand_size(demand), &sched->maximum);
    most = calc_ratio(&sched->calc, &room, &sched->maximum);
    starved = (int64_t)((float)demand->rereserved / (float)demand->reserved * (1.0f - fminf(size, most)));
    return starved + (int64_t)demand->count - (int64_t)demand->reserved > 0;
}

/* Returns the node of the oldest reservation for DEMAND that would release at least NEED, or NULL. WITHIN:
 * only nodes of the visited node's partition.
 * Differs: YARN takes the first that it finds in a hash map of nodes, whose order is arbitrary, and of any
 * partition (FiCaSchedulerApp.findNodeToUnreserve). */
static struct sched_node *find_kept(const struct visit *visit, const struct sched_app *app,
                                    const struct demand *demand, const struct resource *need, bool within)
{
    const struct sched *sched = visit->sched;
    struct sched_node *node;

    TAILQ_FOREACH(node, &app->reservations, reserved.of_app)
        if (sched_node_is_reserved_for(node, app, demand) && (!within || node->label == visit->node->label) &&
            calc_fits(&sched->calc, need, &node->reserved.resource))
            return node;
    return NULL;
}

/* --- one request on one node ----------------------------------------------- */

/* Resets the missed opportunities after a container or a reservation with good enough locality, but not after
 * a container for which the node was reserved (RegularContainerAllocator.doAllocation). */
static void reset_opportunities(const struct visit *visit, struct demand *demand,
                                enum sched_locality locality)
{
    if (locality == SCHED_NODE_LOCAL ||
        (locality == SCHED_RACK_LOCAL && capacity_of(visit->sched)->config->rack_locality_full_reset))
        demand->opportunities = 0;
    if (visit->node->label == 0)
        demand->missed_shared = 0;
}

/* Returns true if SIZE, minus RELEASED (NULL: nothing), can be added to the use of PART's user and queues.
 * YARN checks each decision again against the maximums, type by type, and rejects it if they are exceeded
 * (AbstractLeafQueue.accept, AbstractCSQueue.accept). On a borrowed node the maximum of each queue is the
 * whole partition. */
static bool is_accepted(const struct visit *visit, const struct app_partition *part,
                        const struct amount *size, const struct resource *released)
{
    const struct calc *calc = &visit->sched->calc;
    struct resource of_user = visit_user_used(visit, part), more = calc_load(calc, size);
    struct resource limit = visit_user_limit(visit, part);

    if (released) {
        calc_subtract(calc, &of_user, released);
        calc_subtract(calc, &more, released);
    }
    if (calc_is_more(calc, &visit->sched->total, &of_user, &limit))
        return false;
    for (const struct queue_partition *at = visit_counts_in(visit, part->leaf); at; at = at->up) {
        struct resource used = calc_load(calc, queue_used(at)), going = capacity_killed_use(at);

        calc_subtract(calc, &used, &going);
        calc_add(calc, &used, &more);
        if (!calc_fits(calc, &used,
                       visit->borrowing ? visit->partition : &part_data(at)->share->effective_maximum))
            return false;
    }
    return true;
}

/*
 * Notes whether a decision for DEMAND was accepted. Returns true if DEMAND must be skipped now.
 * Differs: YARN repeats a rejected decision whenever a node is offered, and serves no other request on the
 * node: with the dominant calculator, one request that fits in the headroom but not in a maximum stops the
 * cluster until another container ends. creel skips such a request after DROPPED_MS.
 */
#define DROPPED_MS 10000

static bool is_passed_over(const struct visit *visit, struct demand *demand, bool accepted)
{
    if (!accepted && !demand->dropped)
        demand->dropped_since_ms = visit->sched->now_ms;
    demand->dropped = !accepted;
    return demand->dropped && visit->sched->now_ms - demand->dropped_since_ms >= DROPPED_MS;
}

/* Places a container for DEMAND, in exchange for the reservation of the node KEPT (NULL: none). */
static enum outcome place(struct visit *visit, const struct app_partition *part, struct demand *demand,
                          enum sched_locality locality, struct sched_node *kept)
{
    const struct resource *released =
        kept && kept->label == visit->node->label ? &kept->reserved.resource : NULL;
    bool accepted = is_accepted(visit, part, demand_size(demand), released);

    if (!visit->dry && is_passed_over(visit, demand, accepted))
        return SKIP_APP;
    reset_opportunities(visit, demand, locality);
    visit->off_switch = locality == SCHED_OFF_SWITCH;
    visit->rejected = !accepted;
    if (!accepted || visit->dry)
        return ALLOCATED;
    if (kept)
        sched_place_reserved(visit->sched, visit->node, part->app, demand, locality, kept, true,
                             visit->decisions);
    else
        sched_place_one(visit->sched, visit->node, part->app, demand, locality, visit->decisions);
    return ALLOCATED;
}

static enum outcome reserve(struct visit *visit, const struct app_partition *part, struct demand *demand,
                            enum sched_locality locality)
{
    bool accepted = is_accepted(visit, part, demand_size(demand), NULL);

    if (!visit->dry && is_passed_over(visit, demand, accepted))
        return SKIP_APP;
    reset_opportunities(visit, demand, locality);
    visit->rejected = !accepted;
    if (accepted && !visit->dry)
        sched_reserve(visit->sched, visit->node, part->app, demand, visit->decisions);
    return RESERVED;
}

static enum outcome reserve_node(struct visit *visit, const struct app_partition *part, struct demand *demand,
                                 enum sched_locality locality, bool more, bool must_unreserve)
{
    bool continue_look = capacity_of(visit->sched)->config->reservations_continue_look;

    if (!more || (continue_look && must_unreserve))
        return SKIP_LOCALITY;
    if (!visit->offer->reserve)
        return SKIP_APP;
    return reserve(visit, part, demand, locality);
}

/* Like reserve_node(), on a node with killable containers: may have them killed to make room.
 * Differs: YARN also kills for a request that borrows the node. */
static enum outcome clear_node(struct visit *visit, const struct app_partition *part, struct demand *demand,
                               enum sched_locality locality, bool more, bool must_unreserve)
{
    const struct resource none = resource_of(0, 0);
    struct resource size = sched_load(visit->sched, demand_size(demand));

    if (more && !must_unreserve && visit->offer->reserve && !visit->borrowing && !visit->dry &&
        capacity_make_room(visit->sched, visit->node, part->leaf, &none, &size, visit->decisions))
        return reserve(visit, part, demand, locality);
    if (!visit->node->has_room) /* the node was offered only because of killable containers */
        return SKIP_LOCALITY;
    return reserve_node(visit, part, demand, locality, more, must_unreserve);
}

/* Computes NEED, the reserved resource that must be released: the part of SIZE above HEADROOM, or what the
 * user limit requires. False: nothing must be released. */
static bool must_release(const struct visit *visit, const struct amount *size,
                         const struct resource *headroom, struct resource *need)
{
    const struct calc *calc = &visit->sched->calc;

    if (visit->unreserve == NULL && calc_is_within(calc, size, headroom))
        return false;
    *need = calc_load(calc, size);
    calc_subtract(calc, need, headroom);
    *need = *calc_most(calc, &visit->sched->total, need, visit->unreserve ? visit->unreserve : &calc_zero);
    return calc_above_zero(calc, &visit->sched->total, need);
}

/* Places DEMAND on the node, or reserves the node for DEMAND, after locality was checked
 * (RegularContainerAllocator.assignContainer). */
static enum outcome place_or_reserve(struct visit *visit, const struct app_partition *part,
                                     struct demand *demand, enum sched_locality locality,
                                     const struct resource *headroom)
{
    const struct sched *sched = visit->sched;
    struct sched_node *kept = NULL;
    struct resource need;
    bool more = needs_more(sched, demand);
    bool must_unreserve = must_release(visit, demand_size(demand), headroom, &need);

    if (!calc_fits(&sched->calc, demand_size(demand), &visit->node->total))
        return SKIP_LOCALITY;
    if (sched_node_count_fitting(sched, visit->node, demand_size(demand), 1) == 0)
        return visit->node->killable > 0 ? clear_node(visit, part, demand, locality, more, must_unreserve)
                                         : reserve_node(visit, part, demand, locality, more, must_unreserve);
    if (visit->looks_on && (!more || must_unreserve)) {
        if (!must_unreserve)
            need = sched_load(sched, demand_size(demand));
        kept = find_kept(visit, part->app, demand, &need, must_unreserve);
        if (kept == NULL)
            return SKIP_LOCALITY;
    }
    return place(visit, part, demand, locality, kept);
}

static enum outcome try_demand(struct visit *visit, const struct app_partition *part, struct demand *demand,
                               const struct resource *headroom)
{
    enum outcome outcome = SKIP_LOCALITY;

    const struct row *rack = sched_demand_find_rack(demand, visit->node);

    if (sched_row_has_pending(rack)) {
        if (sched_demand_find_local(demand, visit->node))
            outcome = place_or_reserve(visit, part, demand, SCHED_NODE_LOCAL, headroom);
        if (outcome != SKIP_LOCALITY)
            return outcome;
        if (rack->strict) {
            visit->hopeful = true;
            return SKIP_DEMAND;
        }
        if (may_be_rack_local(visit, demand))
            outcome = place_or_reserve(visit, part, demand, SCHED_RACK_LOCAL, headroom);
        if (outcome != SKIP_LOCALITY)
            return outcome;
    }
    if (demand->strict)
        return SKIP_DEMAND;
    if (!may_be_off_switch(visit, demand))
        return SKIP_APP;
    visit->hopeful = true;
    outcome = place_or_reserve(visit, part, demand, SCHED_OFF_SWITCH, headroom);
    return outcome == SKIP_LOCALITY ? SKIP_APP : outcome;
}

/* Compares type by type (RegularContainerAllocator.checkHeadroom). */
static bool has_headroom(const struct visit *visit, const struct app_partition *part,
                         const struct demand *demand, const struct resource *headroom)
{
    const struct calc *calc = &visit->sched->calc;
    struct resource room = *headroom;

    if (visit->looks_on)
        calc_add(calc, &room, visit_reserved(visit, part));
    return calc_fits(calc, demand_size(demand), &room);
}

static bool is_candidate(const struct visit *visit, const struct demand *demand)
{
    return demand->count > 0 && (capacity_of(visit->sched)->config->reservations_continue_look ||
                                 needs_more(visit->sched, demand));
}

bool capacity_lacks_headroom(const struct visit *visit, const struct app_partition *app,
                             const struct resource *headroom)
{
    struct demand *demand;

    RB_FOREACH(demand, sched_demand_tree, &app->app->demands) {
        if (is_candidate(visit, demand) && !has_headroom(visit, app, demand, headroom))
            return true;
        if (is_candidate(visit, demand) && demand->label == visit->label)
            return false;
    }
    return false;
}

/* Differs: YARN counts any offer as an opportunity. creel does not count an offer that is of use only in
 * exchange for a reservation if nothing is reserved for DEMAND in this partition, or if the node has too
 * little room. So queues that could only exchange reservations need not be visited (next_child in
 * assign.c). */
static bool is_of_use(const struct visit *visit, const struct app_partition *part,
                      const struct demand *demand, const struct resource *headroom)
{
    struct resource need;

    return !must_release(visit, demand_size(demand), headroom, &need) ||
           (demand->reserved > 0 && find_kept(visit, part->app, demand, &calc_zero, true) &&
            sched_node_count_fitting(visit->sched, visit->node, demand_size(demand), 1) > 0);
}

/* Differs: nor does creel count the offer of a node that is too small for a request that names no hosts or
 * racks and so does not wait for locality: its application need not be visited (total_that_matters in
 * assign.c). */
static bool is_opportunity(const struct visit *visit, const struct app_partition *part,
                           const struct demand *demand, const struct resource *headroom)
{
    return is_of_use(visit, part, demand, headroom) &&
           (demand->row_count > 0 ||
            calc_fits(&visit->sched->calc, demand_size(demand), &visit->node->total));
}

bool capacity_lends_to(const struct sched_app *app, const struct demand *demand)
{
    bool master = demand == NULL || demand->master;

    return !master || !app->manages || capacity_of(app->sched)->config->masters_borrow;
}

/* Returns true if DEMAND is for an AM, which is not placed on a borrowed node, where it would be the first to
 * be preempted. The only container of an application that consists of one may be placed there. */
static bool is_master_elsewhere(const struct visit *visit, const struct app_partition *part,
                                const struct demand *demand)
{
    return visit->borrowing && !capacity_lends_to(part->app, demand);
}

/* Counts an offer, of any node, as missed if DEMAND names no label. Returns true if DEMAND may not borrow the
 * node: it has not missed as many offers as there are nodes. */
static bool must_not_borrow(const struct visit *visit, const struct app_partition *part,
                            struct demand *demand, const struct resource *headroom)
{
    if (visit->sched->labels_share && demand->label == 0 && visit->offer->heartbeat &&
        (visit->borrowing || is_of_use(visit, part, demand, headroom)))
        demand->missed_shared++;
    return visit->borrowing && (demand->label != 0 || !visit->offer->heartbeat ||
                                demand->missed_shared < visit->sched->node_count);
}

/* The checks of headroom and of missed offers are made also for a request of another partition than the
 * node's, as in YARN (RegularContainerAllocator.preCheckRequest, before preCheckForNode). */
static enum outcome count_and_offer(struct visit *visit, const struct app_partition *part,
                                    struct demand *demand, const struct resource *headroom)
{
    enum outcome outcome;
    bool counts;

    if (!has_headroom(visit, part, demand, headroom))
        return SKIP_QUEUE;
    visit->certain = false; /* from this line on, the result depends on the node and on earlier offers */
    if (must_not_borrow(visit, part, demand, headroom))
        return SKIP_APP;
    if (demand->label != visit->label)
        return SKIP_DEMAND;
    if (sched_app_avoids(part->app, visit->node))
        return SKIP_APP;
    counts = visit->offer->opportunity && is_opportunity(visit, part, demand, headroom);
    demand->opportunities += counts ? 1 : 0;
    outcome = try_demand(visit, part, demand, headroom);
    if (outcome == SKIP_DEMAND && counts)
        demand->opportunities--; /* the node was not skipped because of locality */
    return outcome;
}

static enum outcome offer_demand(struct visit *visit, const struct app_partition *part, struct demand *demand,
                                 const struct resource *headroom)
{
    uint32_t opportunities = demand->opportunities, missed_shared = demand->missed_shared;
    enum outcome outcome = count_and_offer(visit, part, demand, headroom);

    if (visit->dry) {
        demand->opportunities = opportunities;
        demand->missed_shared = missed_shared;
    }
    return outcome;
}

enum outcome capacity_allocate(struct visit *visit, struct app_partition *part,
                               const struct resource *headroom)
{
    struct demand *demand, *next;

    for (demand = RB_MIN(sched_demand_tree, &part->app->demands); demand; demand = next) {
        enum outcome outcome;

        next = RB_NEXT(sched_demand_tree, &part->app->demands, demand);
        if (demand->count > 0 && is_master_elsewhere(visit, part, demand))
            return SKIP_APP; /* also if a node is reserved for the AM */
        if (!is_candidate(visit, demand)) {
            visit->certain = visit->certain && demand->reserved == 0; /* needs_more() may change as nodes stay
                                                                         reserved */
            continue;
        }
        outcome = offer_demand(visit, part, demand, headroom);
        if (outcome != SKIP_DEMAND)
            return outcome;
    }
    return SKIP_APP;
}

/* --- a reserved node ------------------------------------------------------- */

/* Finds the locality level at which DEMAND may use the node; false: none, because DEMAND became strict. */
static bool find_level(const struct visit *visit, const struct demand *demand, enum sched_locality *level)
{
    const struct row *rack = sched_demand_find_rack(demand, visit->node);

    *level = SCHED_OFF_SWITCH;
    if (!sched_row_has_pending(rack))
        return !demand->strict;
    *level = SCHED_NODE_LOCAL;
    if (sched_demand_find_local(demand, visit->node))
        return true;
    *level = may_be_rack_local(visit, demand) ? SCHED_RACK_LOCAL : SCHED_OFF_SWITCH;
    return !rack->strict && (*level == SCHED_RACK_LOCAL || !demand->strict);
}

/*
 * Differs: creel cancels a reservation if the application blacklists the node, if the request does not fit on
 * the node any more, or if its rows do not allow the node any more. YARN keeps the node reserved, and serves
 * no other application there, until the application cancels the request or ends.
 */
enum outcome capacity_allocate_reserved(struct visit *visit)
{
    struct sched *sched = visit->sched;
    struct sched_node *node = visit->node;
    struct sched_app *app = node->reserved.app;
    struct demand *demand = sched_demand_of_reservation(node);
    enum sched_locality level = SCHED_OFF_SWITCH;

    bool stays = demand && node->open && !sched_app_avoids(app, node);

    visit->label = node->label;
    if (stays) {
        demand->opportunities += visit->offer->opportunity ? 1 : 0;
        stays =
            find_level(visit, demand, &level) && calc_fits(&sched->calc, demand_size(demand), &node->total);
    }
    if (!stays) {
        sched_unreserve(sched, node, true, visit->decisions);
        return SKIP_APP;
    }
    if (sched_node_count_fitting(sched, node, demand_size(demand), 1) == 0) {
        struct resource size = sched_load(sched, demand_size(demand));

        capacity_make_room(sched, node, sched_app_partition(app, node->label)->leaf, &node->reserved.resource,
                           &size, visit->decisions);
        if (visit->offer->heartbeat)
            demand->rereserved++;
        return RESERVED;
    }
    sched_place_reserved(sched, node, app, demand, level, node, false, visit->decisions);
    return ALLOCATED;
}
