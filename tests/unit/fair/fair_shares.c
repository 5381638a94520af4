/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_shares.c - test: computation of fair shares: properties for random inputs, and the rule step by step
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/rng.h"
#include "rm/sched/calc.h"
#include "rm/sched/fair/shares.h"

#define MEMBERS 60

static struct rng rng;

static int64_t pick(int64_t low, int64_t high)
{
    return rng_between(&rng, low, high);
}

static struct fair_member random_member(void)
{
    static const float weights[] = { 1, 1, 1, 2, 0.5f, 0.1f, 7, 0 };
    struct fair_member m = { .weight = weights[pick(0, 7)], .active = pick(0, 4) > 0 };

    for (int t = 0; t < 2; t++) {
        m.minimum.value[t] = pick(0, 3) ? 0 : pick(0, 20000);
        m.maximum.value[t] = pick(0, 2) ? INT64_MAX : m.minimum.value[t] + pick(0, 50000);
        if (pick(0, 20) == 0)
            m.maximum.value[t] = m.minimum.value[t] = 0;
    }
    return m;
}

static size_t random_level(struct fair_member *members, struct resource *total)
{
    size_t count = (size_t)pick(0, MEMBERS);

    for (size_t i = 0; i < count; i++)
        members[i] = i > 0 && pick(0, 2) ? members[i - 1] : random_member();
    *total = resource_of(pick(0, 5) ? pick(0, 1000000) : 0, pick(0, 5000));
    return count;
}

/* --- the rule, step by step (yarn-behaviour 8.6) -------------------------------- */

static bool fixed(const struct fair_member *m, int t, bool steady, int64_t *share)
{
    *share = m->minimum.value[t] > 0 ? m->minimum.value[t] : 0;
    if (m->maximum.value[t] <= 0 || (!steady && !m->active))
        *share = 0;
    return m->maximum.value[t] <= 0 || (!steady && !m->active) || m->weight <= 0;
}

static int64_t at_ratio(const struct fair_member *m, int t, double r)
{
    double share = (double)m->weight * r;

    if (share < (double)m->minimum.value[t])
        share = (double)m->minimum.value[t];
    if (share > (double)m->maximum.value[t])
        share = (double)m->maximum.value[t];
    return calc_truncate(share);
}

static int64_t sum_at(const struct fair_member *members, size_t count, int t, bool steady, double r)
{
    int64_t sum = 0, share;

    for (size_t i = 0; i < count; i++)
        if (!fixed(&members[i], t, steady, &share))
            sum = resource_add(resource_of(sum, 0), resource_of(at_ratio(&members[i], t, r), 0)).value[0];
    return sum;
}

static void by_the_rule(struct fair_member *members, size_t count, int t, bool steady, int64_t total)
{
    int64_t taken = 0, most = 0, share, wanted;
    double left = 0, right = 1;

    for (size_t i = 0; i < count; i++)
        if (fixed(&members[i], t, steady, &share))
            taken += share;
        else
            most = resource_add(resource_of(most, 0), resource_of(members[i].maximum.value[t], 0)).value[0];
    wanted = total > taken ? total - taken : 0;
    wanted = wanted < most ? wanted : most;
    while (right < 0x1p200 && sum_at(members, count, t, steady, right) < wanted)
        right *= 2;
    for (int i = 0; i < 25; i++) {
        double middle = (left + right) / 2;
        int64_t sum = sum_at(members, count, t, steady, middle);

        if (sum < wanted)
            left = middle;
        else
            right = middle;
        if (sum == wanted)
            break;
    }
    for (size_t i = 0; i < count; i++)
        members[i].share.value[t] =
            fixed(&members[i], t, steady, &share) ? share : at_ratio(&members[i], t, right);
}

static void shares_are_the_rule(void **state)
{
    struct fair_member members[MEMBERS], expected[MEMBERS];
    struct resource total;

    (void)state;
    rng_seed(&rng, 1);
    for (int round = 0; round < 5000; round++) {
        size_t count = random_level(members, &total);
        bool steady = pick(0, 1), drf = pick(0, 1);

        memcpy(expected, members, sizeof(members));
        for (size_t i = 0; i < count; i++)
            expected[i].share = resource_of(0, 0);
        for (int t = 0; t < (drf ? 2 : 1); t++)
            by_the_rule(expected, count, t, steady, total.value[t]);
        fair_shares(drf ? FAIR_POLICY_DRF : FAIR_POLICY_FAIR, steady, 2, &total, members, count);
        for (size_t i = 0; i < count; i++)
            assert_true(resource_equal(&members[i].share, &expected[i].share));
    }
}

/* --- properties ------------------------------------------------------------------ */

static void shares_stay_between_minimum_and_maximum(void **state)
{
    struct fair_member members[MEMBERS];
    struct resource total;

    (void)state;
    rng_seed(&rng, 2);
    for (int round = 0; round < 3000; round++) {
        size_t count = random_level(members, &total);

        fair_shares(FAIR_POLICY_DRF, false, 2, &total, members, count);
        for (size_t i = 0; i < count; i++)
            for (int t = 0; t < 2; t++) {
                int64_t share = members[i].share.value[t];

                assert_true(share <= members[i].maximum.value[t]);
                if (members[i].active)
                    assert_true(share >= members[i].minimum.value[t]);
                else
                    assert_int_equal(share, 0);
            }
    }
}

/* The bisection leaves an error: 2^-25 of the level for each unit of weight. */
static void the_total_is_not_exceeded_but_by_minima(void **state)
{
    struct fair_member members[MEMBERS];
    struct resource total;

    (void)state;
    rng_seed(&rng, 3);
    for (int round = 0; round < 3000; round++) {
        size_t count = random_level(members, &total);
        int64_t sum = 0, minima = 0;

        fair_shares(FAIR_POLICY_FAIR, true, 2, &total, members, count);
        for (size_t i = 0; i < count; i++) {
            sum += members[i].share.value[0];
            if (members[i].maximum.value[0] > 0)
                minima += members[i].minimum.value[0];
        }
        if (minima <= total.value[0])
            assert_true(sum <= total.value[0] + (int64_t)count);
    }
}

static void larger_total_reduces_no_share(void **state)
{
    struct fair_member before[MEMBERS], after[MEMBERS];
    struct resource total;

    (void)state;
    rng_seed(&rng, 4);
    for (int round = 0; round < 3000; round++) {
        size_t count = random_level(before, &total);

        memcpy(after, before, sizeof(before));
        fair_shares(FAIR_POLICY_FAIR, false, 2, &total, before, count);
        total.value[0] += pick(0, 100000);
        fair_shares(FAIR_POLICY_FAIR, false, 2, &total, after, count);
        for (size_t i = 0; i < count; i++) /* one unit: the bisection ends at another value */
            assert_true(after[i].share.value[0] + 1 >= before[i].share.value[0]);
    }
}

static void order_of_entries_does_not_change_shares(void **state)
{
    struct fair_member members[MEMBERS], mixed[MEMBERS];
    size_t of[MEMBERS];
    struct resource total;

    (void)state;
    rng_seed(&rng, 5);
    for (int round = 0; round < 2000; round++) {
        size_t count = random_level(members, &total);

        for (size_t i = 0; i < count; i++) {
            size_t j = (size_t)pick(0, (int64_t)i);

            of[i] = of[j];
            of[j] = i;
        }
        for (size_t i = 0; i < count; i++)
            mixed[i] = members[of[i]];
        fair_shares(FAIR_POLICY_DRF, false, 2, &total, members, count);
        fair_shares(FAIR_POLICY_DRF, false, 2, &total, mixed, count);
        for (size_t i = 0; i < count; i++)
            assert_true(resource_equal(&mixed[i].share, &members[of[i]].share));
    }
}

static void equal_entries_get_the_share_of_separate_ones(void **state)
{
    struct fair_member members[MEMBERS];

    (void)state;
    rng_seed(&rng, 6);
    for (int round = 0; round < 2000; round++) {
        size_t count = (size_t)pick(1, MEMBERS);
        struct resource total = resource_of(pick(0, 100000), pick(0, 90)), each;
        enum fair_policy policy = pick(0, 1) ? FAIR_POLICY_DRF : FAIR_POLICY_FAIR;

        for (size_t i = 0; i < count; i++)
            members[i] = (struct fair_member){ .weight = 1,
                                               .maximum = resource_of(INT64_MAX, INT64_MAX),
                                               .active = true };
        fair_shares(policy, false, 2, &total, members, count);
        each = fair_shares_alike(policy, 2, &total, count);
        assert_true(resource_equal(&each, &members[0].share));
    }
}

static void single_entry_gets_the_result_of_the_bisection(void **state)
{
    (void)state;
    for (int power = 0; power < 45; power++)
        for (int64_t total_mb = ((int64_t)1 << power) - 2; total_mb <= ((int64_t)1 << power) + 2;
             total_mb++) {
            struct fair_member one = { .weight = 1,
                                       .maximum = resource_of(INT64_MAX, INT64_MAX),
                                       .active = true };
            struct resource total = resource_of(total_mb, total_mb % 1000), each;

            if (total_mb < 0)
                continue;
            fair_shares(FAIR_POLICY_DRF, false, 2, &total, &one, 1);
            each = fair_shares_alike(FAIR_POLICY_DRF, 2, &total, 1);
            assert_true(resource_equal(&each, &one.share));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_the_rule),
        cmocka_unit_test(shares_stay_between_minimum_and_maximum),
        cmocka_unit_test(the_total_is_not_exceeded_but_by_minima),
        cmocka_unit_test(larger_total_reduces_no_share),
        cmocka_unit_test(order_of_entries_does_not_change_shares),
        cmocka_unit_test(equal_entries_get_the_share_of_separate_ones),
        cmocka_unit_test(single_entry_gets_the_result_of_the_bisection),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
