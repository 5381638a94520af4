/* SPDX-License-Identifier: Apache-2.0 */
/* sched_calc.c - test: resource calculators, row by row of the table in yarn-behaviour 2.3 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "rm/sched/calc.h"

static const struct calc memory = { .dominant = false, .types = 2 };
static const struct calc dominant = { .dominant = true, .types = 2 };
static const struct calc three = { .dominant = true, .types = 3 };

static struct resource of3(int64_t memory_mb, int64_t vcores, int64_t third)
{
    struct resource r = { .value = { memory_mb, vcores, third } };

    return r;
}

static void expect_(struct resource got, struct resource want, const char *file, int line)
{
    char a[RESOURCE_TEXT_MAX], b[RESOURCE_TEXT_MAX];

    if (!resource_equal(&got, &want)) {
        print_error("%s:%d: expected %s got %s\n", file, line, resource_format(&want, b),
                    resource_format(&got, a));
        fail();
    }
}

#define expect(got, want) expect_((got), (want), __FILE__, __LINE__)
#define R(...) (&(const struct resource){ .value = { __VA_ARGS__ } })

static void casts(void **state)
{
    (void)state;
    assert_true(calc_truncate(2.9) == 2);
    assert_true(calc_truncate(-2.9) == -2);
    assert_true(calc_truncate((double)NAN) == 0);
    assert_true(calc_truncate((double)INFINITY) == INT64_MAX);
    assert_true(calc_truncate(-(double)INFINITY) == INT64_MIN);
    assert_true(calc_truncate(9.3e18) == INT64_MAX);
    assert_true(calc_truncate(100 * (double)0.7f) == 69); /* 0.7f is less than 0.7 */
}

static void comparisons(void **state)
{
    const struct resource *total = R(100, 100);

    (void)state;
    assert_true(calc_compare(&memory, total, R(5, 90), R(6, 1)) < 0);
    assert_true(calc_compare(&memory, total, R(6, 90), R(6, 1)) == 0);
    assert_true(calc_compare(&dominant, total, R(5, 90), R(6, 1)) > 0);
    /* equal largest shares: the next largest decides */
    assert_true(calc_compare(&dominant, total, R(50, 10), R(20, 50)) < 0);
    assert_true(calc_compare_largest(&dominant, total, R(50, 10), R(20, 50)) == 0);
    /* the sorted shares match: neither is more, though the vectors differ */
    assert_true(calc_compare(&dominant, total, R(50, 10), R(10, 50)) == 0);
    assert_true(calc_compare(&three, R(10, 10, 10), R(5, 3, 2), R(2, 5, 3)) == 0);
    assert_true(calc_compare(&three, R(10, 10, 10), R(5, 3, 2), R(2, 5, 4)) < 0);
    assert_true(calc_compare(&dominant, total, R(-5, 0), R(0, 0)) < 0);
    assert_true(calc_compare(&dominant, total, R(-5, 1), R(0, 0)) > 0);
}

static void comparisons_without_a_total(void **state)
{
    (void)state;
    /* a type that the cluster doesn't have is skipped */
    assert_true(calc_compare(&dominant, R(100, 0), R(5, 9), R(6, 1)) < 0);
    assert_true(calc_compare(&dominant, R(100, 0), R(6, 9), R(6, 1)) == 0);
    assert_true(calc_compare_largest(&dominant, R(0, 100), R(5, 9), R(6, 1)) > 0);
    /* no resources in the cluster: compared type by type */
    assert_true(calc_compare(&dominant, R(0, 0), R(5, 9), R(5, 1)) > 0);
    assert_true(calc_compare(&dominant, R(0, 0), R(5, 1), R(6, 1)) < 0);
    assert_true(calc_compare(&dominant, R(0, 0), R(5, 9), R(6, 1)) == 0);
    assert_true(calc_compare(&dominant, R(0, 0), R(5, 9), R(5, 9)) == 0);
    assert_true(calc_above_zero(&dominant, R(0, 0), R(0, 1)));
    assert_false(calc_above_zero(&memory, R(0, 0), R(0, 1)));
}

static void whole_operands(void **state)
{
    const struct resource *total = R(100, 100);

    (void)state;
    expect(calc_min(&memory, total, *R(5, 9), *R(5, 1)), *R(5, 9)); /* equal: returns the first */
    expect(calc_max(&memory, total, *R(5, 9), *R(5, 1)), *R(5, 9));
    expect(calc_min(&dominant, total, *R(5, 9), *R(7, 1)), *R(7, 1)); /* whole vectors, not per type */
    expect(calc_max(&dominant, total, *R(7, 1), *R(5, 9)), *R(5, 9));
}

static void quotients(void **state)
{
    (void)state;
    assert_true(calc_divide(&memory, R(0, 0), R(1, 9), R(3, 1)) == 1.0f / 3.0f);
    assert_true(calc_divide(&dominant, R(100, 10), R(10, 5), R(25, 1)) == 2.0f);
    assert_true(isnan(calc_divide(&dominant, R(0, 0), R(1, 1), R(1, 1))));
    assert_true(calc_ratio(&memory, R(1, 9), R(4, 1)) == 0.25f);
    assert_true(calc_ratio(&dominant, R(1, 9), R(4, 3)) == 3.0f);
    assert_true(calc_ratio(&three, R(1, 1, 9), R(1, 1, 3)) == 3.0f);
    assert_true(calc_ratio(&dominant, R(1, 0), R(4, 0)) == 0.25f);
    assert_true(isinf(calc_ratio(&dominant, R(1, 1), R(4, 0))));
}

static void normalising(void **state)
{
    const struct resource *low = R(1024, 1), *high = R(8192, 4), *step = R(512, 2);

    (void)state;
    expect(calc_normalise(&memory, R(1100, 3), low, high, step), *R(1536, 1));
    expect(calc_normalise(&memory, R(0, 0), low, high, step), *R(1024, 1));
    expect(calc_normalise(&memory, R(0, 5), R(0, 0), high, step), *R(0, 0));
    expect(calc_normalise(&memory, R(9000, 3), low, high, step), *R(8192, 1));
    expect(calc_normalise(&dominant, R(1100, 3), low, high, step), *R(1536, 4));
    expect(calc_normalise(&dominant, R(1, 9), low, high, step), *R(1024, 4));
    expect(calc_normalise(&dominant, R(1100, 3), low, high, R(0, 0)), *R(1100, 3));
    expect(calc_normalise(&three, R(1, 1, 3), low, R(8192, 4, 4), R(1, 1, 2)), of3(1024, 1, 4));
}

static void multiples(void **state)
{
    (void)state;
    expect(calc_round_up(&memory, R(1025, 7), R(1024, 1)), *R(2048, 1));
    expect(calc_round_down(&memory, R(1025, 7), R(1024, 1)), *R(1024, 1));
    expect(calc_round_down(&memory, R(1023, 7), R(1024, 1)), *R(0, 0));
    expect(calc_round_up(&memory, R(1025, 7), R(0, 1)), *R(0, 0));
    expect(calc_round_up(&dominant, R(1025, 7), R(1024, 4)), *R(2048, 8));
    expect(calc_round_down(&dominant, R(1025, 7), R(1024, 4)), *R(1024, 4));
    expect(calc_round_up(&dominant, R(1025, 7), R(0, 4)), *R(1025, 8));
    expect(calc_round_down(&dominant, R(1025, 7), R(0, 4)), *R(1025, 4));
    expect(calc_round_up(&memory, R(INT64_MAX, 1), R(1024, 1)), *R(INT64_MAX / 1024 * 1024, 1));
}

static void divided(void **state)
{
    (void)state;
    expect(calc_divide_ceil(&memory, R(10, 10), 3), *R(4, 1));
    expect(calc_divide_ceil(&memory, R(10, 10), 0), *R(0, 0));
    expect(calc_divide_ceil(&dominant, R(10, 9), 3), *R(4, 3));
    expect(calc_divide_ceil_float(&memory, R(10, 10), 2.5f), *R(4, 1));
    expect(calc_divide_ceil_float(&dominant, R(10, 9), 2.5f), *R(4, 4));
    expect(calc_divide_ceil_float(&dominant, R(10, 9), 0), *R(0, 0));
    /* the float has 24 bits: 16777217 becomes 16777216 */
    expect(calc_divide_ceil_float(&dominant, R(16777217, 1), 1.0f), *R(16777216, 1));
}

static void multiplied(void **state)
{
    const double each[RESOURCE_TYPES_MAX] = { 0.25, 0.5 };

    (void)state;
    /* to the nearest unit, then up to the step; other functions take the ceiling */
    expect(calc_multiply_up(&memory, R(10, 10), 0.24, R(1, 1)), *R(2, 1));
    expect(calc_multiply_up(&dominant, R(10, 10), 0.24, R(1, 1)), *R(3, 3));
    expect(calc_multiply_up(&memory, R(10, 10), 0.24, R(4, 1)), *R(4, 1));
    expect(calc_multiply_up(&dominant, R(10, 10), 0.24, R(4, 2)), *R(4, 4));
    /* 10.0000001 is 10 as a float, but the ceiling of the double would be 11 */
    expect(calc_multiply_up(&dominant, R(10, 0), 1.00000001, R(1, 1)), *R(10, 0));
    expect(
        calc_multiply_up_each(&dominant, R(10, 0), (const double[RESOURCE_TYPES_MAX]){ 1.00000001 }, R(1, 1)),
        *R(11, 0));
    expect(calc_multiply_up_each(&memory, R(10, 10), each, R(1, 1)), *R(3, 1));
    expect(calc_multiply_up_each(&dominant, R(10, 11), each, R(1, 1)), *R(3, 6));
    expect(calc_multiply_down(&memory, R(10, 10), 0.39, R(2, 1)), *R(2, 1));
    expect(calc_multiply_down(&dominant, R(10, 10), 0.39, R(2, 1)), *R(2, 3));
}

static void fitting(void **state)
{
    (void)state;
    assert_true(calc_fits(&memory, R(4, 9), R(4, 1)));
    assert_false(calc_fits(&memory, R(5, 1), R(4, 1)));
    assert_false(calc_fits(&dominant, R(4, 9), R(4, 1)));
    assert_false(calc_fits(&three, R(4, 1, 1), R(4, 1, 0)));
    assert_true(calc_any_used_up(&dominant, R(1, 0)));
    assert_false(calc_any_used_up(&memory, R(1, 0)));
    assert_true(calc_any_above_zero(&dominant, R(0, 1)));
    assert_false(calc_any_above_zero(&memory, R(0, 1)));
}

static void free_of_calculators(void **state)
{
    (void)state;
    expect(calc_multiply(R(10, 3), 0.39), *R(3, 1));
    expect(calc_multiply(R(-10, 3), 0.39), *R(-3, 1));
    expect(calc_multiply_ceil(R(10, 3), 0.39), *R(4, 2));
    expect(calc_subtract_positive(*R(5, 1), *R(3, 2)), *R(2, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(comparisons_without_a_total),
        cmocka_unit_test(whole_operands),
        cmocka_unit_test(quotients),
        cmocka_unit_test(normalising),
        cmocka_unit_test(multiples),
        cmocka_unit_test(divided),
        cmocka_unit_test(multiplied),
        cmocka_unit_test(fitting),
        cmocka_unit_test(free_of_calculators),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
