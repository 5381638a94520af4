/* SPDX-License-Identifier: Apache-2.0 */
/*
 * active.c - determines which users of a leaf are active (yarn-behaviour 5.4; YARN: UsersManager)
 *
 * A user is active if at least one of its applications makes it active. An application starts to make its
 * user active when it requests containers at a request key where nothing was pending, provided that the user
 * has an active application at that moment. The application stops making its user active when it has no
 * pending request any more. It does not matter whether the application itself is active: the AM request of a
 * waiting application counts, and an application that is activated after its request does not make its user
 * active until it adds a new request. The requests of an attempt that ends count until the application is
 * removed, or those of the next attempt are placed.
 *
 * The limit of a user's AMs counts active users, and users all of whose applications wait. YARN counts the
 * latter only when it recomputes the user limits of the leaf: when a node is offered to the leaf, the cluster
 * changes, or an AM calls, if the use or the active users of the leaf have changed since the last time.
 * Differs: room that is offered counts as offered to every leaf, also to those behind the one that took it.
 */
#include "rm/sched/capacity/internal.h"

/* --- users all of whose applications wait ------------------------------------ */

/* Counts the users of LEAF all of whose applications wait, if an input of the user limits has changed since
 * the last count. Called when YARN would recompute the user limits. */
static void capacity_users_count(struct sched_queue *leaf)
{
    if (queue_data(leaf)->limits_changed)
        queue_data(leaf)->counted_waiting = queue_data(leaf)->users_waiting;
    queue_data(leaf)->limits_changed = false;
}

/* Counts users all of whose applications wait, if a node was offered since the user limits changed. */
static void catch_up(struct sched_queue *leaf)
{
    if (queue_data(leaf)->changed_at != capacity_of(leaf->sched)->offers)
        capacity_users_count(leaf);
}

void capacity_users_changed(struct sched_queue *leaf)
{
    catch_up(leaf);
    queue_data(leaf)->limits_changed = true;
    queue_data(leaf)->changed_at = capacity_of(leaf->sched)->offers;
}

void capacity_users_recompute(struct sched *sched)
{
    struct sched_queue *queue;

    TAILQ_FOREACH(queue, &sched->queues, link) {
        if (!queue->leaf)
            continue;
        capacity_users_changed(queue);
        if (queue->active_apps > 0)
            capacity_users_count(queue);
    }
}

void capacity_recount_user(struct leaf_user *user)
{
    bool waits = user->apps > user->placeless && user->active_apps == 0;

    if (waits == user->waits)
        return;
    catch_up(user->queue);
    user->waits = waits;
    queue_data(user->queue)->users_waiting += waits ? 1u : UINT32_MAX; /* plus or minus one */
}

uint32_t capacity_users_contending(const struct sched_queue *leaf)
{
    const struct capacity_queue_data *data = queue_data(leaf);
    bool counted = !data->limits_changed || data->changed_at == capacity_of(leaf->sched)->offers;

    return data->active_users + data->leaving_users + (counted ? data->counted_waiting : data->users_waiting);
}

/* --- active users ------------------------------------------------------------- */

/* Sets whether USER is active. The user limits in all partitions of the leaf depend on this. CHANGING: the
 * leaf's part whose indexes the caller updates, or NULL. */
static void set_active(struct leaf_user *user, bool active, const struct queue_partition *changing)
{
    struct sched_queue *leaf = user->queue;

    queue_data(leaf)->active_users += active ? 1u : UINT32_MAX;
    queue_data(leaf)->active_weight += active ? (double)user->weight : -(double)user->weight;
    for (struct user_partition *part = user->parts; part; part = part->next) {
        part->wants = active;
        calc_change(&leaf->sched->calc, queue_active_used(part->leaf), user_used(part), active ? 1 : -1);
    }
    capacity_users_changed(leaf);
    capacity_limits_changed(leaf, changing);
}

static void set_has_pending(struct sched_app *app, bool wants, const struct queue_partition *changing)
{
    struct leaf_user *user = app->leaf_user;
    bool was_active = user->wanting > 0;

    app_data(app)->wants = wants;
    user->wanting += wants ? 1u : UINT32_MAX;
    if (was_active != (user->wanting > 0))
        set_active(user, !was_active, changing);
}

void capacity_note_pending(struct sched_app *app)
{
    if (!app_data(app)->wants && app->leaf_user->active_apps > 0)
        set_has_pending(app, true, NULL);
}

void capacity_note_none_pending(struct sched_app *app, const struct queue_partition *changing)
{
    if (app_data(app)->wants && app->pending_containers == 0 && !app->ask_for_master && !app->ending)
        set_has_pending(app, false, changing);
}

void capacity_leave_user(struct sched_app *app)
{
    queue_data(app->queue)->leaving_users = app_data(app)->wants && app->leaf_user->wanting == 1 ? 1 : 0;
    if (app_data(app)->wants)
        set_has_pending(app, false, NULL);
}

void capacity_requested(struct sched_app *app, unsigned changes)
{
    if (changes & SCHED_APP_NAMES)
        capacity_touch(app);
    if (changes & SCHED_APP_REQUESTS)
        capacity_note_pending(app);
    /* Before its first container the application has no AM, and no headroom is reported. */
    if (changes & SCHED_APP_CALL && app->state == APP_ACTIVE && app->last_number > 0)
        capacity_users_count(app->queue);
}
