/* SPDX-License-Identifier: Apache-2.0 */
/* web_exposition.c - test: metrics in Prometheus' text format and in OpenMetrics */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/base/mem.h"
#include "web/text/exposition.h"

static const double bounds[] = { 0.5, 1, 10 };

static void is(struct exposition *exposition, const char *expected)
{
    size_t size;
    scoped_free char *text = exposition_finish(exposition, &size);

    assert_string_equal(text, expected);
}

static void samples_have_their_labels(void **state)
{
    struct exposition *exposition = exposition_new(false);

    (void)state;
    exposition_family(exposition, "apples_total", EXPOSITION_COUNTER, "Apples.");
    exposition_sample(exposition, 1.5, NULL);
    exposition_sample(exposition, 2, "color", "red", "name", "a \"b\"\\\n", NULL);
    is(exposition, "# HELP apples_total Apples.\n# TYPE apples_total counter\napples_total 1.5\n"
                   "apples_total{color=\"red\",name=\"a \\\"b\\\"\\\\\\n\"} 2\n");
}

static struct histogram histogram_of_four(void)
{
    struct histogram histogram;

    histogram_init(&histogram, bounds, 3);
    histogram_add(&histogram, 0.25);
    histogram_add(&histogram, 0.5);
    histogram_add(&histogram, 2);
    histogram_add(&histogram, 100);
    return histogram;
}

static void buckets_of_a_histogram_include_the_buckets_below(void **state)
{
    struct exposition *exposition = exposition_new(false);
    struct histogram histogram = histogram_of_four();

    (void)state;
    exposition_family(exposition, "wait_seconds", EXPOSITION_HISTOGRAM, "Wait.");
    exposition_histogram(exposition, &histogram, NULL);
    is(exposition, "# HELP wait_seconds Wait.\n# TYPE wait_seconds histogram\n"
                   "wait_seconds_bucket{le=\"0.5\"} 2\nwait_seconds_bucket{le=\"1\"} 2\n"
                   "wait_seconds_bucket{le=\"10\"} 3\nwait_seconds_bucket{le=\"+Inf\"} 4\n"
                   "wait_seconds_sum 102.75\nwait_seconds_count 4\n");
}

static void bounds_of_open_metrics_are_floating_point_numbers(void **state)
{
    struct exposition *exposition = exposition_new(true);
    struct histogram histogram = histogram_of_four();

    (void)state;
    exposition_family(exposition, "wait_seconds", EXPOSITION_HISTOGRAM, "Wait.");
    exposition_histogram(exposition, &histogram, "queue", "a", NULL);
    is(exposition,
       "# HELP wait_seconds Wait.\n# TYPE wait_seconds histogram\n"
       "wait_seconds_bucket{queue=\"a\",le=\"0.5\"} 2\nwait_seconds_bucket{queue=\"a\",le=\"1.0\"} 2\n"
       "wait_seconds_bucket{queue=\"a\",le=\"10.0\"} 3\nwait_seconds_bucket{queue=\"a\",le=\"+Inf\"} 4\n"
       "wait_seconds_sum{queue=\"a\"} 102.75\nwait_seconds_count{queue=\"a\"} 4\n# EOF\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_their_labels),
        cmocka_unit_test(buckets_of_a_histogram_include_the_buckets_below),
        cmocka_unit_test(bounds_of_open_metrics_are_floating_point_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
