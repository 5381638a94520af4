/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocate.c - tries to place the requests of one application on one node: AM limit, locality, reservations
 * (yarn-behaviour 8.8, 12.3)
 */
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/fair/internal.h"

/* --- limits ------------------------------------------------------------------ */

/* Returns the free resource of the cluster, for the limit on AMs. During an offer this is the free resource
 * when the offer began: YARN updates the available resources of root's metrics when the heartbeat of a node
 * ends, not with each container (FairScheduler.updateRootQueueMetrics). */
static struct resource am_available(const struct sched *sched)
{
    return fair_of(sched)->visit ? fair_of(sched)->visit->available
                                 : resource_subtract(sched->total, sched->used);
}

/* Returns the base of the limit on a leaf's AMs: its fair share or, for a type without a share, the free
 * resource of the cluster, at most the leaf's maximum (FSLeafQueue.computeMaxAMResource). FREE_OF (may be
 * NULL) is set for each type for which the free resource is used. */
static struct resource am_base(const struct sched *sched, const struct fair_queue *leaf,
                               bool free_of[RESOURCE_TYPES_MAX])
{
    struct resource available = am_available(sched);
    struct resource base = leaf->share;
    struct resource maximum = leaf->maximum;

    for (int t = 0; t < sched->calc.types; t++) {
        bool none = base.value[t] == 0;

        if (none)
            base.value[t] = available.value[t] < maximum.value[t] ? available.value[t] : maximum.value[t];
        if (free_of)
            free_of[t] = none;
    }
    return base;
}

struct resource fair_am_limit(const struct sched *sched, const struct fair_queue *leaf, bool *has_limit)
{
    float share = leaf->settings->max_am_share;
    struct resource base = am_base(sched, leaf, NULL);

    *has_limit = fabs((double)share + 1) >= 0.0001;
    return *has_limit ? calc_multiply_ceil(&base, (double)share) : leaf->maximum;
}

/* Returns true if MASTER, the request for the AM of an application of LEAF, would exceed the AM limit. */
static bool is_over_am_limit(const struct sched *sched, const struct fair_queue *leaf,
                             const struct demand *master, bool *lightly)
{
    float share = leaf->settings->max_am_share;
    struct resource base, limit, sum;
    bool free_of[RESOURCE_TYPES_MAX], over = false;

    if (fabs((double)share + 1) < 0.0001)
        return false;
    base = am_base(sched, leaf, free_of);
    limit = calc_multiply_ceil(&base, (double)share);
    sum = resource_add(leaf->am_used, demand_capability(master));
    for (int t = 0; t < sched->calc.types; t++) {
        if (sum.value[t] <= limit.value[t])
            continue;
        over = true;
        *lightly = *lightly && free_of[t];
    }
    return over;
}

bool fair_over_am_limit(const struct sched *sched, const struct fair_app *app, bool *lightly)
{
    const struct demand *first;

    *lightly = true;
    if (!app->app->manages)
        return false;
    first = RB_MIN(sched_demand_tree, &app->app->demands);
    if (first == NULL || !first->master)
        return false;
    if (fair_am_is_held(sched, app)) {
        *lightly = false;
        return true;
    }
    return is_over_am_limit(sched, app->leaf, first, lightly);
}

/* --- locality ---------------------------------------------------------------- */

struct fair_level *fair_level_find(const struct fair_app *app, const struct demand *demand)
{
    struct fair_level key = { .key = { demand->allocation_id, demand->priority } }, *level;

    if (app->levels == NULL || demand->container)
        return NULL;
    HASH_FIND(hh, app->levels, &key.key, sizeof(key.key), level);
    return level;
}

void fair_levels_free(struct fair_app *app)
{
    struct fair_level *level, *next;

    HASH_ITER(hh, app->levels, level, next) {
        HASH_DEL(app->levels, level);
        free(level);
    }
}

/* Drops the levels of request keys without pending requests, when there are many levels.
 * Differs: YARN keeps them during the whole attempt. */
static void drop_old_levels(struct fair_app *app)
{
    struct fair_level *level, *next;

    if (HASH_COUNT(app->levels) < 64 || HASH_COUNT(app->levels) < 2 * app->app->row_count)
        return;
    HASH_ITER(hh, app->levels, level, next)
        if (!sched_demand_find(app->app, (uint32_t)level->key.priority, level->key.allocation_id)) {
            HASH_DEL(app->levels, level);
            free(level);
        }
}

static void relax(struct fair_level *level, int64_t now_ms)
{
    level->allowed = level->allowed == SCHED_NODE_LOCAL ? SCHED_RACK_LOCAL : SCHED_OFF_SWITCH;
    level->opportunities = 0;
    level->last_ms = now_ms;
}

static bool waited_enough(const struct fair_visit *visit, const struct fair_level *level)
{
    const struct fair_config *config = visit->fair->config;
    bool node = level->allowed == SCHED_NODE_LOCAL;
    double threshold = node ? config->locality_node : config->locality_rack;

    if (config->continuous)
        return visit->sched->now_ms - level->last_ms > (node ? config->delay_node_ms : config->delay_rack_ms);
    return (double)level->opportunities > (double)visit->sched->node_count * (threshold < 1 ? threshold : 1);
}

static struct fair_level *level_new(const struct fair_visit *visit, struct fair_app *app,
                                    const struct demand *demand)
{
    struct fair_level *level;

    drop_old_levels(app);
    level = mem_new0(struct fair_level);
    level->key.allocation_id = demand->allocation_id;
    level->key.priority = demand->priority;
    level->last_ms = visit->sched->now_ms;
    HASH_ADD(hh, app->levels, key, sizeof(level->key), level);
    return level;
}

/* Returns true if further offers can still change LEVEL. After more offers than there are nodes the level is
 * relaxed in any case.
 * Differs: YARN continues counting. The counts have the same effect until the cluster has more than twice as
 * many nodes. */
static bool counts_offers(const struct sched *sched, const struct fair_level *level)
{
    uint32_t nodes = sched->node_count > 16 ? sched->node_count : 16;

    return level == NULL || level->allowed != SCHED_OFF_SWITCH || level->opportunities <= 2 * nodes;
}

/* Counts an offer for DEMAND, and returns the least locality at which DEMAND may be placed now. Offers are
 * counted until the level is relaxed; a container does not reset the count
 * (FSAppAttempt.getAllowedLocalityLevel). */
static enum sched_locality allowed(const struct fair_visit *visit, struct fair_app *app,
                                   const struct demand *demand)
{
    struct fair_level *level;

    if (!fair_delays(visit->fair) || demand->container) /* an increase has one node, and never a better one */
        return SCHED_OFF_SWITCH;
    level = fair_level_find(app, demand);
    if (level == NULL) {
        level = level_new(visit, app, demand);
        level->opportunities = visit->offer->heartbeat;
        return level->allowed;
    }
    if (visit->offer->heartbeat && counts_offers(visit->sched, level))
        level->opportunities++;
    if (level->allowed != SCHED_OFF_SWITCH && waited_enough(visit, level))
        relax(level, visit->sched->now_ms);
    return level->allowed;
}

/* Makes the level strict again after a container was placed with better locality than required. Returns true
 * if the level changed. */
static bool restrict_level(const struct fair_app *app, const struct demand *demand,
                           enum sched_locality locality)
{
    struct fair_level *level = fair_level_find(app, demand);

    if (level == NULL || locality >= level->allowed)
        return false;
    level->allowed = locality;
    return true;
}

/* --- needs ------------------------------------------------------------------- */

static bool at_least_threshold(const struct sched *sched, struct calc calc, const struct amount *capability)
{
    return calc_compare(&calc, &sched->total, capability, &fair_of(sched)->threshold) >= 0;
}

/* Returns true if a node may be reserved for a request of this size, by the calculator of the leaf's
 * policy. */
static bool big_enough(const struct sched *sched, const struct fair_queue *leaf,
                       const struct amount *capability)
{
    return at_least_threshold(sched, fair_calculator(sched, leaf), capability);
}

struct resource fair_app_need(const struct fair_app *app, struct resource *exchange)
{
    struct sched_app *all = app->app;
    const struct sched *sched = all->sched;
    struct resource need = order_never;
    bool delays = fair_delays(fair_of(sched)), counts = false;
    struct demand *demand;

    *exchange = need;
    RB_FOREACH(demand, sched_demand_tree, &all->demands) {
        if (demand->count == 0)
            continue;
        for (int t = 0; t < demand->types; t++)
            if (demand_size(demand)->value[t] < need.value[t])
                need.value[t] = demand_size(demand)->value[t];
        if (big_enough(sched, app->leaf, demand_size(demand)))
            *exchange = calc_zero;
        counts =
            counts || (delays && !demand->container && counts_offers(sched, fair_level_find(app, demand)));
    }
    return counts ? calc_zero : need; /* each offer counts for the locality delay */
}

void fair_app_measure(struct fair_app *app)
{
    struct resource exchange, need = fair_app_need(app, &exchange);

    order_set_need(&app->item.entry, &need, &exchange);
}

/* --- one request on one node ------------------------------------------------- */

/* The rows of a request for a node and for its rack. */
struct rows {
    const struct row *local, *rack; /* NULL: there is no such row */
};

static struct rows find_rows(const struct demand *demand, const struct sched_node *node)
{
    struct rows rows = { NULL, NULL };

    if (demand->row_count == 0)
        return rows;
    rows.local = sched_demand_find_id(demand, node);
    if (!sched_row_has_pending(rows.local))
        rows.local = sched_demand_find_host(demand, node);
    rows.rack = sched_demand_find_rack(demand, node);
    return rows;
}

static inline bool fits(const struct fair_visit *visit, const int64_t *small, const int64_t *room)
{
    int types = visit->sched->calc.types;
    bool all = (small[0] <= room[0]) & (small[1] <= room[1]);

    for (int t = 2; t < types; t++)
        all &= small[t] <= room[t];
    return all;
}

/* Returns true if DEMAND would fit on this node if the node were empty, strict locality allows the node, and
 * no queue would exceed its maximum with its present use (FSAppAttempt.hasContainerForNode). Sets
 * visit->hopeful if another node might serve DEMAND. */
static bool has_use_for(struct fair_visit *visit, const struct fair_app *app, const struct demand *demand,
                        const struct rows *rows)
{
    const int64_t *size = demand_size(demand)->value;

    if (demand->count == 0 || (demand->strict && !sched_row_has_pending(rows->rack)))
        return false;
    if ((sched_row_has_pending(rows->rack) && rows->rack->strict && !sched_row_has_pending(rows->local)) ||
        !fits(visit, size, visit->node->total.value)) {
        visit->hopeful = true;
        return false;
    }
    return fair_full_queue(app->leaf, size) == NULL;
}

static uint32_t nodes_of_rack(const struct sched *sched, const char *rack)
{
    const struct place *place = sched_place_find(sched->racks, rack);

    return place ? (uint32_t)place->count : 0;
}

static uint32_t kept_in_rack(const struct sched_app *app, const char *rack)
{
    const struct sched_node *node;
    uint32_t count = 0;

    TAILQ_FOREACH(node, &app->reservations, reserved.of_app)
        count += strcmp(node->rack, rack) == 0 ? 1u : 0u;
    return count;
}

/* Returns true if as many nodes are reserved for APP as allowed (reservable-nodes). There is no limit for
 * nodes that APP requested by name. */
static bool kept_enough(const struct fair_visit *visit, const struct sched_app *app,
                        enum sched_locality locality)
{
    float ratio = visit->fair->config->reservable_nodes;
    uint32_t nodes, kept;

    if (locality == SCHED_NODE_LOCAL)
        return false;
    if (locality == SCHED_OFF_SWITCH) {
        nodes = visit->sched->node_count;
        kept = app->reserved_count;
    } else {
        nodes = nodes_of_rack(visit->sched, visit->node->rack);
        kept = kept_in_rack(app, visit->node->rack);
    }
    return kept >= (uint32_t)ceil((double)((float)nodes * ratio));
}

static enum fair_outcome place(struct fair_visit *visit, struct fair_app *app, struct demand *demand,
                               enum sched_locality locality)
{
    struct fair_claim *claim = fair_claim_find(visit->node, app);
    bool stricter = restrict_level(app, demand, locality);

    if (claim)
        fair_claim_use(claim, demand);
    visit->fair->placing = true;
    if (visit->serves_reservation)
        sched_place_reserved(visit->sched, visit->node, app->app, demand, locality, visit->node, false,
                             visit->decisions);
    else
        sched_place_one(visit->sched, visit->node, app->app, demand, locality, visit->decisions);
    visit->fair->placing = false;
    if (stricter)
        fair_app_touch(app); /* offers count for the locality delay again */
    fair_visit_room(visit);
    return FAIR_PLACED;
}

/* Places a container of DEMAND, or reserves the node for it. Only an application that is starved now may
 * reserve (FSAppAttempt.isReservable). */
static enum fair_outcome place_or_reserve(struct fair_visit *visit, struct fair_app *app,
                                          struct demand *demand, enum sched_locality locality)
{
    struct sched_node *node = visit->node;

    if (fits(visit, demand_size(demand)->value, visit->free))
        return place(visit, app, demand, locality);
    visit->hopeful = true;
    if (!visit->offer->reserve || node->reserved.app || !fair_is_starved(visit->sched, app) ||
        !big_enough(visit->sched, app->leaf, demand_size(demand)) || fair_claim_find(node, app) ||
        kept_enough(visit, app->app, locality))
        return FAIR_NOTHING;
    sched_reserve(visit->sched, node, app->app, demand, visit->decisions);
    return FAIR_RESERVED;
}

/* Tries DEMAND at the best locality level at which it may be placed on this node. A row of the node counts
 * only together with a row of its rack. *LOOK_ON is set if there is no such level, so that the next request
 * is tried. */
static enum fair_outcome try_demand(struct fair_visit *visit, struct fair_app *app, struct demand *demand,
                                    const struct rows *rows, bool *look_on)
{
    const struct row *local = rows->local, *rack = rows->rack;
    enum sched_locality level = allowed(visit, app, demand);

    *look_on = false;
    if (sched_row_has_pending(local) && sched_row_has_pending(rack))
        return place_or_reserve(visit, app, demand, SCHED_NODE_LOCAL);
    if (sched_row_has_pending(rack) && !rack->strict && level >= SCHED_RACK_LOCAL)
        return place_or_reserve(visit, app, demand, SCHED_RACK_LOCAL);
    if (!(rack && rack->strict) && !demand->strict && (demand->row_count == 0 || level == SCHED_OFF_SWITCH))
        return place_or_reserve(visit, app, demand, SCHED_OFF_SWITCH);
    *look_on = true;
    return FAIR_NOTHING;
}

enum fair_outcome fair_allocate(struct fair_visit *visit, struct fair_app *app)
{
    struct sched_app *all = app->app;
    enum fair_outcome outcome;
    struct demand *demand;
    bool look_on = true;

    RB_FOREACH(demand, sched_demand_tree, &all->demands) {
        struct rows rows = find_rows(demand, visit->node);

        if (!has_use_for(visit, app, demand, &rows))
            continue;
        outcome = try_demand(visit, app, demand, &rows, &look_on);
        if (outcome != FAIR_NOTHING || !look_on)
            return outcome;
    }
    return FAIR_NOTHING;
}

/* --- a reserved node ---------------------------------------------------------- */

bool fair_allocate_reserved(struct fair_visit *visit, enum fair_outcome *outcome)
{
    struct sched_node *node = visit->node;
    struct fair_app *app = fair_app_data(node->reserved.app);
    struct demand *demand = sched_demand_of_reservation(node);
    struct rows rows = { NULL, NULL };
    bool lightly, look_on;

    *outcome = FAIR_NOTHING;
    if (demand)
        rows = find_rows(demand, node);
    if (demand == NULL || sched_app_avoids(app->app, node) || !has_use_for(visit, app, demand, &rows) ||
        fair_over_am_limit(visit->sched, app, &lightly)) {
        sched_unreserve(visit->sched, node, true, visit->decisions);
        return false;
    }
    visit->serves_reservation = true;
    if (fits(visit, node->reserved.resource.value, visit->free))
        *outcome = try_demand(visit, app, demand, &rows, &look_on);
    visit->serves_reservation = false;
    return true;
}
