/* SPDX-License-Identifier: Apache-2.0 */
/*
 * update.c - the periodic update, which computes demand and fair shares (yarn-behaviour 8.5, 8.6)
 *
 * Between updates, a change marks the queue where it happens and all queues above. An update visits only
 * marked queues: bottom-up it computes demand; top-down it computes shares, and continues below each queue
 * whose share changed.
 */
#include "common/base/mem.h"
#include "rm/sched/fair/internal.h"

/* --- values that depend on the settings and the size of the cluster ----------------- */

/* Returns the maximum of SETTINGS in the present cluster; 0 for types that are not in use. */
static struct resource maximum_of(const struct sched *sched, const struct fair_settings *settings)
{
    struct resource maximum = fair_settings_maximum(settings, &sched->total);

    return calc_load_values(maximum.value, sched->calc.types);
}

void fair_limit(struct sched *sched, struct fair_queue *queue)
{
    const struct fair_settings *settings = queue->settings;
    struct resource minimum = fair_settings_minimum(settings);

    queue->policy = settings->policy;
    queue->weight = settings->weight + 0.0f; /* turns -0 into 0 */
    queue->maximum = maximum_of(sched, settings);
    queue->container_maximum = resource_min(*settings->container_maximum, sched->maximum);
    queue->preemptable =
        settings->allow_preemption_from && (queue->parent == NULL || queue->parent->preemptable);
    queue->below_minimum = queue->below_minimum && !resource_is_zero(&minimum);
    queue->share_changed = queue->members_changed = true;
    if (queue->parent)
        queue->parent->members_changed = true;
    fair_mark(queue);
}

void fair_recompute(struct sched *sched)
{
    struct fair *fair = fair_of(sched);
    struct sched_queue *queue;

    if (!sched->stale)
        return;
    sched->stale = false;
    fair->steady_stale = true;
    TAILQ_FOREACH(queue, &sched->queues, link)
        fair_limit(sched, fair_queue_data(queue));
    fair_index_rebuild(sched);
}

/* --- demand ------------------------------------------------------------------ */

static void count_leaf(struct fair_queue *leaf)
{
    struct fair_app *app;

    while ((app = TAILQ_FIRST(&leaf->changed_apps)) != NULL) {
        TAILQ_REMOVE(&leaf->changed_apps, app, changed_link);
        app->changed = false;
        fair_demand_measure(app);
        fair_app_renew(app);
    }
}

/* Computes the demand of QUEUE and of marked queues below. Returns true if the demand of QUEUE, or its place
 * in the index of its parent, may have changed. */
static bool count_demand(struct fair_queue *queue)
{
    bool touched = !TAILQ_EMPTY(&queue->changed_apps);
    struct resource demand;
    struct fair_queue *child;

    if (queue->leaf)
        count_leaf(queue);
    TAILQ_FOREACH(child, &queue->changed, changed_link)
        touched = count_demand(child) || touched;
    demand = fair_demand_below_maximum(queue);
    if (!touched && resource_equal(&demand, &queue->demand))
        return false;
    fair_demand_cut(queue);
    fair_queue_renew(queue);
    sched_queue_note_change(queue->queue);
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
            .weight = child->weight,
            .minimum = fair_settings_minimum(child->settings),
            .maximum = child->maximum,
            .active = child->queue->parallel_apps > 0,
        };
    return queue->child_count;
}

/* Divides the share of QUEUE among its children. */
static void share_out(struct sched *sched, struct fair_queue *queue)
{
    struct fair *fair = fair_of(sched);
    size_t count = fill_children(fair, queue);
    const struct fair_member *member = fair->members;
    struct fair_queue *child;

    fair_shares(queue->policy, false, sched->calc.types, &queue->share, fair->members, count);
    TAILQ_FOREACH(child, &queue->children, sibling) {
        if (!resource_equal(&child->share, &member->share)) {
            child->share = member->share;
            child->share_changed = true;
            fair_mark(child);
            sched_queue_note_change(child->queue);
        }
        member++;
    }
}

/* Policy fifo: gives the whole share of LEAF to the application submitted first. */
static void share_out_fifo(struct fair_queue *leaf)
{
    struct fair_app *app, *first = TAILQ_FIRST(&leaf->running);

    TAILQ_FOREACH(app, &leaf->running, of_leaf)
        if (app->app->added_ms < first->app->added_ms)
            first = app;
    TAILQ_FOREACH(app, &leaf->running, of_leaf)
        app->share = app == first ? leaf->share : resource_of(0, 0);
}

static void share_out_by_size(struct sched *sched, struct fair_queue *leaf)
{
    struct fair *fair = fair_of(sched);
    struct fair_member *member = members(fair, leaf->queue->active_apps);
    struct resource unlimited;
    struct fair_app *app;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        unlimited.value[t] = INT64_MAX;
    TAILQ_FOREACH(app, &leaf->running, of_leaf)
        *member++ = (struct fair_member){ .weight = app->weight, .maximum = unlimited, .active = true };
    fair_shares(leaf->policy, false, sched->calc.types, &leaf->share, fair->members,
                leaf->queue->active_apps);
    member = fair->members;
    TAILQ_FOREACH(app, &leaf->running, of_leaf)
        app->share = (member++)->share;
}

/* Divides the share of LEAF among its running applications. */
static void share_out_leaf(struct sched *sched, struct fair_queue *leaf)
{
    struct resource each;
    struct fair_app *app;

    if (leaf->policy == FAIR_POLICY_FIFO) {
        share_out_fifo(leaf);
    } else if (fair_of(sched)->config->size_based_weight) {
        share_out_by_size(sched, leaf);
    } else {
        each = fair_shares_alike(leaf->policy, sched->calc.types, &leaf->share, leaf->queue->active_apps);
        TAILQ_FOREACH(app, &leaf->running, of_leaf)
            app->share = each;
    }
}

/* Computes the shares of QUEUE's children or applications, if they must be computed again, and does the same
 * for each marked queue below. */
static void compute_shares(struct sched *sched, struct fair_queue *queue)
{
    bool all = queue->share_changed || queue->members_changed;
    struct fair_queue *child;

    if (all && queue->leaf)
        share_out_leaf(sched, queue);
    else if (all)
        share_out(sched, queue);
    if (queue->share_changed && queue->leaf)
        fair_wake_apps(queue); /* the AM limit depends on the share */
    queue->share_changed = queue->members_changed = false;
    while ((child = TAILQ_FIRST(&queue->changed)) != NULL) {
        TAILQ_REMOVE(&queue->changed, child, changed_link);
        child->marked = false;
        compute_shares(sched, child);
    }
}

static void share_steady(struct sched *sched, struct fair_queue *queue)
{
    struct fair *fair = fair_of(sched);
    size_t count = fill_children(fair, queue);
    const struct fair_member *member = fair->members;
    struct fair_queue *child;

    fair_shares(queue->policy, true, sched->calc.types, &queue->steady_share, fair->members, count);
    TAILQ_FOREACH(child, &queue->children, sibling)
        child->steady_share = (member++)->share;
    TAILQ_FOREACH(child, &queue->children, sibling)
        share_steady(sched, child);
}

void fair_recompute_steady(struct sched *sched)
{
    struct fair *fair = fair_of(sched);

    fair_recompute(sched);
    if (!fair->steady_stale)
        return;
    fair->steady_stale = false;
    fair->root->steady_share = sched->total;
    share_steady(sched, fair->root);
}

/* --- the update -------------------------------------------------------------- */

static void compute(struct sched *sched)
{
    struct fair_queue *root = fair_of(sched)->root;

    if (root->marked)
        count_demand(root);
    if (!resource_equal(&root->share, &sched->total)) {
        root->share = sched->total;
        root->share_changed = true;
        fair_mark(root);
        sched_queue_note_change(root->queue);
    }
    if (root->marked)
        compute_shares(sched, root);
    root->marked = false;
}

static double used_part(const struct sched *sched, int type)
{
    if (sched->total.value[type] == 0)
        return 0;
    return (double)((float)sched->used.value[type] / (float)sched->total.value[type]);
}

/* Returns true if the cluster is full enough for preemption (FairScheduler.shouldAttemptPreemption). */
static bool full_enough(const struct sched *sched)
{
    const struct fair_config *config = fair_of(sched)->config;
    double threshold = (double)config->preemption_threshold;

    return config->preemption && (threshold < used_part(sched, RESOURCE_MEMORY_MB) ||
                                  threshold < used_part(sched, RESOURCE_VCORES));
}

void fair_update(struct sched *sched, struct sched_decisions *decisions)
{
    struct fair *fair = fair_of(sched);

    fair_recompute(sched);
    compute(sched);
    fair_end_am_deadlock(sched, decisions);
    fair->judged = full_enough(sched);
    if (!fair->judged)
        return;
    fair_find_starved(sched);
    fair_preempt_for_starved(sched, decisions);
}
