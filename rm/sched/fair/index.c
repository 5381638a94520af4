/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.c - who is offered what next (yarn-behaviour 8.7)
 *
 * The children of a queue, and the apps of a leaf, are in an order (order.h) by the key that the
 * queue's policy gives them; only those who want something, and were not refused by a limit that
 * still holds. After a change of sums those on the path from the app to the root have another key
 * there: nothing is ever sorted, and nobody else is visited.
 */
#include <assert.h>

#include "common/base/mem.h"
#include "rm/sched/fair/internal.h"

/* --- records --------------------------------------------------------------- */

void *fair_record_new(const struct sched *sched, size_t size, size_t count)
{
    size_t types = (size_t)sched->calc.types, more = size + count * types * sizeof(int64_t);
    struct fair_item *item;

    if (types == 2) {
        item = mem_alloc0(more);
    } else {
        item = mem_alloc0(more + sizeof(struct fair_more) + (types - 2) * sizeof(uint32_t));
        item->more = (uint8_t)(more / sizeof(uint64_t));
    }
    item->types = (uint8_t)types;
    return item;
}

/* --- places ---------------------------------------------------------------- */

struct fair_order *fair_order_of(const struct fair_app *app)
{
    return app->item.asleep ? &app->leaf->refused->order : &app->leaf->order;
}

static void app_out(struct fair_app *app)
{
    if (app->item.listed)
        fair_order_leave(fair_order_of(app), &app->item, fair_compare_apps);
}

/* Asks that came since the last update do not count, as in YARN. */
bool fair_app_wants(const struct fair_app *app)
{
    const int64_t *demand = fair_app_amount(app, FAIR_APP_DEMAND);
    const int64_t *used = app_used(app->part)->value;
    int64_t wanted = (demand[0] - used[0]) | (demand[1] - used[1]);

    for (int t = 2; t < app->item.types; t++)
        wanted |= demand[t] - used[t];
    return wanted != 0 && app->app->pending_containers > 0 && app->app->state == APP_ACTIVE;
}

void fair_app_place(struct fair_app *app)
{
    struct fair_key key;
    uint64_t rest;

    if (!fair_app_wants(app)) {
        app_out(app);
        app->item.asleep = false;
        return;
    }
    rest = fair_app_key(app, &key);
    if (rest != fair_item_rest(&app->item)) {
        app_out(app);
        fair_item_more(&app->item)->rest = rest;
    }
    fair_order_place(fair_order_of(app), &app->item, &key, fair_compare_apps);
}

void fair_queue_remove(struct fair_queue *queue)
{
    if (queue->item.listed)
        fair_order_leave(&queue->parent->order, &queue->item, fair_compare_queues);
}

/* May a node be offered to QUEUE with any hope? */
bool fair_queue_wants(const struct fair_queue *queue)
{
    return !fair_order_is_empty(&queue->order) ||
           (queue->leaf && fair_refused_lightly(queue));
}

static bool has_refused(const struct fair_queue *leaf)
{
    return leaf->refused && !fair_order_is_empty(&leaf->refused->order);
}

static void list_leaf(struct fair_queue *leaf)
{
    bool wants = !fair_order_is_empty(&leaf->order) || has_refused(leaf);
    struct fair *fair;

    if (wants == leaf->wanting_listed)
        return;
    fair = leaf->part->sched->fair;
    if (wants)
        TAILQ_INSERT_TAIL(&fair->leaves, leaf, wanting_link);
    else
        TAILQ_REMOVE(&fair->leaves, leaf, wanting_link);
    leaf->wanting_listed = wants;
}

/* To where QUEUE, which is not root, now belongs in its parent's order, or out. */
static void place_below(struct fair_queue *queue)
{
    struct fair_key key;
    uint64_t rest;

    if (queue->sleeping || !fair_queue_wants(queue)) {
        fair_queue_remove(queue);
        return;
    }
    rest = fair_queue_key(queue, &key);
    if (rest != fair_item_rest(&queue->item)) {
        fair_queue_remove(queue);
        fair_item_more(&queue->item)->rest = rest;
    }
    fair_order_place(&queue->parent->order, &queue->item, &key, fair_compare_queues);
}

void fair_queue_place(struct fair_queue *queue)
{
    if (queue->leaf)
        list_leaf(queue);
    if (queue->parent)
        place_below(queue);
}

/* --- changes --------------------------------------------------------------- */

/* Anything may be asked for below ITEM. */
static void forget(struct fair_item *item)
{
    item->unsaid = item->unsaid || item->known;
    item->known = false;
}

/* FRESH: there may be asks below that nobody has looked at. */
static void place_path(struct fair_queue *leaf, bool fresh)
{
    list_leaf(leaf);
    for (struct fair_queue *at = leaf; at; at = at->parent) {
        fresh = fresh || at->sleeping;
        at->sleeping = false;
        if (fresh)
            forget(&at->item);
        if (at->parent)
            place_below(at);
    }
}

/* Is LEAF, or what it is below, refused until something changes here? */
static bool path_sleeps(const struct fair_queue *leaf)
{
    const struct fair_queue *at = leaf;

    while (at && !at->sleeping)
        at = at->parent;
    return at != NULL;
}

/* An app that was just given its master. */
static void count_master(struct fair_app *app)
{
    const struct sched_container *last = TAILQ_LAST(&app->app->containers, container_list);
    struct resource sum;

    if (last == NULL || !last->manager)
        return;
    app->item.am_counted = true;
    sum = resource_add(fair_get(app->leaf, FAIR_AM_USED), container_resource(last));
    fair_set(app->leaf, FAIR_AM_USED, sum);
}

/* A container comes or goes, and nothing is asked for. */
static inline bool only_containers(const struct sched *sched)
{
    return sched->fair->placing || sched->ending;
}

void fair_begin(struct app_part *part)
{
    const struct fair_app *app = part->app->fair;
    const struct sched *sched = app->app->sched;
    struct fair *fair = sched->fair;

    fair->listed_before = app->item.listed && !app->item.asleep;
    if (only_containers(sched))
        return;
    for (int t = 0; t < app->item.types; t++) {
        fair->pending_before[t] = fair_app_pending_of(app, t);
        fair->used_before[t] = fair_used_of(app->leaf, t);
    }
}

static void note_change(struct fair_app *app)
{
    struct fair_queue *leaf = app->leaf;

    assert(leaf->changed_count < leaf->changed_capacity);
    app->item.changed = true;
    app->changed_index = leaf->changed_count;
    leaf->changed_apps[leaf->changed_count++] = app;
    fair_mark(leaf);
}

/* Is APP's demand not what was counted? */
static inline bool demand_differs(const struct fair_app *app)
{
    const int64_t *demand = fair_app_amount(app, FAIR_APP_DEMAND);
    bool differs = demand[0] != fair_app_next_demand(app, 0) || demand[1] != fair_app_next_demand(app, 1);

    for (int t = 2; t < app->item.types; t++)
        differs |= demand[t] != fair_app_next_demand(app, t);
    return differs;
}

static bool asks_since_begin(const struct fair *fair, const struct fair_app *app)
{
    bool asks = false;

    for (int t = 0; t < app->item.types; t++)
        asks |= fair_app_pending_of(app, t) != fair->pending_before[t];
    return asks;
}

static bool moved_since_begin(const struct fair *fair, const struct fair_queue *leaf)
{
    bool moved = false;

    for (int t = 0; t < leaf->item.types; t++)
        moved |= fair_used_of(leaf, t) != fair->used_before[t];
    return moved;
}

void fair_end(struct app_part *part)
{
    struct fair_app *app = part->app->fair;
    struct sched *sched = app->app->sched;
    struct fair *fair = sched->fair;
    bool only = only_containers(sched), woken = app->item.asleep;
    bool asks = !only && asks_since_begin(fair, app);

    if (app->app->manages && !app->item.am_counted)
        count_master(app);
    if (woken) {
        app_out(app);
        app->item.asleep = false;
    }
    if (asks)
        forget(&app->item);
    if (!app->item.changed && demand_differs(app))
        note_change(app);
    if (sched->assign_on_demand)
        fair_count_demand(app);         /* nobody waits for an update */
    else if (!only && !asks && !woken && !app->item.unsaid && !moved_since_begin(fair, app->leaf) &&
             !path_sleeps(app->leaf))
        return;                         /* what is reserved counts nowhere here */
    fair_app_place(app);
    place_path(app->leaf, asks || (app->item.listed && !fair->listed_before));
}

bool fair_app_renew(struct fair_app *app)
{
    bool was_awake = app->item.listed && !app->item.asleep;

    if (app->item.asleep)
        app_out(app);
    app->item.asleep = false;
    fair_app_place(app);
    return app->item.listed && !was_awake;
}

bool fair_queue_renew(struct fair_queue *queue, bool fresh)
{
    fresh = fresh || queue->sleeping;
    queue->sleeping = false;
    if (fresh)
        forget(&queue->item);
    fair_queue_place(queue);
    return fresh;
}

void fair_app_touch(struct fair_app *app)
{
    forget(&app->item);
    fair_app_renew(app);
    place_path(app->leaf, true);
}

/* Where offers are counted, what an app names says whether they are. */
void fair_touch(struct sched_app *app)
{
    if (fair_delays(app->sched->fair) && app->fair->item.known) {
        forget(&app->fair->item);
        fair_app_place(app->fair);
        place_path(app->fair->leaf, true);
    }
}

bool fair_wants(const struct sched *sched)
{
    return fair_queue_wants(sched->fair->root);
}

/* --- sleep ----------------------------------------------------------------- */

/* Who has nobody left to offer a node to leaves the parent's order, and so on up. */
static void leave_empty(struct fair_queue *queue)
{
    for (; queue && queue->item.listed && (queue->sleeping || !fair_queue_wants(queue));
         queue = queue->parent)
        fair_queue_remove(queue);
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
    struct resource least = demand_capability(first);
    struct fair_refused *refused = leaf->refused;

    if (refused == NULL)
        refused = leaf->refused = mem_alloc0(sizeof(*refused) + sched_amounts_size(all->sched, 1));
    if (fair_order_is_empty(&refused->order))
        refused->lightly = false;
    else
        least = resource_min(calc_load_values(refused->least, leaf->item.types), least);
    calc_store_values(refused->least, least.value, leaf->item.types);
    refused->lightly = refused->lightly || lightly;
    app_out(app);
    app->item.asleep = true;
    fair_order_place(&refused->order, &app->item, &app->item.key, fair_compare_apps);
    leave_empty(leaf);
}

void fair_wake_apps(struct fair_queue *leaf)
{
    struct fair_item *item;

    if (!has_refused(leaf))
        return;
    while ((item = fair_order_first(&leaf->refused->order, NULL, fair_compare_apps)) != NULL) {
        fair_order_leave(&leaf->refused->order, item, fair_compare_apps);
        item->asleep = false;
        fair_order_place(&leaf->order, item, &item->key, fair_compare_apps);
    }
    place_path(leaf, true);
}

/* --- all of a leaf's ------------------------------------------------------- */

static void sift_down(struct fair_item **heap, size_t count, size_t at)
{
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        struct fair_item *item = heap[at];

        if (child + 1 < count &&
            fair_order_compare(heap[child + 1], heap[child], fair_compare_apps) < 0)
            child++;
        if (fair_order_compare(item, heap[child], fair_compare_apps) < 0)
            return;
        heap[at] = heap[child];
        heap[child] = item;
        at = child;
    }
}

void fair_rank(struct fair *fair, const struct fair_queue *leaf)
{
    size_t count = leaf->order.count + (leaf->refused ? leaf->refused->order.count : 0);
    struct fair_item **end;

    if (count > fair->ranked_capacity) {
        fair->ranked_capacity = count * 2;
        fair->ranked = mem_resize(fair->ranked, fair->ranked_capacity, sizeof(*fair->ranked));
    }
    end = fair_order_list(&leaf->order, fair->ranked);
    if (leaf->refused)
        fair_order_list(&leaf->refused->order, end);
    fair->ranked_count = count;
    for (size_t i = count / 2; i-- > 0;)
        sift_down(fair->ranked, count, i);
}

struct fair_app *fair_next_ranked(struct fair *fair)
{
    struct fair_item *first;

    if (fair->ranked_count == 0)
        return NULL;
    first = fair->ranked[0];
    fair->ranked[0] = fair->ranked[--fair->ranked_count];
    sift_down(fair->ranked, fair->ranked_count, 0);
    return fair_app_of(first);
}

/* --- all anew -------------------------------------------------------------- */

static void rebuild_apps(struct fair_queue *leaf)
{
    struct fair_app *app;

    fair_order_clear(&leaf->order);
    if (leaf->refused)
        fair_order_clear(&leaf->refused->order);
    TAILQ_FOREACH(app, &leaf->running, of_leaf) {
        app->item.listed = app->item.known = app->item.asleep = false;
        fair_app_place(app);
    }
}

void fair_index_rebuild(struct sched *sched)
{
    struct sched_queue *queue;

    TAILQ_FOREACH(queue, &sched->queues, link) {
        struct fair_queue *mine = queue->fair;

        if (!mine->leaf)
            fair_order_clear(&mine->order);
        mine->item.listed = mine->item.known = mine->sleeping = false;
    }
    TAILQ_FOREACH_REVERSE(queue, &sched->queues, sched_queue_list, link) {
        if (queue->leaf)
            rebuild_apps(queue->fair);
        fair_queue_place(queue->fair);
    }
}
