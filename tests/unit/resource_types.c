/* SPDX-License-Identifier: Apache-2.0 */
/* resource_types.c - names of resources, and their units */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "common/conf/resource_types.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int load(const char *list, const char *units, struct resource_types *types, struct err *err)
{
    struct conf *conf = conf_new_defaults();
    int result;

    assert_int_equal(conf_set(conf, "yarn.resource-types", list, err), 0);
    if (units)
        assert_int_equal(conf_set(conf, "yarn.resource-types.disk.units", units, err), 0);
    result = resource_types_load(conf, types, err);
    conf_free(conf);
    return result;
}

static int index_of(const struct resource_types *types, const char *name)
{
    return resource_types_index(types, name, strlen(name));
}

static void names_have_indices(void **state)
{
    static const struct { const char *name; int index; } cases[] = {
        { "memory", 0 }, { "memory-mb", 0 }, { "memory_mb", 0 }, { "vcores", 1 }, { "vcore", 1 },
        { "yarn.io/gpu", 2 }, { "gpu", 2 }, { "disk", 3 }, { "", -1 }, { "mem", -1 },
        { "Memory", -1 }, { "disks", -1 },
    };
    struct resource_types types;
    struct err err;
    (void)state;

    assert_int_equal(load(" yarn.io/gpu , disk,memory-mb", NULL, &types, &err), 0);
    assert_int_equal(types.count, 4);
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(index_of(&types, cases[i].name), cases[i].index);
    types = resource_types_basic();
    assert_int_equal(index_of(&types, "gpu"), -1);
}

static void amounts_have_units(void **state)
{
    static const struct { int index; const char *text; int64_t amount; } cases[] = {
        { 0, "1024", 1024 }, { 0, "16Gi", 16384 }, { 0, "1048576Ki", 1024 }, { 0, "1G", 953 },
        { 0, "0", 0 }, { 1, "4", 4 }, { 1, "2k", 2000 }, { 1, "1500m", 1 }, { 2, "2Ti", 2048 },
        { 0, "-1", -1 }, { 0, "", -1 }, { 0, "Gi", -1 }, { 0, "1.5", -1 }, { 0, "5 Gi", -1 },
        { 0, "1Xi", -1 }, { 0, "9999999999999999999", -1 }, { 0, "99999999999999999999999999", -1 },
        { 0, "1048576Pi", INT64_C(1) << 50 }, { 0, "1048577Pi", -1 }, { 1, "1125899906842625", -1 },
    };
    struct resource_types types;
    struct err err;
    (void)state;

    assert_int_equal(load("disk", "Gi", &types, &err), 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t amount = -1;
        bool good = resource_types_amount(&types, cases[i].index, cases[i].text, &amount);

        if (good != (cases[i].amount >= 0) || amount != cases[i].amount)
            fail_msg("%s: %lld", cases[i].text, (long long)amount);
    }
}

static void what_is_wrong_is_said(void **state)
{
    struct resource_types types = { .count = 77 };
    struct err err;
    (void)state;

    assert_int_equal(load("a,b,a", NULL, &types, &err), -EINVAL);
    assert_string_equal(err.text, "yarn.resource-types: \"a\" is named twice");
    assert_int_equal(load("a b", NULL, &types, &err), -EINVAL);
    assert_int_equal(load("a,b,c,d,e,f,g", NULL, &types, &err), -E2BIG);
    assert_non_null(strstr(err.text, "\"g\" is one too many: at most 6"));
    assert_int_equal(load("disk", "GB", &types, &err), -EINVAL);
    assert_non_null(strstr(err.text, "yarn.resource-types.disk.units: \"GB\": expected one of"));
    assert_int_equal(types.count, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_indices),
        cmocka_unit_test(amounts_have_units),
        cmocka_unit_test(what_is_wrong_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
