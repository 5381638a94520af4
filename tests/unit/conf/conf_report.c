/* SPDX-License-Identifier: Apache-2.0 */
/* conf_report.c - test: all errors in one report, unknown keys, origins, `conf check`, `show` and `set` */
#include "tests/unit/conf/conf_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "common/conf/problems.h"

#define HOSTNAME "yarn.resourcemanager.hostname"
#define MIN_MB "yarn.scheduler.minimum-allocation-mb"
#define MAX_MB "yarn.scheduler.maximum-allocation-mb"

static void all_errors_in_the_order_of_the_files(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write_properties(fixture, "yarn-site.xml",
                          P(MIN_MB, "lots") P("creel.log.levle", "info") P(HOSTNAME, "${" HOSTNAME "}")
                              P("yarn.scheduler.maximum-allocation-vcores", "0"));
    conf_write(fixture, "creel-site.xml",
               "<configuration>\n" P("creel.log.level", "loud")
                   P("yarn.scheduler.minimum-allocation-vcores", "x") "</configuratio>");
    conf_expect_error(
        fixture, EINVAL,
        "DIR/creel-site.xml:4:3: mismatched tag: </configuratio>\n"
        "DIR/yarn-site.xml:2: " MIN_MB ": \"lots\": expected a whole number of at least 0\n"
        "DIR/yarn-site.xml:3: creel.log.levle: unknown key, did you mean creel.log.level?\n"
        "DIR/yarn-site.xml:4: " HOSTNAME ": \"${" HOSTNAME "}\": more than 20 rounds of ${...}, "
        "does it contain itself?\n"
        "DIR/yarn-site.xml:5: yarn.scheduler.maximum-allocation-vcores: \"0\": expected a whole "
        "number from 1 to 1000000\n"
        "DIR/creel-site.xml:2: creel.log.level: \"loud\": expected one of: error warning info "
        "debug\n"
        "DIR/creel-site.xml:3: yarn.scheduler.minimum-allocation-vcores: \"x\": expected a whole "
        "number from 0 to 1000000");
}

static void only_the_value_that_holds_is_judged(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write_properties(fixture, "yarn-site.xml", P(MIN_MB, "lots"));
    conf_write_properties(fixture, "creel-site.xml", P(MIN_MB, "16"));
    assert_int_equal(conf_int(conf_expect(fixture), CONF_MIN_ALLOCATION_MB), 16);
}

static void twenty_and_a_count_of_the_others(void **state)
{
    struct conf_fixture *fixture = *state;
    scoped_text_builder struct text_builder text = TEXT_BUILDER_MALLOC;
    struct conf *conf = NULL;
    struct err err = { .code = 0 };
    const char *at;
    size_t lines = 1;

    for (int i = 0; i < 50; i++)
        text_builder_printf(&text, P("creel.odd.key%d", "x"), i);
    conf_write_properties(fixture, "yarn-site.xml", text_builder_text(&text));
    assert_int_equal(conf_load(fixture->directory, NULL, NULL, &conf, &err), -EINVAL);
    for (at = err.text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 21);
    assert_non_null(strstr(err.text, "yarn-site.xml:21: creel.odd.key19: unknown key\n"));
    assert_string_equal(strrchr(err.text, '\n'), "\n... and 30 more");
}

/* Lines that are so long that fewer than twenty fit. */
static void long_lines_are_counted_too(void **state)
{
    struct problems problems = { .warn = NULL };
    struct err err;
    char line[1001];

    (void)state;
    memset(line, 'x', 1000);
    line[1000] = '\0';
    for (int i = 0; i < 10; i++)
        problem_error(&problems, EINVAL, "%s", line);
    assert_int_equal(problems_finish(&problems, &err), -EINVAL);
    assert_int_equal(strlen(err.text), 4 * 1001 - 1 + strlen("\n... and 6 more"));
    assert_string_equal(strrchr(err.text, '\n'), "\n... and 6 more");
    assert_int_equal(problems_finish(&problems, &err), 0); /* empty again */
}

static void unknown_keys(void **state)
{
    static const struct {
        const char *name, *error, *warning;
    } cases[] = {
        { "creel.nodemanager.rakc",
          "DIR/yarn-site.xml:2: creel.nodemanager.rakc: unknown key, did "
          "you mean creel.nodemanager.rack?",
          NULL },
        { "creel.x", "DIR/yarn-site.xml:2: creel.x: unknown key", NULL },
        { "creel.", "DIR/yarn-site.xml:2: creel.: unknown key", NULL },
        { "Creel.log.level", NULL, "" },
        { "creel", NULL, "" },
        { "yarn.foo", NULL, "DIR/yarn-site.xml:2: yarn.foo: unknown key, ignored\n" },
        { "yarn.resourcemanager.hostnam", NULL,
          "DIR/yarn-site.xml:2: yarn.resourcemanager.hostnam: "
          "unknown key, ignored, did you mean yarn.resourcemanager.hostname?\n" },
        { "yarn.nodemanager.resource.memory-mbs", NULL,
          "DIR/yarn-site.xml:2: "
          "yarn.nodemanager.resource.memory-mbs: has no effect here, did you mean "
          "yarn.nodemanager.resource.memory-mb?\n" },
        /* The capacity scheduler checks the names of its own keys; resource types have names from the
         * file. */
        { "yarn.scheduler.capacity.root.queues", NULL, "" },
        { "yarn.scheduler.capacity.nonsense", NULL, "" },
        { "yarn.resource-types.yarn.io/gpu.units", NULL, "" },
        { "yarn.nodemanager.resource-type.gpu", NULL, "" },
        { "yarn.scheduler.fair.am.preemption.root.dev", NULL, "" },
        { "yarn.scheduler.fair.event-log-enabled", NULL,
          "DIR/yarn-site.xml:2: "
          "yarn.scheduler.fair.event-log-enabled: \"v\": has no effect here: creel events has the events of "
          "the scheduler\n" },
        { "yarn.resourcemanager.webapp.ui-actions.enabled", NULL,
          "DIR/yarn-site.xml:2: "
          "yarn.resourcemanager.webapp.ui-actions.enabled: \"v\": has no effect here: other keys of web "
          "addresses have an effect: man creel-site.xml\n" },
        { "yarn.nodemanager.aux-services", NULL,
          "DIR/yarn-site.xml:2: "
          "yarn.nodemanager.aux-services: \"v\": has no effect here: creel runs no auxiliary services of "
          "Java: programs that need one do not find it\n" },
        { "hadoop.tmp.dir", NULL, "" },
        { "dfs.replication", NULL, "" },
        { "io.x", NULL, "" },
    };
    struct conf_fixture *fixture = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[300];

        snprintf(text, sizeof(text), "<property><name>%s</name>\n<value>v</value></property>", cases[i].name);
        if (cases[i].error) {
            conf_expect_properties_error(fixture, text, cases[i].error);
            continue;
        }
        assert_string_equal(conf_raw(conf_expect_properties(fixture, text), cases[i].name), "v");
        assert_string_equal(fixture->warnings, cases[i].warning);
    }
}

static void keys_of_yarn_have_an_effect(void **state)
{
    static const struct {
        const char *name, *value;
        enum conf_effect effect;
    } cases[] = {
        { "yarn.resourcemanager.recovery.enabled", "true", CONF_ALWAYS },
        { "yarn.resourcemanager.recovery.enabled", "false", CONF_CHANGES },
        { "yarn.resourcemanager.recovery.other", "x", CONF_NO_EFFECT },
        { "yarn.nodemanager.aux-services", "spark_shuffle", CONF_CHANGES },
        { "yarn.nodemanager.aux-services.spark_shuffle.class", "x", CONF_NO_EFFECT },
        { "yarn.timeline-service.enabled", "FALSE", CONF_ALWAYS },
        { "yarn.foo", "x", CONF_WARNING },
        { "yarn.nodemanager.vmem-check-enable", "false", CONF_WARNING }, /* probably a typing error */
        { "yarn.nodemanager.remote-app-log-dir-groupname", "x", CONF_NO_EFFECT },
        { "yarn.nodemanager.log-aggregation.roll-monitoring-interval-seconds", "3600", CONF_CHANGES },
        { "yarn.nodemanager.log-aggregation.roll-monitoring-interval-seconds.min", "3600", CONF_NO_EFFECT },
    };
    struct conf_fixture *fixture = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[300];

        snprintf(text, sizeof(text), P("%s", "%s"), cases[i].name, cases[i].value);
        conf_expect_properties(fixture, text);
        assert_int_equal(fixture->effect, cases[i].effect);
    }
}

static void unknown_key_in_two_files_is_reported_once(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write_properties(fixture, "yarn-site.xml", P("yarn.foo", "1") P("yarn.foo", "2"));
    conf_write_properties(fixture, "creel-site.xml", P("yarn.foo", "3"));
    conf_expect(fixture);
    assert_string_equal(fixture->warnings, "DIR/creel-site.xml:2: yarn.foo: unknown key, ignored\n");
}

static void a_minimum_above_its_maximum(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_expect_properties_error(fixture, P(MIN_MB, "9000"),
                                 "DIR/yarn-site.xml:2: " MIN_MB ": 9000 is above " MAX_MB ", 8192 (default)");
    conf_expect_properties_error(fixture, P(MAX_MB, "512"),
                                 MIN_MB ": 1024 is above " MAX_MB ", 512 (DIR/yarn-site.xml:2)");
    conf_expect_properties_error(fixture,
                                 P(MAX_MB, "512") P(MIN_MB, "1k") P(MIN_MB, "0x201")
                                     P("yarn.scheduler.minimum-allocation-vcores", "6"),
                                 "DIR/yarn-site.xml:4: " MIN_MB ": 513 is above " MAX_MB
                                 ", 512 (DIR/yarn-site.xml:2)\n"
                                 "DIR/yarn-site.xml:5: yarn.scheduler.minimum-allocation-vcores: 6 is above "
                                 "yarn.scheduler.maximum-allocation-vcores, 4 (default)");
    conf_expect_properties(fixture, P(MIN_MB, "512") P(MAX_MB, "512"));
}

#define REMEDY \
    ": make it, or name the one that has yarn-site.xml or creel-site.xml with --conf or CREEL_CONF_DIR"

static void directories(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf = NULL;
    struct err err;
    char expected[400];

    assert_int_equal(conf_load(conf_path(fixture, "none"), NULL, NULL, &conf, &err), -ENOENT);
    snprintf(expected, sizeof(expected), "configuration directory %s: No such file or directory" REMEDY,
             conf_path(fixture, "none"));
    assert_string_equal(err.text, expected);
    conf_write(fixture, "file", "x");
    assert_int_equal(conf_load(conf_path(fixture, "file"), NULL, NULL, &conf, &err), -ENOTDIR);
    snprintf(expected, sizeof(expected), "configuration directory %s: Not a directory" REMEDY,
             conf_path(fixture, "file"));
    assert_string_equal(err.text, expected);
    assert_null(conf);
}

static void check_without_a_file_is_refused(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf = NULL;
    struct err err;
    char expected[400];

    conf_write(fixture, "core-site.xml", "<configuration/>");
    assert_int_equal(conf_check(fixture->directory, NULL, NULL, &conf, &err), -ENOENT);
    snprintf(expected, sizeof(expected),
             "configuration directory %s: has neither yarn-site.xml "
             "nor creel-site.xml: creel setup makes a configuration",
             fixture->directory);
    assert_string_equal(err.text, expected);
    assert_int_equal(conf_check(conf_path(fixture, "none"), NULL, NULL, &conf, &err), -ENOENT);
    assert_null(conf);
    conf_write(fixture, "creel-site.xml", "<configuration/>");
    assert_int_equal(conf_check(fixture->directory, NULL, NULL, &conf, &err), 0);
    assert_int_equal(conf_file_count(conf), 1);
    conf_free(conf);
}

static void which_directory(void **state)
{
    (void)state;
    unsetenv("CREEL_CONF_DIR");
    unsetenv("YARN_CONF_DIR");
    unsetenv("HADOOP_CONF_DIR");
    assert_string_equal(conf_directory(NULL), "/etc/creel");
    setenv("HADOOP_CONF_DIR", "/hadoop", 1);
    assert_string_equal(conf_directory(NULL), "/hadoop");
    setenv("YARN_CONF_DIR", "/yarn", 1);
    assert_string_equal(conf_directory(NULL), "/yarn");
    setenv("CREEL_CONF_DIR", "", 1);
    assert_string_equal(conf_directory(NULL), "/yarn");
    setenv("CREEL_CONF_DIR", "/creel", 1);
    assert_string_equal(conf_directory(NULL), "/creel");
    assert_string_equal(conf_directory("flag"), "flag");
}

static void origins(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf;
    char text[CONF_ORIGIN_MAX];
    char *shown;

    conf_write_properties(fixture, "yarn-site.xml", P(HOSTNAME, "a") P("x.y", "1"));
    conf_write_properties(fixture, "creel-site.xml",
                          "<property>\n<name>" HOSTNAME "</name>\n\n<value>b</value></property>");
    conf = conf_expect(fixture);
    shown = conf_with_dir(fixture, conf_origin(conf, HOSTNAME, text, sizeof(text)));
    assert_string_equal(shown, "DIR/creel-site.xml:5");
    free(shown);
    shown = conf_with_dir(fixture, conf_origin(conf, "x.y", text, sizeof(text)));
    assert_string_equal(shown, "DIR/yarn-site.xml:3");
    free(shown);
    assert_string_equal(conf_origin(conf, MIN_MB, text, sizeof(text)), "default");
    assert_string_equal(conf_origin(conf, "nobody.knows", text, sizeof(text)), "unset");
    assert_int_equal(conf_set(conf, MIN_MB, "16", NULL), 0);
    assert_string_equal(conf_origin(conf, MIN_MB, text, sizeof(text)), "set");
    assert_string_equal(conf_origin(conf, MIN_MB, text, 3), "se");
}

struct listing {
    size_t count;
    char *others;
};

static void list(void *context, const char *name, const char *value, const char *origin)
{
    struct listing *listing = context;

    if (listing->count++ < CONF_KEY_COUNT) {
        assert_string_equal(name, conf_key_info((enum conf_key)(listing->count - 1))->name);
        assert_non_null(value);
        return;
    }
    assert_non_null(strstr(origin, "/yarn-site.xml:"));
    if (listing->others) {
        char *longer = mem_printf("%s %s=%s", listing->others, name, value);

        free(listing->others);
        listing->others = longer;
    }
}

static void every_key_and_then_the_others_by_name(void **state)
{
    struct listing listing = { .others = mem_strdup("") };
    struct conf *conf =
        conf_expect_properties(*state, P("z.z", " 1 ") P("a.a", "${z.z}") P(HOSTNAME, "h") P("m.m", "3"));

    conf_each(conf, list, &listing);
    assert_int_equal(listing.count, CONF_KEY_COUNT + 3);
    assert_string_equal(listing.others, " a.a=1 m.m=3 z.z=1");
    free(listing.others);
    assert_string_equal(conf_show(conf, HOSTNAME), "h");
    assert_string_equal(conf_show(conf, "yarn.resourcemanager.address"), "h:8032");
    assert_string_equal(conf_show(conf, "a.a"), "1");
    assert_null(conf_show(conf, "b.b"));
}

static void keys_by_name(void **state)
{
    enum conf_key key = CONF_KEY_COUNT;

    (void)state;
    assert_false(conf_key_find("yarn.nothing", &key));
    assert_int_equal(key, CONF_KEY_COUNT);
    for (unsigned i = 0; i < CONF_KEY_COUNT; i++) {
        assert_true(conf_key_find(conf_key_info((enum conf_key)i)->name, &key));
        assert_int_equal(key, i); /* otherwise a name is in the table twice */
    }
}

static void near_keys(void **state)
{
    static const struct {
        const char *name, *nearest;
    } cases[] = {
        { "creel.log.level", "creel.log.level" },
        { "creel.log.levels", "creel.log.level" },
        { "creel.log.lvel", "creel.log.level" },
        { "creel.submit.task-max", "creel.submit.tasks-max" },
        { "creel.submit.file-size", "creel.submit.file-size-max" },
        { "", NULL },
        { "x", NULL },
        { "creel.completely.different", NULL },
    };
    char endless[1000];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *nearest = conf_key_nearest(cases[i].name, 5);

        if (cases[i].nearest == NULL)
            assert_null(nearest);
        else
            assert_string_equal(nearest, cases[i].nearest);
    }
    assert_null(conf_key_nearest("creel.log.levle", 1));
    memset(endless, 'x', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    assert_null(conf_key_nearest(endless, 5));
}

static void setting(void **state)
{
    struct conf *conf = conf_expect_properties(*state, P_FINAL(HOSTNAME, "a") P("x.y", "1"));
    struct err err = { .code = 0 };

    assert_int_equal(conf_set(conf, " " HOSTNAME "\n", "b", &err), 0); /* overrides a final value */
    assert_string_equal(conf_text(conf, CONF_RM_CLIENT_ADDRESS), "b:8032");
    assert_int_equal(conf_set(conf, HOSTNAME, "${x.y}", &err), 0);
    assert_int_equal(conf_set(conf, "x.y", "2", &err), 0);
    assert_string_equal(conf_text(conf, CONF_RM_CLIENT_ADDRESS), "2:8032");
    assert_int_equal(conf_set(conf, "any.thing", "v", &err), 0);
    assert_string_equal(conf_raw(conf, "any.thing"), "v");
    assert_int_equal(conf_set(conf, "yarn.not.known", "v", &err), 0);
    assert_int_equal(err.code, 0);
}

static void invalid_setting_changes_nothing(void **state)
{
    struct conf *conf = conf_expect_properties(*state, P(HOSTNAME, "${x.y}") P("x.y", "1"));
    struct err err = { .code = 0 };
    char text[CONF_ORIGIN_MAX];

    assert_int_equal(conf_set(conf, MIN_MB, "many", &err), -EINVAL);
    assert_string_equal(err.text, MIN_MB ": \"many\": expected a whole number of at least 0");
    assert_int_equal(conf_int(conf, CONF_MIN_ALLOCATION_MB), 1024);
    assert_string_equal(conf_origin(conf, MIN_MB, text, sizeof(text)), "default");
    assert_int_equal(conf_set(conf, "creel.log.levle", "info", &err), -EINVAL);
    assert_string_equal(err.text, "creel.log.levle: unknown key, did you mean creel.log.level?");
    assert_null(conf_raw(conf, "creel.log.levle"));
    assert_int_equal(conf_set(conf, "x.y", "${" HOSTNAME "}", &err), -EINVAL); /* a cycle */
    assert_string_equal(conf_text(conf, CONF_RM_CLIENT_ADDRESS), "1:8032");
    assert_string_equal(conf_raw(conf, "x.y"), "1");
    assert_int_equal(conf_set(conf, MIN_MB, "9000", &err), 0);
    assert_int_equal(conf_verify(conf, &err), -EINVAL);
    assert_string_equal(err.text, MIN_MB ": 9000 is above " MAX_MB ", 8192 (default)");
    assert_int_equal(conf_set(conf, MAX_MB, "9000", &err), 0);
    assert_int_equal(conf_verify(conf, &err), 0);
}

static void reading_from_memory(void **state)
{
    static const char text[] = "<configuration>" P(HOSTNAME, "m") "</configuration>";
    struct conf *conf = NULL;
    struct err err;
    char origin[CONF_ORIGIN_MAX];

    (void)state;
    assert_int_equal(conf_load_buffer("site", text, strlen(text), NULL, NULL, &conf, &err), 0);
    assert_string_equal(conf_text(conf, CONF_RM_HOSTNAME), "m");
    assert_string_equal(conf_origin(conf, HOSTNAME, origin, sizeof(origin)), "site:1");
    conf_free(conf);
    conf = NULL;
    assert_int_equal(conf_load_buffer("site", text, 20, NULL, NULL, &conf, &err), -EINVAL);
    assert_null(conf);
    conf_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        conf_test(all_errors_in_the_order_of_the_files),
        conf_test(only_the_value_that_holds_is_judged),
        conf_test(twenty_and_a_count_of_the_others),
        conf_test(long_lines_are_counted_too),
        conf_test(unknown_keys),
        conf_test(keys_of_yarn_have_an_effect),
        conf_test(unknown_key_in_two_files_is_reported_once),
        conf_test(a_minimum_above_its_maximum),
        conf_test(directories),
        conf_test(check_without_a_file_is_refused),
        conf_test(which_directory),
        conf_test(origins),
        conf_test(every_key_and_then_the_others_by_name),
        conf_test(keys_by_name),
        conf_test(near_keys),
        conf_test(setting),
        conf_test(invalid_setting_changes_nothing),
        conf_test(reading_from_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
