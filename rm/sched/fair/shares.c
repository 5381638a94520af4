/* SPDX-License-Identifier: Apache-2.0 */
/* shares.c - fair shares at one level of the tree */
#include "rm/sched/fair/shares.h"

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

/* What M has when each unit of weight is worth LEVEL. */
static int64_t share_at(const struct fair_member *m, int type, double level)
{
    double share = (double)m->weight * level;
    double least = (double)m->minimum.value[type], most = (double)m->maximum.value[type];

    share = share > least ? share : least;
    share = share < most ? share : most;
    return calc_truncate(share);
}

static int64_t total_at(const struct fair_member *members, size_t count, int type, bool steady,
                        double level)
{
    int64_t total = 0, fixed;

    for (size_t i = 0; i < count; i++)
        if (!is_fixed(&members[i], type, steady, &fixed))
            total = add(total, share_at(&members[i], type, level));
    return total;
}

/* The level at which all is given away. */
static double find_level(const struct fair_member *members, size_t count, int type, bool steady,
                         int64_t wanted)
{
    double low = 0.0, high = 1.0;

    while (high < LEVEL_MAX && total_at(members, count, type, steady, high) < wanted)
        high *= 2.0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2.0;
        int64_t total = total_at(members, count, type, steady, middle);

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
    int64_t taken = 0, most = 0, left, share;
    size_t open = 0;
    double level;

    for (size_t i = 0; i < count; i++)
        if (is_fixed(&members[i], type, steady, &share)) {
            members[i].share.value[type] = share;
            taken = add(taken, share);
        } else {
            most = add(most, members[i].maximum.value[type]);
            open++;
        }
    if (open == 0)
        return;
    left = total > taken ? total - taken : 0;
    level = find_level(members, count, type, steady, most < left ? most : left);
    for (size_t i = 0; i < count; i++)
        if (!is_fixed(&members[i], type, steady, &share))
            members[i].share.value[type] = share_at(&members[i], type, level);
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
