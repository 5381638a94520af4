/* SPDX-License-Identifier: Apache-2.0 */
/* schedconf_fair_to_capacity.c - test: the configuration of the fair scheduler as capacity-scheduler.xml */
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "rm/schedconf/fair_to_capacity.h"

#define FAIR "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"

static void write_file(const char *directory, const char *name, const char *text)
{
    scoped_free char *path = mem_printf("%s/%s", directory, name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void write_site(const char *directory, const char *class)
{
    scoped_free char *text =
        mem_printf("<configuration><property><name>yarn.resourcemanager.scheduler.class</name>"
                   "<value>%s</value></property></configuration>",
                   class);

    write_file(directory, "yarn-site.xml", text);
}

static int unlink_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

struct result {
    char directory[32];
    char *text, *warnings; /* owned */
    size_t size;
    FILE *out;
    bool begun;
};

static void add_property(void *context, const char *name, const char *value)
{
    struct result *result = context;

    if (!result->begun)
        schedconf_xml_begin(result->out);
    result->begun = true;
    schedconf_xml_property(result->out, name, value);
}

static void add_warning(void *context, enum conf_effect effect, const char *text)
{
    struct result *result = context;
    char *longer = mem_printf("%s%s\n", result->warnings, text);

    assert_true(conf_effect_matters(effect));
    free(result->warnings);
    result->warnings = longer;
}

static void result_done(struct result *result)
{
    nftw(result->directory, unlink_entry, 4, FTW_DEPTH | FTW_PHYS);
    free(result->text);
    free(result->warnings);
}

/* Converts the allocation file ALLOCATIONS of a configuration with the scheduler CLASS. */
static int convert(const char *class, const char *allocations, struct result *result, struct err *err)
{
    struct conf *conf;
    int r;

    *result = (struct result){ .directory = "/tmp/creel-convert.XXXXXX", .warnings = mem_strdup("") };
    assert_non_null(mkdtemp(result->directory));
    write_site(result->directory, class);
    write_file(result->directory, "fair-scheduler.xml", allocations);
    assert_int_equal(conf_load(result->directory, NULL, NULL, &conf, err), 0);
    result->out = open_memstream(&result->text, &result->size);
    assert_non_null(result->out);
    r = schedconf_fair_to_capacity(conf, add_property, add_warning, result, err);
    if (result->begun)
        schedconf_xml_end(result->out);
    assert_int_equal(fclose(result->out), 0);
    conf_free(conf);
    return r;
}

/* Checks that the capacity scheduler accepts the file. */
static void is_accepted(struct result *result)
{
    struct sched_config config;
    struct err err = { 0 };
    struct conf *conf;

    write_site(result->directory, "CapacityScheduler");
    write_file(result->directory, "capacity-scheduler.xml", result->text);
    assert_int_equal(conf_load(result->directory, NULL, NULL, &conf, &err), 0);
    if (schedconf_build(conf, NULL, NULL, &config, &err) < 0)
        fail_msg("%s\n%s", err.text, result->text);
    schedconf_free(&config);
    conf_free(conf);
}

static void has(const struct result *result, const char *key, const char *value)
{
    scoped_free char *property =
        mem_printf("<name>yarn.scheduler.capacity.%s</name><value>%s</value>", key, value);

    if (strstr(result->text, property) == NULL)
        fail_msg("no %s in\n%s", property, result->text);
}

static void queues_keep_weights_limits_and_lists(void **state)
{
    static const char allocations[] =
        "<allocations>"
        "<queue name='prod'><weight>3</weight><maxRunningApps>50</maxRunningApps>"
        "<aclSubmitApps>ann,bob staff</aclSubmitApps>"
        "<queue name='etl'><weight>2.5</weight><schedulingPolicy>fifo</schedulingPolicy></queue>"
        "<queue name='web'><maxAMShare>0.25</maxAMShare>"
        "<allowPreemptionFrom>false</allowPreemptionFrom></queue>"
        "</queue>"
        "<queue name='dev'><maxResources>8192 mb, 4 vcores</maxResources>"
        "<maxContainerAllocation>2048 mb, 2 vcores</maxContainerAllocation><weight>0</weight></queue>"
        "<user name='ann'><maxRunningApps>7</maxRunningApps></user>"
        "<userMaxAppsDefault>5</userMaxAppsDefault><queueMaxAppsDefault>100</queueMaxAppsDefault>"
        "</allocations>";
    struct result result;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(convert(FAIR, allocations, &result, &err), 0);
    has(&result, "root.queues", "prod,dev,default");
    has(&result, "root.prod.queues", "etl,web");
    has(&result, "root.prod.capacity", "3w");
    has(&result, "root.prod.max-parallel-apps", "50");
    has(&result, "root.prod.acl_submit_applications", "ann,bob staff");
    has(&result, "root.prod.etl.capacity", "2.5w");
    has(&result, "root.prod.etl.ordering-policy", "fifo");
    has(&result, "root.prod.web.ordering-policy", "fair");
    has(&result, "root.prod.web.maximum-am-resource-percent", "0.25");
    has(&result, "root.prod.web.disable_preemption", "true");
    has(&result, "root.dev.capacity", "0w");
    has(&result, "root.dev.maximum-capacity", "[memory-mb=8192,vcores=4]");
    has(&result, "root.dev.maximum-allocation-mb", "2048");
    has(&result, "user.ann.max-parallel-apps", "7");
    has(&result, "user.max-parallel-apps", "5");
    has(&result, "max-parallel-apps", "100");
    is_accepted(&result);
    result_done(&result);
}

static void placement_becomes_mapping_rules(void **state)
{
    static const char allocations[] =
        "<allocations><queue name='users' type='parent'/><queue name='dev'/><queuePlacementPolicy>"
        "<rule name='specified' create='false'/>"
        "<rule name='nestedUserQueue' create='false'>"
        "<rule name='default' queue='users' create='false'/></rule>"
        "<rule name='nestedUserQueue' create='false'><rule name='primaryGroup' create='false'/></rule>"
        "<rule name='nestedUserQueue' create='false'><rule name='specified' create='false'/></rule>"
        "<rule name='secondaryGroupExistingQueue'/>"
        "<rule name='default' queue='dev'/></queuePlacementPolicy></allocations>";
    static const char *const policies[] = {
        "\"policy\":\"specified\",\"create\":false,\"fallbackResult\":\"skip\"",
        "\"policy\":\"user\",\"parentQueue\":\"root.users\",",
        "\"policy\":\"primaryGroupUser\",",
        "\"policy\":\"secondaryGroup\",",
        ("\"policy\":\"custom\",\"customPlacement\":\"root.dev\",\"create\":true,"
         "\"fallbackResult\":\"reject\""),
    };
    struct result result;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(convert(FAIR, allocations, &result, &err), 0);
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        if (strstr(result.text, policies[i]) == NULL)
            fail_msg("no %s in\n%s", policies[i], result.text);
    assert_non_null(strstr(result.warnings, "rule nestedUserQueue with this rule inside has no counterpart"));
    has(&result, "root.users.auto-queue-creation-v2.enabled", "true");
    is_accepted(&result);
    result_done(&result);
}

static void settings_without_counterpart_are_warnings(void **state)
{
    static const char allocations[] =
        "<allocations><queue name='a'><minResources>1024 mb, 1 vcores</minResources>"
        "<queue name='b'><maxResources>50%</maxResources></queue></queue>"
        "<queue name='c' type='parent'><maxChildResources>1024 mb, 1 vcores</maxChildResources></queue>"
        "<defaultFairSharePreemptionTimeout>60</defaultFairSharePreemptionTimeout></allocations>";
    static const char *const warnings[] = {
        "queue root.a: minResources",
        "queue root.a.b: maxResources: a percentage of the cluster",
        "queue root.c: maxChildResources",
        "queue root: preemption timeouts",
        "set yarn.resourcemanager.scheduler.class to CapacityScheduler",
    };
    struct result result;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(convert(FAIR, allocations, &result, &err), 0);
    for (size_t i = 0; i < sizeof(warnings) / sizeof(warnings[0]); i++)
        if (strstr(result.warnings, warnings[i]) == NULL)
            fail_msg("no warning \"%s\" in\n%s", warnings[i], result.warnings);
    is_accepted(&result);
    result_done(&result);
}

static void other_files_are_refused(void **state)
{
    struct result result;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(
        convert(FAIR, "<allocations><queue name='a'><weight>x</weight></queue></allocations>", &result, &err),
        -EINVAL);
    assert_int_equal(result.size, 0);
    result_done(&result);
    assert_int_equal(convert("CapacityScheduler", "<allocations/>", &result, &err), -EINVAL);
    assert_non_null(strstr(err.text, "expected FairScheduler"));
    assert_int_equal(result.size, 0);
    result_done(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_keep_weights_limits_and_lists),
        cmocka_unit_test(placement_becomes_mapping_rules),
        cmocka_unit_test(settings_without_counterpart_are_warnings),
        cmocka_unit_test(other_files_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
