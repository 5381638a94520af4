/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.c - ordered indexes of the queues, users and applications that are offered nodes (yarn-behaviour 5.6)
 *
 * For each partition there are three kinds of ordered indexes (rm/sched/order.h):
 *   - the children of a queue with pending requests below them, least used first
 *     (PriorityUtilizationQueueOrderingPolicy);
 *   - the users of a leaf with pending requests, by their first application with pending requests;
 *   - the applications of a user with pending requests, in the order of the leaf (FifoOrderingPolicy,
 *     FairOrderingPolicy).
 * A tree has all active applications of a leaf, in the same order. In a non-exclusive partition, another
 * tree has the children of a queue that have requests without a label pending, in the order of this
 * partition: they may borrow its nodes.
 *
 * The need of a queue is ORDER_ALWAYS, or ORDER_NEVER while a limit of its own refuses all requests below it
 * (capacity_index_block). The need of a user is the smallest user limit with which the user may get more. The
 * exchange of an entry is the smallest size of a container below it for which nodes are reserved; for queues
 * see also capacity_exchange_below.
 *
 * capacity_index_update() is called after each change of sums. It updates the entries on the path from
 * the application to root: the cost depends on the depth of the tree, and on the logarithm of the numbers of
 * siblings.
 */
#include <math.h>
#include <string.h>

#include "rm/sched/capacity/internal.h"

/* --- orders ---------------------------------------------------------------- */

/* Orders the larger queue first: by the configured amounts if both have some, memory before vcores.
 * (Without legacy mode siblings may have different modes; then by share, since amounts would not order all
 * of them.) */
static int compare_sizes(const struct queue_partition *a, const struct queue_partition *b)
{
    const struct capacity_share *sa = part_data(a)->share, *sb = part_data(b)->share;
    const struct capacity_vector *of_a = sa->minimum_vector, *of_b = sb->minimum_vector;

    if (of_a && of_b && capacity_of(a->sched)->config->legacy_queue_mode) {
        for (int t = 0; t < a->types; t++)
            if (of_a->value[t] != of_b->value[t])
                return of_a->value[t] > of_b->value[t] ? -1 : 1;
        return 0;
    }
    return (sa->absolute < sb->absolute) - (sa->absolute > sb->absolute);
}

static bool may_use(const struct queue_partition *part)
{
    return part->queue->labels >> part->label & 1;
}

/* Compares as PriorityUtilizationQueueOrderingPolicy: queues that may not use the label come last, before
 * them those without guaranteed capacity. The less used queue comes first. With priority-utilization,
 * priority decides between two queues that are both below, or both at or above, their guarantee. Then the
 * larger queue comes first, then the order in the file. */
int capacity_compare_queues(const struct queue_partition *a, const struct queue_partition *b)
{
    const struct capacity_queue *qa = queue_data(a->queue)->config, *qb = queue_data(b->queue)->config;
    const struct capacity_partition_data *da = part_data(a), *db = part_data(b);
    int r;

    if (may_use(a) != may_use(b))
        return may_use(a) ? -1 : 1;
    if ((da->share->absolute > 0) != (db->share->absolute > 0))
        return da->share->absolute > 0 ? -1 : 1;
    if (qa->parent->priority_utilization && (da->use >= 1) == (db->use >= 1) && qa->priority != qb->priority)
        return qa->priority > qb->priority ? -1 : 1;
    if (da->use != db->use)
        return da->use < db->use ? -1 : 1;
    if ((r = compare_sizes(a, b)) != 0)
        return r;
    return (qa->position > qb->position) - (qa->position < qb->position);
}

/* Orders applications first in, first out: recovered ones first, then by higher priority, then by lower
 * id. */
static int capacity_order(const struct sched_app *a, const struct sched_app *b)
{
    if (a->recovered != b->recovered)
        return a->recovered ? -1 : 1;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    return app_id_compare(&a->id, &b->id);
}

/* Compares applications of a leaf. The key is 0 if the ordering policy is fifo. With fair, priority does not
 * count (FairOrderingPolicy). */
int capacity_compare_partitions(const struct app_partition *a, const struct app_partition *b)
{
    if (app_partition_data(a)->key != app_partition_data(b)->key)
        return app_partition_data(a)->key < app_partition_data(b)->key ? -1 : 1;
    if (app_partition_data(a)->key == 0)
        return capacity_order(a->app, b->app);
    if (a->app->added_ms != b->app->added_ms)
        return a->app->added_ms < b->app->added_ms ? -1 : 1;
    return app_id_compare(&a->app->id, &b->app->id);
}

static int capacity_compare_names(const struct leaf_user *a, const struct leaf_user *b)
{
    return strcmp(a->name, b->name);
}

RB_GENERATE(capacity_user_tree, leaf_user, link, capacity_compare_names)

int capacity_compare_waiting(const struct capacity_app_data *a, const struct capacity_app_data *b)
{
    return capacity_order(a->app, b->app);
}

RB_GENERATE(capacity_waiting_tree, capacity_app_data, link, capacity_compare_waiting)

static int compare_borrowers(const struct capacity_partition_data *a, const struct capacity_partition_data *b)
{
    return capacity_compare_queues(a->part, b->part);
}

RB_GENERATE(capacity_borrower_tree, capacity_partition_data, borrower, compare_borrowers)

static int compare_children(const struct order_entry *a, const struct order_entry *b)
{
    return capacity_compare_queues(capacity_queue_of(a), capacity_queue_of(b));
}

static int compare_users(const struct order_entry *a, const struct order_entry *b)
{
    return capacity_compare_partitions(user_data(capacity_user_of(a))->first,
                                       user_data(capacity_user_of(b))->first);
}

static int compare_pending(const struct order_entry *a, const struct order_entry *b)
{
    return capacity_compare_partitions(capacity_app_of(a), capacity_app_of(b));
}

int capacity_compare_active(const struct capacity_app_partition_data *a,
                            const struct capacity_app_partition_data *b)
{
    return capacity_compare_partitions(a->part, b->part);
}

RB_GENERATE(capacity_active_tree, capacity_app_partition_data, active, capacity_compare_active)

/* Adds ENTRY to ORDER if IN is true, else removes it. The types to compare may change with the configuration;
 * all indexes are emptied then (capacity_index_rebuild). */
static void set_member(const struct sched *sched, struct order *order, order_compare_fn *compare,
                       struct order_entry *entry, bool in)
{
    if (order_is_empty(order))
        order_init(order, compare, calc_types(&sched->calc));
    if (!in)
        order_remove(entry);
    else if (!order_has(entry))
        order_insert(order, entry);
}

/* --- keys and needs of entries ---------------------------------------------- */

/* As CSQueueUtils.updateUsedCapacity: a managed leaf without capacity is compared with its template. */
float capacity_used_fraction(const struct queue_partition *part)
{
    const struct sched *sched = part->sched;
    const struct resource *total = &sched->label_total[part->label];
    const struct capacity_share *share = part_data(part)->share;
    struct resource base = share->idle ? capacity_share_template(share, part_data(part->up)->share, total)
                                       : share->effective_minimum;
    float fraction;

    base = calc_max(&sched->calc, total, base, sched->minimum);
    fraction = calc_divide(&sched->calc, total, queue_used(part), &base);
    return isnan(fraction) ? 0 : fraction;
}

float capacity_use_in_order(const struct queue_partition *part)
{
    const struct sched *sched = part->sched;
    const struct resource *total = &sched->label_total[part->label];
    float fraction;

    if (part_data(part)->share->absolute > 0)
        return capacity_used_fraction(part);
    fraction = calc_divide(&sched->calc, total, queue_used(part), total);
    return isnan(fraction) ? 0 : fraction;
}

static bool is_fair(const struct sched_queue *leaf)
{
    return queue_data(leaf)->config->order == CAPACITY_ORDER_FAIR;
}

/* Returns the key of the fair ordering policy: used MiB in all partitions; with size-based weight, divided by
 * log2 of the demand (5.6). */
static double fair_key(const struct sched_app *app)
{
    double used;

    if (!is_fair(app->queue))
        return 0;
    used = (double)sched_app_used(app).value[RESOURCE_MEMORY_MB];
    if (queue_data(app->queue)->config->size_based_weight) {
        double demand = used + (double)sched_app_pending(app).value[RESOURCE_MEMORY_MB];
        double weight = log1p(demand) / log(2);

        used = weight > 0 ? used / weight : used;
    }
    return used + 1; /* 0 would mean fifo */
}

/* Returns a number for AMOUNT. It is not smaller for an amount that is larger by the calculator. */
static int64_t measure(const struct sched *sched, const struct resource *amount)
{
    if (!sched->calc.dominant)
        return amount->value[RESOURCE_MEMORY_MB];
    return (int64_t)(calc_largest_share(&sched->calc, &sched->total, amount) * 0x1p40);
}

struct resource capacity_limit_measure(const struct queue_partition *leaf, const struct resource *limit)
{
    return resource_of(measure(leaf->sched, limit), 0);
}

/* Returns the smallest limit (of users of weight 1) that does not refuse USER, even if all its reservations
 * are cancelled. */
struct resource capacity_user_need(const struct user_partition *user)
{
    const struct sched *sched = user->leaf->sched;
    double weight = queue_data(user->leaf->queue)->weighted > 0 ? (double)user->user->weight : 1;
    struct resource firm = sched_load(sched, user_used(user));
    int64_t least;

    calc_subtract(&sched->calc, &firm, user_reserved(user));
    least = measure(sched, &firm);
    if (weight != 1 && least > 0)
        least = calc_truncate((double)least / weight * (1 - 1e-9));
    return resource_of(least, 0);
}

static struct resource exchange_of(const struct app_partition *part)
{
    const struct sched *sched = part->app->sched;

    return calc_is_zero(&sched->calc, app_reserved(part)) ? order_never
                                                          : sched_load(sched, app_least_reserved(part));
}

/* Any node may be of use if the first request names hosts or racks, since offers count as missed
 * opportunities, or if later requests may be served before the first. */
struct resource capacity_app_need(const struct app_partition *part)
{
    const struct demand *first = sched_demand_first(part->app);

    if (first == NULL || first->label != part->label || first->row_count > 0 || first->strict ||
        !capacity_of(part->app->sched)->config->reservations_continue_look)
        return order_always;
    return demand_capability(first);
}

/* --- one application, user, queue ------------------------------------------ */

/* Updates the index after the first request of PART's application may have changed. */
static void index_first(struct app_partition *part, const struct resource *exchange)
{
    const struct demand *first = sched_demand_first(part->app);
    struct resource *largest = &part_data(part->leaf)->largest, need = capacity_app_need(part);

    order_set_need(&app_partition_data(part)->entry, &need, exchange);
    for (int t = 0; first && order_has(&app_partition_data(part)->entry) && t < first->types; t++)
        if (demand_size(first)->value[t] > largest->value[t])
            largest->value[t] = demand_size(first)->value[t];
}

/* Adds PART's application to the active applications of its leaf, or removes it. */
static void set_active(struct app_partition *part, bool active)
{
    struct capacity_app_partition_data *data = app_partition_data(part);

    if (active == data->is_active)
        return;
    if (active)
        RB_INSERT(capacity_active_tree, &part_data(part->leaf)->active, data);
    else
        RB_REMOVE(capacity_active_tree, &part_data(part->leaf)->active, data);
    data->is_active = active;
}

static void index_app(struct app_partition *part)
{
    struct capacity_app_partition_data *data = app_partition_data(part);
    struct capacity_user_data *user = user_data(part->user);
    const struct sched *sched = part->app->sched;
    bool active = part->app->state == APP_ACTIVE;
    struct resource exchange = exchange_of(part);
    double key = fair_key(part->app);

    if (key != data->key) {
        if (user->first == part)
            order_remove(&user->entry);
        order_remove(&data->entry);
        set_active(part, false);
    }
    data->key = key;
    set_member(sched, &user->apps, compare_pending, &data->entry, active && part->pending_containers > 0);
    index_first(part, &exchange);
    set_active(part, active);
}

static void index_user(struct user_partition *user)
{
    struct capacity_user_data *data = user_data(user);
    const struct order_entry *entry = order_find(&data->apps, NULL, NULL);
    struct app_partition *first = entry ? capacity_app_of(entry) : NULL;
    struct resource need = capacity_user_need(user);

    if (first != data->first)
        order_remove(&data->entry);
    data->first = first;
    order_set_need(&data->entry, &need, order_least_exchange(&data->apps));
    set_member(user->leaf->sched, &part_data(user->leaf)->users, compare_users, &data->entry, first != NULL);
}

bool capacity_has_pending(const struct queue_partition *part)
{
    return !order_is_empty(part->is_leaf ? &part_data(part)->users : &part_data(part)->children);
}

static bool is_at_maximum(const struct queue_partition *part)
{
    const struct sched *sched = part->sched;
    struct resource used = capacity_use(part);

    return calc_compare(&sched->calc, &sched->total, &used, &part_data(part)->share->effective_maximum) >= 0;
}

static const struct resource *exchange_below(const struct queue_partition *part, bool at_maximum)
{
    if (at_maximum && !calc_is_zero(&part->sched->calc, queue_reserved(part))) {
        struct resource room = capacity_room(part, &part->sched->label_total[part->label]);

        if (!capacity_is_used_up(part, &room))
            return &order_always;
    }
    return order_least_exchange(part->is_leaf ? &part_data(part)->users : &part_data(part)->children);
}

const struct resource *capacity_exchange_below(const struct queue_partition *part)
{
    return exchange_below(part, is_at_maximum(part));
}

/* Sets the need and exchange of PART after a change below. PART is offered nodes again, unless it is at its
 * maximum. */
static void forget_refusal(struct queue_partition *part)
{
    bool at_maximum = is_at_maximum(part);

    order_set(&part_data(part)->entry, at_maximum ? &order_never : &order_always,
              exchange_below(part, at_maximum), &calc_zero);
}

/* Adds PART, of a non-exclusive partition, to the borrowers of its parent, or removes it. */
static void set_borrows(struct queue_partition *part, bool borrows)
{
    struct capacity_partition_data *data = part_data(part);

    if (borrows == data->borrows)
        return;
    if (borrows)
        RB_INSERT(capacity_borrower_tree, &part_data(part->up)->borrowers, data);
    else
        RB_REMOVE(capacity_borrower_tree, &part_data(part->up)->borrowers, data);
    data->borrows = borrows;
}

/* Makes QUEUE a borrower in all non-exclusive partitions, or in none. */
static void index_borrower(struct sched_queue *queue, bool borrows)
{
    for (int l = 1; l < queue->part_count; l++)
        if (queue->parts[l])
            set_borrows(queue->parts[l], borrows && queue->sched->labels[l].shared);
}

static void set_use(struct queue_partition *part, float use)
{
    bool borrows = part_data(part)->borrows;

    set_borrows(part, false);
    part_data(part)->use = use;
    set_borrows(part, borrows);
}

static void index_queue(struct queue_partition *part)
{
    /* While figures are stale, so are the orders: capacity_recompute() rebuilds them. */
    bool in = capacity_has_pending(part) && !part->sched->stale;

    float use = capacity_use_in_order(part);
    bool moves = use != part_data(part)->use;

    if (moves)
        set_use(part, use);
    forget_refusal(part);
    if (in && moves)
        order_update(&part_data(part)->entry);
    if (part->label == 0)
        index_borrower(part->queue, in);
    set_member(part->sched, &part_data(part->up)->children, compare_children, &part_data(part)->entry, in);
}

/* --- changes --------------------------------------------------------------- */

static void wake(struct queue_partition *part)
{
    for (; part->up; part = part->up)
        forget_refusal(part);
}

void capacity_limits_changed(struct sched_queue *leaf, const struct queue_partition *changing)
{
    capacity_of(leaf->sched)->changes++;
    for (int l = 0; l < leaf->part_count; l++)
        if (leaf->parts[l] && leaf->parts[l] != changing) {
            part_data(leaf->parts[l])->limit_known = false;
            wake(leaf->parts[l]);
        }
}

/* Differs: in YARN the ratio is infinite if a type is in use of which the partition has lost all. creel does
 * not count such a type. */
static void count_ratio(const struct sched *sched, struct user_partition *user)
{
    const struct resource *total = &sched->label_total[user->leaf->label];
    struct resource used = sched_load(sched, user_used(user));
    float ratio;

    for (int t = 0; t < sched->calc.types; t++)
        used.value[t] = total->value[t] > 0 ? used.value[t] : 0;
    ratio = calc_ratio(&sched->calc, &used, total);
    part_data(user->leaf)->used_ratios += (double)ratio - (double)user_data(user)->ratio;
    user_data(user)->ratio = ratio;
}

/* Updates the other partitions after PART changed. Offers of their nodes check the headroom for all requests
 * of the application in order, also for those of PART, and one that is satisfied ends them no more. With the
 * fair ordering policy, the application's key has changed, too. */
static void index_other_parts(const struct app_partition *part)
{
    for (struct app_partition *other = part->app->parts; other; other = other->next)
        if (other != part) {
            index_app(other);
            index_user(other->user);
            wake(other->leaf);
        }
}

void capacity_index_update(struct app_partition *part)
{
    capacity_of(part->app->sched)->changes++;
    count_ratio(part->app->sched, part->user);
    part_data(part->leaf)->limit_known = false;
    index_app(part);
    index_user(part->user);
    if (part->app->state == APP_ACTIVE) /* else it is in no index */
        index_other_parts(part);
    if (order_is_empty(&part_data(part->leaf)->users))
        part_data(part->leaf)->largest = calc_zero;
    for (struct queue_partition *at = part->leaf; at->up; at = at->up) /* root is in no index */
        index_queue(at);
}

void capacity_touch(struct sched_app *app)
{
    capacity_of(app->sched)->changes++;
    for (struct app_partition *part = app->parts; part; part = part->next) {
        index_first(part, &app_partition_data(part)->entry.exchange);
        wake(part->leaf);
    }
}

void capacity_index_block(struct queue_partition *part, const struct resource *blocked)
{
    struct order_entry *entry = &part_data(part)->entry;

    if (capacity_of(part->sched)->visits_refused || calc_any_below_zero(&part->sched->calc, blocked))
        return;
    order_set(entry, &order_never, &entry->exchange, blocked);
}

/* --- rebuilding --------------------------------------------------------------- */

static void empty_leaf(struct sched_queue *queue)
{
    struct leaf_user *user;
    struct sched_app *app;

    RB_FOREACH(user, capacity_user_tree, &queue_data(queue)->users)
        for (struct user_partition *part = user->parts; part; part = part->next)
            order_remove(&user_data(part)->entry);
    for (app = capacity_app_first(queue); app; app = capacity_app_next(app))
        for (struct app_partition *part = app->parts; part; part = part->next) {
            order_remove(&app_partition_data(part)->entry);
            set_active(part, false);
        }
}

static void fill_leaf(struct sched_queue *queue, bool apps)
{
    struct leaf_user *user;
    struct sched_app *app;

    for (app = apps ? capacity_app_first(queue) : NULL; app; app = capacity_app_next(app))
        for (struct app_partition *part = app->parts; part; part = part->next)
            index_app(part);
    RB_FOREACH(user, capacity_user_tree, &queue_data(queue)->users)
        for (struct user_partition *part = user->parts; part; part = part->next) {
            count_ratio(queue->sched, part);
            index_user(part);
        }
}

void capacity_index_rebuild(struct sched *sched, bool apps)
{
    struct sched_queue *queue;

    capacity_of(sched)->changes++;
    TAILQ_FOREACH(queue, &sched->queues, link) {
        for (int l = 0; l < queue->part_count; l++)
            if (queue->parts[l])
                order_remove(&part_data(queue->parts[l])->entry);
        index_borrower(queue, false);
        if (queue->leaf && apps)
            empty_leaf(queue);
    }
    TAILQ_FOREACH_REVERSE(queue, &sched->queues, sched_queue_list, link) {
        if (queue->leaf)
            fill_leaf(queue, apps);
        for (int l = 0; l < queue->part_count; l++) {
            struct queue_partition *part = queue->parts[l];

            if (part == NULL)
                continue;
            part_data(part)->limit_known = false;
            if (part->up)
                index_queue(part);
        }
    }
}
