/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectors.c - reference capacity scheduler: capacities by type, for legacy-queue-mode.enabled false
 * (ResourceCalculationDriver, CapacitySchedulerQueueCapacityHandler)
 *
 * Each type is divided by itself, memory first: amounts, then percentages of what is left of the parent's
 * minimum, then weights.
 */
#include <math.h>

#include "tests/reference/reference.h"

struct division {
    struct reference *ref;
    int parent, label, type;
    double total; /* of the partition */
    double own;   /* minimum of the parent */
    double rest;  /* ... that was left when the present unit began */
    double left;  /* ... that is left now */
    enum ref_unit unit;
    double sum; /* of the values of all children with this unit */
};

static const struct ref_amount *least_of(const struct division *division, int q)
{
    return &division->ref->config.queues[q].share[division->label].least[division->type];
}

static bool takes_part(const struct division *division, int q)
{
    return division->ref->config.queues[q].parent == division->parent &&
           least_of(division, q)->unit == division->unit;
}

static double sum_of_unit(const struct division *division)
{
    double sum = 0;

    for (int q = 1; q < division->ref->config.queue_count; q++)
        sum += takes_part(division, q) ? least_of(division, q)->value : 0;
    return sum;
}

/* Returns what VALUE is worth (AbsoluteResource-, Percentage-, WeightQueueCapacityCalculator), rounded as
 * DefaultQueueResourceRoundingStrategy does: weights to the nearest, others down. */
static double worth(const struct division *division, double value)
{
    double fraction = division->own / division->total * (division->rest / division->own);
    float ratio = 1; /* of the amounts, if they exceed what the parent has */

    if (!(division->own > 0) || !(value > 0))
        return 0;
    switch (division->unit) {
    case REF_UNIT_AMOUNT:
        if (division->sum > division->own)
            ratio = (float)division->own / (float)division->sum;
        return floor((double)ratio * value);
    case REF_UNIT_PERCENT:
        return floor(division->total * (fraction * value / 100));
    default:
        if (value >= division->sum)
            return division->rest; /* no sibling has a weight */
        return floor(division->total * (fraction * (value / division->sum)) + 0.5);
    }
}

/* As ResourceCalculationDriver.validateCalculatedResources. */
static void give(struct division *division, int q)
{
    struct ref_part *part = &division->ref->queues[q].part[division->label];
    double amount = worth(division, least_of(division, q)->value);

    if (division->type > 0 && part->guarantee.value[0] == 0)
        amount = 0; /* without memory there is nothing of other types */
    amount = fmin(amount, (double)part->most.value[division->type]);
    amount = fmin(amount, division->left);
    part->guarantee.value[division->type] = (int64_t)amount;
    division->left -= amount;
}

/* The maximum of TYPE: a maximum that is rounded to 0 is the parent's. */
static int64_t most_of(const struct division *division, int q)
{
    const struct ref_amount *most =
        &division->ref->config.queues[q].share[division->label].most[division->type];
    double above =
        (double)division->ref->queues[division->parent].part[division->label].most.value[division->type];
    double own = most->value;

    if (!most->given || !(division->total > 0))
        return (int64_t)above;
    if (most->unit == REF_UNIT_PERCENT)
        own = division->total * (above / division->total * own / 100);
    own = floor(own);
    return (int64_t)(own > 0 || most->value == 0 ? fmin(own, above) : above);
}

static void divide_type(struct division *division)
{
    static const enum ref_unit units[] = { REF_UNIT_AMOUNT, REF_UNIT_PERCENT, REF_UNIT_WEIGHT };
    struct reference *ref = division->ref;

    for (int q = 1; q < ref->config.queue_count; q++)
        if (ref->config.queues[q].parent == division->parent)
            ref->queues[q].part[division->label].most.value[division->type] = most_of(division, q);
    division->left = division->own;
    for (int u = 0; u < 3; u++) {
        division->unit = units[u];
        division->sum = sum_of_unit(division);
        division->rest = division->left;
        for (int q = 1; q < ref->config.queue_count; q++)
            if (takes_part(division, q))
                give(division, q);
    }
}

static float finite_or_zero(float value)
{
    return isfinite(value) ? value : 0;
}

/* While the partition has no nodes, the fractions are those of the configuration. */
static float configured_capacity(const struct reference *ref, int q, int label)
{
    const struct ref_queue_config *queue = &ref->config.queues[q];
    float percent = 0, weights = 0;

    for (int i = 1; i < ref->config.queue_count; i++) {
        const struct ref_share *share = &ref->config.queues[i].share[label];

        if (ref->config.queues[i].parent != queue->parent)
            continue;
        percent += share->least[0].unit == REF_UNIT_PERCENT ? (float)share->least[0].value : 0;
        weights += ref->config.queues[i].mode == REF_WEIGHT ? share->capacity : 0;
    }
    if (queue->mode == REF_PERCENT)
        return queue->share[label].capacity / 100.0f;
    return queue->mode == REF_WEIGHT && percent < 100
               ? (1 - percent / 100.0f) * queue->share[label].capacity / weights
               : 0;
}

static void compute_fractions(struct reference *ref, int q, int label, struct resource total)
{
    const struct ref_share *share = &ref->config.queues[q].share[label];
    const struct ref_part *above = &ref->queues[ref->config.queues[q].parent].part[label];
    struct ref_part *part = &ref->queues[q].part[label];

    if (resource_is_zero(&total)) {
        part->capacity = configured_capacity(ref, q, label);
        part->maximum = share->most_is_vector ? 0 : share->maximum / 100.0f;
    } else {
        part->capacity = finite_or_zero(ref_divide(ref, total, part->guarantee, above->guarantee));
        part->maximum = finite_or_zero(ref_divide(ref, total, part->most, above->most));
    }
    part->absolute = above->absolute * part->capacity;
    part->absolute_maximum = above->absolute_maximum * part->maximum;
}

void ref_divide_by_type(struct reference *ref, int parent, int label)
{
    struct resource total = ref_label_total(ref, label);
    struct division division = { .ref = ref, .parent = parent, .label = label };

    for (int q = 1; q < ref->config.queue_count; q++)
        if (ref->config.queues[q].parent == parent)
            ref->queues[q].part[label] = (struct ref_part){ .capacity = 0 };
    for (division.type = 0; division.type < REF_TYPES; division.type++) {
        division.total = (double)total.value[division.type];
        division.own = (double)ref->queues[parent].part[label].guarantee.value[division.type];
        divide_type(&division);
    }
    for (int q = 1; q < ref->config.queue_count; q++)
        if (ref->config.queues[q].parent == parent)
            compute_fractions(ref, q, label, total);
}
