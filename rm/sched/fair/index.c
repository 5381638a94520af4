/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.c - who is offered what next (yarn-behaviour 8.7)
 *
 * The children of a queue, and the apps of a leaf, stand in trees by the key that the queue's
 * policy gives them; only those who want something, and were not refused by a limit that still
 * holds. A change of sums takes the path from the app to the root out (begin) and puts it back
 * with new keys (end): nothing is ever sorted, and nobody else is visited.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/fair/internal.h"

/* --- orders ---------------------------------------------------------------- */

static int compare_keys(const struct fair_key *a, const struct fair_key *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    for (int i = 0; i < a->count; i++)
        if (a->value[i] != b->value[i])
            return a->value[i] < b->value[i] ? -1 : 1;
    return 0;
}

int fair_compare_queues(const struct fair_queue *a, const struct fair_queue *b)
{
    int r = compare_keys(&a->key, &b->key);

    return r != 0 ? r : strcmp(a->queue->name, b->queue->name);         /* siblings */
}

/* As texts: application_1_10000 is before application_1_9999. */
static int compare_names(const struct app_id *a, const struct app_id *b)
{
    char text_a[ID_TEXT_MAX], text_b[ID_TEXT_MAX];

    if (a->cluster_ms == b->cluster_ms && a->seq < 10000 && b->seq < 10000)
        return (a->seq > b->seq) - (a->seq < b->seq);
    return strcmp(app_id_format(a, text_a), app_id_format(b, text_b));
}

int fair_order(const struct sched_app *a, const struct sched_app *b)
{
    if (a->added_ms != b->added_ms)
        return a->added_ms < b->added_ms ? -1 : 1;
    return compare_names(&a->id, &b->id);
}

int fair_compare_apps(const struct fair_app *a, const struct fair_app *b)
{
    int r = compare_keys(&a->key, &b->key);

    return r != 0 ? r : fair_order(a->app, b->app);
}

RB_GENERATE(fair_queue_tree, fair_queue, link, fair_compare_queues)
RB_GENERATE(fair_app_tree, fair_app, link, fair_compare_apps)

/* --- keys ------------------------------------------------------------------ */

struct measured {
    struct resource demand, minimum, used;
    float weight;
};

/* 8.7 fair: memory alone. Who demands nothing last, below the minimum first, no weight after some. */
static struct fair_key key_fair(const struct measured *m)
{
    int64_t used = m->used.value[0], demand = m->demand.value[0];
    int64_t minimum = m->minimum.value[0] < demand ? m->minimum.value[0] : demand;
    bool needy = used < minimum, weighs = m->weight > 0;

    return (struct fair_key){
        .rank = (demand == 0 ? 2 : 0) + (needy ? 0 : 1),
        .count = 3,
        .value = {
            needy ? (double)used / (double)(minimum > 1 ? minimum : 1) : 0,
            weighs ? 0 : 1,
            weighs ? (double)used / (double)m->weight : (double)used,
        },
    };
}

/* What has no amount by which to measure, or no weight, comes last. */
static double ratio(double part, double whole)
{
    double r = part / whole;

    return isnan(r) ? INFINITY : r;
}

/* Two types, in double: the dominant one decides, then the other. */
static struct fair_key key_of_two(const struct measured *m, const struct resource *total)
{
    struct fair_key key = { .count = 2 };
    double share[2];
    int dominant, at;

    for (int t = 0; t < 2; t++)
        share[t] = total->value[t] == 0 ? 0 : (double)m->used.value[t] / (double)total->value[t];
    dominant = share[1] > share[0];
    key.rank = m->used.value[dominant] < m->minimum.value[dominant] ? 0 : 1;
    for (int i = 0; i < 2; i++) {
        at = i == 0 ? dominant : 1 - dominant;
        key.value[i] = key.rank == 0 ? ratio((double)m->used.value[at], (double)m->minimum.value[at])
                                     : ratio(share[at], (double)m->weight);
    }
    return key;
}

/* Any number of types, in float: by falling share of the cluster. */
static struct fair_key key_of_many(const struct measured *m, const struct resource *total,
                                   int types)
{
    struct fair_key key = { .count = types };
    float share[RESOURCE_TYPES_MAX];
    int order[RESOURCE_TYPES_MAX] = { 0 };

    for (int t = 0; t < types; t++) {
        int at = t;

        share[t] = total->value[t] == 0 ? 0 : (float)m->used.value[t] / (float)total->value[t];
        for (; at > 0 && share[order[at - 1]] < share[t]; at--)
            order[at] = order[at - 1];
        order[at] = t;
    }
    key.rank = m->used.value[order[0]] < m->minimum.value[order[0]] ? 0 : 1;
    for (int i = 0; i < types; i++) {
        int t = order[i];

        key.value[i] = key.rank == 0
                     ? ratio((double)((float)m->used.value[t] / (float)m->minimum.value[t]), 1)
                     : ratio((double)(share[t] / m->weight), 1);
    }
    return key;
}

static struct fair_key key_for(const struct sched *sched, enum fair_policy policy,
                               const struct measured *m)
{
    if (policy != FAIR_POLICY_DRF)
        return key_fair(m);
    return sched->calc.types == 2 ? key_of_two(m, &sched->total)
                                  : key_of_many(m, &sched->total, sched->calc.types);
}

struct fair_key fair_queue_key(const struct fair_queue *queue)
{
    const struct measured m = {
        .demand = queue->demand,
        .minimum = queue->settings->minimum,
        .used = fair_used(queue),
        .weight = queue->settings->weight,
    };

    return key_for(queue->queue->sched, queue->parent->settings->policy, &m);
}

struct fair_key fair_app_key(const struct fair_app *app)
{
    const struct measured m = {
        .demand = app->demand,
        .used = fair_app_used(app),
        .weight = app->weight,
    };

    if (app->leaf->settings->policy == FAIR_POLICY_FIFO)
        return (struct fair_key){ .count = 1, .value = { -(double)app->app->priority } };
    return key_for(app->app->sched, app->leaf->settings->policy, &m);
}

/* --- in and out ------------------------------------------------------------ */

static struct fair_app_tree *tree_of(struct fair_app *app)
{
    return app->asleep ? &app->leaf->asleep : &app->leaf->awake;
}

void fair_app_out(struct fair_app *app)
{
    if (app->listed)
        RB_REMOVE(fair_app_tree, tree_of(app), app);
    app->listed = false;
}

/* Asks that came since the last update do not count, as in YARN. */
static bool app_wants(const struct fair_app *app)
{
    struct resource wanted = fair_app_wanted(app);

    return app->app->state == APP_ACTIVE && app->app->pending_containers > 0 &&
           !resource_is_zero(&wanted);
}

void fair_app_in(struct fair_app *app)
{
    assert(!app->listed);
    if (!app_wants(app)) {
        app->asleep = false;
        return;
    }
    app->key = fair_app_key(app);
    app->listed = true;
    RB_INSERT(fair_app_tree, tree_of(app), app);
}

void fair_queue_out(struct fair_queue *queue)
{
    if (queue->listed)
        RB_REMOVE(fair_queue_tree, &queue->parent->wanting, queue);
    queue->listed = false;
}

/* May a node be offered to QUEUE with any hope? */
static bool queue_wants(const struct fair_queue *queue)
{
    return !RB_EMPTY(&queue->awake) || !RB_EMPTY(&queue->wanting) ||
           (queue->asleep_lightly && !RB_EMPTY(&queue->asleep));
}

static void list_leaf(struct fair_queue *leaf)
{
    struct fair *fair = leaf->queue->sched->fair;
    bool wants = !RB_EMPTY(&leaf->awake) || !RB_EMPTY(&leaf->asleep);

    if (wants == leaf->wanting_listed)
        return;
    if (wants)
        TAILQ_INSERT_TAIL(&fair->leaves, leaf, wanting_link);
    else
        TAILQ_REMOVE(&fair->leaves, leaf, wanting_link);
    leaf->wanting_listed = wants;
}

void fair_queue_in(struct fair_queue *queue)
{
    assert(!queue->listed);
    if (queue->queue->leaf)
        list_leaf(queue);
    if (queue->parent == NULL || queue->sleeping || !queue_wants(queue))
        return;
    queue->key = fair_queue_key(queue);
    queue->listed = true;
    RB_INSERT(fair_queue_tree, &queue->parent->wanting, queue);
}

/* --- changes --------------------------------------------------------------- */

static void path_out(struct fair_queue *leaf)
{
    for (struct fair_queue *at = leaf; at; at = at->parent)
        fair_queue_out(at);
}

/* FRESH: there may be asks below that nobody has looked at. */
static void path_in(struct fair_queue *leaf, bool fresh)
{
    for (struct fair_queue *at = leaf; at; at = at->parent) {
        fresh = fresh || at->sleeping;
        at->sleeping = false;
        if (fresh)
            at->reach.known = false;
        fair_queue_in(at);
    }
}

/* An app that was just given its master. */
static void count_master(struct fair_app *app)
{
    const struct sched_container *last = TAILQ_LAST(&app->app->containers, container_list);

    if (app->am_counted || last == NULL || !last->manager)
        return;
    app->am_counted = true;
    app->am = last->info.resource;
    app->leaf->am_used = resource_add(app->leaf->am_used, app->am);
}

void fair_begin(struct app_part *part)
{
    struct fair_app *app = part->app->fair;

    app->app->sched->fair->pending_before = app_pending_now(part);
    app->app->sched->fair->listed_before = app->listed && !app->asleep;
    fair_app_out(app);
    path_out(app->leaf);
}

void fair_end(struct app_part *part)
{
    struct fair_app *app = part->app->fair;
    struct sched *sched = app->app->sched;
    struct fair *fair = sched->fair;
    struct resource demand = app_demand(part), pending = app_pending_now(part);
    bool asks = !fair->placing && !resource_equal(&pending, &fair->pending_before);

    count_master(app);
    app->asleep = false;
    if (asks)
        app->reach.known = false;
    if (!resource_equal(&demand, &app->demand) && !app->changed) {
        app->changed = true;
        TAILQ_INSERT_TAIL(&app->leaf->changed_apps, app, changed_link);
        fair_mark(app->leaf);
    }
    if (sched->assign_on_demand)
        fair_count_demand(app);         /* nobody waits for an update */
    fair_app_in(app);
    path_in(app->leaf, asks || (app->listed && !fair->listed_before));
}

void fair_app_touch(struct fair_app *app)
{
    fair_app_out(app);
    path_out(app->leaf);
    app->asleep = false;
    app->reach.known = false;
    fair_app_in(app);
    path_in(app->leaf, true);
}

bool fair_wants(const struct sched *sched)
{
    return queue_wants(sched->fair->root);
}

/* --- sleep ----------------------------------------------------------------- */

/* Who has nobody left to offer a node to leaves the parent's tree, and so on up. */
static void leave_empty(struct fair_queue *queue)
{
    for (; queue && queue->listed && (queue->sleeping || !queue_wants(queue)); queue = queue->parent)
        fair_queue_out(queue);
}

void fair_sleep(struct fair_queue *queue)
{
    queue->sleeping = true;
    leave_empty(queue);
}

void fair_sleep_app(struct fair_app *app, bool lightly)
{
    struct fair_queue *leaf = app->leaf;
    struct sched_app *all = app->app;
    const struct demand *first = RB_MIN(sched_demand_tree, &all->demands);

    if (RB_EMPTY(&leaf->asleep)) {
        leaf->asleep_lightly = false;
        leaf->asleep_least = demand_capability(first);
    }
    leaf->asleep_least = resource_min(leaf->asleep_least, demand_capability(first));
    leaf->asleep_lightly = leaf->asleep_lightly || lightly;
    RB_REMOVE(fair_app_tree, &leaf->awake, app);
    app->asleep = true;
    RB_INSERT(fair_app_tree, &leaf->asleep, app);
    leave_empty(leaf);
}

void fair_wake_apps(struct fair_queue *leaf)
{
    struct fair_app *app;

    if (RB_EMPTY(&leaf->asleep))
        return;
    path_out(leaf);
    while ((app = RB_MIN(fair_app_tree, &leaf->asleep)) != NULL) {
        RB_REMOVE(fair_app_tree, &leaf->asleep, app);
        app->asleep = false;
        RB_INSERT(fair_app_tree, &leaf->awake, app);
    }
    path_in(leaf, true);
}

struct fair_app *fair_next_wanting(struct fair_queue *leaf, const struct fair_app *after)
{
    struct fair_app *key = (struct fair_app *)(uintptr_t)after, *next[2];
    struct fair_app_tree *trees[] = { &leaf->awake, &leaf->asleep };

    for (int i = 0; i < 2; i++) {
        next[i] = after ? RB_NFIND(fair_app_tree, trees[i], key)
                        : RB_MIN(fair_app_tree, trees[i]);
        if (next[i] && next[i] == after)
            next[i] = RB_NEXT(fair_app_tree, trees[i], next[i]);
    }
    if (next[0] == NULL || next[1] == NULL)
        return next[0] ? next[0] : next[1];
    return fair_compare_apps(next[0], next[1]) < 0 ? next[0] : next[1];
}

/* --- all anew -------------------------------------------------------------- */

static void rebuild_apps(struct fair_queue *leaf)
{
    struct fair_app *app;

    RB_INIT(&leaf->awake);
    RB_INIT(&leaf->asleep);
    TAILQ_FOREACH(app, &leaf->running, of_leaf) {
        app->listed = app->asleep = false;
        fair_app_in(app);
    }
}

void fair_index_rebuild(struct sched *sched)
{
    struct sched_queue *queue;

    TAILQ_FOREACH(queue, &sched->queues, link) {
        RB_INIT(&queue->fair->wanting);
        queue->fair->listed = queue->fair->sleeping = false;
        queue->fair->reach.known = false;
    }
    TAILQ_FOREACH_REVERSE(queue, &sched->queues, sched_queue_list, link) {
        if (queue->leaf)
            rebuild_apps(queue->fair);
        fair_queue_in(queue->fair);
    }
}
