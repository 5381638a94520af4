/* SPDX-License-Identifier: Apache-2.0 */
/* fair_tree.c - reference fair scheduler: sums, demand, shares, orders, limits */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/fair.h"

/* --- sums ------------------------------------------------------------------ */

struct resource slow_total(const struct slow *slow)
{
    struct resource sum = resource_of(0, 0);

    for (int n = 0; n < SLOW_NODES; n++)
        if (slow->nodes[n].here)
            sum = resource_add(sum, slow->nodes[n].total);
    return sum;
}

struct resource slow_used(const struct slow *slow)
{
    return slow_queue_used(slow, 0);
}

struct resource slow_node_free(const struct slow *slow, int node)
{
    struct resource left = slow->nodes[node].total;

    for (int c = 0; c < slow->container_top; c++)
        if (slow->containers[c].here && slow->containers[c].node == node)
            left = resource_subtract(left, slow->containers[c].size);
    return left;
}

bool slow_below(const struct slow *slow, int queue, int ancestor)
{
    while (queue != ancestor && queue >= 0)
        queue = slow->config.queues[queue].parent;
    return queue == ancestor;
}

struct resource slow_app_used(const struct slow *slow, int app)
{
    struct resource sum = resource_of(0, 0);

    for (int c = 0; c < slow->container_top; c++)
        if (slow->containers[c].here && slow->containers[c].app == app)
            sum = resource_add(sum, slow->containers[c].size);
    return sum;
}

struct resource slow_queue_used(const struct slow *slow, int queue)
{
    struct resource sum = resource_of(0, 0);

    for (int a = 0; a < SLOW_APPS; a++)
        if (slow->apps[a].here && slow_below(slow, slow->apps[a].queue, queue))
            sum = resource_add(sum, slow_app_used(slow, a));
    return sum;
}

struct resource slow_queue_maximum(const struct slow *slow, int queue)
{
    return resource_max(slow->config.queues[queue].maximum, slow->config.queues[queue].minimum);
}

struct resource slow_app_pending(const struct slow *slow, int app)
{
    struct resource sum = resource_of(0, 0);

    for (int k = 0; k < SLOW_KEYS; k++)
        for (int t = 0; t < slow->config.types; t++)
            sum.value[t] +=
                slow->apps[app].keys[k].size.value[t] * (int64_t)slow->apps[app].keys[k].any.count;
    return sum;
}

uint64_t slow_app_pending_count(const struct slow *slow, int app)
{
    uint64_t count = 0;

    for (int k = 0; k < SLOW_KEYS; k++)
        count += slow->apps[app].keys[k].any.count;
    return count;
}

/* --- comparing ------------------------------------------------------------- */

bool slow_fits(const struct resource *small, const struct resource *room)
{
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        if (small->value[t] > room->value[t])
            return false;
    return true;
}

int slow_compare(const struct slow *slow, int leaf, struct resource a, struct resource b)
{
    struct resource total = slow_total(slow);
    double most_a = -INFINITY, most_b = -INFINITY;

    if (slow->config.queues[leaf].policy != FAIR_POLICY_DRF)
        return (a.value[0] > b.value[0]) - (a.value[0] < b.value[0]);
    for (int t = 0; t < slow->config.types; t++) {
        if (total.value[t] == 0)
            continue;
        most_a = fmax(most_a, (double)a.value[t] / (double)total.value[t]);
        most_b = fmax(most_b, (double)b.value[t] / (double)total.value[t]);
    }
    return (most_a > most_b) - (most_a < most_b);
}

bool slow_fits_maximum(const struct slow *slow, int leaf, struct resource more)
{
    for (int q = leaf; q >= 0; q = slow->config.queues[q].parent) {
        struct resource sum = resource_add(slow_queue_used(slow, q), more);
        struct resource most = slow_queue_maximum(slow, q);

        if (!slow_fits(&sum, &most))
            return false;
    }
    return true;
}

/* --- orders ---------------------------------------------------------------- */

struct entry {
    int index;
    struct resource demand, minimum, used;
    double weight;
    int64_t start_ms;
    uint64_t order;
    const char *name;
    int32_t priority;
};

static int sign(double difference)
{
    return (difference > 0) - (difference < 0);
}

static int compare_fair(const struct entry *a, const struct entry *b)
{
    int64_t minimum_a = a->minimum.value[0], minimum_b = b->minimum.value[0];
    bool needy_a, needy_b;
    double weight_a = a->weight, weight_b = b->weight;
    double of_a = (double)a->used.value[0], of_b = (double)b->used.value[0];

    if ((a->demand.value[0] == 0) != (b->demand.value[0] == 0))
        return a->demand.value[0] == 0 ? 1 : -1;
    minimum_a = minimum_a < a->demand.value[0] ? minimum_a : a->demand.value[0];
    minimum_b = minimum_b < b->demand.value[0] ? minimum_b : b->demand.value[0];
    needy_a = a->used.value[0] < minimum_a;
    needy_b = b->used.value[0] < minimum_b;
    if (needy_a != needy_b)
        return needy_a ? -1 : 1;
    if (needy_a) {
        int r = sign(of_a / (double)(minimum_a > 1 ? minimum_a : 1) -
                     of_b / (double)(minimum_b > 1 ? minimum_b : 1));

        if (r != 0)
            return r;
    }
    if (weight_a > 0 && weight_b > 0)
        return sign(of_a / weight_a - of_b / weight_b);
    return weight_a == weight_b ? sign(of_a - of_b) : weight_a > weight_b ? -1 : 1;
}

/* Sets VALUES to the figures that drf compares, in the order of decreasing share of the cluster. *NEEDY: use
 * is below the minimum of the dominant type. */
static int sorted_shares(const struct slow *slow, const struct entry *e, bool *needy,
                         double values[RESOURCE_TYPES_MAX])
{
    struct resource total = slow_total(slow);
    bool two = slow->config.types == 2;
    int order[RESOURCE_TYPES_MAX];
    double share[RESOURCE_TYPES_MAX];

    for (int t = 0; t < slow->config.types; t++) {
        share[t] = total.value[t] == 0 ? 0
                   : two               ? (double)e->used.value[t] / (double)total.value[t]
                                       : (double)((float)e->used.value[t] / (float)total.value[t]);
        order[t] = t;
    }
    for (int i = 0; i < slow->config.types; i++)
        for (int j = slow->config.types - 1; j > i; j--)
            if (share[order[j]] > share[order[j - 1]]) {
                int swap = order[j];

                order[j] = order[j - 1];
                order[j - 1] = swap;
            }
    *needy = e->used.value[order[0]] < e->minimum.value[order[0]];
    for (int i = 0; i < slow->config.types; i++) {
        int t = order[i];
        double used = (double)e->used.value[t], minimum = (double)e->minimum.value[t];

        values[i] =
            two ? (*needy ? used / minimum : share[t] / e->weight)
                : (double)(*needy ? (float)used / (float)minimum : (float)share[t] / (float)e->weight);
        values[i] = isnan(values[i]) ? 0 : values[i];
    }
    return slow->config.types;
}

static int compare_drf(const struct slow *slow, const struct entry *a, const struct entry *b)
{
    double of_a[RESOURCE_TYPES_MAX], of_b[RESOURCE_TYPES_MAX];
    bool needy_a, needy_b;
    int count = sorted_shares(slow, a, &needy_a, of_a);

    sorted_shares(slow, b, &needy_b, of_b);
    if (needy_a != needy_b)
        return needy_a ? -1 : 1;
    for (int i = 0; i < count; i++)
        if (of_a[i] != of_b[i])
            return of_a[i] < of_b[i] ? -1 : 1;
    return 0;
}

static int compare(struct slow *slow, enum fair_policy policy, const struct entry *a, const struct entry *b)
{
    int r = policy == FAIR_POLICY_FAIR  ? compare_fair(a, b)
            : policy == FAIR_POLICY_DRF ? compare_drf(slow, a, b)
                                        : (a->priority < b->priority) - (a->priority > b->priority);

    slow->comparisons++;
    if (r != 0)
        return r;
    if (a->start_ms != b->start_ms)
        return a->start_ms < b->start_ms ? -1 : 1;
    if (a->name)
        return strcmp(a->name, b->name);
    return a->order < b->order ? -1 : 1;
}

static int sort(struct slow *slow, enum fair_policy policy, struct entry *entries, int count, int *order)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && compare(slow, policy, &entries[j], &entries[j - 1]) < 0; j--) {
            struct entry swap = entries[j];

            entries[j] = entries[j - 1];
            entries[j - 1] = swap;
        }
    for (int i = 0; i < count; i++)
        order[i] = entries[i].index;
    return count;
}

int slow_order_queues(struct slow *slow, int parent, int *order)
{
    struct entry entries[SLOW_QUEUES];
    int count = 0;

    for (int q = 1; q < slow->config.queue_count; q++)
        if (slow->config.queues[q].parent == parent)
            entries[count++] = (struct entry){
                .index = q,
                .demand = slow->queues[q].demand,
                .minimum = slow->config.queues[q].minimum,
                .used = slow_queue_used(slow, q),
                .weight = (double)slow->config.queues[q].weight,
                .name = slow->config.queues[q].name,
            };
    return sort(slow, slow->config.queues[parent].policy, entries, count, order);
}

static double app_weight(const struct slow *slow, int app)
{
    if (!slow->config.size_based)
        return 1;
    return (double)(float)(log1p((double)slow->apps[app].demand.value[0]) / log(2));
}

int slow_order_apps(struct slow *slow, int leaf, int *order)
{
    struct entry entries[SLOW_APPS];
    int count = 0;

    for (int a = 0; a < SLOW_APPS; a++) {
        const struct slow_app *app = &slow->apps[a];
        struct resource used = slow_app_used(slow, a);

        if (!app->here || app->queue != leaf || app->state != SLOW_RUNS ||
            resource_equal(&app->demand, &used) || slow_app_pending_count(slow, a) == 0)
            continue;
        entries[count++] = (struct entry){
            .index = a,
            .demand = app->demand,
            .used = used,
            .weight = app_weight(slow, a),
            .start_ms = app->start_ms,
            .order = app->order,
            .priority = app->priority,
        };
    }
    return sort(slow, slow->config.queues[leaf].policy, entries, count, order);
}

/* --- demand and shares ------------------------------------------------------ */

static void count_demand(struct slow *slow, int queue)
{
    struct resource sum = resource_of(0, 0);

    for (int a = 0; a < SLOW_APPS; a++) {
        struct slow_app *app = &slow->apps[a];

        if (!app->here || app->queue != queue)
            continue;
        app->demand = resource_add(slow_app_used(slow, a), slow_app_pending(slow, a));
        sum = resource_add(sum, app->demand);
    }
    for (int q = 1; q < slow->config.queue_count; q++)
        if (slow->config.queues[q].parent == queue) {
            count_demand(slow, q);
            sum = resource_add(sum, slow->queues[q].demand);
        }
    slow->queues[queue].demand = resource_min(sum, slow_queue_maximum(slow, queue));
}

static void share_queue(struct slow *slow, int queue, bool steady)
{
    struct fair_member members[SLOW_QUEUES];
    const struct slow_queue *own = &slow->queues[queue];
    int of[SLOW_QUEUES], count = 0;

    for (int q = 1; q < slow->config.queue_count; q++) {
        const struct slow_queue_config *config = &slow->config.queues[q];

        if (config->parent != queue)
            continue;
        members[count] = (struct fair_member){
            .weight = config->weight,
            .minimum = config->minimum,
            .maximum = slow_queue_maximum(slow, q),
            .active = slow_running(slow, q) > 0,
        };
        of[count++] = q;
    }
    fair_shares(slow->config.queues[queue].policy, steady, slow->config.types,
                steady ? &own->steady : &own->share, members, (size_t)count);
    for (int i = 0; i < count; i++) {
        if (steady)
            slow->queues[of[i]].steady = members[i].share;
        else
            slow->queues[of[i]].share = members[i].share;
        share_queue(slow, of[i], steady);
    }
}

static void share_apps(struct slow *slow, int leaf)
{
    struct fair_member members[SLOW_APPS];
    enum fair_policy policy = slow->config.queues[leaf].policy;
    int of[SLOW_APPS], count = 0, first = -1;

    for (int a = 0; a < SLOW_APPS; a++) {
        const struct slow_app *app = &slow->apps[a];

        if (!app->here || app->queue != leaf || app->state != SLOW_RUNS)
            continue;
        members[count] = (struct fair_member){ .weight = (float)app_weight(slow, a), .active = true };
        for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
            members[count].maximum.value[t] = INT64_MAX;
        if (first < 0 || app->start_ms < slow->apps[first].start_ms ||
            (app->start_ms == slow->apps[first].start_ms && app->listed < slow->apps[first].listed))
            first = a;
        of[count++] = a;
    }
    fair_shares(policy, false, slow->config.types, &slow->queues[leaf].share, members, (size_t)count);
    for (int i = 0; i < count; i++)
        slow->apps[of[i]].share = policy != FAIR_POLICY_FIFO ? members[i].share
                                  : of[i] == first           ? slow->queues[leaf].share
                                                             : resource_of(0, 0);
}

void slow_compute(struct slow *slow)
{
    count_demand(slow, 0);
    slow->queues[0].share = slow_total(slow);
    share_queue(slow, 0, false);
    for (int q = 0; q < slow->config.queue_count; q++)
        if (slow->config.queues[q].leaf)
            share_apps(slow, q);
}

void slow_compute_steady(struct slow *slow)
{
    slow->queues[0].steady = slow_total(slow);
    share_queue(slow, 0, true);
}

/* --- limits ---------------------------------------------------------------- */

/* OF_SHARE: only types of which the leaf has a fair share count. */
static bool is_over_am_limit(const struct slow *slow, int app, bool of_share)
{
    const struct slow_key *master = &slow->apps[app].keys[0];
    int leaf = slow->apps[app].queue;
    float share = slow->config.queues[leaf].am_share;
    struct resource left =
        slow->offered ? slow->available : resource_subtract(slow_total(slow), slow_used(slow));
    struct resource sum = master->size;
    struct resource most = slow_queue_maximum(slow, leaf), base = slow->queues[leaf].share;

    if (master->any.count == 0 || share < 0)
        return false;
    for (int c = 0; c < slow->container_top; c++)
        if (slow->containers[c].here && slow->containers[c].master &&
            slow->apps[slow->containers[c].app].queue == leaf)
            sum = resource_add(sum, slow->containers[c].size);
    for (int t = 0; t < slow->config.types; t++) {
        if (base.value[t] == 0 && of_share)
            continue;
        if (base.value[t] == 0)
            base.value[t] = left.value[t] < most.value[t] ? left.value[t] : most.value[t];
        if ((double)sum.value[t] > ceil((double)base.value[t] * (double)share))
            return true;
    }
    return false;
}

bool slow_over_am_limit(const struct slow *slow, int app)
{
    return is_over_am_limit(slow, app, false);
}

bool slow_am_is_above_limit(const struct slow *slow, int app)
{
    return is_over_am_limit(slow, app, true);
}

static uint32_t user_running(const struct slow *slow, int user)
{
    uint32_t count = 0;

    for (int a = 0; a < SLOW_APPS; a++)
        count += slow->apps[a].here && slow->apps[a].user == user && slow->apps[a].state == SLOW_RUNS;
    return count;
}

uint32_t slow_running(const struct slow *slow, int queue)
{
    uint32_t count = 0;

    for (int a = 0; a < SLOW_APPS; a++)
        count += slow->apps[a].here && slow->apps[a].state == SLOW_RUNS &&
                 slow_below(slow, slow->apps[a].queue, queue);
    return count;
}

static bool has_room(const struct slow *slow, int queue)
{
    return (int64_t)slow_running(slow, queue) < slow->config.queues[queue].max_running;
}

bool slow_may_run(const struct slow *slow, int app)
{
    int user = slow->apps[app].user;

    if ((int64_t)user_running(slow, user) >= slow->config.user_max[user])
        return false;
    for (int q = slow->apps[app].queue; q >= 0; q = slow->config.queues[q].parent)
        if (!has_room(slow, q))
            return false;
    return true;
}

/* Runs the applications that WAITED, oldest first, as far as the limits allow. */
static void run_those(struct slow *slow, const bool *waited)
{
    bool looked_at[SLOW_APPS] = { false };

    for (;;) {
        int next = -1;

        for (int a = 0; a < SLOW_APPS; a++)
            if (waited[a] && !looked_at[a] &&
                (next < 0 || slow->apps[a].start_ms < slow->apps[next].start_ms ||
                 (slow->apps[a].start_ms == slow->apps[next].start_ms &&
                  slow->apps[a].order < slow->apps[next].order)))
                next = a;
        if (next < 0)
            return;
        looked_at[next] = true;
        if (!slow_may_run(slow, next))
            continue;
        slow->apps[next].state = SLOW_RUNS;
        slow->apps[next].listed = ++slow->last_order;
    }
}

void slow_run_next(struct slow *slow, int leaf, int user)
{
    bool waited[SLOW_APPS];
    bool users = (int64_t)user_running(slow, user) + 1 == slow->config.user_max[user];
    int highest = -1;

    for (int q = leaf; q >= 0; q = slow->config.queues[q].parent)
        if ((int64_t)slow_running(slow, q) + 1 == slow->config.queues[q].max_running)
            highest = q;
    for (int a = 0; a < SLOW_APPS; a++)
        waited[a] = slow->apps[a].here && slow->apps[a].state == SLOW_WAITS &&
                    ((users && slow->apps[a].user == user) ||
                     (highest >= 0 && slow_below(slow, slow->apps[a].queue, highest)));
    run_those(slow, waited);
}

void slow_run_all(struct slow *slow)
{
    bool waited[SLOW_APPS];

    for (int a = 0; a < SLOW_APPS; a++)
        waited[a] = slow->apps[a].here && slow->apps[a].state == SLOW_WAITS;
    run_those(slow, waited);
}
