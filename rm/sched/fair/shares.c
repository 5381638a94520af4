/* SPDX-License-Identifier: Apache-2.0 */
/* shares.c - fair shares at one level of the tree */
#include "rm/sched/fair/shares.h"

#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/calc.h"

#define HALVINGS 25
#define LEVEL_MAX 0x1p200       /* maxima beyond 2^53 are not all reached as doubles */

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

/* Is the share of M settled, whatever the others get? */
static bool is_fixed(const struct fair_member *m, int type, bool steady, int64_t *share)
{
    *share = 0;
    if (m->maximum.value[type] <= 0 || (!steady && !m->active))
        return true;
    if (m->weight > 0)
        return false;
    if (m->minimum.value[type] > 0)
        *share = m->minimum.value[type];
    return true;
}

/* Neighbours that are alike in one type, and not settled: mostly all are. */
struct run {
    double weight, least, most;
    int64_t count;
};

/* Up to here the halvings come down to single units: who is alone has all of it, exactly. */
#define ALONE_EXACT_MAX ((int64_t)1 << (HALVINGS - 1))

/* Few runs need no memory. */
#define RUNS_HERE 16

struct runs {
    struct run here[RUNS_HERE];
    struct run *items;                  /* HERE, or owned */
    size_t count, capacity;
};

static void runs_add(struct runs *runs, const struct fair_member *m, int type)
{
    struct run run = { (double)m->weight, (double)m->minimum.value[type],
                       (double)m->maximum.value[type], 1 };
    struct run *last = runs->count > 0 ? &runs->items[runs->count - 1] : NULL;

    if (last && last->weight == run.weight && last->least == run.least && last->most == run.most) {
        last->count++;
        return;
    }
    if (runs->count == runs->capacity) {
        struct run *before = runs->items == runs->here ? NULL : runs->items;

        runs->capacity *= 4;
        runs->items = mem_resize(before, runs->capacity, sizeof(*runs->items));
        if (before == NULL)
            memcpy(runs->items, runs->here, sizeof(runs->here));
    }
    runs->items[runs->count++] = run;
}

/* What each of RUN has when each unit of weight is worth LEVEL. */
static int64_t share_at(const struct run *run, double level)
{
    double share = run->weight * level;

    share = share > run->least ? share : run->least;
    share = share < run->most ? share : run->most;
    return calc_truncate(share);
}

static int64_t total_at(const struct runs *runs, double level)
{
    int64_t total = 0;

    for (size_t i = 0; i < runs->count; i++) {
        int64_t share = share_at(&runs->items[i], level), all;

        if (__builtin_mul_overflow(share, runs->items[i].count, &all))
            all = INT64_MAX;
        total = add(total, all);
    }
    return total;
}

/* The level at which all is given away. */
static double find_level(const struct runs *runs, int64_t wanted)
{
    double low = 0.0, high = 1.0;

    while (high < LEVEL_MAX && total_at(runs, high) < wanted)
        high *= 2.0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2.0;
        int64_t total = total_at(runs, middle);

        if (total == wanted)
            return middle;
        if (total < wanted)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void share_type(int type, bool steady, int64_t total, struct fair_member *members,
                       size_t count)
{
    struct runs runs = { .capacity = RUNS_HERE };
    int64_t taken = 0, most = 0, left, share;
    double level;

    runs.items = runs.here;
    for (size_t i = 0; i < count; i++)
        if (is_fixed(&members[i], type, steady, &share)) {
            members[i].share.value[type] = share;
            taken = add(taken, share);
        } else {
            most = add(most, members[i].maximum.value[type]);
            runs_add(&runs, &members[i], type);
        }
    left = total > taken ? total - taken : 0;
    level = runs.count > 0 ? find_level(&runs, most < left ? most : left) : 0;
    for (size_t i = 0; i < count; i++)
        if (!is_fixed(&members[i], type, steady, &share)) {
            const struct run one = { (double)members[i].weight,
                                     (double)members[i].minimum.value[type],
                                     (double)members[i].maximum.value[type], 1 };

            members[i].share.value[type] = share_at(&one, level);
        }
    if (runs.items != runs.here)
        free(runs.items);
}

void fair_shares(enum fair_policy policy, bool steady, int types, const struct resource *total,
                 struct fair_member *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        members[i].share = (struct resource){ .value = { 0 } };
    if (policy == FAIR_POLICY_FIFO) {
        if (count > 0)
            members[0].share = *total;
        return;
    }
    for (int t = 0; t < (policy == FAIR_POLICY_DRF ? types : 1); t++)
        share_type(t, steady, total->value[t], members, count);
}

struct resource fair_shares_alike(enum fair_policy policy, int types,
                                  const struct resource *total, size_t count)
{
    struct resource each = { .value = { 0 } };
    struct runs runs = { .count = 1, .capacity = RUNS_HERE };

    runs.items = runs.here;
    runs.here[0] = (struct run){ 1, 0, (double)INT64_MAX, (int64_t)count };
    for (int t = 0; count > 0 && t < (policy == FAIR_POLICY_DRF ? types : 1); t++)
        if (count == 1 && total->value[t] <= ALONE_EXACT_MAX)
            each.value[t] = total->value[t] > 0 ? total->value[t] : 0;
        else if (total->value[t] > 0)
            each.value[t] = share_at(&runs.here[0], find_level(&runs, total->value[t]));
    return each;
}
