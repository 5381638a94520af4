/* SPDX-License-Identifier: Apache-2.0 */
/* conf_values.c - test: accepted values of each type of key, and the error messages for invalid values */
#include "tests/unit/conf/conf_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/conf/problems.h"
#include "common/conf/value.h"

#define EXPECT_DURATION "a duration (500ms, 30s, 5m, 2h, 1d; bare: milliseconds)"
#define NM_EXPIRY "yarn.nm.liveness-monitor.expiry-interval-ms"
#define ROLL "yarn.resourcemanager.container-tokens.master-key-rolling-interval-secs"

static void every_default_is_a_value_of_its_key(void **state)
{
    struct conf *conf = conf_new_defaults();

    (void)state;
    assert_int_equal(conf_int(conf, CONF_MIN_ALLOCATION_MB), 1024);
    assert_int_equal(conf_ms(conf, CONF_NM_HEARTBEAT_INTERVAL), 1000);
    assert_int_equal(conf_ms(conf, CONF_NM_LOG_RETAIN), 10800 * 1000);
    assert_int_equal(conf_bytes(conf, CONF_FILE_SIZE_MAX), 64 << 20);
    assert_false(conf_bool(conf, CONF_ACL_ENABLE));
    assert_string_equal(conf_text(conf, CONF_RM_CLIENT_ADDRESS), "0.0.0.0:8032");
    assert_string_equal(conf_text(conf, CONF_NM_LOCAL_DIRS), "/var/lib/creel/nm/local");
    assert_string_equal(conf_text(conf, CONF_USER_KEY), "");
    assert_string_equal(conf_text(conf, CONF_LOG_LEVEL), "info");
    assert_string_equal(conf_loaded_from(conf), "");
    assert_int_equal(conf_file_count(conf), 0);
    conf_free(conf);
}

static void integers_decimal_and_hex(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        { "512", 512 },    { " 512 ", 512 }, { "\n\t512\n", 512 },
        { "0x400", 1024 }, { "0X40", 64 },   { "+1", 1 },
    };
    struct conf *conf = conf_new_defaults();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(conf_set(conf, "yarn.scheduler.minimum-allocation-mb", cases[i].text, NULL), 0);
        assert_int_equal(conf_int(conf, CONF_MIN_ALLOCATION_MB), cases[i].value);
    }
    conf_free(conf);
}

static void booleans_fall_back_with_a_warning(void **state)
{
    static const struct {
        const char *text;
        bool value;
        bool warned;
    } cases[] = {
        { "true", true, false },   { "TRUE", true, false },   { " True\n", true, false },
        { "false", false, false }, { "False", false, false }, { "yes", false, true },
        { "1", false, true },      { "truee", false, true },  { "", false, true },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[200], expected[300] = "";
        struct conf *conf;

        snprintf(text, sizeof(text), P("yarn.acl.enable", "%s"), cases[i].text);
        conf = conf_expect_properties(*state, text);
        assert_int_equal(conf_bool(conf, CONF_ACL_ENABLE), cases[i].value);
        if (cases[i].warned)
            snprintf(expected, sizeof(expected),
                     "DIR/yarn-site.xml:2: yarn.acl.enable: \"%s\": "
                     "expected true or false, so it is false\n",
                     cases[i].text);
        assert_string_equal(((struct conf_fixture *)*state)->warnings, expected);
    }
}

static void durations_and_sizes_with_suffixes(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } durations[] = {
        { "5000", 5000 },   { "5s", 5000 },      { "2m", 120000 },       { "1h", 3600000 },
        { "1d", 86400000 }, { "100000us", 100 }, { "100000000ns", 100 }, { "250ms", 250 },
    };
    static const struct {
        const char *text;
        int64_t bytes;
    } sizes[] = {
        { "1000", 1000 },  { "64k", 65536 },           { "2m", 2 << 20 },
        { "1g", 1 << 30 }, { "1t", INT64_C(1) << 40 }, { "1.5G", INT64_C(3) << 29 },
    };
    struct conf *conf = conf_new_defaults();

    (void)state;
    for (size_t i = 0; i < COUNT(durations); i++) {
        assert_int_equal(conf_set(conf, NM_EXPIRY, durations[i].text, NULL), 0);
        assert_int_equal(conf_ms(conf, CONF_NM_EXPIRY_INTERVAL), durations[i].ms);
    }
    for (size_t i = 0; i < COUNT(sizes); i++) {
        assert_int_equal(conf_set(conf, "creel.submit.file-size-max", sizes[i].text, NULL), 0);
        assert_int_equal(conf_bytes(conf, CONF_FILE_SIZE_MAX), sizes[i].bytes);
    }
    assert_int_equal(conf_set(conf, ROLL, "10", NULL), 0); /* in the key's default unit */
    assert_int_equal(conf_ms(conf, CONF_TOKEN_ROLL_INTERVAL), 10000);
    assert_int_equal(conf_set(conf, "yarn.nodemanager.log.retain-seconds", "7", NULL), 0);
    assert_int_equal(conf_ms(conf, CONF_NM_LOG_RETAIN), 7000);
    assert_int_equal(conf_set(conf, "yarn.nodemanager.sleep-delay-before-sigkill.ms", "7", NULL), 0);
    assert_int_equal(conf_ms(conf, CONF_NM_KILL_DELAY), 7);
    conf_free(conf);
}

static void choices_in_any_case(void **state)
{
    struct conf *conf = conf_new_defaults();
    static const char *const bad[] = { "", "inf", "infoo", "info warning", "warn" };
    struct err err;

    (void)state;
    assert_int_equal(conf_set(conf, "creel.log.level", "DEBUG", NULL), 0);
    assert_string_equal(conf_text(conf, CONF_LOG_LEVEL), "debug");
    assert_int_equal(conf_set(conf, "creel.log.level", "error", NULL), 0);
    assert_string_equal(conf_text(conf, CONF_LOG_LEVEL), "error");
    for (size_t i = 0; i < COUNT(bad); i++) {
        char expected[200];

        snprintf(expected, sizeof(expected),
                 "creel.log.level: \"%s\": expected one of: error warning info debug", bad[i]);
        assert_int_equal(conf_set(conf, "creel.log.level", bad[i], &err), -EINVAL);
        assert_string_equal(err.text, expected);
    }
    conf_free(conf);
}

/* A leading blank in an access list means: no users, only groups. */
static void access_lists_keep_their_first_blank(void **state)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        { "*", "*" },
        { "a,b c", "a,b c" },
        { " ops", " ops" },
        { "ops ", "ops" },
        { " ", " " },
        { "", "" },
        { "\n      alice ops\n    ", "alice ops" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[300];
        struct conf *conf;

        snprintf(text, sizeof(text),
                 P("yarn.admin.acl", "%s") P("yarn.scheduler.capacity.root.acl_submit_applications", "%s"),
                 cases[i].in, cases[i].in);
        conf = conf_expect_properties(*state, text);
        assert_string_equal(conf_text(conf, CONF_ADMIN_ACL), cases[i].out);
        assert_string_equal(conf_raw_acl(conf, "yarn.scheduler.capacity.root.acl_submit_applications"),
                            cases[i].out);
    }
}

static void error_of_a_malformed_value_names_the_expected_form(void **state)
{
    static const struct {
        const char *name, *value, *expected;
    } cases[] = {
        { "yarn.scheduler.minimum-allocation-mb", "1g", "a whole number of at least 0" },
        { "yarn.scheduler.minimum-allocation-mb", "-5", "a whole number of at least 0" },
        { "yarn.scheduler.minimum-allocation-mb", "", "a whole number of at least 0" },
        { "yarn.scheduler.minimum-allocation-mb", "1024.0", "a whole number of at least 0" },
        { "yarn.scheduler.minimum-allocation-mb", "0x", "a whole number of at least 0" },
        { "yarn.scheduler.minimum-allocation-mb", "99999999999999999999", "a whole number of at least 0" },
        { "yarn.scheduler.maximum-allocation-vcores", "1000001", "a whole number from 1 to 1000000" },
        { "yarn.nodemanager.resource.memory-mb", "-2", "a whole number of at least -1" },
        { NM_EXPIRY, "99", EXPECT_DURATION " of at least 100ms" },
        { NM_EXPIRY, "10 minutes", EXPECT_DURATION " of at least 100ms" },
        { "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "2h",
          EXPECT_DURATION " from 10ms to 1h" },
        { ROLL, "soon", "a duration (500ms, 30s, 5m, 2h, 1d; bare: seconds) of at least 1s" },
        { "creel.submit.file-size-max", "64q", "a size (512k, 64m, 2g; bare: bytes) of at least 1" },
        { "creel.submit.file-size-max", "0", "a size (512k, 64m, 2g; bare: bytes) of at least 1" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[300], expected[400];

        snprintf(text, sizeof(text),
                 "<property>\n<name>%s</name>\n<value>%s</value>\n"
                 "</property>\n",
                 cases[i].name, cases[i].value);
        snprintf(expected, sizeof(expected), "DIR/yarn-site.xml:4: %s: \"%s\": expected %s", cases[i].name,
                 cases[i].value, cases[i].expected);
        conf_expect_properties_error(*state, text, expected);
    }
}

static void a_long_or_odd_value_is_shown_short_and_clean(void **state)
{
    static const char *const key = "yarn.scheduler.minimum-allocation-mb";
    struct conf *conf = conf_new_defaults();
    char value[1000], expected[1000];
    struct err err;

    (void)state;
    memset(value, '9', sizeof(value));
    value[sizeof(value) - 1] = '\0';
    assert_int_equal(conf_set(conf, key, value, &err), -EINVAL);
    snprintf(expected, sizeof(expected), "%s: \"%.636s...\": expected a whole number of at least 0", key,
             value);
    assert_string_equal(err.text, expected);
    assert_int_equal(conf_set(conf, key, "a\x1b[31m\xff\xc3\xa9\n1", &err), -EINVAL);
    assert_string_equal(err.text, "yarn.scheduler.minimum-allocation-mb: \"a?[31m?\xc3\xa9?1\": "
                                  "expected a whole number of at least 0");
    conf_free(conf);
}

/* The path of the queue and the label have 255 bytes each. */
static void the_longest_key_is_shown_whole(void **state)
{
    char name[256], key[PROBLEMS_SHOWN_MAX], shown[PROBLEMS_SHOWN_MAX];

    (void)state;
    memset(name, 'q', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    snprintf(key, sizeof(key),
             "yarn.scheduler.capacity.%s.accessible-node-labels.%s.maximum-am-resource-percent", name, name);
    assert_string_equal(problems_show(key, shown), key);
}

static void floats_within_their_range(void **state)
{
    static const struct conf_key_info key = { "x", CONF_FLOAT, "0.5", 0, 1, "a share" };
    static const struct {
        const char *text;
        bool good;
        double value;
    } cases[] = {
        { "0", true, 0 },       { "1", true, 1 },     { "0.25", true, 0.25 }, { "1e-1", true, 0.1 },
        { "1.0001", false, 0 }, { "-0.1", false, 0 }, { "half", false, 0 },   { "", false, 0 },
        { "0.5f", false, 0 },   { "nan", false, 0 },
    };
    char text[CONF_VALUE_EXPECTED_MAX];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct conf_value value = { .real = -7 };

        assert_int_equal(conf_value_judge(&key, cases[i].text, &value), cases[i].good);
        assert_true(value.real == (cases[i].good ? cases[i].value : -7));
        free(value.text);
    }
    assert_string_equal(conf_value_expected(&key, text), "a number from 0 to 1");
}

/* A site may switch preemption off with a threshold that no cluster reaches. */
static void a_threshold_of_preemption_may_be_any_number(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        { "1.1", 1.1 },
        { "-5", -5 },
        { "1e6", 1e6 },
    };
    const struct conf_key_info *key = conf_key_info(CONF_FAIR_PREEMPTION_THRESHOLD);
    char text[CONF_VALUE_EXPECTED_MAX];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct conf_value value = { .real = -7 };

        assert_true(conf_value_judge(key, cases[i].text, &value));
        assert_true(value.real == cases[i].value);
        free(value.text);
    }
    assert_string_equal(conf_value_expected(key, text), "a number");
}

static void expected_form_is_described_for_each_type(void **state)
{
    static const struct conf_key_info text_key = { "x", CONF_TEXT, "", 0, 0, "" };
    static const struct conf_key_info bool_key = { "x", CONF_BOOL, "", 0, 0, "" };
    char text[CONF_VALUE_EXPECTED_MAX];

    (void)state;
    assert_string_equal(conf_value_expected(&text_key, text), "text");
    assert_string_equal(conf_value_expected(&bool_key, text), "true or false");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        conf_test(every_default_is_a_value_of_its_key),
        conf_test(integers_decimal_and_hex),
        conf_test(booleans_fall_back_with_a_warning),
        conf_test(durations_and_sizes_with_suffixes),
        conf_test(choices_in_any_case),
        conf_test(access_lists_keep_their_first_blank),
        conf_test(error_of_a_malformed_value_names_the_expected_form),
        conf_test(a_long_or_odd_value_is_shown_short_and_clean),
        conf_test(the_longest_key_is_shown_whole),
        conf_test(floats_within_their_range),
        conf_test(a_threshold_of_preemption_may_be_any_number),
        conf_test(expected_form_is_described_for_each_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
