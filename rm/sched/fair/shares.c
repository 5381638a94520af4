/* SPDX-License-Identifier: Apache-2.0 */
/* shares.c - computes fair shares at one level of the tree of queues */
#include "rm/sched/fair/shares.h"

#include "common/base/mem.h"
#include "rm/sched/calc.h"

#define HALVINGS 25
#define LEVEL_MAX \
    0x1p200 /* upper bound of the level: a maximum beyond 2^53 cannot always be reached
               in double precision */

/* Returns true if the share of M does not depend on other members, and sets *SHARE to that share. */
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

/* Adjacent members with equal figures of one type; often all members are equal. */
struct run {
    double weight, least, most;
    int64_t count;
};

/* Adds M to RUNS, which has COUNT elements. Returns the new number of elements. */
static size_t add_run(struct run *runs, size_t count, const struct fair_member *m, int type)
{
    const struct run run = { (double)m->weight, (double)m->minimum.value[type],
                             (double)m->maximum.value[type], 1 };
    struct run *last = count > 0 ? &runs[count - 1] : NULL;

    if (last && last->weight == run.weight && last->least == run.least && last->most == run.most) {
        last->count++;
        return count;
    }
    runs[count] = run;
    return count + 1;
}

/* Returns the share of each member of RUN if one unit of weight is worth LEVEL. */
static int64_t share_at(const struct run *run, double level)
{
    double share = run->weight * level;

    share = share > run->least ? share : run->least;
    share = share < run->most ? share : run->most;
    return calc_truncate(share);
}

static int64_t total_at(const struct run *runs, size_t count, double level)
{
    int64_t total = 0;

    for (size_t i = 0; i < count; i++) {
        int64_t share = share_at(&runs[i], level), all;

        if (__builtin_mul_overflow(share, runs[i].count, &all))
            all = INT64_MAX;
        calc_add_one(&total, all);
    }
    return total;
}

/* Returns the level at which all of WANTED is given (ComputeFairShares.computeSharesInternal). */
static double find_level(const struct run *runs, size_t count, int64_t wanted)
{
    double low = 0.0, high = 1.0;

    while (high < LEVEL_MAX && total_at(runs, count, high) < wanted)
        high *= 2.0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2.0;
        int64_t total = total_at(runs, count, middle);

        if (total == wanted)
            return middle;
        if (total < wanted)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void share_type(int type, bool steady, int64_t total, struct fair_member *members, size_t count)
{
    struct run *runs = mem_array0(count, sizeof(*runs)), one;
    int64_t taken = 0, most = 0, left, share;
    size_t run_count = 0;
    double level;

    for (size_t i = 0; i < count; i++)
        if (is_fixed(&members[i], type, steady, &share)) {
            members[i].share.value[type] = share;
            calc_add_one(&taken, share);
        } else {
            calc_add_one(&most, members[i].maximum.value[type]);
            run_count = add_run(runs, run_count, &members[i], type);
        }
    left = total > taken ? total - taken : 0;
    level = run_count > 0 ? find_level(runs, run_count, most < left ? most : left) : 0;
    for (size_t i = 0; i < count; i++)
        if (!is_fixed(&members[i], type, steady, &share)) {
            add_run(&one, 0, &members[i], type);
            members[i].share.value[type] = share_at(&one, level);
        }
    free(runs);
}

/* Differs: with policy fair, types other than memory have no share. YARN does not change these shares, which
 * are 0 unless the file was reloaded and the policy was drf before. In that case the members keep their last
 * shares of vcores until the resource manager restarts, even if nodes and queues change, and maxAMShare is
 * computed from these shares. */
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
    for (int t = 0; count > 0 && t < (policy == FAIR_POLICY_DRF ? types : 1); t++)
        share_type(t, steady, total->value[t], members, count);
}

struct resource fair_shares_alike(enum fair_policy policy, int types, const struct resource *total,
                                  size_t count)
{
    const struct run all = { 1, 0, (double)INT64_MAX, (int64_t)count };
    struct resource each = { .value = { 0 } };

    for (int t = 0; count > 0 && t < (policy == FAIR_POLICY_DRF ? types : 1); t++)
        if (total->value[t] > 0)
            each.value[t] = share_at(&all, find_level(&all, 1, total->value[t]));
    return each;
}
