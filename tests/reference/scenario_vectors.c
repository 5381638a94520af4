/* SPDX-License-Identifier: Apache-2.0 */
/* scenario_vectors.c - random capacities by type, for legacy-queue-mode.enabled false */
#include "tests/reference/scenario.h"

/* Percentages that the children of a queue may still get, by type. */
struct percents {
    int64_t left[REF_TYPES];
};

static struct ref_amount random_percent(struct rng *rng, struct percents *percents, int type, int count)
{
    int64_t most = percents->left[type], percent = rng_between(rng, 0, most < 1 ? 0 : 2 * most / count);

    percent = percent > most ? most : percent;
    percents->left[type] -= percent;
    return (struct ref_amount){ true, REF_UNIT_PERCENT, (double)percent };
}

static struct ref_amount random_weight(struct rng *rng)
{
    return (struct ref_amount){ true, REF_UNIT_WEIGHT, (double)rng_between(rng, 1, 8) / 2 };
}

static struct ref_amount random_amount(struct rng *rng, int type)
{
    static const int64_t most[REF_TYPES] = { 24, 24, 6 }; /* memory in GiB */
    int64_t amount = rng_between(rng, 0, most[type]);

    return (struct ref_amount){ true, REF_UNIT_AMOUNT, (double)(type == 0 ? amount * 1024 : amount) };
}

/* Gives SHARE the same percentage or weight of all types. */
static void set_all(struct ref_share *share, struct ref_amount amount)
{
    for (int t = 0; t < REF_TYPES; t++)
        share->least[t] = amount;
    share->capacity = (float)amount.value;
}

/* A percentage of all types at once is taken from what is left of every type. */
static void share_percent(struct rng *rng, struct ref_share *share, struct percents *percents, int count)
{
    struct percents least = *percents;
    struct ref_amount amount;

    for (int t = 1; t < REF_TYPES; t++)
        if (least.left[t] < least.left[0])
            least.left[0] = least.left[t];
    amount = random_percent(rng, &least, 0, count);
    set_all(share, amount);
    for (int t = 0; t < REF_TYPES; t++)
        percents->left[t] -= (int64_t)amount.value;
}

static void share_vector(struct rng *rng, const struct ref_config *config, struct ref_share *share,
                         struct percents *percents, int count)
{
    for (int t = 0; t < config->types; t++) {
        uint64_t pick = rng_below(rng, t == 0 ? 90 : 100);

        share->least[t] = pick < 30   ? random_percent(rng, percents, t, count)
                          : pick < 60 ? random_weight(rng)
                          : pick < 90 ? random_amount(rng, t)
                                      : (struct ref_amount){ .given = false };
    }
}

/* A maximum that is less than the minimum would be refused, if both are amounts. */
static double at_least(const struct ref_amount *least, double value)
{
    return least->unit == REF_UNIT_AMOUNT && least->value > value ? least->value : value;
}

/* AMOUNTS: the maximum may be in amounts. (Those of a queue with children would limit their minimums.) */
static void set_maximum(struct rng *rng, const struct ref_config *config, struct ref_share *share,
                        bool amounts)
{
    bool vector = rng_chance(rng, 350);

    share->maximum = rng_chance(rng, 500) ? 100 : (float)rng_between(rng, 20, 100);
    share->most_is_vector = vector;
    for (int t = 0; t < REF_TYPES; t++) {
        share->most[t] = (struct ref_amount){ true, REF_UNIT_PERCENT, (double)share->maximum };
        if (vector && amounts && rng_chance(rng, 400)) {
            share->most[t] = random_amount(rng, t);
            share->most[t].value = at_least(&share->least[t], share->most[t].value);
        } else if (vector) {
            share->most[t].value = (double)rng_between(rng, 20, 100);
        }
        share->most[t].given = t < config->types && (!vector || t == 0 || rng_chance(rng, 800));
    }
}

void scenario_share_by_type(struct rng *rng, struct ref_config *config, const int *children, int count)
{
    struct percents percents = { { 100, 100, 100 } };

    for (int i = 0; i < count; i++) {
        struct ref_queue_config *queue = &config->queues[children[i]];
        uint64_t pick = rng_below(rng, 100);

        queue->share[0] = (struct ref_share){ .given = true };
        queue->mode = pick < 30 ? REF_PERCENT : pick < 55 ? REF_WEIGHT : REF_VECTOR;
        if (queue->mode == REF_PERCENT)
            share_percent(rng, &queue->share[0], &percents, count);
        else if (queue->mode == REF_WEIGHT)
            set_all(&queue->share[0], random_weight(rng));
        else
            share_vector(rng, config, &queue->share[0], &percents, count);
        set_maximum(rng, config, &queue->share[0], queue->leaf);
    }
}
