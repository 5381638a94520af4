/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.c - who is offered what next (yarn-behaviour 5.6)
 *
 * For each partition: the children of a queue by how much of their guarantee they use, the users of
 * a leaf by their first app, the apps of a user by the leaf's order. In these trees stands only who
 * wants something and was not refused by a limit that still holds. A change of sums takes the path
 * from the app to the root out (begin) and puts it back where it now belongs (end): cost follows
 * the depth, not the number of queues, users or apps.
 */
#include <math.h>
#include <string.h>

#include "rm/sched/capacity/internal.h"

/* --- orders ---------------------------------------------------------------- */

/* Within one parent: by guarantee used; priority-utilization puts priority before that, but
 * none that has its guarantee before one that has not. Then the larger queue, then file order. */
int capacity_compare_queues(const struct queue_part *a, const struct queue_part *b)
{
    const struct capacity_queue *qa = a->queue->config, *qb = b->queue->config;

    if (qa->parent && qa->parent->priority_utilization && qa->priority != qb->priority) {
        bool full_a = a->used_capacity >= 1, full_b = b->used_capacity >= 1;

        if (full_a == full_b)
            return qa->priority > qb->priority ? -1 : 1;
    }
    if (a->used_capacity != b->used_capacity)
        return a->used_capacity < b->used_capacity ? -1 : 1;
    if (a->share->absolute != b->share->absolute)
        return a->share->absolute > b->share->absolute ? -1 : 1;
    return (qa->position > qb->position) - (qa->position < qb->position);
}

/* First come, first served: recovered ones, then the higher priority, then the lower id. */
int capacity_order(const struct sched_app *a, const struct sched_app *b)
{
    if (a->recovered != b->recovered)
        return a->recovered ? -1 : 1;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    return app_id_compare(&a->id, &b->id);
}

/* KEY is 0 where the order is fifo. */
int capacity_compare_parts(const struct app_part *a, const struct app_part *b)
{
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->key != 0 && a->app->added_ms != b->app->added_ms)
        return a->app->added_ms < b->app->added_ms ? -1 : 1;
    return capacity_order(a->app, b->app);
}

/* Those awake by their first app; those asleep by what they use, so that the next to wake is the
 * first. A tree holds one kind alone. */
int capacity_compare_users(const struct user_part *a, const struct user_part *b)
{
    const struct sched *sched = a->leaf->queue->sched;
    int r;

    if (!a->sleeping)
        return capacity_compare_parts(a->first, b->first);
    r = calc_compare(&sched->calc, &sched->label_total[a->leaf->label], &a->used, &b->used);
    return r != 0 ? r : strcmp(a->user->name, b->user->name);
}

/* By need; which of two that need the same is woken first decides nothing. */
int capacity_compare_starved(const struct queue_part *a, const struct queue_part *b)
{
    if (a->need != b->need)
        return a->need < b->need ? -1 : 1;
    return (a > b) - (a < b);
}

int capacity_compare_names(const struct leaf_user *a, const struct leaf_user *b)
{
    return strcmp(a->name, b->name);
}

RB_GENERATE(sched_leaf_user_tree, leaf_user, link, capacity_compare_names)
RB_GENERATE(sched_queue_part_tree, queue_part, link, capacity_compare_queues)
RB_GENERATE(sched_holder_tree, queue_part, holder, capacity_compare_queues)
RB_GENERATE(sched_starved_tree, queue_part, link, capacity_compare_starved)
RB_GENERATE(sched_user_part_tree, user_part, link, capacity_compare_users)
RB_GENERATE(sched_app_part_tree, app_part, link, capacity_compare_parts)
RB_GENERATE(sched_waiting_tree, sched_app, wanting, capacity_order)

/* --- keys ------------------------------------------------------------------ */

float capacity_used_fraction(const struct queue_part *part)
{
    const struct sched *sched = part->queue->sched;
    const struct resource *total = &sched->label_total[part->label];
    struct resource base = calc_max(&sched->calc, total, part->share->effective_minimum,
                                    sched->minimum);
    float fraction = calc_divide(&sched->calc, total, &part->used, &base);

    return isnan(fraction) ? 0 : fraction;
}

/* Use in MiB; with size-based weight, by log2 of the demand (5.6, ordering-policy fair). */
static double fair_key(const struct app_part *part)
{
    const struct capacity_queue *queue = part->leaf->queue->config;
    double used = (double)part->used.value[RESOURCE_MEMORY_MB];

    if (queue->order != CAPACITY_ORDER_FAIR)
        return 0;
    if (queue->size_based_weight) {
        double demand = used + (double)part->pending.value[RESOURCE_MEMORY_MB];
        double weight = log1p(demand) / log(2);

        used = weight > 0 ? used / weight : used;
    }
    return used + 1;                    /* 0 would mean fifo */
}

/* --- in and out ------------------------------------------------------------ */

static struct sched_user_part_tree *tree_of(struct user_part *user)
{
    return user->sleeping ? &user->leaf->asleep : &user->leaf->awake;
}

static void user_out(struct user_part *user)
{
    if (user->listed)
        RB_REMOVE(sched_user_part_tree, tree_of(user), user);
    user->listed = false;
}

static void user_in(struct user_part *user)
{
    user->first = RB_MIN(sched_app_part_tree, &user->apps);
    user->listed = user->first != NULL;
    if (user->listed)
        RB_INSERT(sched_user_part_tree, tree_of(user), user);
    else
        user->sleeping = false;
}

static bool leaf_or_parent_wants(const struct queue_part *part)
{
    return part->queue->leaf ? !RB_EMPTY(&part->awake) || !RB_EMPTY(&part->asleep)
                             : !RB_EMPTY(&part->children);
}

static void queue_out(struct queue_part *part)
{
    if (part->listed)
        RB_REMOVE(sched_queue_part_tree, &part->up->children, part);
    if (part->holds)
        RB_REMOVE(sched_holder_tree, &part->up->holders, part);
    if (part->starved_at)
        RB_REMOVE(sched_starved_tree, &part->starved_at->starved, part);
    part->listed = part->holds = false;
    part->starved_at = NULL;
}

static void queue_in(struct queue_part *part)
{
    part->listed = part->up != NULL && !part->sleeping && leaf_or_parent_wants(part);
    if (!part->listed)
        return;
    RB_INSERT(sched_queue_part_tree, &part->up->children, part);
    part->holds = !resource_is_zero(&part->reserved);
    if (part->holds)
        RB_INSERT(sched_holder_tree, &part->up->holders, part);
}

static void wake_queue(struct queue_part *part)
{
    queue_out(part);
    part->sleeping = false;
    for (struct queue_part *at = part; at && !at->listed; at = at->up)
        queue_in(at);
}

/* Does APP want anything? Its user is active while one of its apps does. Limits of users in all
 * partitions of the leaf move with that. */
static void count_wanting(struct sched_app *app, const struct queue_part *changing)
{
    bool wants = app->state == APP_ACTIVE && app->pending_containers > 0;
    struct leaf_user *user = app->leaf_user;
    bool was_active = user->wanting > 0, is_active;

    if (wants == app->wants)
        return;
    app->wants = wants;
    if (wants)
        app->waits_since_ms = app->sched->now_ms;
    user->wanting += wants ? 1u : UINT32_MAX;           /* one more, or one less */
    is_active = user->wanting > 0;
    if (was_active == is_active)
        return;
    user->queue->active_weight += is_active ? (double)user->weight : -(double)user->weight;
    for (struct user_part *part = user->parts; part; part = part->next)
        part->leaf->active_used = is_active ? resource_add(part->leaf->active_used, part->used)
                                            : resource_subtract(part->leaf->active_used, part->used);
    capacity_recount_user(user);
    for (int l = 0; l < user->queue->part_count; l++)
        if (user->queue->parts[l] && user->queue->parts[l] != changing) {
            user->queue->parts[l]->limit_known = false;
            wake_queue(user->queue->parts[l]);
        }
}

static void count_ratio(struct user_part *user)
{
    const struct sched *sched = user->leaf->queue->sched;
    float ratio = calc_ratio(&sched->calc, &user->used, &sched->label_total[user->leaf->label]);

    ratio = isfinite(ratio) ? ratio : 0;
    user->leaf->used_ratios += (double)ratio - (double)user->ratio;
    user->ratio = ratio;
}

double capacity_measure(const struct sched *sched, int label, const struct resource *a)
{
    const struct resource *total = &sched->label_total[label];
    double most = 0;

    if (!sched->calc.dominant)
        return (double)a->value[RESOURCE_MEMORY_MB];
    for (int t = 0; t < sched->calc.types; t++) {
        double share = (double)a->value[t] / (double)total->value[t];

        if (total->value[t] > 0 && share > most)
            most = share;
    }
    return most;
}

static struct resource room_of(const struct queue_part *part)
{
    return resource_subtract(part->share->effective_maximum, part->used);
}

/* There is more room in PART: wake those for whom it may do. */
static void feed(struct queue_part *part)
{
    struct resource room = room_of(part);
    double measure = capacity_measure(part->queue->sched, part->label, &room);
    struct queue_part *leaf;

    while ((leaf = RB_MIN(sched_starved_tree, &part->starved)) != NULL && leaf->need <= measure)
        wake_queue(leaf);
}

void capacity_begin(struct app_part *part)
{
    bool fair = part->leaf->queue->config->order == CAPACITY_ORDER_FAIR;

    part->leaf->limit_known = false;
    if (fair || part->user->sleeping)
        user_out(part->user);
    if (fair && part->listed) {
        RB_REMOVE(sched_app_part_tree, &part->user->apps, part);
        part->listed = false;
    }
    for (struct queue_part *at = part->leaf; at; at = at->up)
        queue_out(at);
}

void capacity_end(struct app_part *part)
{
    bool listed = part->app->state == APP_ACTIVE && part->pending_containers > 0;

    count_wanting(part->app, part->leaf);
    count_ratio(part->user);
    if (listed != part->listed) {
        user_out(part->user);
        if (listed) {
            part->key = fair_key(part);
            RB_INSERT(sched_app_part_tree, &part->user->apps, part);
        } else {
            RB_REMOVE(sched_app_part_tree, &part->user->apps, part);
        }
        part->listed = listed;
    }
    if (!part->user->listed)
        user_in(part->user);
    for (struct queue_part *at = part->leaf; at; at = at->up) {
        at->used_capacity = capacity_used_fraction(at);
        at->sleeping = false;
        queue_in(at);
    }
    for (struct queue_part *at = part->leaf; at; at = at->up)
        if (!RB_EMPTY(&at->starved))
            feed(at);
}

bool capacity_wants(const struct sched *sched)
{
    const struct sched_queue *root = TAILQ_FIRST(&sched->queues);

    for (int l = 0; l < root->part_count; l++)
        if (root->parts[l] && !RB_EMPTY(&root->parts[l]->children))
            return true;
    return false;
}

/* --- sleep ----------------------------------------------------------------- */

void capacity_starve(struct queue_part *leaf, const struct resource *need)
{
    const struct sched *sched = leaf->queue->sched;
    double measure = capacity_measure(sched, leaf->label, need);
    struct queue_part *keeper = NULL;

    for (struct queue_part *at = leaf->up; at; at = at->up) {
        struct resource room = room_of(at);

        if (measure > capacity_measure(sched, leaf->label, &room))
            keeper = at;
    }
    if (keeper == NULL)
        return;                         /* it is not for want of room above alone */
    capacity_sleep(leaf);
    leaf->need = measure;
    leaf->starved_at = keeper;
    RB_INSERT(sched_starved_tree, &keeper->starved, leaf);
}

void capacity_sleep(struct queue_part *part)
{
    part->sleeping = true;
    for (struct queue_part *at = part; at && at->listed; at = at->up) {
        if (at != part && !RB_EMPTY(&at->children))
            return;
        queue_out(at);
    }
}

void capacity_sleep_user(struct user_part *user)
{
    user_out(user);
    user->sleeping = true;
    user_in(user);
}

static void wake(struct user_part *user)
{
    user_out(user);
    user->sleeping = false;
    user_in(user);
}

void capacity_wake_users(struct sched *sched, struct queue_part *leaf,
                         const struct resource *limit)
{
    struct user_part *user = RB_MIN(sched_user_part_tree, &leaf->asleep), *next;

    for (; user; user = next) {
        next = RB_NEXT(sched_user_part_tree, &leaf->asleep, user);
        if (!capacity_user_over(sched, user, limit))
            wake(user);
        else if (leaf->queue->weighted == 0)
            return;                     /* the others use more still */
    }
}

/* --- all anew -------------------------------------------------------------- */

/* The leaf's order may have changed, and with it what an app's key is. */
static void rebuild_apps(struct sched_queue *queue)
{
    struct leaf_user *user;
    struct sched_app *app;

    RB_FOREACH(user, sched_leaf_user_tree, &queue->users)
        for (struct user_part *part = user->parts; part; part = part->next)
            RB_INIT(&part->apps);
    TAILQ_FOREACH(app, &queue->apps, of_queue)
        for (struct app_part *part = app->parts; part; part = part->next) {
            part->key = fair_key(part);
            if (part->listed)
                RB_INSERT(sched_app_part_tree, &part->user->apps, part);
        }
}

static void rebuild_leaf(struct sched_queue *queue)
{
    struct leaf_user *user;

    for (int l = 0; l < queue->part_count; l++) {
        if (queue->parts[l] == NULL)
            continue;
        RB_INIT(&queue->parts[l]->awake);
        RB_INIT(&queue->parts[l]->asleep);
    }
    rebuild_apps(queue);
    RB_FOREACH(user, sched_leaf_user_tree, &queue->users)
        for (struct user_part *part = user->parts; part; part = part->next) {
            count_ratio(part);
            part->sleeping = false;
            user_in(part);
        }
}

void capacity_index_rebuild(struct sched *sched)
{
    struct sched_queue *queue;

    TAILQ_FOREACH(queue, &sched->queues, link)
        for (int l = 0; l < queue->part_count; l++)
            if (queue->parts[l]) {
                RB_INIT(&queue->parts[l]->children);
                RB_INIT(&queue->parts[l]->holders);
                RB_INIT(&queue->parts[l]->starved);
                queue->parts[l]->holds = false;
                queue->parts[l]->starved_at = NULL;
            }
    TAILQ_FOREACH_REVERSE(queue, &sched->queues, sched_queue_list, link) {
        if (queue->leaf)
            rebuild_leaf(queue);
        for (int l = 0; l < queue->part_count; l++) {
            struct queue_part *part = queue->parts[l];

            if (part == NULL)
                continue;
            part->sleeping = part->limit_known = false;
            part->used_capacity = capacity_used_fraction(part);
            queue_in(part);
        }
    }
}
