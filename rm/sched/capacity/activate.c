/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activate.c - activates accepted applications within the limits on AMs (yarn-behaviour 5.3)
 *
 * An application that has a place (parallel.c) waits while AMs use as much as they may. Once activated, an
 * application stays active until it leaves its queue. Applications are checked in the leaf's order; an
 * application that a limit blocks does not block those after it.
 */
#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"

/* --- limits ---------------------------------------------------------------- */

/* Differs: YARN uses the limit of the last offer to the queue, which may be long ago: whether an application
 * starts then depends on the time of that offer and the use of other queues at that time. creel uses the
 * limit that the queue would be offered now. */
struct resource capacity_am_limit(const struct sched *sched, const struct queue_partition *leaf)
{
    struct resource base = part_data(leaf)->share->effective_minimum;

    if (leaf->label == 0) {
        struct resource limit = capacity_limit_now(sched, leaf);

        if (calc_fits(&sched->calc, &base, &limit))
            base = limit;
    }
    return calc_multiply_up(&sched->calc, &base, (double)part_data(leaf)->share->am_fraction,
                            &sched->minimum);
}

struct resource capacity_user_am_limit(const struct sched *sched, const struct queue_partition *leaf,
                                       float weight)
{
    const struct capacity_queue *config = queue_data(leaf->queue)->config;
    uint32_t contending = capacity_users_contending(leaf->queue), users = contending > 0 ? contending : 1;
    float part = part_data(leaf)->share->am_fraction;
    struct resource of_queue = capacity_am_limit(sched, leaf), of_user;

    if (config->user_limit_factor >= 0) {
        float share = config->user_limit_percent / 100.0f;
        float even = 1.0f / (float)users;
        float largest = weight * (share > even ? share : even);

        part *= (largest < 1.0f ? largest : 1.0f) * config->user_limit_factor;
    }
    of_user = calc_multiply_up(&sched->calc, &part_data(leaf)->share->effective_minimum, (double)part,
                               &sched->minimum);
    return calc_min(&sched->calc, &sched->total, of_queue, of_user);
}

/* --- counts ---------------------------------------------------------------- */

/* Differs: YARN has no applications that consist of their first container alone. Such an application has no
 * tasks that its first container could block, so creel does not count it against limits on AMs. */
struct resource capacity_master_of(const struct sched_app *app)
{
    return app->manages ? sched_load(app->sched, app_master(app)) : resource_of(0, 0);
}

static void count_master(struct sched_app *app, int sign)
{
    struct app_partition *part = sched_app_partition(app, app->label);
    struct resource size = capacity_master_of(app);
    struct amount *sums[] = { user_am_used(part->user), queue_am_used(part->leaf) };

    for (size_t i = 0; i < 2; i++)
        calc_change(&app->sched->calc, sums[i], &size, sign);
}

void capacity_master_changes(struct sched_app *app, bool done)
{
    if (app->state == APP_ACTIVE)
        count_master(app, done ? 1 : -1);
}

static void count_active(struct sched_app *app, int sign)
{
    count_master(app, sign);
    sched_queue_note_change(app->queue);
    app->queue->active_apps += (uint32_t)sign;
    app->leaf_user->active_apps += (uint32_t)sign;
    for (struct sched_queue *at = app->queue; at; at = at->parent)
        at->parallel_apps += (uint32_t)sign;
    capacity_recount_user(app->leaf_user);
}

/* Sets the state of APP, and updates the indexes of queues, users and applications. */
static void set_state(struct sched *sched, struct sched_app *app, enum app_state state)
{
    for (struct app_partition *part = app->parts; part; part = part->next) {
        sched_count_begin(sched, part);
        app->state = state;
        sched_count_end(sched, part);
    }
    app->state = state;
}

void capacity_wait(struct sched_app *app)
{
    app_data(app)->listed = true;
    queue_data(app->queue)->waiting_plain += app->manages ? 0 : 1;
    RB_INSERT(capacity_waiting_tree, &queue_data(app->queue)->waiting, app_data(app));
    capacity_recount_user(app->leaf_user);
}

static void stop_waiting(struct sched_app *app)
{
    RB_REMOVE(capacity_waiting_tree, &queue_data(app->queue)->waiting, app_data(app));
    app_data(app)->listed = false;
    queue_data(app->queue)->waiting_plain -= app->manages ? 0 : 1;
}

void capacity_deactivate(struct sched *sched, struct sched_app *app)
{
    struct capacity *capacity = capacity_of(sched);

    if (app_data(app)->listed)
        stop_waiting(app);
    for (size_t i = 0; i < capacity->released_count; i++)
        if (capacity->released[i] == app)
            capacity->released[i--] = capacity->released[--capacity->released_count];
    if (app->state == APP_ACTIVE) {
        set_state(sched, app, APP_NEW);
        count_active(app, -1);
    }
    app->state = APP_NEW;
}

static void make_active(struct sched *sched, struct sched_app *app)
{
    struct capacity *capacity = capacity_of(sched);

    stop_waiting(app);
    count_active(app, 1);
    set_state(sched, app, APP_ACTIVE);
    app->waits_since_ms = sched->now_ms;
    sched_app_ask_for_master(app);
    if (!sched->assign_on_demand)
        return;
    mem_grow(capacity->released, capacity->released_count, capacity->released_capacity);
    capacity->released[capacity->released_count++] = app;
}

/* --- checking the applications of one leaf --------------------------------- */

/* Limits used while the applications of one leaf are checked. As in YARN, the AM limit of users is computed
 * for the first user of each partition, and used for all users after that. */
struct walk {
    struct resource user_limit[SCHED_LABELS_MAX];
    bool known[SCHED_LABELS_MAX];
    uint32_t users; /* greatest number of users among whom a limit was divided */
};

/* Returns the AM limit that APP's AM would exceed, or NONE. */
static enum sched_reason am_refusal(const struct sched *sched, struct walk *walk, struct sched_app *app)
{
    struct app_partition *part = sched_app_partition(app, app->label);
    struct resource of_queue = sched_load_sum(sched, queue_am_used(part->leaf), app_master(app));
    struct resource of_user = sched_load_sum(sched, user_am_used(part->user), app_master(app));
    struct resource limit = capacity_am_limit(sched, part->leaf);
    uint32_t users;
    bool first = app->queue->active_apps == 0 || calc_is_zero(&sched->calc, queue_am_used(part->leaf));

    capacity_of(sched)->am_checks++;
    if (!app->manages)
        return SCHED_REASON_NONE;
    if (!first && !calc_fits(&sched->calc, &of_queue, &limit))
        return SCHED_REASON_AM_LIMIT;
    if (!walk->known[app->label]) {
        walk->user_limit[app->label] = capacity_user_am_limit(sched, part->leaf, app->leaf_user->weight);
        walk->known[app->label] = true;
        users = capacity_users_contending(app->queue);
        walk->users = users > walk->users ? users : walk->users;
    }
    if (!first && !calc_fits(&sched->calc, &of_user, &walk->user_limit[app->label]))
        return SCHED_REASON_USER_AM_LIMIT;
    return SCHED_REASON_NONE; /* one AM may always run */
}

enum sched_reason capacity_am_refusal(const struct sched *sched, const struct sched_app *app,
                                      struct resource *limit)
{
    struct sched_app *own = (struct sched_app *)(uintptr_t)app;
    struct capacity_app_data *data = RB_MIN(capacity_waiting_tree, &queue_data(app->queue)->waiting);
    struct walk walk = { .known = { false } };
    enum sched_reason reason = am_refusal(sched, &walk, own);

    if (reason == SCHED_REASON_AM_LIMIT || !walk.known[app->label]) {
        *limit = capacity_am_limit(sched, sched_app_partition(own, app->label)->leaf);
        return reason;
    }
    /* As in capacity_activate(), the AM limit is that of the first user for whose AM the limit was needed.
     * Without weights all users have the same limit. */
    if (queue_data(app->queue)->weighted > 0) {
        walk.known[app->label] = false;
        for (; data && !walk.known[app->label]; data = RB_NEXT(capacity_waiting_tree, NULL, data))
            am_refusal(sched, &walk, data->app);
        reason = am_refusal(sched, &walk, own);
    }
    *limit = walk.user_limit[app->label];
    return reason;
}

/* Returns true if no waiting application of QUEUE can be activated: even the smallest AM would exceed the AM
 * limit. */
static bool is_closed(const struct sched *sched, const struct sched_queue *queue)
{
    const struct queue_partition *part = queue->parts[0];
    struct resource limit, least;

    if (queue->active_apps == 0 || sched->label_count > 1 || queue_data(queue)->waiting_plain > 0 ||
        calc_is_zero(&sched->calc, queue_am_used(part)))
        return false;
    limit = capacity_am_limit(sched, part);
    least = sched_load(sched, queue_am_used(part));
    calc_add(&sched->calc, &least, &sched->minimum);
    return !calc_fits(&sched->calc, &least, &limit);
}

void capacity_activate(struct sched *sched, struct sched_queue *queue)
{
    struct walk walk = { .known = { false } };
    struct capacity_app_data *data, *next;

    if (resource_is_zero(&sched->total))
        return;
    data = RB_MIN(capacity_waiting_tree, &queue_data(queue)->waiting);
    for (; data && !is_closed(sched, queue); data = next) {
        next = RB_NEXT(capacity_waiting_tree, NULL, data);
        if (am_refusal(sched, &walk, data->app) == SCHED_REASON_NONE)
            make_active(sched, data->app);
    }
    queue_data(queue)->refused_at = capacity_of(sched)->deals;
    queue_data(queue)->refused_users = walk.users;
}

/* Activates APP within the limits. All other waiting applications of its leaf are refused. */
static void activate_one(struct sched *sched, struct sched_app *app)
{
    struct capacity_queue_data *leaf = queue_data(app->queue);
    struct walk walk = { .users = leaf->refused_users };

    if (resource_is_zero(&sched->total) || is_closed(sched, app->queue))
        return;
    if (am_refusal(sched, &walk, app) == SCHED_REASON_NONE)
        make_active(sched, app);
    leaf->refused_users = walk.users;
}

/* While places are given away, AMs use more and more, and applications that were refused are refused again,
 * unless fewer users divide the limit, or a user of another weight is the first in the walk. */
void capacity_activate_placed(struct sched *sched, struct sched_app *app)
{
    const struct capacity_queue_data *leaf = queue_data(app->queue);

    if (leaf->refused_at == capacity_of(sched)->deals && leaf->weighted == 0 &&
        capacity_users_contending(app->queue) >= leaf->refused_users)
        activate_one(sched, app);
    else
        capacity_activate(sched, app->queue);
}

void capacity_activate_all(struct sched *sched)
{
    struct sched_queue *queue;

    TAILQ_FOREACH(queue, &sched->queues, link)
        if (queue->leaf && !RB_EMPTY(&queue_data(queue)->waiting))
            capacity_activate(sched, queue);
}
