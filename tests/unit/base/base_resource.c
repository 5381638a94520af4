/* SPDX-License-Identifier: Apache-2.0 */
/* base_resource.c - test: resource vectors: saturating sums, comparison by type, YARN's text format */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "common/base/resource.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void sums_saturate(void **state)
{
    static const struct {
        int64_t a, b, sum, difference;
    } cases[] = {
        { 1, 2, 3, -1 },
        { 0, 0, 0, 0 },
        { -5, 3, -2, -8 },
        { INT64_MAX, 1, INT64_MAX, INT64_MAX - 1 },
        { INT64_MAX, -1, INT64_MAX - 1, INT64_MAX },
        { INT64_MIN, -1, INT64_MIN, INT64_MIN + 1 },
        { INT64_MIN, 1, INT64_MIN + 1, INT64_MIN },
        { INT64_MIN, INT64_MIN, INT64_MIN, 0 },
        { 0, INT64_MIN, INT64_MIN, INT64_MAX },
        { INT64_MAX, INT64_MAX, INT64_MAX, 0 },
        { INT64_MIN, INT64_MAX, -1, INT64_MIN },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t type = 0; type < RESOURCE_TYPES_MAX; type++) {
            struct resource a = { .value = { 0 } }, b = { .value = { 0 } }, got;

            a.value[type] = cases[i].a;
            b.value[type] = cases[i].b;
            got = resource_add(a, b);
            assert_true(got.value[type] == cases[i].sum);
            got.value[type] = 0;
            assert_true(resource_is_zero(&got));
            got = resource_subtract(a, b);
            assert_true(got.value[type] == cases[i].difference);
        }
}

static void least_and_most(void **state)
{
    struct resource a = resource_of(1, 8), b = resource_of(4, 2), got;
    struct resource low = resource_of(1, 2), high = resource_of(4, 8);

    (void)state;
    got = resource_min(a, b);
    assert_true(resource_equal(&got, &low));
    got = resource_max(a, b);
    assert_true(resource_equal(&got, &high));
}

static void fitting(void **state)
{
    struct resource room = resource_of(1024, 2), small;

    (void)state;
    assert_true(resource_fits(&room, &room));
    small = resource_of(1025, 1);
    assert_false(resource_fits(&small, &room));
    small = resource_of(1, 3);
    assert_false(resource_fits(&small, &room));
    small = resource_of(-1, 0);
    assert_true(resource_fits(&small, &room));
    small = resource_of(1, 1);
    small.value[RESOURCE_TYPES_MAX - 1] = 1; /* a type that the node does not have */
    assert_false(resource_fits(&small, &room));
}

static void asking(void **state)
{
    struct resource r = resource_of(0, 0);

    (void)state;
    assert_true(resource_is_zero(&r));
    assert_false(resource_any_negative(&r));
    r.value[RESOURCE_TYPES_MAX - 1] = -1;
    assert_false(resource_is_zero(&r));
    assert_true(resource_any_negative(&r));
}

static void spelling(void **state)
{
    char text[RESOURCE_TEXT_MAX];
    struct resource r = resource_of(1024, 1);

    (void)state;
    assert_string_equal(resource_format(&r, text), "<memory:1024, vCores:1>");
    r.value[2] = 3;
    r.value[7] = -4;
    assert_string_equal(resource_format(&r, text), "<memory:1024, vCores:1, type2:3, type7:-4>");
    for (size_t i = 0; i < RESOURCE_TYPES_MAX; i++)
        r.value[i] = INT64_MIN;
    resource_format(&r, text); /* the longest possible text */
    assert_string_equal(strstr(text, "type7"), "type7:-9223372036854775808>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_saturate), cmocka_unit_test(least_and_most), cmocka_unit_test(fitting),
        cmocka_unit_test(asking),        cmocka_unit_test(spelling),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
