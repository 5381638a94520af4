/* SPDX-License-Identifier: Apache-2.0 */
/*
 * update.c - demand and fair shares, as of the last update (yarn-behaviour 8.5, 8.6)
 *
 * Between updates whoever changes something marks the way to the root. An update goes down what is
 * marked: once up again with demands, once down with shares, which go further only where a share
 * came out different. What has not changed costs nothing.
 */
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/fair/internal.h"

/* --- what is to be looked at ------------------------------------------------ */

void fair_mark(struct fair_queue *queue)
{
    for (; queue && !queue->marked; queue = queue->parent) {
        queue->marked = true;
        if (queue->parent)
            TAILQ_INSERT_TAIL(&queue->parent->changed, queue, changed_link);
    }
}

void fair_mark_active(struct fair_queue *leaf)
{
    leaf->members_changed = true;
    for (struct fair_queue *at = leaf->parent; at; at = at->parent)
        at->members_changed = true;
    fair_mark(leaf);
}

void fair_cluster_changed(struct sched *sched)
{
    sched->fair->stale = true;
}

/* --- what follows from the cluster's size and the settings ------------------- */

/* QUEUE's, made if there are none. */
static struct fair_bounds *bounds_of(const struct sched *sched, struct fair_queue *queue)
{
    const struct fair *fair = sched->fair;
    struct fair_bounds *bounds = queue->bounds;

    if (bounds)
        return bounds;
    bounds = queue->bounds = mem_alloc0(sizeof(*bounds) + sched_amounts_size(sched, FAIR_BOUND_AMOUNTS));
    bounds->queue = queue;
    bounds->minimums_round = fair->minimums_round;
    if (queue->leaf)
        bounds->at_minimum_ms = queue->since_ms > fair->minimums_ms ? queue->since_ms : fair->minimums_ms;
    return bounds;
}

static void list_minimum(struct fair *fair, struct fair_queue *queue)
{
    struct fair_bounds *bounds = queue->bounds;
    bool has = queue->leaf && queue->has_minimum;

    if (bounds == NULL || has == bounds->listed)
        return;
    if (has) {
        TAILQ_INSERT_TAIL(&fair->minimums, bounds, of_minimums);
        if (bounds->minimums_round != fair->minimums_round)
            bounds->at_minimum_ms = fair->minimums_ms;  /* it lacked nothing then */
    } else {
        TAILQ_REMOVE(&fair->minimums, bounds, of_minimums);
        bounds->minimums_round = fair->minimums_round;
        bounds->below_minimum = false;
    }
    bounds->listed = has;
}

/* The largest container, if it is not the cluster's. */
static void limit_containers(const struct sched *sched, struct fair_queue *queue)
{
    struct resource most = resource_min(*queue->settings->container_maximum, sched->maximum);
    bool own = !resource_equal(&most, &sched->maximum);
    struct fair_bounds *bounds = own ? bounds_of(sched, queue) : queue->bounds;

    if (own && bounds->container_maximum == NULL)
        bounds->container_maximum = mem_new0(struct resource);
    if (own) {
        *bounds->container_maximum = most;
    } else if (bounds) {
        free(bounds->container_maximum);
        bounds->container_maximum = NULL;
    }
}

static void limit_use(const struct sched *sched, struct fair_queue *queue)
{
    struct resource maximum = fair_settings_maximum(queue->settings, &sched->total);
    struct resource minimum = fair_settings_minimum(queue->settings);
    int types = queue->item.types;

    queue->has_minimum = !resource_is_zero(&minimum);
    queue->limited = false;
    for (int t = 0; t < types; t++)
        queue->limited = queue->limited || maximum.value[t] != INT64_MAX;
    if (!queue->limited && !queue->has_minimum)
        return;
    calc_store_values(&bounds_of(sched, queue)->amounts[FAIR_MAXIMUM * types], maximum.value, types);
    calc_store_values(&queue->bounds->amounts[FAIR_MINIMUM * types], minimum.value, types);
}

void fair_limit(struct sched *sched, struct fair_queue *queue)
{
    limit_use(sched, queue);
    queue->weight = queue->settings->weight + 0.0f;     /* no minus before 0 */
    queue->policy = queue->settings->policy;
    limit_containers(sched, queue);
    queue->preemptable = queue->settings->allow_preemption_from &&
                         (queue->parent == NULL || queue->parent->preemptable);
    queue->share_changed = queue->members_changed = true;
    if (queue->parent)
        queue->parent->members_changed = true;
    fair_mark(queue);
    list_minimum(sched->fair, queue);
}

void fair_settle(struct sched *sched)
{
    struct fair *fair = sched->fair;
    struct sched_queue *queue;

    if (!fair->stale)
        return;
    fair->stale = false;
    fair->steady_stale = true;
    fair->recount = true;
    TAILQ_FOREACH(queue, &sched->queues, link)
        fair_limit(sched, queue->fair);
    fair_index_rebuild(sched);
}

/* --- demand ------------------------------------------------------------------ */

static float weight_of(const struct fair *fair, const struct fair_app *app)
{
    double demand = (double)fair_app_amount(app, FAIR_APP_DEMAND)[RESOURCE_MEMORY_MB];

    if (!fair->config->size_based_weight)
        return 1;
    return (float)(log1p(demand) / log(2));
}

/* Only the sum of its leaf follows. */
static void measure(struct fair_app *app)
{
    struct resource before = fair_app_get(app, FAIR_APP_DEMAND);
    struct resource demand = { .value = { 0 } };
    struct resource sum = fair_get(app->leaf, FAIR_DEMAND_SUM);
    struct sched *sched = app->app->sched;
    struct fair *fair = sched->fair;
    float weight;

    for (int t = 0; t < app->item.types; t++)
        demand.value[t] = fair_app_next_demand(app, t);
    fair_app_set(app, FAIR_APP_DEMAND, demand);
    calc_add(&sched->calc, &sum, &demand);
    calc_subtract(&sched->calc, &sum, &before);
    fair_set(app->leaf, FAIR_DEMAND_SUM, sum);
    weight = weight_of(fair, app);
    if (weight != app->weight) {
        app->weight = weight;
        app->leaf->members_changed = true;
    }
}

static struct resource cut_demand(const struct fair_queue *queue)
{
    return queue->limited ? resource_min(fair_get(queue, FAIR_DEMAND_SUM), fair_maximum(queue))
                          : fair_get(queue, FAIR_DEMAND_SUM);
}

/* The parent's sum follows. */
static void cut(struct fair_queue *queue)
{
    struct resource before = fair_get(queue, FAIR_DEMAND), after = cut_demand(queue), sum;

    fair_set(queue, FAIR_DEMAND, after);
    if (queue->parent == NULL)
        return;
    sum = resource_add(fair_get(queue->parent, FAIR_DEMAND_SUM), resource_subtract(after, before));
    fair_set(queue->parent, FAIR_DEMAND_SUM, sum);
}

void fair_count_demand(struct fair_app *app)
{
    measure(app);
    for (struct fair_queue *at = app->leaf; at; at = at->parent)
        cut(at);
}

static void count_leaf(struct fair_queue *leaf)
{
    for (uint32_t i = 0; i < leaf->changed_count; i++) {
        struct fair_app *app = leaf->changed_apps[i];

        app->item.changed = false;
        measure(app);
        fair_app_renew(app);
    }
    leaf->changed_count = 0;
}

/* True: QUEUE may be elsewhere in the index above, or its demand changed. RECOUNT: all maxima changed. */
static bool count_demand(struct fair_queue *queue, bool recount)
{
    bool leaf = queue->leaf, touched = leaf && queue->changed_count > 0;
    struct resource demand, before;
    struct fair_queue *child;

    if (leaf)
        count_leaf(queue);
    else if (recount)
        TAILQ_FOREACH(child, &queue->children, sibling)
            touched = count_demand(child, true) || touched;
    else
        TAILQ_FOREACH(child, &queue->changed, changed_link)
            touched = count_demand(child, false) || touched;
    demand = cut_demand(queue);
    before = fair_get(queue, FAIR_DEMAND);
    if (!touched && resource_equal(&demand, &before))
        return false;
    cut(queue);
    fair_queue_renew(queue);
    return true;
}

/* --- shares ------------------------------------------------------------------ */

static struct fair_member *members(struct fair *fair, size_t count)
{
    if (count > fair->member_capacity) {
        fair->members = mem_resize(fair->members, count * 2, sizeof(*fair->members));
        fair->member_capacity = count * 2;
    }
    return fair->members;
}

static size_t fill_children(struct fair *fair, const struct fair_queue *queue)
{
    struct fair_member *member = members(fair, queue->child_count);
    const struct fair_queue *child;

    TAILQ_FOREACH(child, &queue->children, sibling)
        *member++ = (struct fair_member){
            .weight = child->settings->weight,
            .minimum = fair_settings_minimum(child->settings),
            .maximum = fair_maximum(child),
            .active = child->queue->parallel_apps > 0,
        };
    return queue->child_count;
}

static void share_out(struct sched *sched, struct fair_queue *queue)
{
    struct fair *fair = sched->fair;
    size_t count = fill_children(fair, queue);
    const struct fair_member *member = fair->members;
    struct resource share = fair_get(queue, FAIR_SHARE);
    struct fair_queue *child;

    fair_shares(queue->settings->policy, false, sched->calc.types, &share, fair->members, count);
    TAILQ_FOREACH(child, &queue->children, sibling) {
        share = fair_get(child, FAIR_SHARE);
        if (!resource_equal(&share, &member->share)) {
            fair_set(child, FAIR_SHARE, member->share);
            child->share_changed = true;
            fair_mark(child);
        }
        member++;
    }
}

/* Under fifo all to the one that came first. */
static void share_out_fifo(struct fair_queue *leaf)
{
    struct fair_app *app, *first = TAILQ_FIRST(&leaf->running);

    TAILQ_FOREACH(app, &leaf->running, of_leaf)
        if (app->app->added_ms < first->app->added_ms)
            first = app;
    TAILQ_FOREACH(app, &leaf->running, of_leaf)
        fair_app_set(app, FAIR_APP_SHARE, app == first ? fair_get(leaf, FAIR_SHARE)
                                                       : resource_of(0, 0));
}

static void share_out_by_size(struct sched *sched, struct fair_queue *leaf)
{
    struct fair *fair = sched->fair;
    struct fair_member *member = members(fair, leaf->queue->active_apps);
    struct resource unlimited, share = fair_get(leaf, FAIR_SHARE);
    struct fair_app *app;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        unlimited.value[t] = INT64_MAX;
    TAILQ_FOREACH(app, &leaf->running, of_leaf)
        *member++ = (struct fair_member){ .weight = app->weight, .maximum = unlimited,
                                          .active = true };
    fair_shares(leaf->settings->policy, false, sched->calc.types, &share, fair->members,
                leaf->queue->active_apps);
    member = fair->members;
    TAILQ_FOREACH(app, &leaf->running, of_leaf)
        fair_app_set(app, FAIR_APP_SHARE, (member++)->share);
}

/* A leaf's, to its apps that run. */
static void share_out_leaf(struct sched *sched, struct fair_queue *leaf)
{
    struct resource each, share = fair_get(leaf, FAIR_SHARE);
    struct fair_app *app;

    if (leaf->settings->policy == FAIR_POLICY_FIFO) {
        share_out_fifo(leaf);
    } else if (sched->fair->config->size_based_weight) {
        share_out_by_size(sched, leaf);
    } else {
        each = fair_shares_alike(leaf->settings->policy, sched->calc.types, &share,
                                 leaf->queue->active_apps);
        TAILQ_FOREACH(app, &leaf->running, of_leaf)
            fair_app_set(app, FAIR_APP_SHARE, each);
    }
}

static void spread_shares(struct sched *sched, struct fair_queue *queue)
{
    bool all = queue->share_changed || queue->members_changed;
    struct fair_queue *child;

    if (all && queue->leaf)
        share_out_leaf(sched, queue);
    else if (all)
        share_out(sched, queue);
    if (queue->share_changed && queue->leaf)
        fair_wake_apps(queue);          /* the limit on masters follows the share */
    queue->share_changed = queue->members_changed = false;
    if (queue->leaf)
        return;
    while ((child = TAILQ_FIRST(&queue->changed)) != NULL) {
        TAILQ_REMOVE(&queue->changed, child, changed_link);
        child->marked = false;
        spread_shares(sched, child);
    }
}

static int64_t *steady_of(const struct sched *sched, const struct fair_queue *queue)
{
    return &sched->fair->steady[(size_t)queue->index * queue->item.types];
}

struct resource fair_steady(const struct sched *sched, const struct fair_queue *queue)
{
    return calc_load_values(steady_of(sched, queue), queue->item.types);
}

/* A place for the share of each queue. */
static void index_steady(struct sched *sched)
{
    struct fair *fair = sched->fair;
    struct sched_queue *queue;
    size_t count = 0;

    TAILQ_FOREACH(queue, &sched->queues, link)
        queue->fair->index = (uint32_t)count++;
    if (count <= fair->steady_capacity)
        return;
    fair->steady = mem_resize(fair->steady, count, sched_amounts_size(sched, 1));
    fair->steady_capacity = count;
}

static void share_steady(struct sched *sched, struct fair_queue *queue)
{
    struct fair *fair = sched->fair;
    size_t count = fill_children(fair, queue);
    const struct fair_member *member = fair->members;
    struct resource steady = fair_steady(sched, queue);
    struct fair_queue *child;

    fair_shares(queue->settings->policy, true, sched->calc.types, &steady, fair->members, count);
    TAILQ_FOREACH(child, &queue->children, sibling)
        calc_store_values(steady_of(sched, child), (member++)->share.value, child->item.types);
    TAILQ_FOREACH(child, &queue->children, sibling)
        if (!child->leaf)
            share_steady(sched, child);
}

void fair_settle_steady(struct sched *sched)
{
    struct fair *fair = sched->fair;

    fair_settle(sched);
    if (!fair->steady_stale)
        return;
    fair->steady_stale = false;
    index_steady(sched);
    calc_store_values(steady_of(sched, fair->root), sched->total.value, fair->root->item.types);
    share_steady(sched, fair->root);
}

/* --- the update -------------------------------------------------------------- */

static void compute(struct sched *sched)
{
    struct fair *fair = sched->fair;
    struct fair_queue *root = fair->root;
    struct resource share;

    if (fair->recount || root->marked)
        count_demand(root, fair->recount);
    fair->recount = false;
    share = fair_get(root, FAIR_SHARE);
    if (!resource_equal(&share, &sched->total)) {
        fair_set(root, FAIR_SHARE, sched->total);
        root->share_changed = true;
        fair_mark(root);
    }
    if (root->marked)
        spread_shares(sched, root);
    root->marked = false;
}

static double used_part(const struct sched *sched, int type)
{
    if (sched->total.value[type] == 0)
        return 0;
    return (double)((float)sched->used.value[type] / (float)sched->total.value[type]);
}

/* Preempt only where the cluster is full enough. */
static bool full_enough(const struct sched *sched)
{
    const struct fair_config *config = sched->fair->config;

    double threshold = (double)config->preemption_threshold;

    return config->preemption && (threshold < used_part(sched, RESOURCE_MEMORY_MB) ||
                                  threshold < used_part(sched, RESOURCE_VCORES));
}

void fair_update(struct sched *sched, struct sched_decisions *decisions)
{
    struct fair *fair = sched->fair;

    fair_settle(sched);
    compute(sched);
    fair->judged = full_enough(sched);
    if (!fair->judged)
        return;
    fair_find_starved(sched);
    fair_preempt_for_starved(sched, decisions);
}
