/* SPDX-License-Identifier: Apache-2.0 */
/* conf_scheduler.c - test: capacity-scheduler.xml is loaded together with the other configuration files */
#include "tests/unit/conf/conf_fixture.h"

#include <errno.h>
#include <string.h>

#define CLASS "yarn.resourcemanager.scheduler.class"
#define CAPACITY \
    P(CLASS, "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity." \
             "CapacityScheduler")
#define FILE_NAME "capacity-scheduler.xml"
#define QUEUES "yarn.scheduler.capacity.root.queues"
#define OFFER "yarn.nodemanager.resource-type.licence"
#define PREEMPTION "yarn.resourcemanager.monitor.capacity.preemption."

static void only_the_file_of_the_active_scheduler_is_read(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf;
    char origin[CONF_ORIGIN_MAX];

    conf_write_properties(fixture, "yarn-site.xml", CAPACITY);
    conf_write_properties(fixture, FILE_NAME, P(QUEUES, "a,b"));
    conf = conf_expect(fixture);
    assert_string_equal(conf_raw(conf, QUEUES), "a,b");
    assert_non_null(strstr(conf_origin(conf, QUEUES, origin, sizeof(origin)), FILE_NAME ":2"));
    assert_string_equal(fixture->warnings, "");
    assert_int_equal(conf_file_count(conf), 2);
    conf_write_properties(fixture, "yarn-site.xml", P(CLASS, "x.FifoScheduler"));
    assert_null(conf_raw(conf_expect(fixture), QUEUES));
    conf_write_properties(fixture, "yarn-site.xml", P("which", "Capacity") P(CLASS, "${which}Scheduler"));
    assert_string_equal(conf_raw(conf_expect(fixture), QUEUES), "a,b");
}

static void without_it_there_are_defaults(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write_properties(fixture, "yarn-site.xml", CAPACITY P(QUEUES, "of-site"));
    assert_string_equal(conf_raw(conf_expect(fixture), QUEUES), "of-site");
}

static void scheduler_file_overrides_keys_that_are_not_final(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write_properties(fixture, "yarn-site.xml", CAPACITY P(QUEUES, "of-site"));
    conf_write_properties(fixture, FILE_NAME, P(QUEUES, "of-it"));
    assert_string_equal(conf_raw(conf_expect(fixture), QUEUES), "of-it");
    conf_write_properties(fixture, "yarn-site.xml", CAPACITY P_FINAL(QUEUES, "of-site"));
    assert_string_equal(conf_raw(conf_expect(fixture), QUEUES), "of-site");
    assert_string_equal(fixture->warnings,
                        "DIR/" FILE_NAME ":2: " QUEUES ": is final in DIR/yarn-site.xml:3: ignored\n");
}

static void scheduler_file_does_not_set_other_keys(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf;

    conf_write_properties(fixture, "yarn-site.xml", CAPACITY);
    conf_write_properties(fixture, FILE_NAME,
                          P("yarn.resourcemanager.hostname", "elsewhere") P("creel.nonsense", "1")
                              P("mine", "7") P(QUEUES, "q${mine}") P(PREEMPTION "observe_only", "true"));
    conf = conf_expect(fixture);
    assert_string_equal(conf_text(conf, CONF_RM_HOSTNAME), "0.0.0.0");
    assert_string_equal(conf_raw(conf, QUEUES), "q7");
    assert_true(conf_bool(conf, CONF_PREEMPT_OBSERVE_ONLY));
    assert_string_equal(fixture->warnings,
                        "DIR/" FILE_NAME ":2: yarn.resourcemanager.hostname: is not read from " FILE_NAME
                        ": ignored\n"
                        "DIR/" FILE_NAME ":3: creel.nonsense: is not read from " FILE_NAME ": ignored\n");
}

static void types_of_resources_have_files_of_their_own(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf;

    conf_write_properties(fixture, "yarn-site.xml", P("yarn.resource-types", "a") P(OFFER, "1"));
    conf_write_properties(fixture, "resource-types.xml", P("yarn.resource-types", "b") P(OFFER, "2"));
    conf_write_properties(fixture, "node-resources.xml", P("yarn.resource-types", "c") P(OFFER, "3"));
    conf = conf_expect(fixture);
    assert_string_equal(conf_text(conf, CONF_RESOURCE_TYPES), "b");
    assert_string_equal(conf_raw(conf, OFFER), "3");
    assert_string_equal(fixture->warnings,
                        "DIR/resource-types.xml:3: yarn.nodemanager.resource-type.licence: is not "
                        "read from resource-types.xml: ignored\n"
                        "DIR/node-resources.xml:2: yarn.resource-types: is not read from "
                        "node-resources.xml: ignored\n");
    conf_write_properties(fixture, "creel-site.xml", P("yarn.resource-types", "d"));
    assert_string_equal(conf_text(conf_expect(fixture), CONF_RESOURCE_TYPES), "d");
}

static void errors_of_the_scheduler_file_are_reported(void **state)
{
    struct conf_fixture *fixture = *state;

    conf_write_properties(fixture, "yarn-site.xml", CAPACITY);
    conf_write(fixture, FILE_NAME, "<configuration>\n<property>");
    conf_expect_error(fixture, EINVAL, "DIR/" FILE_NAME ":2:11: no element found: <property>");
    conf_write(fixture, FILE_NAME, "");
    conf_expect_error(fixture, EINVAL, "DIR/" FILE_NAME ":1:1: no element found");
}

static void conf_check_reads_it_too(void **state)
{
    struct conf_fixture *fixture = *state;
    struct conf *conf = NULL;
    struct err err = { .code = 0 };

    conf_write_properties(fixture, "creel-site.xml", CAPACITY);
    conf_write_properties(fixture, FILE_NAME, P(QUEUES, "a"));
    assert_int_equal(conf_check(fixture->directory, NULL, NULL, &conf, &err), 0);
    assert_string_equal(conf_raw(conf, QUEUES), "a");
    conf_free(conf);
}

static void keys_of_preemption_have_yarns_defaults(void **state)
{
    struct conf *conf = conf_expect(*state);

    assert_false(conf_bool(conf, CONF_MONITOR_ENABLED));
    assert_int_equal(conf_ms(conf, CONF_PREEMPT_INTERVAL), 3000);
    assert_int_equal(conf_int(conf, CONF_PREEMPT_WAIT_MS), 15000);
    assert_true(conf_float(conf, CONF_PREEMPT_PER_ROUND) == 0.1);
    assert_true(conf_float(conf, CONF_PREEMPT_IGNORED) == 0.1);
    assert_true(conf_float(conf, CONF_PREEMPT_TERMINATION) == 0.2);
    assert_true(conf_float(conf, CONF_PREEMPT_INTRA_THRESHOLD) == 0.5);
    assert_true(conf_float(conf, CONF_PREEMPT_INTRA_LIMIT) == 0.2);
    assert_true(conf_bool(conf, CONF_PREEMPT_INTRA_CONSERVATIVE));
    assert_false(conf_bool(conf, CONF_PREEMPT_INTRA));
    assert_string_equal(conf_text(conf, CONF_PREEMPT_INTRA_ORDER), "userlimit_first");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        conf_test(only_the_file_of_the_active_scheduler_is_read),
        conf_test(without_it_there_are_defaults),
        conf_test(scheduler_file_overrides_keys_that_are_not_final),
        conf_test(scheduler_file_does_not_set_other_keys),
        conf_test(types_of_resources_have_files_of_their_own),
        conf_test(errors_of_the_scheduler_file_are_reported),
        conf_test(conf_check_reads_it_too),
        conf_test(keys_of_preemption_have_yarns_defaults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
