/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compute.c - computes the fractions and amounts of all queues from configuration and cluster size
 * (yarn-behaviour 5.1, 5.2)
 *
 * Fractions are floats, multiplied in YARN's order; amounts are rounded down.
 */
#include <math.h>

#include "rm/sched/calc.h"
#include "rm/sched/capacity/config/private.h"

/* The partition being computed. */
struct computing {
    struct calc calc;
    int label;
    const struct resource *total;
};

/* Divides PART by WHOLE by the calculator; returns 0 if the result is not finite. */
static float divide(const struct computing *computing, const struct resource *part,
                    const struct resource *whole)
{
    float share = calc_divide(&computing->calc, computing->total, part, whole);

    return isfinite(share) ? share : 0;
}

static struct capacity_share *share_of(const struct computing *computing, const struct capacity_queue *queue)
{
    return &queue->shares[computing->label];
}

/* --- maximum ------------------------------------------------------------------------- */

/*
 * Returns the maximum amounts of VECTOR, limited to the parent's maximum ABOVE. Types that VECTOR does not
 * name get the parent's maximum.
 * Differs: YARN takes the queue's maximum or the parent's as a whole, the one with the smaller dominant
 * share, so a queue may get more of another type than its own maximum
 * (AbstractCSQueue.getOrInheritMaxResource).
 */
static struct resource maximum_of_vector(const struct computing *computing,
                                         const struct capacity_vector *vector, const struct resource *above)
{
    struct resource result = *above;

    for (size_t t = 0; t < (size_t)computing->calc.types; t++) {
        double limit = vector->value[t];

        if (!vector->given[t] || vector->unit[t] == CAPACITY_UNIT_WEIGHT)
            continue;
        if (vector->unit[t] == CAPACITY_UNIT_PERCENT)
            limit = (double)above->value[t] * limit / 100;
        if (limit < (double)above->value[t])
            result.value[t] = calc_truncate(limit);
    }
    return result;
}

static void compute_maximum(const struct computing *computing, const struct capacity_share *above,
                            struct capacity_share *share)
{
    const struct resource *total = computing->total;

    if (share->maximum_vector) {
        share->effective_maximum =
            maximum_of_vector(computing, share->maximum_vector, &above->effective_maximum);
        share->maximum = divide(computing, &share->effective_maximum, &above->effective_maximum);
        share->absolute_maximum = divide(computing, &share->effective_maximum, total);
        return;
    }
    share->maximum = share->configured_maximum / 100.0f;
    share->absolute_maximum = above->absolute_maximum * share->maximum;
    share->effective_maximum =
        resource_min(calc_multiply(total, (double)share->absolute_maximum), above->effective_maximum);
    /* If the minimum is an amount and no maximum is set, the maximum is exactly the parent's amount. */
    if (share->mode == CAPACITY_VECTOR && share->maximum == 1.0f)
        share->effective_maximum = above->effective_maximum;
}

/* --- legacy mode: all siblings use the same mode ------------------------------------------ */

/* Computes for each type which fraction of their minimums the children get: below 1 if the minimums exceed
 * the parent's amount. */
static void ratios_of_children(const struct computing *computing, const struct capacity_queue *parent,
                               float ratios[])
{
    const struct resource *room = &share_of(computing, parent)->effective_minimum;

    for (size_t t = 0; t < RESOURCE_TYPES_MAX; t++) {
        double sum = capacity_amount_of_children(parent, computing->label, t, CAPACITY_UNIT_ABSOLUTE);

        ratios[t] = sum > (double)room->value[t] ? (float)room->value[t] / (float)sum : 1;
    }
}

static void compute_amounts(const struct computing *computing, const struct capacity_share *above,
                            const float ratios[], struct capacity_share *share)
{
    const struct capacity_vector *vector = share->minimum_vector;

    share->effective_minimum = (struct resource){ .value = { 0 } };
    for (size_t t = 0; t < (size_t)computing->calc.types; t++)
        if (vector->given[t] && !share->idle)
            share->effective_minimum.value[t] =
                ratios[t] < 1 ? calc_truncate((double)((float)vector->value[t] * ratios[t]))
                              : calc_truncate(vector->value[t]);
    share->capacity = divide(computing, &share->effective_minimum, &above->effective_minimum);
    share->absolute = above->absolute * share->capacity;
}

static float weights_of_children(const struct computing *computing, const struct capacity_queue *parent)
{
    const struct capacity_queue *child;
    float sum = 0;

    TAILQ_FOREACH(child, &parent->children, sibling)
        if (share_of(computing, child)->mode == CAPACITY_WEIGHT)
            sum += share_of(computing, child)->configured;
    return sum;
}

static void compute_legacy(const struct computing *computing, const struct capacity_queue *parent)
{
    const struct capacity_share *above = share_of(computing, parent);
    float weights = weights_of_children(computing, parent), ratios[RESOURCE_TYPES_MAX];
    struct capacity_queue *child;

    ratios_of_children(computing, parent, ratios);
    TAILQ_FOREACH(child, &parent->children, sibling) {
        struct capacity_share *share = share_of(computing, child);

        compute_maximum(computing, above, share);
        if (share->mode == CAPACITY_VECTOR) {
            compute_amounts(computing, above, ratios, share);
            continue;
        }
        if (share->idle)
            share->capacity = 0;
        else if (share->mode == CAPACITY_PERCENT)
            share->capacity = share->configured / 100.0f;
        else
            share->capacity = weights > 0 ? share->configured / weights : 0;
        share->absolute = above->absolute * share->capacity;
        share->effective_minimum = calc_multiply(computing->total, (double)share->absolute);
    }
}

/* --- without legacy mode: by type, first amounts, then percentages of the rest, then weights --- */

/* Divides ROOM of type T among the children whose capacity of this type has the unit WANTED. Returns the sum
 * given. */
static int64_t divide_room(const struct computing *computing, const struct capacity_queue *parent, size_t t,
                           enum capacity_unit wanted, int64_t room)
{
    double sum = capacity_amount_of_children(parent, computing->label, t, wanted);
    struct capacity_queue *child;
    enum capacity_unit unit;
    int64_t given = 0;

    TAILQ_FOREACH(child, &parent->children, sibling) {
        struct capacity_share *share = share_of(computing, child);
        double amount = capacity_share_amount(share, t, &unit);

        if (unit != wanted || sum <= 0 || share->idle)
            continue;
        if (unit == CAPACITY_UNIT_ABSOLUTE)
            amount = sum > (double)room ? amount * (double)room / sum : amount;
        else if (unit == CAPACITY_UNIT_PERCENT)
            amount = (double)room * amount / (sum > 100 ? sum : 100);
        else
            amount = (double)room * amount / sum;
        share->effective_minimum.value[t] = calc_truncate(amount);
        given += share->effective_minimum.value[t];
    }
    return given;
}

static bool has_vectors(const struct computing *computing, const struct capacity_queue *parent)
{
    const struct capacity_queue *child;

    TAILQ_FOREACH(child, &parent->children, sibling)
        if (share_of(computing, child)->mode == CAPACITY_VECTOR)
            return true;
    return false;
}

/* Without vectors, computes fractions from the configured values, so that they do not depend on rounding. */
static float plain_fraction(const struct capacity_share *share, float percent, float weights)
{
    if (share->mode == CAPACITY_PERCENT)
        return share->idle ? 0 : share->configured / 100.0f;
    return weights > 0 && percent < 100 ? (1 - percent / 100.0f) * share->configured / weights : 0;
}

static void compute_by_type(const struct computing *computing, const struct capacity_queue *parent)
{
    static const enum capacity_unit order[] = {
        CAPACITY_UNIT_ABSOLUTE,
        CAPACITY_UNIT_PERCENT,
        CAPACITY_UNIT_WEIGHT,
    };
    const struct capacity_share *above = share_of(computing, parent);
    bool vectors = has_vectors(computing, parent);
    float weights = weights_of_children(computing, parent);
    struct capacity_queue *child;
    float percent;

    TAILQ_FOREACH(child, &parent->children, sibling)
        share_of(computing, child)->effective_minimum = (struct resource){ .value = { 0 } };
    for (size_t t = 0; t < (size_t)computing->calc.types; t++) {
        int64_t room = above->effective_minimum.value[t];

        for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
            room -= divide_room(computing, parent, t, order[i], room);
    }
    percent = (float)capacity_amount_of_children(parent, computing->label, 0, CAPACITY_UNIT_PERCENT);
    TAILQ_FOREACH(child, &parent->children, sibling) {
        struct capacity_share *share = share_of(computing, child);

        compute_maximum(computing, above, share);
        if (vectors) {
            share->capacity = divide(computing, &share->effective_minimum, &above->effective_minimum);
            share->absolute = divide(computing, &share->effective_minimum, computing->total);
        } else {
            share->capacity = plain_fraction(share, percent, weights);
            share->absolute = above->absolute * share->capacity;
        }
    }
}

/* --- the whole tree ------------------------------------------------------------------------ */

static void compute_root(const struct computing *computing, const struct capacity_queue *root)
{
    struct capacity_share *share = share_of(computing, root);

    share->capacity = share->mode == CAPACITY_PERCENT                           ? share->configured / 100.0f
                      : share->mode == CAPACITY_VECTOR || share->configured > 0 ? 1
                                                                                : 0;
    share->absolute = share->capacity;
    share->maximum = share->configured_maximum / 100.0f;
    share->absolute_maximum = share->maximum;
    share->effective_minimum = *computing->total;
    share->effective_maximum = *computing->total;
}

/* Returns the absolute capacity of QUEUE; for an idle leaf, the capacity that its parent may assign to it. */
static float absolute_for_limits(const struct capacity_queue *queue, int label)
{
    const struct capacity_share *share = &queue->shares[label];
    float above;

    if (!share->idle)
        return share->absolute;
    above = queue->parent->shares[label].absolute;
    return share->mode == CAPACITY_PERCENT ? above * (share->configured / 100.0f) : above;
}

/* Computes limits on applications (5.2). A limit that is not configured follows from the largest absolute
 * capacity of the queue in any partition. */
static void compute_app_limits(const struct capacity_config *config, struct capacity_queue *queue)
{
    float largest = 0, most;

    for (int i = 0; i < config->label_count; i++)
        if (queue->access >> i & 1 && absolute_for_limits(queue, i) > largest)
            largest = absolute_for_limits(queue, i);
    queue->max_apps = queue->max_apps_given;
    if (queue->max_apps_given < 0)
        queue->max_apps = calc_truncate((double)((float)config->maximum_applications * largest));
    queue->max_apps_per_user = queue->max_apps;
    if (queue->user_limit_factor == -1.0f)
        return;
    most = (float)queue->max_apps * (queue->user_limit_percent / 100.0f) * queue->user_limit_factor;
    if (calc_truncate((double)most) < queue->max_apps)
        queue->max_apps_per_user = calc_truncate((double)most);
}

void capacity_config_compute(struct capacity_config *config, const struct resource *totals)
{
    const struct calc calc = { config->dominant, (int)config->types.count };
    struct capacity_queue *queue;

    for (int i = 0; i < config->label_count; i++) {
        struct computing computing = { calc, i, &totals[i] };

        compute_root(&computing, config->root);
        TAILQ_FOREACH(queue, &config->queues, link) {
            if (TAILQ_EMPTY(&queue->children))
                continue;
            if (config->legacy_queue_mode)
                compute_legacy(&computing, queue);
            else
                compute_by_type(&computing, queue);
        }
    }
    TAILQ_FOREACH(queue, &config->queues, link)
        compute_app_limits(config, queue);
}
