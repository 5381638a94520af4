/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.c - what decides between two queues, or two apps (yarn-behaviour 8.7)
 *
 * YARN compares numbers with a fraction, which are never negative: their bits, as integers, are in the
 * same order. So a key is a few integers, and is found once for each change, not in each comparison.
 */
#include <math.h>
#include <string.h>

#include "rm/sched/fair/internal.h"

/* --- ties ------------------------------------------------------------------ */

int fair_compare_queues(const struct fair_item *a, const struct fair_item *b)
{
    const struct fair_queue *queue_a = (const struct fair_queue *)(const void *)a;
    const struct fair_queue *queue_b = (const struct fair_queue *)(const void *)b;

    if (fair_item_rest(a) != fair_item_rest(b))
        return fair_item_rest(a) < fair_item_rest(b) ? -1 : 1;
    return strcmp(queue_a->queue->name, queue_b->queue->name);          /* siblings */
}

/* As texts: application_1_10000 is before application_1_9999. */
static int compare_names(const struct app_id *a, const struct app_id *b)
{
    char text_a[ID_TEXT_MAX], text_b[ID_TEXT_MAX];

    if (a->cluster_ms == b->cluster_ms && a->seq < 10000 && b->seq < 10000)
        return (a->seq > b->seq) - (a->seq < b->seq);
    return strcmp(app_id_format(a, text_a), app_id_format(b, text_b));
}

int fair_order_apps(const struct sched_app *a, const struct sched_app *b)
{
    if (a->added_ms != b->added_ms)
        return a->added_ms < b->added_ms ? -1 : 1;
    return compare_names(&a->id, &b->id);
}

int fair_compare_apps(const struct fair_item *a, const struct fair_item *b)
{
    const struct fair_app *app_a = (const struct fair_app *)(const void *)a;
    const struct fair_app *app_b = (const struct fair_app *)(const void *)b;

    if (fair_item_rest(a) != fair_item_rest(b))
        return fair_item_rest(a) < fair_item_rest(b) ? -1 : 1;
    return fair_order_apps(app_a->app, app_b->app);
}

/* The first letters. */
uint64_t fair_queue_tie(const char *name)
{
    uint64_t tie = 0;

    for (int i = 0; i < 8; i++)
        tie = tie << 8 | (*name ? (unsigned char)*name++ : 0u);
    return tie;
}

#define SEQ_BITS 23
#define SEQ_LAST ((1u << SEQ_BITS) - 1)

/* In the order of the texts "0001" and "10000" as far as its bits go, above 0 and below SEQ_LAST. */
static uint64_t order_of_seq(uint32_t seq)
{
    uint64_t padded = seq, digits = 4;

    for (uint64_t most = 10000; digits < 10 && seq >= most; most *= 10)
        digits++;
    for (uint64_t i = digits; i < 10; i++)
        padded *= 10;
    return ((padded * 16 + digits) >> 15) + 1;
}

/* When it came, and which it is among those that the same resource manager was given. */
uint64_t fair_app_tie(struct fair *fair, const struct sched_app *app)
{
    uint64_t came = app->added_ms > 0 ? (uint64_t)app->added_ms : 0;
    const uint64_t last = UINT64_MAX >> SEQ_BITS;
    struct app_id home = app->id;
    uint64_t which;

    if (fair->cluster_ms == 0)
        fair->cluster_ms = app->id.cluster_ms;
    home.cluster_ms = fair->cluster_ms;
    if (app->id.cluster_ms == fair->cluster_ms)
        which = order_of_seq(app->id.seq);
    else
        which = compare_names(&app->id, &home) < 0 ? 0 : SEQ_LAST;
    return (came < last ? came : last) << SEQ_BITS | which;
}

/* --- keys ------------------------------------------------------------------ */

static const int64_t nothing[RESOURCE_TYPES_MAX];

/* What decides, of a queue or an app. */
struct measured {
    int64_t used[RESOURCE_TYPES_MAX];
    const int64_t *minimum;             /* NULL: none */
    int64_t demand_mb;
    float weight;
};

static inline uint64_t bits(double value)
{
    uint64_t ret;

    memcpy(&ret, &value, sizeof(ret));
    return ret;
}

static inline uint64_t bits_of_float(float value)
{
    uint32_t ret;

    memcpy(&ret, &value, sizeof(ret));
    return ret;
}

/* 8.7 fair: memory alone. Who demands nothing last, below the minimum first, no weight after some. What
 * is divided by a minimum that it is below is 1 at most, which leaves two bits. */
static void key_fair(const struct measured *m, struct fair_key *ret)
{
    int64_t used = m->used[0], demand = m->demand_mb, least = m->minimum ? m->minimum[0] : 0;
    int64_t minimum = least < demand ? least : demand;
    bool needy = used < minimum, weighs = m->weight > 0;
    uint64_t rank = (demand == 0 ? 2u : 0u) + (needy ? 0u : 1u);
    double of_minimum = needy ? (double)used / (double)(minimum > 1 ? minimum : 1) : 0;
    double by_weight = weighs ? (double)used / (double)m->weight : (double)used;

    ret->value[0] = rank << 62 | bits(of_minimum);
    ret->value[1] = (weighs ? 0 : UINT64_C(1) << 63) | bits(by_weight);
}

/* What has no amount by which to measure, or no weight, comes last. */
static inline double ratio(double part, double whole)
{
    double r = part / whole;

    return isnan(r) ? INFINITY : r;
}

/* Two types, in double: the dominant one decides, then the other. MINIMUM: NULL if there is none. */
static inline void key_of_two(const struct sched *sched, int64_t memory, int64_t vcores, float weight,
                              const int64_t *minimum, struct fair_key *ret)
{
    const int64_t *total = sched->total.value;
    double of_memory = total[0] == 0 ? 0 : (double)memory / (double)total[0];
    double of_vcores = total[1] == 0 ? 0 : (double)vcores / (double)total[1];
    bool by_vcores = of_vcores > of_memory;
    double first = by_vcores ? of_vcores : of_memory, second = by_vcores ? of_memory : of_vcores;

    if (minimum && (by_vcores ? vcores < minimum[1] : memory < minimum[0])) {
        of_memory = ratio((double)memory, (double)minimum[0]);
        of_vcores = ratio((double)vcores, (double)minimum[1]);
        ret->value[0] = bits(by_vcores ? of_vcores : of_memory);
        ret->value[1] = bits(by_vcores ? of_memory : of_vcores);
        return;
    }
    if (weight != 1) {
        first = ratio(first, (double)weight);
        second = ratio(second, (double)weight);
    }
    ret->value[0] = UINT64_C(1) << 63 | bits(first);
    ret->value[1] = bits(second);
}

static float ratio_float(float part, float whole)
{
    float r = part / whole;

    return isnan(r) ? INFINITY : r;
}

/* Any number of types, in float: by falling share of the cluster. From five types on names decide behind
 * the key. */
static uint64_t key_of_many(const struct measured *m, const struct resource *total, int types,
                            struct fair_key *ret)
{
    const int64_t *minimum = m->minimum ? m->minimum : nothing;
    uint64_t value[RESOURCE_TYPES_MAX] = { 0 };
    float share[RESOURCE_TYPES_MAX];
    int order[RESOURCE_TYPES_MAX] = { 0 };
    bool needy;

    for (int t = 0; t < types; t++) {
        int at = t;

        share[t] = total->value[t] == 0 ? 0 : (float)m->used[t] / (float)total->value[t];
        for (; at > 0 && share[order[at - 1]] < share[t]; at--)
            order[at] = order[at - 1];
        order[at] = t;
    }
    needy = m->used[order[0]] < minimum[order[0]];
    for (int i = 0; i < types; i++) {
        int t = order[i];

        value[i] = bits_of_float(needy ? ratio_float((float)m->used[t], (float)minimum[t])
                                       : ratio_float(share[t], m->weight));
    }
    ret->value[0] = (needy ? 0 : UINT64_C(1) << 63) | value[0] << 32 | value[1];
    ret->value[1] = value[2] << 32 | value[3];
    if (types > 4)
        ret->tie = value[4] << 32 | value[5];
    return value[6] << 32 | value[7];
}

/* TIE of RET is that of the item. */
static uint64_t key_for(const struct sched *sched, enum fair_policy policy, const struct measured *m,
                        struct fair_key *ret)
{
    if (policy == FAIR_POLICY_DRF)
        return key_of_many(m, &sched->total, sched->calc.types, ret);
    if (sched->calc.types > 4)
        ret->tie = 0;
    key_fair(m, ret);
    return 0;
}

static uint64_t __attribute__((noinline)) queue_key_for(const struct fair_queue *queue,
                                                        struct fair_key *ret)
{
    struct measured m;

    m.minimum = queue->has_minimum ? fair_bound(queue, FAIR_MINIMUM) : NULL;
    m.demand_mb = fair_amount_of(queue, FAIR_DEMAND)[0];
    m.weight = queue->weight;
    for (int t = 0; t < queue->item.types; t++)
        m.used[t] = fair_used_of(queue, t);
    return key_for(queue->part->sched, queue->parent->policy, &m, ret);
}

uint64_t fair_queue_key(const struct fair_queue *queue, struct fair_key *ret)
{
    const int64_t *minimum = queue->has_minimum ? fair_bound(queue, FAIR_MINIMUM) : NULL;

    ret->tie = queue->item.key.tie;
    if (queue->item.types > 2 || queue->parent->policy != FAIR_POLICY_DRF)
        return queue_key_for(queue, ret);
    key_of_two(queue->part->sched, fair_used_of(queue, 0), fair_used_of(queue, 1), queue->weight,
               minimum, ret);
    return 0;
}

static uint64_t __attribute__((noinline)) app_key_for(const struct fair_app *app, struct fair_key *ret)
{
    struct measured m;

    m.minimum = NULL;
    m.demand_mb = fair_app_amount(app, FAIR_APP_DEMAND)[0];
    m.weight = app->weight;
    for (int t = 0; t < app->item.types; t++)
        m.used[t] = fair_app_used_of(app, t);
    return key_for(app->app->sched, app->leaf->policy, &m, ret);
}

uint64_t fair_app_key(const struct fair_app *app, struct fair_key *ret)
{
    const int64_t *used = app_used(app->part)->value;

    ret->tie = app->item.key.tie;
    if (app->leaf->policy == FAIR_POLICY_DRF && app->item.types == 2) {
        key_of_two(app->app->sched, used[0], used[1], app->weight, NULL, ret);
        return 0;
    }
    if (app->leaf->policy != FAIR_POLICY_FIFO)
        return app_key_for(app, ret);
    *ret = (struct fair_key){ { (uint64_t)(INT32_MAX - (int64_t)app->app->priority), 0 },
                              app->item.types > 4 ? 0 : app->item.key.tie };
    return 0;
}
