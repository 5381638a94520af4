/* SPDX-License-Identifier: Apache-2.0 */
/* users.c - computes limits of users in a leaf, and headroom (yarn-behaviour 5.4, 5.12) */
#include "rm/sched/capacity/internal.h"

/* Returns the resource to divide among users: the guarantee, or the use of all users plus one minimum
 * container if that is more. */
static struct resource current_capacity(const struct sched *sched, const struct queue_partition *leaf,
                                        const struct resource *guaranteed)
{
    const struct resource *total = &sched->label_total[leaf->label];
    double used = part_data(leaf)->used_ratios > 0 ? part_data(leaf)->used_ratios : 0;
    struct resource consumed = calc_multiply_up(&sched->calc, total, used, &sched->minimum);

    if (calc_compare(&sched->calc, total, &consumed, guaranteed) < 0)
        return *guaranteed;
    calc_add(&sched->calc, &consumed, &sched->minimum);
    return consumed;
}

/* Returns the largest user limit that user-limit-factor allows. */
static struct resource factor_cap(const struct sched *sched, const struct queue_partition *leaf,
                                  const struct resource *guaranteed)
{
    const struct capacity_queue *config = queue_data(leaf->queue)->config;

    if (config->user_limit_factor < 0 || resource_is_zero(&part_data(leaf)->share->effective_minimum))
        return calc_round_down(&sched->calc, &part_data(leaf)->share->effective_maximum, &sched->minimum);
    return calc_scale(&sched->calc, guaranteed, (double)config->user_limit_factor);
}

/* BORROWED: for containers on nodes that LEAF borrows, where the limit may be all of the partition. */
static struct resource user_limit(const struct sched *sched, const struct queue_partition *leaf, bool active,
                                  bool borrowed)
{
    const struct capacity_queue *config = queue_data(leaf->queue)->config;
    const struct resource *total = &sched->label_total[leaf->label];
    const struct calc *calc = &sched->calc;
    const struct resource *guaranteed =
        calc_most(calc, total, &part_data(leaf)->share->effective_minimum, &sched->minimum);
    struct resource current = current_capacity(sched, leaf, guaranteed);
    double users = active ? queue_data(leaf->queue)->active_weight : queue_data(leaf->queue)->all_weight;
    struct resource base = active ? sched_load(sched, queue_active_used(leaf)) : current;
    struct resource even, least, cap;
    const struct resource *limit;

    if (active)
        calc_add(calc, &base, &sched->minimum);
    even = calc_divide_ceil_float(calc, &base, (float)users);
    least = calc_scale(calc, &current, (double)config->user_limit_percent);
    least = calc_divide_ceil(calc, &least, 100);
    cap = borrowed ? *total : factor_cap(sched, leaf, guaranteed);
    limit = calc_least(calc, total, calc_most(calc, total, &even, &least), &cap);
    return calc_round_up(calc, limit, &sched->minimum);
}

struct resource capacity_user_limit(const struct sched *sched, const struct queue_partition *leaf,
                                    bool active)
{
    return user_limit(sched, leaf, active, false);
}

struct resource capacity_weighted_limit(const struct sched *sched, const struct resource *limit, float weight)
{
    if (weight == 1)
        return *limit;
    return calc_multiply_down(&sched->calc, limit, (double)weight, &sched->minimum);
}

bool capacity_user_over(const struct sched *sched, const struct user_partition *user,
                        const struct amount *limit)
{
    struct resource own;

    if (queue_data(user->leaf->queue)->weighted == 0)
        return calc_compare(&sched->calc, &sched->total, user_used(user), limit) > 0;
    own = sched_load(sched, limit);
    own = capacity_weighted_limit(sched, &own, user->user->weight);
    return calc_compare(&sched->calc, &sched->total, user_used(user), &own) > 0;
}

/* Returns the limit of LEAF for headroom. The limits of the queues above count for the default partition
 * only, as in YARN (AbstractLeafQueue.getHeadroom).
 * Differs: YARN uses the limit of the last offer to the queue, as for the AM limit; creel uses the limit that
 * the queue would be offered now. */
static struct resource limit_for_headroom(const struct sched *sched, const struct queue_partition *leaf)
{
    return leaf->label == 0 ? capacity_limit_now(sched, leaf) : part_data(leaf)->share->effective_maximum;
}

/* Returns the part of APP in the partition of LABEL; a new one is entered into the indexes of its leaf. */
static const struct app_partition *part_of(struct sched_app *app, int label)
{
    struct app_partition *part = sched_app_partition_have(app, label);

    if (part)
        return part;
    part = sched_app_partition(app, label);
    sched_count_begin(app->sched, part);
    sched_count_end(app->sched, part);
    return part;
}

/* Returns the headroom of APP in the partition of LABEL; below 0 if more is used there than there is. */
static struct resource headroom_of(const struct sched *sched, struct sched_app *app, int label)
{
    const struct app_partition *part = part_of(app, label);
    const struct queue_partition *leaf = part->leaf;
    const struct queue_partition *root = sched_queue_partition_have(TAILQ_FIRST(&sched->queues), label);
    struct resource limit = capacity_user_limit(sched, leaf, true), room, of_queue, of_cluster;

    limit = capacity_weighted_limit(sched, &limit, app->leaf_user->weight);
    room = calc_subtract_positive(limit, sched_load(sched, user_used(part->user)));
    of_queue = calc_subtract_positive(limit_for_headroom(sched, leaf), sched_load(sched, queue_used(leaf)));
    of_cluster = resource_subtract(sched->label_total[label], sched_load(sched, queue_used(root)));
    room = resource_min(room, of_queue);
    room = calc_round_down(&sched->calc, &room, &sched->minimum);
    return calc_min(&sched->calc, &sched->label_total[label], of_cluster, room);
}

/* Returns the sum over the partitions that the requests of the attempt have named, also those that it needs
 * no more (CapacityHeadroomProvider.getHeadroom, AppSchedulingInfo.getRequestedPartitions). */
struct resource capacity_headroom(const struct sched *sched, const struct sched_app *app)
{
    struct sched_app *own = (struct sched_app *)(uintptr_t)app;
    uint64_t labels = app->labels_asked ? app->labels_asked : 1;
    struct resource sum = calc_zero;

    capacity_recompute((struct sched *)(uintptr_t)sched);
    for (int l = 0; l < sched->label_count; l++)
        if (labels >> l & 1)
            sum = resource_add(sum, headroom_of(sched, own, l));
    return resource_max(sum, calc_zero);
}

/* --- while a node is offered -------------------------------------------------- */

const struct amount *visit_reserved(const struct visit *visit, const struct app_partition *app)
{
    const struct app_partition *part =
        visit->borrowing ? sched_app_partition_have(app->app, visit->node->label) : app;

    return part ? app_reserved(part) : calc_amount(&calc_zero);
}

struct resource visit_user_used(const struct visit *visit, const struct app_partition *app)
{
    const struct user_partition *part = app->user;

    if (visit->borrowing)
        for (part = app->user->user->parts; part && part->leaf->label != visit->node->label;)
            part = part->next;
    return part ? sched_load(visit->sched, user_used(part)) : calc_zero;
}

struct resource visit_user_limit(const struct visit *visit, const struct app_partition *app)
{
    const struct sched *sched = visit->sched;
    struct resource limit = visit->borrowing
                                ? user_limit(sched, visit_counts_in(visit, app->leaf), true, true)
                                : sched_load(sched, queue_user_limit(app->leaf));

    return capacity_weighted_limit(sched, &limit, app->user->user->weight);
}
