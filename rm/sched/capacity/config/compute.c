/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compute.c - computes the fractions and amounts of all queues from configuration and cluster size
 * (yarn-behaviour 5.1, 5.2)
 *
 * Fractions are floats, multiplied in YARN's order. Amounts are rounded down; outside of legacy mode, amounts
 * from weights are rounded to the nearest (compute_by_type).
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
 * name get the parent's maximum. As in YARN, the calculator that compares memory alone takes the whole
 * maximum that has less memory (AbstractCSQueue.getOrInheritMaxResource).
 * Differs: with the dominant calculator, too, YARN takes the queue's maximum or the parent's as a whole,
 * the one with the smaller dominant share, so a queue may get more of another type than its own maximum.
 * creel takes the smaller amount of each type. And the parent's maximum is the amount in effect; YARN takes
 * the configured one, which may be more than the cluster has.
 */
static struct resource maximum_of_vector(const struct computing *computing,
                                         const struct capacity_vector *vector, const struct resource *above)
{
    struct resource own = *above;

    for (size_t t = 0; t < (size_t)computing->calc.types; t++) {
        if (!vector->given[t] || vector->unit[t] == CAPACITY_UNIT_WEIGHT)
            continue;
        own.value[t] = calc_truncate(vector->unit[t] == CAPACITY_UNIT_PERCENT
                                         ? (double)above->value[t] * vector->value[t] / 100
                                         : vector->value[t]);
    }
    if (!computing->calc.dominant)
        return calc_min(&computing->calc, computing->total, own, *above);
    return resource_min(own, *above);
}

static void compute_maximum(const struct computing *computing, const struct capacity_share *above,
                            struct capacity_share *share)
{
    const struct resource *total = computing->total;

    if (share->maximum_vector) {
        share->effective_maximum =
            maximum_of_vector(computing, share->maximum_vector, &above->effective_maximum);
        share->maximum = divide(computing, &share->effective_maximum, &above->effective_maximum);
        share->absolute_maximum = above->absolute_maximum * share->maximum;
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

/*
 * Computes for each type which fraction of their minimums the children get: less than 1 if the minimums
 * exceed the parent's amount by the calculator (AbstractParentQueue.recalculateEffectiveMinRatio). With the
 * calculator that compares memory alone, vcores are therefore not reduced while the memory is enough.
 * Differs: once the sum exceeds the parent's amount, YARN multiplies every type by its own ratio, also by
 * ratios above 1: of 32 vcores, two queues that ask for 2 each get 16 each. creel never gives a queue more
 * than its configured minimum: with the dominant calculator, that much would decide its limits of AMs and
 * users.
 */
static void ratios_of_children(const struct computing *computing, const struct capacity_queue *parent,
                               float ratios[])
{
    const struct resource *room = &share_of(computing, parent)->effective_minimum;
    struct resource sum = { .value = { 0 } };
    bool exceeds;

    for (size_t t = 0; t < (size_t)computing->calc.types; t++)
        sum.value[t] =
            calc_truncate(capacity_amount_of_children(parent, computing->label, t, CAPACITY_UNIT_ABSOLUTE));
    exceeds = calc_is_less(&computing->calc, computing->total, room, &sum);
    for (size_t t = 0; t < RESOURCE_TYPES_MAX; t++)
        ratios[t] =
            exceeds && sum.value[t] > room->value[t] ? (float)room->value[t] / (float)sum.value[t] : 1;
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

/* One type of the resources that the children of PARENT get. */
struct dividing {
    const struct computing *computing;
    const struct capacity_queue *parent;
    size_t type;
    int64_t own;  /* what PARENT has */
    int64_t rest; /* ... and had left when the children with the present unit began */
    int64_t left; /* ... and has left now */
};

/* Returns PERCENT per cent of OWN, of which a cluster has TOTAL. The steps are YARN's, since they decide how
 * the result is rounded. */
static double percent_of(double total, double own, double percent)
{
    return total > 0 ? total * (own / total * percent / 100) : 0;
}

static int64_t amount_by_unit(const struct dividing *dividing, enum capacity_unit unit, double amount,
                              double sum)
{
    double total = (double)dividing->computing->total->value[dividing->type];
    double own = (double)dividing->own, rest = (double)dividing->rest, result;

    if (total <= 0 || own <= 0 || sum <= 0)
        return 0;
    switch (unit) {
    case CAPACITY_UNIT_ABSOLUTE:
        result = floor((double)(own < sum ? (float)own / (float)sum : 1.0f) * amount);
        break;
    case CAPACITY_UNIT_PERCENT:
        result = floor(total * (own / total * (rest / own) * amount / 100));
        break;
    default:
        result = amount < sum ? floor(total * (own / total * (rest / own) * (amount / sum)) + 0.5) : rest;
        break;
    }
    return calc_truncate(result);
}

/* Limits AMOUNT of one type to the maximum of SHARE and to what the parent has left. A queue without memory
 * has nothing of other types. */
static int64_t limit_amount(const struct dividing *dividing, const struct capacity_share *share,
                            int64_t amount)
{
    if (dividing->type != RESOURCE_MEMORY_MB && share->effective_minimum.value[RESOURCE_MEMORY_MB] == 0)
        return 0;
    if (amount > share->effective_maximum.value[dividing->type])
        amount = share->effective_maximum.value[dividing->type];
    if (amount > dividing->left)
        amount = dividing->parent->auto_create_legacy ? 0 : dividing->left;
    return amount;
}

/* Divides what is left among the children whose capacity of this type has the unit WANTED. */
static void divide_rest(struct dividing *dividing, enum capacity_unit wanted)
{
    int label = dividing->computing->label;
    double sum = capacity_amount_of_children(dividing->parent, label, dividing->type, wanted);
    struct capacity_queue *child;
    enum capacity_unit unit;

    dividing->rest = dividing->left;
    TAILQ_FOREACH(child, &dividing->parent->children, sibling) {
        struct capacity_share *share = &child->shares[label];
        double amount = capacity_share_amount(share, dividing->type, &unit);

        if (unit != wanted || share->idle)
            continue;
        share->effective_minimum.value[dividing->type] =
            limit_amount(dividing, share, amount_by_unit(dividing, unit, amount, sum));
        dividing->left -= share->effective_minimum.value[dividing->type];
    }
}

/* Computes the maximum amounts of SHARE, rounded down, and at most the parent's. As in YARN, a maximum
 * that is rounded to nothing of a type is the parent's. */
static void compute_maximum_by_type(const struct computing *computing, const struct capacity_share *above,
                                    struct capacity_share *share)
{
    const struct capacity_vector *vector = share->maximum_vector;

    share->effective_maximum = above->effective_maximum;
    for (size_t t = 0; t < (size_t)computing->calc.types; t++) {
        double total = (double)computing->total->value[t], most = (double)above->effective_maximum.value[t];
        double configured = vector ? vector->value[t] : (double)share->configured_maximum, limit;

        if (vector && (!vector->given[t] || vector->unit[t] == CAPACITY_UNIT_WEIGHT))
            continue;
        limit = vector && vector->unit[t] == CAPACITY_UNIT_ABSOLUTE ? configured
                                                                    : percent_of(total, most, configured);
        if (configured > 0 && floor(limit) <= 0)
            continue;
        if (limit < most)
            share->effective_maximum.value[t] = calc_truncate(limit);
    }
    share->maximum = resource_is_zero(computing->total) && vector == NULL
                         ? share->configured_maximum / 100.0f
                         : divide(computing, &share->effective_maximum, &above->effective_maximum);
    share->absolute_maximum = above->absolute_maximum * share->maximum;
}

/* Returns the fraction that a share without a vector has of its parent while the cluster has no nodes. */
static float plain_fraction(const struct capacity_share *share, float percent, float weights)
{
    if (share->mode == CAPACITY_VECTOR || share->idle)
        return 0;
    if (share->mode == CAPACITY_PERCENT)
        return share->configured / 100.0f;
    return weights > 0 && percent < 100 ? (1 - percent / 100.0f) * share->configured / weights : 0;
}

/* Computes fractions from the amounts (CapacitySchedulerQueueCapacityHandler.setQueueCapacities). While there
 * are no nodes, they come from the configured values, so that limits of applications are not 0. */
static void compute_fractions(const struct computing *computing, const struct capacity_queue *parent)
{
    const struct capacity_share *above = share_of(computing, parent);
    bool empty = resource_is_zero(computing->total);
    float weights = weights_of_children(computing, parent), percent;
    struct capacity_queue *child;

    percent = (float)capacity_amount_of_children(parent, computing->label, 0, CAPACITY_UNIT_PERCENT);
    TAILQ_FOREACH(child, &parent->children, sibling) {
        struct capacity_share *share = share_of(computing, child);

        share->capacity = empty ? plain_fraction(share, percent, weights)
                                : divide(computing, &share->effective_minimum, &above->effective_minimum);
        share->absolute = above->absolute * share->capacity;
    }
}

static void compute_by_type(const struct computing *computing, const struct capacity_queue *parent)
{
    static const enum capacity_unit order[] = {
        CAPACITY_UNIT_ABSOLUTE,
        CAPACITY_UNIT_PERCENT,
        CAPACITY_UNIT_WEIGHT,
    };
    const struct capacity_share *above = share_of(computing, parent);
    struct capacity_queue *child;

    TAILQ_FOREACH(child, &parent->children, sibling) {
        share_of(computing, child)->effective_minimum = (struct resource){ .value = { 0 } };
        compute_maximum_by_type(computing, above, share_of(computing, child));
    }
    for (size_t t = 0; t < (size_t)computing->calc.types; t++) {
        int64_t own = above->effective_minimum.value[t];
        struct dividing dividing = { computing, parent, t, own, own, own };

        for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
            divide_rest(&dividing, order[i]);
    }
    compute_fractions(computing, parent);
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

struct resource capacity_share_template(const struct capacity_share *share,
                                        const struct capacity_share *above, const struct resource *total)
{
    struct resource amounts = { .value = { 0 } };
    enum capacity_unit unit;

    if (share->mode == CAPACITY_PERCENT)
        return calc_multiply(total, (double)(above->absolute * (share->configured / 100.0f)));
    for (size_t t = 0; t < RESOURCE_TYPES_MAX; t++) {
        double amount = capacity_share_amount(share, t, &unit);

        if (unit == CAPACITY_UNIT_PERCENT)
            amount = (double)above->effective_minimum.value[t] * amount / 100;
        if (unit != CAPACITY_UNIT_WEIGHT)
            amounts.value[t] = calc_truncate(amount);
    }
    return amounts;
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
