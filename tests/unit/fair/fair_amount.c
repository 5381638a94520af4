/* SPDX-License-Identifier: Apache-2.0 */
/* fair_amount.c - test: fair scheduler: resource amounts in the syntax of fair-scheduler.xml */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rm/sched/fair/amount.h"

static const struct resource cluster = { .value = { 10000, 100, 10 } };

static struct resource_types types(void)
{
    struct resource_types some = resource_types_basic();

    some.type[some.count++] = (struct resource_type){ .name = "yarn.io/gpu" };
    return some;
}

static void test_amounts(void **state)
{
    static const struct {
        const char *text;
        int64_t missing, memory, vcores, gpu;
    } cases[] = {
        { "1024 mb, 2 vcores", 0, 1024, 2, 0 },
        { "1024mb,2vcores", 0, 1024, 2, 0 },
        { "2 VCores,1024 MB", 0, 1024, 2, 0 },
        { "4096 mb 1 vcores", FAIR_UNBOUNDED, 4096, 1, FAIR_UNBOUNDED },
        { " 1024.9 mb , 2.5 vcores ", 0, 1024, 2, 0 },
        { "0 mb, 0 vcores", 0, 0, 0, 0 },
        { "memory-mb=1024, vcores=2, yarn.io/gpu=1", 0, 1024, 2, 1 },
        { "vcores = 2 ,memory-mb = 1024,", FAIR_UNBOUNDED, 1024, 2, FAIR_UNBOUNDED },
        { "vcores=2", 0, 0, 2, 0 },
        { "vcores=2", FAIR_UNBOUNDED, FAIR_UNBOUNDED, 2, FAIR_UNBOUNDED },
        { "50%", FAIR_UNBOUNDED, 5000, 50, 5 },
        { "12.5 %", FAIR_UNBOUNDED, 1250, 12, 1 },
        { "0%", FAIR_UNBOUNDED, 0, 0, 0 },
        { "200%", FAIR_UNBOUNDED, 20000, 200, 20 },
        { "50% memory, 25% cpu", FAIR_UNBOUNDED, 5000, 25, 10 },
        { "25 % CPU,50.0% Memory", FAIR_UNBOUNDED, 5000, 25, 10 },
        { "50% memory 25% cpu", FAIR_UNBOUNDED, 5000, 25, 10 },
        { "memory-mb=50.0%, vcores=25%", FAIR_UNBOUNDED, 5000, 25, 10 },
        { "vcores=25%", FAIR_UNBOUNDED, 10000, 25, 10 },
        { "33.333%", FAIR_UNBOUNDED, 3333, 33, 3 },
    };
    const struct resource_types some = types();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fair_amount amount;
        struct resource r;
        char *rest;
        struct err err;

        if (fair_amount_parse(&some, cases[i].text, cases[i].missing, &amount, &rest, &err) < 0)
            fail_msg("%s: %s", cases[i].text, err.text);
        assert_null(rest);
        r = fair_amount_resolve(&amount, &cluster);
        assert_int_equal(r.value[0], cases[i].memory);
        assert_int_equal(r.value[1], cases[i].vcores);
        assert_int_equal(r.value[2], cases[i].gpu);
    }
}

static void test_amounts_refused(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        { "", "is empty" },
        { "  ", "is empty" },
        { "1024", "\"mb\" is missing" },
        { "1024 mb", "\"vcores\" is missing: expected \"1024 mb, 2 vcores\"" },
        { "2 vcores", "\"mb\" is missing" },
        { "mb, vcores", "\"mb\" is missing" },
        { "-1 mb, 2 vcores", "mb: -1 is below 0" },
        { "1 mb, -2 vcores", "vcores: -2 is below 0" },
        { "99999999999999999999 mb, 1 vcores", "is too large" },
        { "memory-mb=-1", "\"-1\": expected a whole number from 0" },
        { "memory-mb=x", "expected a whole number from 0" },
        { "memory-mb=50%, vcores=2", "vcores: \"2\": expected a percentage" },
        { "memory-mb=-5%", "expected a percentage" },
        { "memory-mb=%", "expected a percentage" },
        { "disks=1", "\"disks\" is no resource" },
        { "=1", "\"\" is no resource" },
        { "memory-mb=1,,vcores=2", "expected <resource>=<amount>" },
        { "memory-mb=1,vcores", "\"vcores\": expected <resource>=<amount>" },
        { "%", "\"%\" is missing" },
        { "-5%", "-5% is below 0" },
        { "50% memory", "\"% cpu\" is missing" },
        { "50%, 25%", "\"% memory\" is missing" },
    };
    const struct resource_types some = types();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fair_amount amount;
        char *rest;
        struct err err;

        if (fair_amount_parse(&some, cases[i].text, 0, &amount, &rest, &err) == 0)
            fail_msg("\"%s\": was taken", cases[i].text);
        if (strstr(err.text, cases[i].part) == NULL)
            fail_msg("\"%s\" is not in: %s", cases[i].part, err.text);
    }
}

/* Text after the numbers is ignored as in YARN, but gives a warning. */
static void test_rest(void **state)
{
    const struct resource_types some = types();
    struct fair_amount amount;
    char *rest;

    (void)state;
    assert_int_equal(fair_amount_parse(&some, "1 mb, 2 vcores, 3 disks", 0, &amount, &rest, NULL), 0);
    assert_string_equal(rest, "3 disks");
    free(rest);
    assert_int_equal(fair_amount_parse(&some, "50% of it", 0, &amount, &rest, NULL), 0);
    assert_string_equal(rest, "of it");
    free(rest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amounts),
        cmocka_unit_test(test_amounts_refused),
        cmocka_unit_test(test_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
