/* SPDX-License-Identifier: Apache-2.0 */
/* conf_variables.c - test: expansion of ${...}: keys, default values, environment, depth, cycles, size
 * limit */
#include "tests/unit/conf/conf_fixture.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/conf/substitute.h"

static const char *look_up_letters(void *context, const char *name)
{
    static const struct {
        const char *name, *value;
    } table[] = {
        { "a", "1" },
        { "b", "${a}2" },
        { "c", "${b}3" },
        { "empty", "" },
        { "dash-ed", "d" },
        { "name", "a" },
        { "self", "${self}" },
        { "left", "${right}" },
        { "right", "${left}" },
        { "grow", "x${grow}" },
        { "env.CREEL_TEST_UNSET", "a key after all" },
    };

    (void)context;
    for (size_t i = 0; i < COUNT(table); i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].value;
    return NULL;
}

static void replaced_texts(void **state)
{
    static const struct {
        const char *in, *out, *unknown;
    } cases[] = {
        { "", "", NULL },
        { "plain", "plain", NULL },
        { "${a}", "1", NULL },
        { "x${a}y${a}z", "x1y1z", NULL },
        { "${c}", "123", NULL },
        { "[${empty}]", "[]", NULL },
        { "${dash-ed}", "d", NULL },
        { "${${name}}", "1", NULL },
        { "${nobody}", "${nobody}", "nobody" },
        { "${nobody}/${a}", "${nobody}/1", "nobody" },
        { "${n1}${n2}", "${n1}${n2}", "n1" },
        { "${${nobody}}", "${${nobody}}", "nobody" },
        { "$", "$", NULL },
        { "$$", "$$", NULL },
        { "${", "${", NULL },
        { "${}", "${}", NULL },
        { "${a", "${a", NULL },
        { "$a}", "$a}", NULL },
        { "${a b}", "${a b}", NULL },
        { "$${a}", "$1", NULL },
        { "${a}}", "1}", NULL },
        { "{${a}", "{1", NULL },
        { "${ a}", "${ a}", NULL },
        { "${A}", "${A}", "A" },
        { "${env.CREEL_TEST_SET}", "value", NULL },
        { "${env.CREEL_TEST_SET:-other}", "value", NULL },
        { "${env.CREEL_TEST_SET-other}", "value", NULL },
        { "[${env.CREEL_TEST_EMPTY}]", "[]", NULL },
        { "${env.CREEL_TEST_EMPTY:-other}", "other", NULL },
        { "[${env.CREEL_TEST_EMPTY-other}]", "[]", NULL },
        { "${env.CREEL_TEST_UNSET:-other}", "other", NULL },
        { "${env.CREEL_TEST_UNSET-other}", "other", NULL },
        { "[${env.CREEL_TEST_UNSET:-}]", "[]", NULL },
        { "[${env.CREEL_TEST_UNSET-}]", "[]", NULL },
        { "${env.CREEL_TEST_UNSET:-/a-b:c}", "/a-b:c", NULL },
        { "${env.CREEL_TEST_UNSET:-${a}}", "1", NULL },
        { "${env.CREEL_TEST_UNSET}", "a key after all", NULL },
        { "${env.CREEL_TEST_GONE}", "${env.CREEL_TEST_GONE}", "env.CREEL_TEST_GONE" },
        { "${env.CREEL_TEST_KEY}", "1", NULL },
        { "${env.}", "${env.}", "env." },
        { "${env}", "${env}", "env" },
    };

    (void)state;
    setenv("CREEL_TEST_SET", "value", 1);
    setenv("CREEL_TEST_EMPTY", "", 1);
    setenv("CREEL_TEST_KEY", "${a}", 1);
    unsetenv("CREEL_TEST_UNSET");
    unsetenv("CREEL_TEST_GONE");
    for (size_t i = 0; i < COUNT(cases); i++) {
        scoped_free char *out = NULL;
        scoped_free char *unknown = NULL;

        assert_int_equal(substitute(cases[i].in, look_up_letters, NULL, &out, &unknown), 0);
        assert_string_equal(out, cases[i].out);
        if (cases[i].unknown)
            assert_string_equal(unknown, cases[i].unknown);
        else
            assert_null(unknown);
    }
}

static void circles_end(void **state)
{
    static const char *const circles[] = { "${self}", "${left}", "a${right}b", "${grow}" };

    (void)state;
    for (size_t i = 0; i < COUNT(circles); i++) {
        char *out = NULL, *unknown = NULL;

        assert_int_equal(substitute(circles[i], look_up_letters, NULL, &out, &unknown), -ELOOP);
        assert_null(out);
        assert_null(unknown);
    }
}

/* k0 = end, k1 = ${k0}, ...: k<NUMBER> needs NUMBER expansions. */
static const char *look_up_chain(void *context, const char *name)
{
    char *text = context;
    int number = (int)strtol(name + 1, NULL, 10);

    if (number == 0)
        return "end";
    snprintf(text, 16, "${k%d}", number - 1);
    return text;
}

static void twenty_rounds_and_no_more(void **state)
{
    char room[16], *out = NULL, *untouched = NULL;

    (void)state;
    assert_int_equal(substitute("${k19}", look_up_chain, room, &out, NULL), 0);
    assert_string_equal(out, "end");
    free(out);
    assert_int_equal(substitute("${k20}", look_up_chain, room, &untouched, NULL), -ELOOP);
    assert_null(untouched);
}

static const char *look_up_doubling(void *context, const char *name)
{
    (void)context, (void)name;
    return "${x}${x}0123456789";
}

static void growth_is_bounded(void **state)
{
    char *out = NULL;

    (void)state;
    assert_int_equal(substitute("${x}", look_up_doubling, NULL, &out, NULL), -EFBIG);
    assert_null(out);
}

static void many_in_one_value(void **state)
{
    scoped_free char *text = mem_alloc0(4 * 1000 + 1);
    scoped_free char *out = NULL;

    (void)state;
    for (size_t i = 0; i < 1000; i++)
        memcpy(text + 4 * i, "${a}", 4);
    assert_int_equal(substitute(text, look_up_letters, NULL, &out, NULL), 0);
    assert_int_equal(strlen(out), 1000);
    assert_int_equal(strspn(out, "1"), 1000);
}

/* --- in a whole configuration --------------------------------------------------- */

static void keys_and_defaults_of_keys(void **state)
{
    struct conf *conf = conf_expect_properties(
        *state, P("yarn.resourcemanager.hostname", " rm.example.org ") P("my.base", "/data")
                    P("creel.nodemanager.state-dir", "${my.base}/nm")
                        P("yarn.nodemanager.log-dirs", "${creel.resourcemanager.state-dir}/logs"));

    assert_string_equal(conf_text(conf, CONF_RM_CLIENT_ADDRESS), "rm.example.org:8032");
    assert_string_equal(conf_text(conf, CONF_NM_STATE_DIR), "/data/nm");
    assert_string_equal(conf_text(conf, CONF_NM_LOCAL_DIRS), "/data/nm/local");
    assert_string_equal(conf_text(conf, CONF_NM_LOG_DIRS), "/var/lib/creel/rm/logs");
    assert_string_equal(conf_raw(conf, "my.base"), "/data");
}

static void user_name_and_home(void **state)
{
    const struct passwd *me = getpwuid(geteuid());
    struct conf *conf = conf_expect_properties(*state, P("hadoop.tmp.dir", "/tmp/hadoop-${user.name}")
                                                           P("my.home", "${user.home}"));
    char expected[200];

    assert_non_null(me);
    snprintf(expected, sizeof(expected), "/tmp/hadoop-%s", me->pw_name);
    assert_string_equal(conf_raw(conf, "hadoop.tmp.dir"), expected);
    assert_string_equal(conf_raw(conf, "my.home"), me->pw_dir);
}

static void unknown_variable_is_kept_and_reported(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf = conf_expect_properties(
        fixture, P("yarn.nodemanager.log-dirs", "${yarn.log.dir}/userlogs") P("my.own", "${nobody.knows}"));

    assert_string_equal(conf_text(conf, CONF_NM_LOG_DIRS), "${yarn.log.dir}/userlogs");
    assert_string_equal(conf_raw(conf, "my.own"), "${nobody.knows}");
    assert_string_equal(
        fixture->warnings,
        "DIR/yarn-site.xml:2: yarn.nodemanager.log-dirs: \"${yarn.log.dir}/userlogs\": there is "
        "no yarn.log.dir, so it is not replaced\n");
}

static void a_number_out_of_a_variable_is_judged(void **state)
{
    conf_expect_properties_error(
        *state, P("my.memory", "much") P("yarn.scheduler.minimum-allocation-mb", "${my.memory}"),
        "DIR/yarn-site.xml:3: yarn.scheduler.minimum-allocation-mb: \"much\": expected a whole "
        "number of at least 0");
}

/* A cycle is one error that names its keys, and no further error for each default that refers to these
 * keys. A cycle among keys that no part of creel reads is no error. */
static void a_circle_names_the_key(void **state)
{
    struct conf *conf;

    conf_expect_properties_error(
        *state,
        P("yarn.resourcemanager.hostname", "${my.host}") P("my.host", "${my.other}")
            P("my.other", "${my.host}"),
        "DIR/yarn-site.xml:2: yarn.resourcemanager.hostname: \"${my.host}\": more than 20 rounds "
        "of ${...}, does it contain itself?");
    conf = conf_expect_properties(*state, P("my.host", "${my.other}") P("my.other", "${my.host}"));
    assert_string_equal(conf_raw(conf, "my.host"), "${my.other}");
}

static void a_value_that_explodes_is_an_error(void **state)
{
    conf_expect_properties_error(
        *state,
        P("a", "${b}${b}${b}${b}${b}${b}${b}${b}") P("b", "${c}${c}${c}${c}${c}${c}${c}${c}")
            P("c", "${d}${d}${d}${d}${d}${d}${d}${d}") P("d", "${e}${e}${e}${e}${e}${e}${e}${e}")
                P("e", "${f}${f}${f}${f}${f}${f}${f}${f}") P("f", "0123456789012345678901234567890123456")
                    P("creel.nodemanager.rack", "${a}"),
        "DIR/yarn-site.xml:8: creel.nodemanager.rack: \"${a}\": larger than 1 MiB when its ${...} "
        "are replaced");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaced_texts),
        cmocka_unit_test(circles_end),
        cmocka_unit_test(twenty_rounds_and_no_more),
        cmocka_unit_test(growth_is_bounded),
        cmocka_unit_test(many_in_one_value),
        conf_test(keys_and_defaults_of_keys),
        conf_test(user_name_and_home),
        conf_test(unknown_variable_is_kept_and_reported),
        conf_test(a_number_out_of_a_variable_is_judged),
        conf_test(a_circle_names_the_key),
        conf_test(a_value_that_explodes_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
