/* SPDX-License-Identifier: Apache-2.0 */
/* fair_assign.c - reference fair scheduler: offers a node to queues and applications */
#include <math.h>

#include "tests/reference/fair.h"

enum outcome { NOTHING, PLACED, RESERVED };

struct visit {
    struct slow *slow;
    int node;
    bool from_reservation;
    struct resource placed;
};

void slow_unreserve(struct slow *slow, int node, bool reported)
{
    int app = slow->nodes[node].reserved_app;

    slow->nodes[node].reserved = false;
    if (reported)
        slow_decide(slow, (struct slow_decision){
                              .kind = SCHED_UNRESERVED, .node = node, .app = app, .container = -1 });
}

/* --- locality -------------------------------------------------------------- */

static int node_count(const struct slow *slow)
{
    int count = 0;

    for (int n = 0; n < SLOW_NODES; n++)
        count += slow->nodes[n].here;
    return count;
}

/* Returns true if the request names nodes or racks, also with count 0
 * (AppPlacementAllocator.getUniqueLocationAsks). */
static bool has_locations(const struct slow_key *key)
{
    for (int n = 0; n < SLOW_NODES; n++)
        if (key->node[n].given)
            return true;
    for (int r = 0; r < SLOW_RACKS; r++)
        if (key->rack[r].given)
            return true;
    return false;
}

static enum sched_locality allowed(struct slow *slow, int app, int k)
{
    const struct slow_config *config = &slow->config;
    struct slow_level *level = &slow->apps[app].levels[k];
    double threshold;

    if (config->locality_node < 0 || config->locality_rack < 0)
        return SCHED_OFF_SWITCH;
    level->opportunities++;
    if (!level->known) {
        level->known = true;
        level->allowed = SCHED_NODE_LOCAL;
        return SCHED_NODE_LOCAL;
    }
    threshold = level->allowed == SCHED_NODE_LOCAL ? config->locality_node : config->locality_rack;
    if (level->allowed != SCHED_OFF_SWITCH &&
        (double)level->opportunities > fmin(threshold, 1) * node_count(slow)) {
        level->allowed = level->allowed == SCHED_NODE_LOCAL ? SCHED_RACK_LOCAL : SCHED_OFF_SWITCH;
        level->opportunities = 0;
    }
    return level->allowed;
}

/* --- one request on one node ------------------------------------------------ */

/* Subtracts one container from ROW. A row whose last container was allocated is removed. */
static void subtract_row(struct slow_row *row)
{
    if (row->count > 0 && --row->count == 0)
        *row = (struct slow_row){ .given = false };
}

static void subtract_one(struct slow_key *key, const struct slow *slow, int node,
                         enum sched_locality locality)
{
    int rack = slow->nodes[node].rack;

    if (locality != SCHED_OFF_SWITCH) {
        if (locality == SCHED_NODE_LOCAL)
            subtract_row(&key->node[node]);
        subtract_row(&key->rack[rack]);
    }
    subtract_row(&key->any);
}

static enum outcome place(struct visit *visit, int a, int k, enum sched_locality locality)
{
    struct slow *slow = visit->slow;
    struct slow_app *app = &slow->apps[a];
    struct slow_level *level = &app->levels[k];
    int mark = slow_claim(slow, a, visit->node), container;

    visit->placed = app->keys[k].size;
    if (level->known && locality < level->allowed)
        level->allowed = locality;
    if (visit->from_reservation)
        slow_unreserve(slow, visit->node, false);
    if (mark >= 0) {
        struct resource *left = &slow->claims[mark].left;

        *left = resource_subtract(*left, resource_min(*left, visit->placed));
        slow->claims[mark].here = !resource_is_zero(left);
    }
    container = slow_container_enter(slow, a, visit->node, k, visit->placed);
    slow_decide(slow, (struct slow_decision){ .kind = SCHED_ALLOCATED,
                                              .locality = locality,
                                              .node = visit->node,
                                              .app = a,
                                              .container = container });
    subtract_one(&app->keys[k], slow, visit->node, locality);
    return PLACED;
}

static bool big_enough(const struct slow *slow, int leaf, const struct resource *size)
{
    struct resource total = slow_total(slow), threshold = resource_of(0, 0);
    double of_size[RESOURCE_TYPES_MAX], of_threshold[RESOURCE_TYPES_MAX];
    int count = 0;

    for (int t = 0; t < slow->config.types; t++)
        threshold.value[t] =
            (int64_t)((double)slow->config.increment.value[t] * slow->config.reservation_multiple);
    if (slow->config.queues[leaf].policy != FAIR_POLICY_DRF)
        return size->value[0] >= threshold.value[0];
    for (int t = 0; t < slow->config.types; t++) {
        if (total.value[t] == 0)
            continue;
        of_size[count] = (double)size->value[t] / (double)total.value[t];
        of_threshold[count++] = (double)threshold.value[t] / (double)total.value[t];
    }
    for (int i = 0; i < count; i++)
        for (int j = count - 1; j > i; j--) {
            double swap;

            if (of_size[j] > of_size[j - 1]) {
                swap = of_size[j];
                of_size[j] = of_size[j - 1];
                of_size[j - 1] = swap;
            }
            if (of_threshold[j] > of_threshold[j - 1]) {
                swap = of_threshold[j];
                of_threshold[j] = of_threshold[j - 1];
                of_threshold[j - 1] = swap;
            }
        }
    for (int i = 0; i < count; i++)
        if (of_size[i] != of_threshold[i])
            return of_size[i] > of_threshold[i];
    return true;
}

static bool kept_enough(const struct slow *slow, int app, int node, enum sched_locality locality)
{
    int nodes = 0, kept = 0;

    if (locality == SCHED_NODE_LOCAL)
        return false;
    for (int n = 0; n < SLOW_NODES; n++) {
        if (!slow->nodes[n].here ||
            (locality == SCHED_RACK_LOCAL && slow->nodes[n].rack != slow->nodes[node].rack))
            continue;
        nodes++;
        kept += slow->nodes[n].reserved && slow->nodes[n].reserved_app == app;
    }
    return kept >= (int)ceil((double)((float)nodes * slow->config.reservable_nodes));
}

static enum outcome place_or_reserve(struct visit *visit, int a, int k, enum sched_locality locality)
{
    struct slow *slow = visit->slow;
    struct slow_node *node = &slow->nodes[visit->node];
    struct resource left = slow_node_free(slow, visit->node), size = slow->apps[a].keys[k].size;

    if (slow_fits(&size, &left))
        return place(visit, a, k, locality);
    if (node->reserved || !slow_is_starved(slow, a) || !big_enough(slow, slow->apps[a].queue, &size) ||
        slow_claim(slow, a, visit->node) >= 0 || kept_enough(slow, a, visit->node, locality))
        return NOTHING;
    node->reserved = true;
    node->reserved_app = a;
    node->reserved_key = k;
    node->reserved_size = size;
    slow_decide(slow, (struct slow_decision){
                          .kind = SCHED_RESERVED, .node = visit->node, .app = a, .container = -1 });
    return RESERVED;
}

static bool has_use_for(const struct slow *slow, int node, int a, int k)
{
    const struct slow_key *key = &slow->apps[a].keys[k];
    int rack = slow->nodes[node].rack;

    if (key->any.count == 0)
        return false;
    if (key->any.strict && key->rack[rack].count == 0)
        return false;
    if (key->rack[rack].count > 0 && key->rack[rack].strict && key->node[node].count == 0)
        return false;
    return slow_fits(&key->size, &slow->nodes[node].total) &&
           slow_fits_maximum(slow, slow->apps[a].queue, key->size);
}

/* Tries one request. Returns true if OUTCOME is decided, false if the next request must be tried. */
static bool try_key(struct visit *visit, int a, int k, enum outcome *outcome)
{
    struct slow *slow = visit->slow;
    const struct slow_key *key = &slow->apps[a].keys[k];
    const struct slow_row *node = &key->node[visit->node];
    const struct slow_row *rack = &key->rack[slow->nodes[visit->node].rack];
    enum sched_locality level = allowed(slow, a, k);

    if (node->count > 0 && rack->count > 0)
        *outcome = place_or_reserve(visit, a, k, SCHED_NODE_LOCAL);
    else if (rack->count > 0 && !rack->strict && level != SCHED_NODE_LOCAL)
        *outcome = place_or_reserve(visit, a, k, SCHED_RACK_LOCAL);
    else if (!rack->strict && !key->any.strict && (!has_locations(key) || level == SCHED_OFF_SWITCH))
        *outcome = place_or_reserve(visit, a, k, SCHED_OFF_SWITCH);
    else
        return false;
    return true;
}

static enum outcome serve_app(struct visit *visit, int a)
{
    enum outcome outcome;

    for (int k = 0; k < SLOW_KEYS; k++)
        if (has_use_for(visit->slow, visit->node, a, k) && try_key(visit, a, k, &outcome))
            return outcome;
    return NOTHING;
}

/* --- the tree -------------------------------------------------------------- */

static enum outcome serve_queue(struct visit *visit, int queue)
{
    struct slow *slow = visit->slow;
    struct resource used = slow_queue_used(slow, queue), most = slow_queue_maximum(slow, queue);
    int order[SLOW_QUEUES + SLOW_APPS], count;
    enum outcome outcome = NOTHING;

    if (!slow_fits(&used, &most))
        return NOTHING;
    if (!slow->config.queues[queue].leaf) {
        count = slow_order_queues(slow, queue, order);
        for (int i = 0; i < count && outcome == NOTHING; i++)
            outcome = serve_queue(visit, order[i]);
        return outcome;
    }
    count = slow_order_apps(slow, queue, order);
    for (int i = 0; i < count && outcome == NOTHING; i++)
        if (!slow->apps[order[i]].avoids[visit->node] && !slow_over_am_limit(slow, order[i]))
            outcome = serve_app(visit, order[i]);
    return outcome;
}

/* --- a node ---------------------------------------------------------------- */

static int oldest_claim(const struct slow *slow, int node, uint64_t after)
{
    int oldest = -1;

    for (int e = 0; e < SLOW_CLAIMS; e++)
        if (slow->claims[e].here && slow->claims[e].node == node && slow->claims[e].order > after &&
            (oldest < 0 || slow->claims[e].order < slow->claims[oldest].order))
            oldest = e;
    return oldest;
}

static void serve_claims(struct visit *visit)
{
    struct slow *slow = visit->slow;
    uint64_t after = 0;
    int e;

    while ((e = oldest_claim(slow, visit->node, after)) >= 0) {
        int app = slow->claims[e].app;

        after = slow->claims[e].order;
        if (!slow_needs_claim(slow, app)) {
            slow->claims[e].here = false;
            continue;
        }
        while (slow->claims[e].here && !slow->apps[app].avoids[visit->node] &&
               !slow_over_am_limit(slow, app) && serve_app(visit, app) == PLACED)
            continue;
    }
}

/* Serves the reservation of the node. Returns false if the reservation could no longer be served and was
 * cancelled. */
static bool serve_reservation(struct visit *visit)
{
    struct slow *slow = visit->slow;
    struct slow_node *node = &slow->nodes[visit->node];
    int app = node->reserved_app, k = node->reserved_key;
    struct resource left = slow_node_free(slow, visit->node);
    enum outcome outcome;

    if (slow->apps[app].avoids[visit->node] || !has_use_for(slow, visit->node, app, k) ||
        slow_over_am_limit(slow, app)) {
        slow_unreserve(slow, visit->node, true);
        return false;
    }
    visit->from_reservation = true;
    if (slow_fits(&node->reserved_size, &left))
        try_key(visit, app, k, &outcome);
    visit->from_reservation = false;
    return true;
}

static void serve_node(struct slow *slow, int node)
{
    const struct slow_config *config = &slow->config;
    struct visit visit = { .slow = slow, .node = node };
    struct resource half, sum = resource_of(0, 0);
    int64_t placed = 0;

    serve_claims(&visit);
    if (slow_awaits_ends(slow, node, -1))
        return;
    if (slow->nodes[node].reserved && serve_reservation(&visit))
        return;
    half = slow_node_free(slow, node);
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        half.value[t] = (int64_t)((double)half.value[t] * 0.5);
    while (!slow->nodes[node].reserved && serve_queue(&visit, 0) == PLACED) {
        sum = resource_add(sum, visit.placed);
        placed++;
        if (!config->multiple || (config->dynamic_max && !slow_fits(&sum, &half)) ||
            (!config->dynamic_max && config->max_assign > 0 && placed >= config->max_assign))
            break;
    }
}

void slow_heartbeat(struct slow *slow, int node)
{
    slow->available = resource_subtract(slow_total(slow), slow_used(slow));
    slow->offered = true;
    serve_node(slow, node);
    slow->offered = false;
}
