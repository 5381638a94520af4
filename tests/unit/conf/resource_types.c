/* SPDX-License-Identifier: Apache-2.0 */
/* resource_types.c - test: names of resource types, and conversion of their units */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
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
    static const struct {
        const char *name;
        int index;
    } cases[] = {
        { "memory", 0 }, { "memory-mb", 0 },   { "memory_mb", 0 }, { "vcores", 1 },
        { "vcore", 1 },  { "yarn.io/gpu", 2 }, { "gpu", 2 },       { "disk", 3 },
        { "", -1 },      { "mem", -1 },        { "Memory", -1 },   { "disks", -1 },
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
    static const struct {
        int index;
        const char *text;
        int64_t amount;
    } cases[] = {
        { 0, "1024", 1024 },
        { 0, "16Gi", 16384 },
        { 0, "1048576Ki", 1024 },
        { 0, "1G", 953 },
        { 0, "0", 0 },
        { 1, "4", 4 },
        { 1, "2k", 2000 },
        { 1, "1500m", 1 },
        { 2, "2Ti", 2048 },
        { 0, "-1", -1 },
        { 0, "", -1 },
        { 0, "Gi", -1 },
        { 0, "1.5", -1 },
        { 0, "5 Gi", -1 },
        { 0, "1Xi", -1 },
        { 0, "9999999999999999999", -1 },
        { 0, "99999999999999999999999999", -1 },
        { 0, "1048576Pi", INT64_C(1) << 50 },
        { 0, "1048577Pi", -1 },
        { 1, "1125899906842625", -1 },
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

static void configuration_errors_are_reported(void **state)
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

static struct conf *conf_of(const char *const pairs[][2], size_t count)
{
    struct conf *conf = conf_new_defaults();
    struct err err;

    for (size_t i = 0; i < count; i++)
        assert_int_equal(conf_set(conf, pairs[i][0], pairs[i][1], &err), 0);
    return conf;
}

static int limits(const char *least, const char *most, struct resource *minimum, struct resource *maximum,
                  struct err *err)
{
    const char *const pairs[][2] = {
        { "yarn.resource-types", "licence,disk" },
        { "yarn.resource-types.disk.units", "Gi" },
        { "yarn.resource-types.disk.minimum-allocation", least },
        { "yarn.resource-types.disk.maximum-allocation", most },
    };
    struct conf *conf = conf_of(pairs, COUNT(pairs));
    struct resource_types types;
    int result;

    assert_int_equal(resource_types_load(conf, &types, err), 0);
    result = resource_types_load_limits(conf, &types, minimum, maximum, err);
    conf_free(conf);
    return result;
}

static void limits_are_in_the_types_unit(void **state)
{
    struct resource minimum = resource_of(1, 1), maximum = resource_of(2, 2);
    struct err err;
    (void)state;

    assert_int_equal(limits("2", "1Ti", &minimum, &maximum, &err), 0);
    assert_int_equal(minimum.value[RESOURCE_MEMORY_MB], 1);
    assert_int_equal(minimum.value[2], 0);
    assert_true(maximum.value[2] == RESOURCE_OTHERS_MAX);
    assert_int_equal(minimum.value[3], 2);
    assert_int_equal(maximum.value[3], 1024);
    assert_int_equal(limits("2", "1", &minimum, &maximum, &err), -EINVAL);
    assert_string_equal(err.text, "yarn.resource-types.disk.minimum-allocation: 2Gi is above the "
                                  "maximum-allocation, 1Gi");
    assert_int_equal(limits("-1", "1", &minimum, &maximum, &err), -EINVAL);
    assert_non_null(strstr(err.text, "minimum-allocation: \"-1\": expected a whole number"));
}

static int offers(const char *key, const char *value, struct resource_offers *ret, struct err *err)
{
    const char *const pairs[][2] = {
        { "yarn.resource-types.disk.units", "Gi" },
        { key, value },
    };
    struct conf *conf = conf_of(pairs, COUNT(pairs));
    int result = resource_types_load_offers(conf, ret, err);

    conf_free(conf);
    return result;
}

static void a_node_offers_the_amounts_of_its_keys(void **state)
{
    static const struct {
        const char *key, *value, *name;
        int64_t amount;
        const char *unit;
    } cases[] = {
        { "licence", "4", "licence", 4, "" },
        { "licence", "2k", "licence", 2, "k" },
        { "disk", "10", "disk", 10, "Gi" },
        { "disk", "512 Mi", "disk", 512, "Mi" },
        { "yarn.io/gpu", "0", "yarn.io/gpu", 0, "" },
        { "licence", "-1", NULL, 0, "" },
        { "licence", "", NULL, 0, "" },
        { "licence", "4 of them", NULL, 0, "" },
        { "licence", "1.5", NULL, 0, "" },
        { "licence", "9223372036854775808", NULL, 0, "" },
        { "", "4", NULL, 0, "" },
        { "memory-mb", "4096", NULL, 0, "" },
        { "vcores", "4", NULL, 0, "" },
    };
    struct err err;
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct resource_offers got = { .count = 77 };
        char key[128];
        int result;

        snprintf(key, sizeof(key), "yarn.nodemanager.resource-type.%s", cases[i].key);
        result = offers(key, cases[i].value, &got, &err);
        if (cases[i].name == NULL) {
            if (result != -EINVAL || got.count != 77)
                fail_msg("%s=%s was taken", key, cases[i].value);
            continue;
        }
        assert_int_equal(result, 0);
        assert_int_equal(got.count, 1);
        assert_string_equal(got.offer[0].name, cases[i].name);
        assert_int_equal(got.offer[0].amount, cases[i].amount);
        assert_string_equal(got.offer[0].unit, cases[i].unit);
    }
}

static void memory_and_vcores_keep_their_units(void **state)
{
    static const char *const good[][2] = { { "yarn.resource-types.memory-mb.units", "Mi" } };
    static const char *const bad[][2] = { { "yarn.resource-types.memory-mb.units", "Gi" } };
    struct conf *conf = conf_of(good, 1);
    struct resource_types types;
    struct err err;
    (void)state;

    assert_int_equal(resource_types_load(conf, &types, &err), 0);
    conf_free(conf);
    conf = conf_of(bad, 1);
    assert_int_equal(resource_types_load(conf, &types, &err), -EINVAL);
    assert_non_null(strstr(err.text, "the unit of memory-mb is \"Mi\", always"));
    conf_free(conf);
}

static void units_are_converted_and_cut_off(void **state)
{
    static const struct {
        int64_t amount;
        const char *from, *to;
        int64_t result; /* -1: not representable */
    } cases[] = {
        { 5, "", "", 5 },     { 5, "Gi", "Mi", 5120 }, { 5, "Mi", "Gi", 0 }, { 1536, "Mi", "Gi", 1 },
        { 1, "k", "", 1000 }, { 1, "Ki", "k", 1 },     { 1500, "m", "", 1 }, { 1, "P", "p", -1 },
        { -1, "", "", -1 },   { 1, "GB", "", -1 },     { 1, "", "GB", -1 },
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t result = -1;

        (void)resource_unit_convert(cases[i].amount, cases[i].from, cases[i].to, &result);
        if (result != cases[i].result)
            fail_msg("%lld%s in %s: %lld", (long long)cases[i].amount, cases[i].from, cases[i].to,
                     (long long)result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_indices),
        cmocka_unit_test(amounts_have_units),
        cmocka_unit_test(configuration_errors_are_reported),
        cmocka_unit_test(limits_are_in_the_types_unit),
        cmocka_unit_test(a_node_offers_the_amounts_of_its_keys),
        cmocka_unit_test(memory_and_vcores_keep_their_units),
        cmocka_unit_test(units_are_converted_and_cut_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
