/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.c - ordered indexes of the queues and applications that are offered room (yarn-behaviour 8.7)
 *
 * Each queue has an index (rm/sched/order.h) of its children, or of its apps, in the order of its policy. An
 * app is in its leaf's index if it has pending requests that the last update counted. If maxAMShare refused
 * its AM, it is in the leaf's index of refused apps instead, until there may be room for AMs. A queue is in
 * its parent's index if an application below the queue is in an index, and if the queue has not reached its
 * maximum since the last change below it.
 *
 * The need of an app is the least amount of each type in its requests. The need is unknown (0) after requests
 * were added or changed, and is computed when an offer found nothing to place. The need of a queue is the
 * least need in its index.
 */
#include "rm/sched/fair/internal.h"

/* --- places ---------------------------------------------------------------- */

/* Inserts ITEM into ORDER, or moves it to its present place in ORDER. */
static void place(struct order *order, struct fair_item *item, const struct fair_key *key)
{
    if (!order_has(&item->entry)) {
        item->key = *key;
        order_insert(order, &item->entry);
    } else if (fair_compare_keys(&item->key, key) != 0) {
        item->key = *key;
        order_update(&item->entry);
    }
}

/* Returns true if APP has pending requests. Requests since the last update do not count, as in YARN. */
bool fair_app_has_pending(const struct fair_app *app)
{
    struct resource used = fair_app_used(app);

    return app->app->state == APP_ACTIVE && app->app->pending_containers > 0 &&
           !resource_equal(&used, &app->demand);
}

/* Updates the place of APP in the index of its parent, or removes it from the index. */
static void fair_app_place(struct fair_app *app)
{
    struct order *order = fair_app_is_refused(app) ? &app->leaf->refused : &app->leaf->order;
    struct fair_key key;

    if (!fair_app_has_pending(app)) {
        order_remove(&app->item.entry);
        return;
    }
    key = fair_app_key(app);
    place(order, &app->item, &key);
}

/* Sets the need of APP to unknown after its requests may have changed. */
static void forget_need(struct fair_app *app)
{
    order_set_need(&app->item.entry, &calc_zero, &calc_zero);
}

/* Returns true if LEAF has refused AMs that may run when there is more free room. */
static bool may_wake(const struct fair_queue *leaf)
{
    return leaf->leaf && leaf->refused_lightly && !order_is_empty(&leaf->refused);
}

bool fair_queue_can_assign(const struct fair_queue *queue)
{
    return !order_is_empty(&queue->order) || may_wake(queue);
}

struct resource fair_queue_need(const struct fair_queue *queue, struct resource *exchange)
{
    struct resource need = *order_least_need(&queue->order);

    *exchange = *order_least_exchange(&queue->order);
    if (may_wake(queue)) {
        need = resource_min(need, *order_least_need(&queue->refused));
        *exchange = resource_min(*exchange, *order_least_exchange(&queue->refused));
    }
    return need;
}

void fair_queue_measure(struct fair_queue *queue)
{
    struct resource exchange, need = fair_queue_need(queue, &exchange);

    order_set_need(&queue->item.entry, &need, &exchange);
}

/* As fair_app_place(), for a queue. */
static void fair_queue_place(struct fair_queue *queue)
{
    struct fair_key key;

    fair_queue_measure(queue);
    if (queue->parent == NULL)
        return;
    if (queue->sleeping || !fair_queue_can_assign(queue)) {
        order_remove(&queue->item.entry);
        return;
    }
    key = fair_queue_key(queue);
    place(&queue->parent->order, &queue->item, &key);
}

/* Updates LEAF and the queues above after a change in LEAF: those that were at their maximum may be below it
 * now. */
static void place_path(struct fair_queue *leaf)
{
    for (struct fair_queue *at = leaf; at; at = at->parent)
        fair_queue_renew(at);
}

void fair_queue_renew(struct fair_queue *queue)
{
    queue->sleeping = false;
    fair_queue_place(queue);
}

void fair_app_renew(struct fair_app *app)
{
    if (fair_app_is_refused(app)) {
        order_remove(&app->item.entry);
        forget_need(app);
    }
    fair_app_place(app);
}

void fair_app_touch(struct fair_app *app)
{
    forget_need(app);
    fair_app_renew(app);
    place_path(app->leaf);
}

/* --- changes --------------------------------------------------------------- */

static void note_change(struct fair_app *app)
{
    app->changed = true;
    TAILQ_INSERT_TAIL(&app->leaf->changed_apps, app, changed_link);
    fair_mark(app->leaf);
}

/* Returns true if APP's demand differs from that of the last update. */
static bool demand_differs(const struct fair_app *app)
{
    struct resource demand = fair_app_next_demand(app);

    return !resource_equal(&demand, &app->demand);
}

void fair_partition_changed(struct app_partition *part)
{
    struct fair_app *app = fair_app_data(part->app);
    struct sched *sched = app->app->sched;
    struct resource pending = fair_app_pending(app);

    if (!app->changed && demand_differs(app))
        note_change(app);
    if (sched->assign_on_demand)
        fair_count_demand(app); /* at once: offers do not wait for an update */
    if (!fair_of(sched)->placing && !resource_equal(&pending, &app->pending))
        forget_need(app); /* (after a placement, the remaining requests have the same or
                             larger needs) */
    app->pending = pending;
    fair_app_renew(app);
    place_path(app->leaf);
}

bool fair_can_assign(const struct sched *sched)
{
    return fair_queue_can_assign(fair_of(sched)->root);
}

/* --- refusals -------------------------------------------------------------- */

/* Removes QUEUE from the index of its parent, and also those parents that have no other child to offer room
 * to. */
static void leave_empty(struct fair_queue *queue)
{
    for (; queue && order_has(&queue->item.entry) && (queue->sleeping || !fair_queue_can_assign(queue));
         queue = queue->parent)
        order_remove(&queue->item.entry);
}

void fair_sleep(struct fair_queue *queue)
{
    queue->sleeping = true;
    leave_empty(queue);
}

void fair_refuse_am(struct fair_app *app, bool lightly)
{
    struct fair_queue *leaf = app->leaf;
    const struct demand *first = RB_MIN(sched_demand_tree, &app->app->demands);
    const struct resource need = demand_capability(first);

    leaf->refused_lightly = lightly || (leaf->refused_lightly && !order_is_empty(&leaf->refused));
    order_remove(&app->item.entry);
    order_set_need(&app->item.entry, &need, &calc_zero);
    order_insert(&leaf->refused, &app->item.entry);
    leave_empty(leaf);
}

void fair_wake_apps(struct fair_queue *leaf)
{
    struct order_entry *entry;

    if (order_is_empty(&leaf->refused))
        return;
    while ((entry = order_find(&leaf->refused, NULL, NULL)) != NULL)
        fair_app_renew(fair_app_of(entry));
    place_path(leaf);
}

struct fair_app *fair_next_wanting(const struct fair_queue *leaf, const struct fair_app *after)
{
    const struct order_entry *behind = after ? &after->item.entry : NULL;
    const struct order_entry *next = order_find(&leaf->order, behind, NULL);
    const struct order_entry *refused = order_find(&leaf->refused, behind, NULL);

    if (next == NULL || (refused && fair_compare_apps(refused, next) < 0))
        next = refused;
    return next ? fair_app_of(next) : NULL;
}

/* --- rebuilding ------------------------------------------------------------ */

void fair_index_rebuild(struct sched *sched)
{
    struct sched_queue *queue;
    struct fair_app *app;

    TAILQ_FOREACH_REVERSE(queue, &sched->queues, sched_queue_list, link) {
        if (queue->leaf)
            TAILQ_FOREACH(app, &fair_queue_data(queue)->running, of_leaf) {
                forget_need(app);
                fair_app_renew(app);
            }
        fair_queue_renew(fair_queue_data(queue));
    }
}
