/* SPDX-License-Identifier: Apache-2.0 */
/* base_histogram.c - test: values are counted by fixed bounds */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/base/histogram.h"

static const double bounds[] = { 0.5, 1, 10 };

static void an_empty_histogram_has_no_values(void **state)
{
    struct histogram histogram;

    (void)state;
    histogram_init(&histogram, bounds, 3);
    assert_int_equal(histogram.count, 3);
    assert_int_equal(histogram.total, 0);
    assert_true(histogram.sum >= 0 && histogram.sum <= 0);
}

static void a_value_is_in_the_first_bucket_that_is_large_enough(void **state)
{
    static const double values[] = { 0, 0.5, 0.75, 1, 10, 10.5, 1000 };
    struct histogram histogram;

    (void)state;
    histogram_init(&histogram, bounds, 3);
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        histogram_add(&histogram, values[i]);
    assert_int_equal(histogram.buckets[0], 2);
    assert_int_equal(histogram.buckets[1], 2);
    assert_int_equal(histogram.buckets[2], 1);
    assert_int_equal(histogram.total, 7);
    assert_true(histogram.sum > 1022.74 && histogram.sum < 1022.76);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_histogram_has_no_values),
        cmocka_unit_test(a_value_is_in_the_first_bucket_that_is_large_enough),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
