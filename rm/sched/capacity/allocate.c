/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocate.c - an app and a node: its asks in order, locality, reservations (yarn-behaviour 5.6, 6,
 * 12.2)
 *
 * An ask that is local here, or has waited for long enough, is placed; if it would fit the node but
 * for what runs there, the node is kept for it.
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
    const struct capacity_config *config = visit->sched->capacity->config;
    int64_t nodes = visit->sched->node_count;
    int64_t missed = demand->opportunities;
    int64_t names = (int64_t)demand->row_count + 1;
    float share, wanted;

    if (nodes == 0)
        return false;
    if (names == 1)
        return true;
    if (config->rack_locality_additional_delay > -1)
        return missed > least(nodes, config->node_locality_delay +
                                         config->rack_locality_additional_delay);
    share = (float)(names - 1) / (float)nodes;
    wanted = (float)demand->count * (share < 1.0f ? share : 1.0f);
    return ((float)nodes < wanted ? (float)nodes : wanted) < (float)missed;
}

/* Of a demand that has MISSED so many opportunities. */
static bool may_be_rack_local(const struct visit *visit, int64_t missed)
{
    return least(visit->sched->node_count,
                 visit->sched->capacity->config->node_locality_delay) < missed;
}

/* --- reservations ---------------------------------------------------------- */

/* Are more nodes to be kept, or containers to be placed, than those that are kept for it already? The
 * longer they are kept in vain, the more (less so for what takes most of a node). */
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
    starved = (int64_t)((float)demand->rereserved / (float)demand->reserved *
                        (1.0f - fminf(size, most)));
    return starved + (int64_t)demand->count - (int64_t)demand->reserved > 0;
}

/* A node kept for the same ask that gives back at least NEED; NULL. */
static struct sched_node *find_kept(const struct sched *sched, const struct sched_app *app,
                                    const struct demand *demand, const struct resource *need)
{
    struct sched_node *node;

    TAILQ_FOREACH(node, &app->reservations, reserved.of_app)
        if (node->reserved.priority == demand->priority &&
            node->reserved.allocation_id == demand->allocation_id &&
            calc_fits(&sched->calc, need, &node->reserved.resource))
            return node;
    return NULL;
}

/* --- one ask on one node --------------------------------------------------- */

static void place(struct visit *visit, struct sched_app *app, struct demand *demand,
                  enum sched_locality locality)
{
    const struct capacity_config *config = visit->sched->capacity->config;

    if (locality == SCHED_NODE_LOCAL ||
        (locality == SCHED_RACK_LOCAL && config->rack_locality_full_reset))
        demand->opportunities = 0;
    demand->missed_shared = 0;
    visit->off_switch = locality == SCHED_OFF_SWITCH;
    sched_place_one(visit->sched, visit->node, app, demand, locality, visit->decisions);
}

static enum outcome keep_node(struct visit *visit, struct sched_app *app, struct demand *demand,
                              bool more, bool must_unreserve)
{
    bool continue_look = visit->sched->capacity->config->reservations_continue_look;

    if (!more || (continue_look && must_unreserve))
        return SKIP_LOCALITY;
    if (!visit->offer->reserve)
        return SKIP_APP;
    sched_reserve(visit->sched, visit->node, app, demand, visit->decisions);
    return RESERVED;
}

/* As keep_node, on a node where some containers may be killed for it. */
static enum outcome clear_node(struct visit *visit, const struct app_part *part,
                               struct demand *demand, bool more, bool must_unreserve)
{
    const struct resource none = resource_of(0, 0);
    struct resource size = sched_load(visit->sched, demand_size(demand));

    if (more && !must_unreserve && visit->offer->reserve && !visit->borrowing &&
        capacity_make_room(visit->sched, visit->node, part->leaf, &none, &size,
                           visit->decisions)) {
        sched_reserve(visit->sched, visit->node, part->app, demand, visit->decisions);
        return RESERVED;
    }
    if (!visit->node->has_room)         /* it is offered for what is killable alone */
        return SKIP_LOCALITY;
    return keep_node(visit, part->app, demand, more, must_unreserve);
}

/* What of SIZE is over HEADROOM, or the user's limit wants given up, must be: NEED. False: nothing. */
static bool must_give_up(const struct visit *visit, const struct amount *size,
                         const struct resource *headroom, struct resource *need)
{
    const struct calc *calc = &visit->sched->calc;

    if (visit->unreserve == NULL && calc_is_within(calc, size, headroom))
        return false;
    *need = calc_load(calc, size);
    calc_subtract(calc, need, headroom);
    *need = *calc_most(calc, visit->total, need, visit->unreserve ? visit->unreserve : &calc_zero);
    return calc_above_zero(calc, visit->total, need);
}

/* Locality allows it: place DEMAND here, or keep the node for it. */
static enum outcome take(struct visit *visit, struct app_part *part, struct demand *demand,
                         enum sched_locality locality, const struct resource *headroom)
{
    struct sched *sched = visit->sched;
    struct sched_app *app = part->app;
    struct resource need;
    bool more = needs_more(sched, demand);
    bool must_unreserve = must_give_up(visit, demand_size(demand), headroom, &need);

    if (sched_node_takes(sched, visit->node, demand_size(demand), 1) == 0) {
        if (!calc_fits(&sched->calc, demand_size(demand), &visit->node->total))
            return SKIP_LOCALITY;
        return visit->node->killable > 0
                   ? clear_node(visit, part, demand, more, must_unreserve)
                   : keep_node(visit, app, demand, more, must_unreserve);
    }
    if (visit->looks_on && (!more || must_unreserve)) {
        struct sched_node *kept;

        if (!must_unreserve)
            need = sched_load(sched, demand_size(demand));
        kept = find_kept(sched, app, demand, &need);
        if (kept == NULL)
            return SKIP_LOCALITY;
        sched_unreserve(sched, kept, true, visit->decisions);
    }
    place(visit, app, demand, locality);
    return ALLOCATED;
}

static enum outcome try_demand(struct visit *visit, struct app_part *part, struct demand *demand,
                               const struct resource *headroom)
{
    enum outcome outcome = SKIP_LOCALITY;

    if (demand->row_count > 0) {
        const struct row *rack;

        if (sched_demand_find_local(demand, visit->node))
            outcome = take(visit, part, demand, SCHED_NODE_LOCAL, headroom);
        if (outcome != SKIP_LOCALITY)
            return outcome;
        rack = sched_demand_find_rack(demand, visit->node);
        if (sched_row_wants(rack) && rack->strict) {
            visit->hopeful = true;
            return SKIP_DEMAND;
        }
        if (sched_row_wants(rack) && may_be_rack_local(visit, demand->opportunities))
            outcome = take(visit, part, demand, SCHED_RACK_LOCAL, headroom);
        if (outcome != SKIP_LOCALITY)
            return outcome;
    }
    if (demand->strict)
        return SKIP_DEMAND;
    if (!may_be_off_switch(visit, demand))
        return SKIP_APP;
    visit->hopeful = true;
    outcome = take(visit, part, demand, SCHED_OFF_SWITCH, headroom);
    return outcome == SKIP_LOCALITY ? SKIP_APP : outcome;
}

static bool headroom_allows(const struct visit *visit, const struct app_part *part,
                            const struct demand *demand, const struct resource *headroom)
{
    const struct calc *calc = &visit->sched->calc;
    struct resource room;

    if (part->app->reserved_count == 0 || !visit->looks_on)
        return !calc_is_more(calc, visit->total, demand_size(demand), headroom);
    room = *headroom;
    calc_add(calc, &room, app_reserved(part));
    return !calc_is_more(calc, visit->total, demand_size(demand), &room);
}

/* On a node with less room than DEMAND takes nothing could be placed, and, since a reservation would have
 * to be given up for it, no node is kept: this ends the same. Unless racks differ in whether it goes
 * there. It also ends the same with less headroom, if what PART has reserved is enough, or with more that
 * is still too little. */
static void look_ahead(struct visit *visit, const struct app_part *part,
                       const struct demand *demand, const struct resource *headroom)
{
    const struct sched *sched = visit->sched;
    double size = capacity_measure(sched, part->label, demand_size(demand));
    struct resource over;

    visit->least = size < visit->least ? size : visit->least;
    visit->most = size < visit->most ? size : visit->most;
    visit->steady = visit->steady && calc_fits(&sched->calc, demand_size(demand), app_reserved(part));
    over = sched_load(sched, demand_size(demand));
    calc_subtract(&sched->calc, &over, headroom);
    if (demand->strict_rows > 0 || !calc_above_zero(&sched->calc, visit->total, &over))
        visit->sure = false;
}

/* There is no headroom for DEMAND: nor is there while it is less than it takes beside what is reserved. */
static void look_beyond(struct visit *visit, const struct app_part *part,
                        const struct demand *demand)
{
    double need = (double)capacity_demand_need(part, demand);

    visit->most = need < visit->most ? need : visit->most;
    visit->steady = visit->steady && need > 0;
}

void capacity_look_beyond(struct visit *visit, const struct app_part *part)
{
    struct demand *demand;

    visit->steady = visit->steady && part->app->blacklist == NULL;      /* else the next may be asked */
    RB_FOREACH(demand, sched_demand_tree, &part->app->demands)
        if (demand->count > 0 && demand->label == visit->label) {
            look_beyond(visit, part, demand);
            return;
        }
    visit->steady = false;
}

static enum outcome offer_demand(struct visit *visit, struct app_part *part, struct demand *demand,
                                 const struct resource *headroom)
{
    enum outcome outcome;

    if (demand->count == 0 || demand->label != visit->label)
        return SKIP_DEMAND;
    if (!visit->looks_on && !visit->sched->capacity->config->reservations_continue_look &&
        !needs_more(visit->sched, demand))
        return SKIP_DEMAND;
    if (!headroom_allows(visit, part, demand, headroom)) {
        if (visit->exchanging)
            look_beyond(visit, part, demand);
        visit->refused = demand;
        return SKIP_QUEUE;
    }
    if (visit->exchanging)
        look_ahead(visit, part, demand, headroom);
    if (visit->offer->opportunity)
        demand->opportunities++;
    if (visit->borrowing &&
        (!visit->offer->heartbeat || ++demand->missed_shared < visit->sched->node_count))
        return SKIP_APP;
    outcome = try_demand(visit, part, demand, headroom);
    if (visit->exchanging && outcome == SKIP_APP)
        SLIST_INSERT_HEAD(&visit->exchanging->counted, demand, counted);
    if (outcome == SKIP_DEMAND && visit->offer->opportunity)
        demand->opportunities--;        /* it did not pass this node over for want of locality */
    return outcome;
}

enum outcome capacity_allocate(struct visit *visit, struct app_part *part,
                               const struct resource *headroom)
{
    struct sched_app *app = part->app;
    struct demand *demand, *next;

    if (app->blacklist) {
        visit->passed = true;
        visit->sure = false;
        if (sched_app_avoids(app, visit->node))
            return SKIP_APP;
    }
    for (demand = RB_MIN(sched_demand_tree, &app->demands); demand; demand = next) {
        enum outcome outcome = offer_demand(visit, part, demand, headroom);

        if (outcome != SKIP_DEMAND)
            return outcome;             /* it may be gone */
        next = RB_NEXT(sched_demand_tree, &app->demands, demand);
        visit->passed = visit->passed || (demand->count > 0 && demand->label == visit->label);
    }
    return SKIP_APP;
}

/* --- a node that is kept --------------------------------------------------- */

/* At which level DEMAND of APP would take the node; false: at none, it has become strict. */
static bool find_level(const struct visit *visit, const struct sched_app *app, const struct demand *demand,
                       enum sched_locality *level)
{
    const struct row *rack = sched_demand_find_rack(demand, visit->node);

    *level = SCHED_NODE_LOCAL;
    if (sched_demand_find_local(demand, visit->node))
        return true;
    if (!sched_row_wants(rack))
        rack = NULL;
    *level = rack && may_be_rack_local(visit, capacity_hold_opportunities(app, demand)) ? SCHED_RACK_LOCAL
                                                                                        : SCHED_OFF_SWITCH;
    if (rack && rack->strict)
        return false;
    return *level == SCHED_RACK_LOCAL || !demand->strict;
}

enum outcome capacity_allocate_reserved(struct visit *visit)
{
    struct sched *sched = visit->sched;
    struct sched_node *node = visit->node;
    struct sched_app *app = node->reserved.app;
    struct demand *demand = sched_demand_find(app, node->reserved.priority,
                                              node->reserved.allocation_id);
    enum sched_locality level = SCHED_OFF_SWITCH;

    visit->label = node->label;
    if (demand == NULL || demand->count == 0 || !node->open || sched_app_avoids(app, node) ||
        !find_level(visit, app, demand, &level) ||
        !calc_fits(&sched->calc, demand_size(demand), &node->total)) {
        sched_unreserve(sched, node, true, visit->decisions);
        return SKIP_APP;
    }
    if (sched_node_takes(sched, node, demand_size(demand), 1) == 0) {
        struct resource size = sched_load(sched, demand_size(demand));

        capacity_make_room(sched, node, sched_app_part(app, node->label)->leaf,
                           &node->reserved.resource, &size, visit->decisions);
        if (visit->offer->heartbeat)
            demand->rereserved++;
        return RESERVED;
    }
    sched_unreserve(sched, node, false, visit->decisions);
    place(visit, app, demand, level);
    return ALLOCATED;
}
