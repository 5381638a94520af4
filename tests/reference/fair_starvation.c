/* SPDX-License-Identifier: Apache-2.0 */
/* fair_starvation.c - reference fair scheduler: finds starved applications, and chooses the containers to
 * preempt */
#include "tests/reference/fair.h"

static struct resource positive(struct resource a, struct resource b)
{
    return resource_max(resource_subtract(a, b), resource_of(0, 0));
}

bool slow_is_starved(const struct slow *slow, int app)
{
    return slow_compare(slow, slow->apps[app].queue, slow_app_used(slow, app), slow->apps[app].share) < 0 ||
           !resource_is_zero(&slow->apps[app].minimum_starved);
}

bool slow_needs_claim(const struct slow *slow, int app)
{
    return slow->apps[app].state == SLOW_RUNS && slow_is_starved(slow, app) &&
           (!resource_is_zero(&slow->apps[app].share_starved) ||
            !resource_is_zero(&slow->apps[app].minimum_starved));
}

int slow_claim(const struct slow *slow, int app, int node)
{
    for (int e = 0; e < SLOW_CLAIMS; e++)
        if (slow->claims[e].here && slow->claims[e].app == app && slow->claims[e].node == node)
            return e;
    return -1;
}

/* --- starved apps ----------------------------------------------------------- */

static void note_minimums(struct slow *slow)
{
    for (int q = 0; q < slow->config.queue_count; q++) {
        struct resource minimum = slow->config.queues[q].minimum, lacks;

        lacks = positive(resource_min(minimum, slow->queues[q].demand), slow_queue_used(slow, q));
        slow->queues[q].below_minimum = !resource_is_zero(&lacks);
        if (!slow->queues[q].below_minimum)
            slow->queues[q].at_minimum_ms = slow->now_ms;
    }
}

static struct resource judge_app(struct slow *slow, int a)
{
    struct slow_app *app = &slow->apps[a];
    const struct slow_queue_config *config = &slow->config.queues[app->queue];
    struct resource used = slow_app_used(slow, a), fair = app->share;
    bool starved;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        fair.value[t] = (int64_t)((double)fair.value[t] * (double)config->threshold);
    fair = resource_min(fair, app->demand);
    starved = slow_compare(slow, app->queue, used, fair) < 0;
    if (!starved)
        app->at_share_ms = slow->now_ms;
    app->share_starved = starved && slow->now_ms - app->at_share_ms >= config->fair_timeout_ms
                             ? positive(fair, used)
                             : resource_of(0, 0);
    return app->share_starved;
}

/* Computes the starvation of the applications of LEAF. LISTED: set for each starved application, by index. */
static void judge_leaf(struct slow *slow, int leaf, bool *listed)
{
    int order[SLOW_APPS], count = slow_order_apps(slow, leaf, order), kept = 0;
    const struct slow_queue *queue = &slow->queues[leaf];
    struct resource sum = resource_of(0, 0), lacks = sum;

    for (int i = 0; i < count; i++)
        if (slow->now_ms >= slow->apps[order[i]].next_check_ms)
            order[kept++] = order[i];
    for (int i = 0; i < kept; i++) {
        struct resource one = judge_app(slow, order[i]);

        if (resource_is_zero(&one))
            break;
        listed[order[i]] = true;
        sum = resource_add(sum, one);
    }
    if (queue->below_minimum &&
        slow->now_ms - queue->at_minimum_ms >= slow->config.queues[leaf].minimum_timeout_ms)
        lacks = positive(resource_min(slow->config.queues[leaf].minimum, queue->demand),
                         slow_queue_used(slow, leaf));
    lacks = positive(lacks, sum);
    for (int i = 0; i < kept; i++) {
        struct slow_app *app = &slow->apps[order[i]];
        struct resource wants =
            positive(resource_subtract(app->demand, slow_app_used(slow, order[i])), app->share_starved);

        app->minimum_starved = resource_min(wants, lacks);
        lacks = positive(lacks, wants);
        if (!resource_is_zero(&app->minimum_starved))
            listed[order[i]] = true;
    }
}

/* --- choosing the containers to preempt --------------------------------------- */

struct set {
    int containers[SLOW_CONTAINERS], count;
    int masters, node;
};

static struct resource leaving(const struct slow *slow, int app)
{
    struct resource sum = resource_of(0, 0);

    for (int c = 0; c < slow->container_top; c++)
        if (slow->containers[c].here && slow->containers[c].marked && slow->containers[c].app == app)
            sum = resource_add(sum, slow->containers[c].size);
    return sum;
}

static bool may_go(const struct slow *slow, const struct set *set, int container)
{
    const struct slow_container *c = &slow->containers[container];
    int leaf = slow->apps[c->app].queue;
    struct resource left = resource_subtract(slow_app_used(slow, c->app), leaving(slow, c->app));

    if (c->marked || (c->master && (slow->apps[c->app].am_preempted || !slow->config.am_preemption)))
        return false;
    for (int q = leaf; q >= 0; q = slow->config.queues[q].parent)
        if (!slow->config.queues[q].preemptable)
            return false;
    for (int i = 0; i < set->count; i++)
        if (slow->containers[set->containers[i]].app == c->app)
            left = resource_subtract(left, slow->containers[set->containers[i]].size);
    left = resource_subtract(left, c->size);
    return slow_compare(slow, leaf, left, slow->apps[c->app].share) >= 0;
}

static int newest_below(const struct slow *slow, int node, bool master, uint64_t order)
{
    int newest = -1;

    for (int c = 0; c < slow->container_top; c++)
        if (slow->containers[c].here && slow->containers[c].node == node &&
            slow->containers[c].master == master && slow->containers[c].order < order &&
            (newest < 0 || slow->containers[c].order > slow->containers[newest].order))
            newest = c;
    return newest;
}

static bool claim_exists(const struct slow *slow, uint64_t order)
{
    for (int e = 0; e < SLOW_CLAIMS; e++)
        if (slow->claims[e].here && slow->claims[e].order == order)
            return true;
    return false;
}

static bool has_victims(const struct slow *slow, uint64_t order)
{
    for (int c = 0; c < slow->container_top; c++)
        if (slow->containers[c].here && slow->containers[c].claim == order)
            return true;
    return false;
}

void slow_victim_gone(struct slow *slow, uint64_t claim)
{
    for (int e = 0; e < SLOW_CLAIMS && !has_victims(slow, claim); e++)
        if (slow->claims[e].order == claim)
            slow->claims[e].kills = false;
}

bool slow_awaits_ends(const struct slow *slow, int node, int app)
{
    for (int e = 0; e < SLOW_CLAIMS; e++) {
        const struct slow_claim *claim = &slow->claims[e];

        if (claim->here && claim->kills && (node < 0 || claim->node == node) &&
            (app < 0 || claim->app == app) && has_victims(slow, claim->order))
            return true;
    }
    return false;
}

/* Returns the room of the containers on NODE that were killed, and that no application has a claim to. */
static struct resource coming(const struct slow *slow, int node)
{
    struct resource sum = resource_of(0, 0);

    for (int c = 0; c < slow->container_top; c++) {
        const struct slow_container *container = &slow->containers[c];

        if (container->here && container->node == node && container->notified &&
            !claim_exists(slow, container->claim))
            sum = resource_add(sum, container->size);
    }
    return sum;
}

static bool is_below(const struct slow *slow, int leaf, int queue)
{
    while (leaf >= 0 && leaf != queue)
        leaf = slow->config.queues[leaf].parent;
    return leaf >= 0;
}

/* Returns the lowest queue from LEAF up that would exceed its maximum with WANTED more and without the
 * containers in SET; -1: none. */
static int full_queue(const struct slow *slow, int leaf, const struct resource *wanted, const struct set *set)
{
    for (int q = leaf; q >= 0; q = slow->config.queues[q].parent) {
        struct resource sum = resource_add(slow_queue_used(slow, q), *wanted);
        struct resource most = slow_queue_maximum(slow, q);

        for (int i = 0; i < set->count; i++)
            if (is_below(slow, slow->apps[slow->containers[set->containers[i]].app].queue, q))
                sum = resource_subtract(sum, slow->containers[set->containers[i]].size);
        if (!slow_fits(&sum, &most))
            return q;
    }
    return -1;
}

static bool choose(const struct slow *slow, int leaf, int node, const struct resource *wanted,
                   int masters_max, struct set *set)
{
    struct resource room = resource_add(slow_node_free(slow, node), coming(slow, node));
    struct resource excess = resource_min(room, resource_of(0, 0));
    int full;

    if (slow->nodes[node].reserved)
        room = resource_subtract(room, slow->nodes[node].reserved_size);
    for (int e = 0; e < SLOW_CLAIMS; e++)
        if (slow->claims[e].here && slow->claims[e].node == node)
            room = resource_subtract(room, slow->claims[e].left);
    room = resource_add(resource_max(room, resource_of(0, 0)), excess);
    set->count = set->masters = 0;
    set->node = node;
    full = full_queue(slow, leaf, wanted, set);
    for (int masters = 0; masters < 2; masters++) {
        uint64_t below = UINT64_MAX;
        int c;

        while ((!slow_fits(wanted, &room) || full_queue(slow, leaf, wanted, set) >= 0) &&
               (c = newest_below(slow, node, masters, below)) >= 0) {
            below = slow->containers[c].order;
            if (!may_go(slow, set, c) ||
                (full >= 0 && !is_below(slow, slow->apps[slow->containers[c].app].queue, full)))
                continue;
            set->containers[set->count++] = c;
            set->masters += masters;
            room = resource_add(room, slow->containers[c].size);
            if (set->masters >= masters_max)
                return false;
        }
    }
    return slow_fits(wanted, &room) && full_queue(slow, leaf, wanted, set) < 0;
}

enum where { NAMED_NODES, NAMED_RACKS, ANYWHERE };

static bool belongs(const struct slow_key *key, const struct slow *slow, int node, enum where where, int rack)
{
    if (where == NAMED_NODES)
        return key->node[node].count > 0;
    return where == ANYWHERE ||
           (slow->nodes[node].rack == rack && key->rack[rack].count > 0 && !key->rack[rack].strict);
}

/* Returns the next node: all nodes in order of registration; named nodes in the order in which they were
 * first named. */
static int next_node(const struct slow *slow, const struct slow_key *key, enum where where, int last)
{
    int next = -1;
    uint64_t orders[SLOW_NODES];

    for (int n = 0; n < SLOW_NODES; n++)
        orders[n] = where == NAMED_NODES ? key->node[n].order : slow->nodes[n].order;
    for (int n = 0; n < SLOW_NODES; n++)
        if (slow->nodes[n].here && (last < 0 || orders[n] > orders[last]) &&
            (where != NAMED_NODES || key->node[n].given) && (next < 0 || orders[n] < orders[next]))
            next = n;
    return next;
}

static int next_rack(const struct slow_key *key, int last)
{
    int next = -1;

    for (int r = 0; r < SLOW_RACKS; r++)
        if (key->rack[r].given && (last < 0 || key->rack[r].order > key->rack[last].order) &&
            (next < 0 || key->rack[r].order < key->rack[next].order))
            next = r;
    return next;
}

struct search {
    const struct slow *slow;
    int app, key;
    bool found;
    struct set best, set;
};

/* Compares the next nodes with the best choice so far. Returns true if no other node can be better. */
static bool compare_nodes(struct search *search, enum where where, int rack)
{
    const struct slow *slow = search->slow;
    const struct slow_key *key = &slow->apps[search->app].keys[search->key];
    int n = -1;

    while ((n = next_node(slow, key, where, n)) >= 0) {
        if (slow->apps[search->app].avoids[n] || !belongs(key, slow, n, where, rack) ||
            !slow_fits(&key->size, &slow->nodes[n].total) ||
            !choose(slow, slow->apps[search->app].queue, n, &key->size,
                    search->found ? search->best.masters : SLOW_CONTAINERS, &search->set))
            continue;
        search->best = search->set;
        search->found = true;
        if (search->best.masters == 0)
            return true;
    }
    return false;
}

static bool find(struct search *search)
{
    const struct slow_key *key = &search->slow->apps[search->app].keys[search->key];
    int rack = -1;
    bool done;

    search->found = false;
    done = compare_nodes(search, NAMED_NODES, 0);
    while (!done && (rack = next_rack(key, rack)) >= 0)
        done = compare_nodes(search, NAMED_RACKS, rack);
    if (!done && !key->any.strict)
        compare_nodes(search, ANYWHERE, 0);
    return search->found;
}

static uint64_t add_claim(struct slow *slow, int app, int node, const struct resource *amount)
{
    int e = slow_claim(slow, app, node);

    for (int i = 0; e < 0; i++)
        if (!slow->claims[i].here) {
            e = i;
            slow->claims[e] =
                (struct slow_claim){ .here = true, .app = app, .node = node, .order = ++slow->last_order };
        }
    slow->claims[e].left = resource_add(slow->claims[e].left, *amount);
    return slow->claims[e].order;
}

static void mark(struct slow *slow, int app, const struct set *set)
{
    struct resource sum = resource_of(0, 0);
    uint64_t claim;

    if (set->count == 0)
        return;
    for (int i = 0; i < set->count; i++)
        sum = resource_add(sum, slow->containers[set->containers[i]].size);
    claim = add_claim(slow, app, set->node, &sum);
    for (int i = 0; i < set->count; i++) {
        struct slow_container *c = &slow->containers[set->containers[i]];

        c->marked = true;
        c->claim = claim;
        slow->apps[c->app].am_preempted = slow->apps[c->app].am_preempted || c->master;
        c->deadline_ms = slow->now_ms + slow->config.wait_kill_ms;
        slow_decide(slow, (struct slow_decision){ .kind = SCHED_PREEMPT,
                                                  .node = set->node,
                                                  .app = c->app,
                                                  .container = set->containers[i] });
    }
}

static int64_t count_for(const struct slow *slow, int a, int k, const struct resource *lacks)
{
    const struct slow_key *key = &slow->apps[a].keys[k];
    int64_t count = key->any.count, most = 0;

    if (lacks->value[0] > 0)
        most = key->size.value[0] == 0 ? count : lacks->value[0] / key->size.value[0];
    else if (slow->config.queues[slow->apps[a].queue].policy == FAIR_POLICY_DRF)
        for (int t = 0; t < slow->config.types; t++) {
            float ratio = (float)lacks->value[t] / (float)key->size.value[t];

            if (lacks->value[t] > 0)
                most = key->size.value[t] == 0 ? count : ratio > (float)most ? (int64_t)ratio : most;
        }
    return most < count ? most : count;
}

static void preempt_for(struct slow *slow, int a)
{
    struct slow_app *app = &slow->apps[a];
    struct resource lacks = resource_add(app->share_starved, app->minimum_starved);
    static struct search search;

    for (int k = 0; k < SLOW_KEYS && !resource_is_zero(&lacks); k++) {
        int64_t count = app->keys[k].any.count > 0 ? count_for(slow, a, k, &lacks) : 0;

        search.slow = slow;
        search.app = a;
        search.key = k;
        for (int64_t i = 0; i < count && find(&search); i++) {
            mark(slow, a, &search.best);
            if (search.best.count == 0)
                break;
        }
        for (int t = 0; t < slow->config.types; t++)
            lacks.value[t] -= app->keys[k].size.value[t] * count;
        lacks = resource_max(lacks, resource_of(0, 0));
    }
    app->next_check_ms =
        slow->now_ms + slow->config.wait_kill_ms + 4 * slow->config.heartbeat_ms + slow->config.wait_check_ms;
}

static bool full_enough(const struct slow *slow)
{
    struct resource total = slow_total(slow), used = slow_used(slow);

    for (int t = 0; t < 2; t++)
        if (total.value[t] > 0 && slow->config.threshold < (float)used.value[t] / (float)total.value[t])
            return true;
    return slow->config.threshold < 0;
}

/* Returns the application among those LISTED that lacks least: by largest share, then by the next. */
static int least_starved(const struct slow *slow, const bool *listed)
{
    struct resource total = slow_total(slow);
    double best[RESOURCE_TYPES_MAX] = { 0 };
    int found = -1;

    for (int a = 0; a < SLOW_APPS; a++) {
        struct resource lacks = resource_add(slow->apps[a].share_starved, slow->apps[a].minimum_starved);
        double of[RESOURCE_TYPES_MAX] = { 0 };
        bool before = found >= 0 && (slow->apps[a].start_ms < slow->apps[found].start_ms ||
                                     (slow->apps[a].start_ms == slow->apps[found].start_ms &&
                                      slow->apps[a].order < slow->apps[found].order));
        int count = 0;

        if (!listed[a])
            continue;
        for (int t = 0; t < slow->config.types; t++)
            if (total.value[t] > 0)
                of[count++] = (double)lacks.value[t] / (double)total.value[t];
        for (int i = 0; i < count; i++)
            for (int j = count - 1; j > i; j--)
                if (of[j] > of[j - 1]) {
                    double swap = of[j];

                    of[j] = of[j - 1];
                    of[j - 1] = swap;
                }
        for (int i = 0; i < count; i++)
            if (of[i] != best[i]) {
                before = of[i] < best[i];
                break;
            }
        if (found >= 0 && !before)
            continue;
        found = a;
        for (int i = 0; i < RESOURCE_TYPES_MAX; i++)
            best[i] = of[i];
    }
    return found;
}

void slow_starve(struct slow *slow)
{
    bool listed[SLOW_APPS] = { false };
    int app;

    if (!slow->config.preemption || !full_enough(slow))
        return;
    note_minimums(slow);
    for (int q = 0; q < slow->config.queue_count; q++)
        if (slow->config.queues[q].leaf)
            judge_leaf(slow, q, listed);
    while ((app = least_starved(slow, listed)) >= 0) {
        listed[app] = false;
        if (!slow_awaits_ends(slow, -1, app) && !slow_am_is_above_limit(slow, app))
            preempt_for(slow, app);
    }
}

void slow_kill_due(struct slow *slow)
{
    for (int c = 0; c < slow->container_top; c++) {
        struct slow_container *container = &slow->containers[c];

        if (!container->here || !container->marked || container->notified ||
            container->deadline_ms > slow->now_ms)
            continue;
        container->notified = true;
        for (int e = 0; e < SLOW_CLAIMS; e++)
            if (slow->claims[e].order == container->claim)
                slow->claims[e].kills = true;
        slow_decide(slow,
                    (struct slow_decision){
                        .kind = SCHED_KILL, .node = container->node, .app = container->app, .container = c });
    }
}
