/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - compares queues, and applications, under each scheduling policy (yarn-behaviour 8.7)
 *
 * YARN's comparators divide use by weight, minimum or cluster again in each comparison. In creel the figures
 * that these comparators compare are computed when one of their inputs changes, and stored as a key. Keys are
 * compared figure by figure; the smaller is served first.
 */
#include <math.h>
#include <string.h>

#include "rm/sched/fair/internal.h"

/* --- comparing ------------------------------------------------------------- */

int fair_compare_keys(const struct fair_key *a, const struct fair_key *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    for (int i = 0; i < RESOURCE_TYPES_MAX; i++)
        if (a->figure[i] != b->figure[i])
            return a->figure[i] < b->figure[i] ? -1 : 1;
    return 0;
}

/* Siblings with equal keys are ordered by name. */
int fair_compare_queues(const struct order_entry *a, const struct order_entry *b)
{
    const struct fair_queue *queue_a = fair_queue_of(a), *queue_b = fair_queue_of(b);
    int r = fair_compare_keys(&queue_a->item.key, &queue_b->item.key);

    return r != 0 ? r : strcmp(queue_a->queue->name, queue_b->queue->name);
}

static int digits_of(uint32_t number)
{
    int digits = 4; /* minimum number of digits in the id of an application */

    for (uint32_t rest = number / 10000; rest > 0; rest /= 10)
        digits++;
    return digits;
}

/* Compares ids as texts: application_1_10000 is before application_1_9999. */
static int compare_names(const struct app_id *a, const struct app_id *b)
{
    char text_a[ID_TEXT_MAX], text_b[ID_TEXT_MAX];

    if (a->cluster_ms == b->cluster_ms && digits_of(a->seq) == digits_of(b->seq))
        return (a->seq > b->seq) - (a->seq < b->seq);
    return strcmp(app_id_format(a, text_a), app_id_format(b, text_b));
}

int fair_order_apps(const struct sched_app *a, const struct sched_app *b)
{
    if (a->added_ms != b->added_ms)
        return a->added_ms < b->added_ms ? -1 : 1;
    return compare_names(&a->id, &b->id);
}

/* Applications of a leaf with equal keys are ordered by start time, then by name. */
int fair_compare_apps(const struct order_entry *a, const struct order_entry *b)
{
    const struct fair_app *app_a = fair_app_of(a), *app_b = fair_app_of(b);
    int r = fair_compare_keys(&app_a->item.key, &app_b->item.key);

    return r != 0 ? r : fair_order_apps(app_a->app, app_b->app);
}

/* --- keys ------------------------------------------------------------------ */

/* The values that YARN's Schedulable has: of a queue, or of an application. */
struct schedulable {
    struct resource used, minimum;
    int64_t demand_mb;
    float weight;
};

/* Computes the key of FairSharePolicy, which compares only memory: members without demand come last; members
 * below their minimum come first, by use / minimum; the others by use / weight. Members of weight 0 follow,
 * by use. */
static struct fair_key fair_share_key(const struct schedulable *s)
{
    int64_t used = s->used.value[0], least = s->minimum.value[0];
    int64_t minimum = least < s->demand_mb ? least : s->demand_mb;
    bool idle = s->demand_mb == 0, needy = used<minimum, weighs = s->weight> 0;

    return (struct fair_key){
        .rank = (idle ? 2 : 0) + (needy ? 0 : 1),
        .figure = {
            needy ? (double)used / (double)(minimum > 1 ? minimum : 1) : 0,
            weighs ? 0 : 1,
            weighs ? (double)used / (double)s->weight : (double)used,
        },
    };
}

/* Divides in double with two types, in float with more. Use divided by 0 is infinite and comes last. 0 / 0 is
 * NaN: YARN takes NaN as equal to every other figure, so that queues without use compare by name, independent
 * of their weight.
 * Differs: in creel, 0 / 0 counts as 0 and comes before a queue with use. In YARN the names decide, which is
 * not a consistent order of three queues. */
static double divide(double part, double whole, int types)
{
    double ratio = types == 2 ? part / whole : (double)((float)part / (float)whole);

    return isnan(ratio) ? 0 : ratio;
}

/* Computes the key of DominantResourceFairnessPolicy: the largest share of the cluster decides, then the
 * next. Members below their minimum of the dominant type come first, by use / minimum; all others follow, by
 * share / weight. */
static struct fair_key dominant_key(const struct schedulable *s, const struct resource *total, int types)
{
    double share[RESOURCE_TYPES_MAX];
    int order[RESOURCE_TYPES_MAX] = { 0 }; /* types, sorted by decreasing share */
    struct fair_key key = { .rank = 0 };
    bool needy;

    for (int t = 0; t < types; t++) {
        int at = t;

        share[t] =
            total->value[t] == 0 ? 0 : divide((double)s->used.value[t], (double)total->value[t], types);
        for (; at > 0 && share[order[at - 1]] < share[t]; at--)
            order[at] = order[at - 1];
        order[at] = t;
    }
    needy = s->used.value[order[0]] < s->minimum.value[order[0]];
    key.rank = needy ? 0 : 1;
    for (int i = 0; i < types; i++) {
        int t = order[i];

        key.figure[i] = needy ? divide((double)s->used.value[t], (double)s->minimum.value[t], types)
                              : divide(share[t], (double)s->weight, types);
    }
    return key;
}

static struct fair_key key_of(const struct sched *sched, enum fair_policy policy, const struct schedulable *s)
{
    return policy == FAIR_POLICY_DRF ? dominant_key(s, &sched->total, sched->calc.types) : fair_share_key(s);
}

struct fair_key fair_queue_key(const struct fair_queue *queue)
{
    const struct schedulable s = {
        .used = fair_used(queue),
        .minimum = fair_settings_minimum(queue->settings),
        .demand_mb = queue->demand.value[0],
        .weight = queue->weight,
    };

    return key_of(queue->part->sched, queue->parent->policy, &s);
}

/* FifoPolicy: applications of larger priority come first. */
struct fair_key fair_app_key(const struct fair_app *app)
{
    const struct schedulable s = {
        .used = fair_app_used(app),
        .demand_mb = app->demand.value[0],
        .weight = app->weight,
    };

    if (app->leaf->policy == FAIR_POLICY_FIFO)
        return (struct fair_key){ .figure = { -(double)app->app->priority } };
    return key_of(app->app->sched, app->leaf->policy, &s);
}
