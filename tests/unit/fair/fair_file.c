/* SPDX-License-Identifier: Apache-2.0 */
/* fair_file.c - test: fair scheduler: the allocation file: accepted, ignored and refused elements */
#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rm/sched/fair/access.h"
#include "rm/sched/fair/allocations.h"

#define NAME "fair-scheduler.xml"

static char warnings[8000];
static const struct resource cluster = { .value = { 10000, 100, 10 } };

static void append_warning(void *context, enum conf_effect effect, const char *text)
{
    size_t used = strlen(warnings);

    (void)context;
    assert_int_equal(effect, CONF_WARNING);
    snprintf(warnings + used, sizeof(warnings) - used, "%s\n", text);
}

static struct fair_options options(void)
{
    struct fair_options some = {
        .types = resource_types_basic(),
        .user_as_default_queue = true,
        .allow_undeclared_pools = true,
    };

    some.types.type[some.types.count++] = (struct resource_type){ .name = "yarn.io/gpu" };
    return some;
}

static int load(const char *text, struct fair_allocations **ret, struct err *err)
{
    struct fair_options some = options();

    warnings[0] = '\0';
    return fair_allocations_load(NAME, text, strlen(text), &some, append_warning, NULL, ret, err);
}

/* Reads an allocation file with BODY inside <allocations>; BODY starts at line 2. */
static struct fair_allocations *read_body(const char *body)
{
    char text[8000];
    struct fair_allocations *allocations;
    struct err err;

    snprintf(text, sizeof(text), "<allocations>\n%s</allocations>\n", body);
    if (load(text, &allocations, &err) < 0)
        fail_msg("%s", err.text);
    return allocations;
}

static const struct fair_settings *queue(const struct fair_allocations *allocations, const char *path)
{
    const struct fair_settings *settings = fair_allocations_find(allocations, path);

    if (settings == NULL)
        fail_msg("%s is not there", path);
    return settings;
}

#define assert_part(text, part) \
    do { \
        if (strstr((text), (part)) == NULL) \
            fail_msg("\"%s\" is not in: %s", (part), (text)); \
    } while (0)

static void test_elements(void **state)
{
    struct fair_allocations *allocations =
        read_body("<queue name=' dev '>\n"
                  "  <minResources>1024 mb, 2 vcores</minResources>\n"
                  "  <maxResources>50%</maxResources>\n"
                  "  <maxRunningApps> 7 </maxRunningApps>\n"
                  "  <maxAMShare>0.2</maxAMShare>\n"
                  "  <weight>2.5</weight>\n"
                  "  <schedulingPolicy>FIFO</schedulingPolicy>\n"
                  "  <aclSubmitApps>alice dev</aclSubmitApps>\n"
                  "  <minSharePreemptionTimeout>30</minSharePreemptionTimeout>\n"
                  "  <fairSharePreemptionTimeout>40</fairSharePreemptionTimeout>\n"
                  "  <fairSharePreemptionThreshold>0.25</fairSharePreemptionThreshold>\n"
                  "  <maxContainerAllocation>vcores=3</maxContainerAllocation>\n"
                  "  <allowPreemptionFrom>False</allowPreemptionFrom>\n"
                  "</queue>\n"
                  "<user name='alice'><maxRunningApps>3</maxRunningApps></user>\n"
                  "<userMaxAppsDefault>5</userMaxAppsDefault>\n");
    const struct fair_settings *dev = queue(allocations, "root.dev");

    (void)state;
    assert_string_equal(warnings, "");
    assert_true(dev->leaf);
    assert_int_equal(dev->line, 2);
    assert_int_equal(fair_settings_minimum(dev).value[0], 1024);
    assert_int_equal(fair_settings_minimum(dev).value[1], 2);
    assert_int_equal(fair_settings_maximum(dev, &cluster).value[0], 5000);
    assert_int_equal(fair_settings_maximum(dev, &cluster).value[1], 50);
    assert_int_equal(dev->max_running_apps, 7);
    assert_true(dev->max_am_share == 0.2f && dev->weight == 2.5f);
    assert_int_equal(dev->policy, FAIR_POLICY_FIFO);
    assert_string_equal(acl_text(dev->acl_submit), "\"alice dev\"");
    assert_string_equal(acl_text(dev->acl_administer), "nobody");
    assert_int_equal(dev->min_share_timeout_ms, 30000);
    assert_int_equal(dev->fair_share_timeout_ms, 40000);
    assert_true(dev->fair_share_threshold == 0.25f);
    assert_int_equal(dev->container_maximum->value[1], 3);
    assert_int_equal(dev->container_maximum->value[0], FAIR_UNBOUNDED);
    assert_false(dev->allow_preemption_from);
    assert_int_equal(fair_allocations_user_max_apps(allocations, "alice"), 3);
    assert_int_equal(fair_allocations_user_max_apps(allocations, "bob"), 5);
    fair_allocations_free(allocations);
}

static void test_defaults(void **state)
{
    struct fair_allocations *allocations = read_body("<queue name='a'/>\n");
    const struct fair_settings *a = queue(allocations, "root.a"), *root = allocations->root;

    (void)state;
    assert_false(root->leaf);
    assert_string_equal(acl_text(root->acl_submit), "everybody");
    assert_string_equal(acl_text(root->acl_administer), "everybody");
    assert_string_equal(acl_text(a->acl_submit), "nobody");
    assert_true(a->weight == 1.0f && a->max_am_share == 0.5f && a->fair_share_threshold == 0.5f);
    assert_int_equal(a->policy, FAIR_POLICY_FAIR);
    assert_int_equal(a->max_running_apps, FAIR_NO_LIMIT);
    assert_int_equal(a->min_share_timeout_ms, FAIR_NEVER_MS);
    assert_int_equal(a->fair_share_timeout_ms, FAIR_NEVER_MS);
    assert_int_equal(fair_settings_minimum(a).value[0], 0);
    assert_int_equal(fair_settings_maximum(a, &cluster).value[0], FAIR_UNBOUNDED);
    assert_int_equal(a->container_maximum->value[0], FAIR_UNBOUNDED);
    assert_true(a->allow_preemption_from);
    assert_int_equal(fair_allocations_user_max_apps(allocations, "bob"), FAIR_NO_LIMIT);
    fair_allocations_free(allocations);
}

/* Defaults apply wherever they are in the file; timeouts and similar settings are inherited from the
 * parent. */
static void test_inherited(void **state)
{
    struct fair_allocations *allocations =
        read_body("<pool name='root'>\n"
                  "  <queue name='p'>\n"
                  "    <queue name='c'/>\n"
                  "    <minSharePreemptionTimeout>9</minSharePreemptionTimeout>\n"
                  "    <maxContainerAllocation>512 mb, 1 vcores</maxContainerAllocation>\n"
                  "    <maxChildResources>8192mb,256vcores</maxChildResources>\n"
                  "    <schedulingPolicy>drf</schedulingPolicy>\n"
                  "  </queue>\n"
                  "  <schedulingMode>org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies."
                  "DominantResourceFairnessPolicy</schedulingMode>\n"
                  "</pool>\n"
                  "<defaultMinSharePreemptionTimeout>1</defaultMinSharePreemptionTimeout>\n"
                  "<defaultFairSharePreemptionTimeout>2</defaultFairSharePreemptionTimeout>\n"
                  "<fairSharePreemptionTimeout>77</fairSharePreemptionTimeout>\n"
                  "<defaultFairSharePreemptionThreshold>0.75</defaultFairSharePreemptionThreshold>\n"
                  "<queueMaxAppsDefault>15</queueMaxAppsDefault>\n"
                  "<queueMaxResourcesDefault>4096mb,100vcores</queueMaxResourcesDefault>\n"
                  "<queueMaxAMShareDefault>2</queueMaxAMShareDefault>\n"
                  "<defaultQueueSchedulingMode>fair</defaultQueueSchedulingMode>\n");
    const struct fair_settings *p = queue(allocations, "root.p"), *c = queue(allocations, "root.p.c");
    struct fair_settings *made;

    (void)state;
    assert_string_equal(warnings, "");
    assert_int_equal(allocations->root->min_share_timeout_ms, 1000);
    assert_int_equal(p->min_share_timeout_ms, 9000);
    assert_int_equal(c->min_share_timeout_ms, 9000);
    assert_int_equal(c->fair_share_timeout_ms, 2000);
    assert_true(c->fair_share_threshold == 0.75f);
    assert_int_equal(c->container_maximum->value[0], 512);
    assert_int_equal(c->max_running_apps, 15);
    assert_true(c->max_am_share == 1.0f);
    assert_int_equal(fair_settings_maximum(c, &cluster).value[0], 4096);
    assert_int_equal(allocations->root->policy, FAIR_POLICY_DRF);
    assert_int_equal(c->policy, FAIR_POLICY_FAIR);
    assert_false(p->leaf);
    assert_true(c->leaf);

    made = fair_settings_new(allocations, p, "root.p.made", true);
    assert_string_equal(made->path, "root.p.made");
    assert_int_equal(fair_settings_maximum(made, &cluster).value[0], 8192);
    assert_int_equal(made->min_share_timeout_ms, 9000);
    assert_int_equal(made->container_maximum->value[0], 512);
    assert_int_equal(made->max_running_apps, 15);
    assert_int_equal(made->policy, FAIR_POLICY_FAIR);
    assert_string_equal(acl_text(made->acl_submit), "nobody");
    fair_settings_free(made);
    fair_allocations_free(allocations);
}

static void test_old_timeout_name(void **state)
{
    struct fair_allocations *allocations =
        read_body("<fairSharePreemptionTimeout>77</fairSharePreemptionTimeout>\n");

    (void)state;
    assert_int_equal(allocations->root->fair_share_timeout_ms, 77000);
    fair_allocations_free(allocations);
}

static void test_kinds(void **state)
{
    struct fair_allocations *allocations =
        read_body("<queue name='p' type='parent'/><queue name='q'><queue name='r'/></queue>\n"
                  "<queue name='s'><reservation/></queue>\n");

    (void)state;
    assert_int_equal(fair_allocations_configured(allocations, "root"), FAIR_QUEUE_PARENT);
    assert_int_equal(fair_allocations_configured(allocations, "root.p"), FAIR_QUEUE_PARENT);
    assert_int_equal(fair_allocations_configured(allocations, "root.q"), FAIR_QUEUE_PARENT);
    assert_int_equal(fair_allocations_configured(allocations, "root.q.r"), FAIR_QUEUE_LEAF);
    assert_int_equal(fair_allocations_configured(allocations, "root.s"), FAIR_QUEUE_PARENT);
    assert_int_equal(fair_allocations_configured(allocations, "root.x"), FAIR_QUEUE_NONE);
    assert_true(queue(allocations, "root.s")->reservable);
    fair_allocations_free(allocations);
}

static void test_files_refused(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        { "", NAME ":1:1: no element found" },
        { "<allocations>\n<queue></allocations>", NAME ":2:" },
        { "<allocations>\n  <!-- a -- b -->\n</allocations>", NAME ":2:" },
        { "<configuration/>", "expected <allocations>: this is a file of properties" },
        { "<queues/>", NAME ":1: queues: expected <allocations>" },
        { "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><allocations>&e;</allocations>",
          "such are not read" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fair_allocations *allocations = NULL;
        struct err err;

        assert_int_equal(load(cases[i].text, &allocations, &err), -EINVAL);
        assert_null(allocations);
        assert_part(err.text, cases[i].part);
    }
}

static void refused(const char *body, const char *part)
{
    char text[2000];
    struct fair_allocations *allocations = NULL;
    struct err err;

    snprintf(text, sizeof(text), "<allocations>\n%s\n</allocations>", body);
    if (load(text, &allocations, &err) == 0)
        fail_msg("%s: was taken", body);
    assert_null(allocations);
    assert_part(err.text, part);
}

static void test_bodies_refused(void **state)
{
    static const struct {
        const char *body, *part;
    } cases[] = {
        { "<queue name='root'/>\n<queue name='other'/>",
          NAME ":2: queue: root is the only queue at the top" },
        { "<queue name='a'/><queue name='Root'/>", "root is the only queue at the top" },
        { "<queue name='a.b'/>", NAME ":2: queue root: queue: name \"a.b\": the name of a queue has no "
                                      "period" },
        { "<queue name='   '/>", "the name of a queue cannot be empty" },
        { "<queue name='&#xa0;&#x3000;'/>", "the name of a queue cannot be empty" },
        { "<queue/>", "the name of a queue cannot be empty" },
        { "<queue name='a'><queue name=''/></queue>", "queue root.a: queue: name" },
        { "<queue name='a'>\n<weight>heavy</weight></queue>",
          NAME ":3: queue root.a: weight: \"heavy\": expected a number from 0" },
        { "<queue name='a'><weight>-1</weight></queue>", "expected a number from 0" },
        { "<queue name='a'><weight/></queue>", "weight: \"\": expected" },
        { "<queue name='a'><weight>NaN</weight></queue>", "expected a number from 0" },
        { "<queue name='a'><maxRunningApps>-1</maxRunningApps></queue>", "a whole number from 0" },
        { "<queue name='a'><maxRunningApps>1.5</maxRunningApps></queue>", "a whole number from 0" },
        { "<queue name='a'><maxRunningApps>99999999999</maxRunningApps></queue>", "whole number" },
        { "<queue name='a'><maxAMShare>-0.5</maxAMShare></queue>", "or -1 for no limit" },
        { "<queue name='a'><minSharePreemptionTimeout>10s</minSharePreemptionTimeout></queue>",
          "\"10s\": expected a whole number of seconds" },
        { "<queue name='a'><fairSharePreemptionThreshold>x</fairSharePreemptionThreshold></queue>",
          "expected a number from 0 to 1" },
        { "<queue name='a'><schedulingPolicy>lifo</schedulingPolicy></queue>",
          "\"lifo\": expected fair, drf or fifo" },
        { "<queue name='a'><minResources>1024 mb</minResources></queue>", "\"vcores\" is missing" },
        { "<queue name='a'><maxResources>memory-mb=1024,gpus=1</maxResources></queue>",
          "\"gpus\" is no resource" },
        { "<queue name='a' type='parent'><maxAMShare>0.1</maxAMShare></queue>",
          NAME ":2: queue root.a: a queue with queues in it, or type=\"parent\", cannot have a "
               "maxAMShare" },
        { "<queue name='a'><reservation/><queue name='b'/></queue>", "cannot have a reservation" },
        { "<queue name='a' type='parent'><reservation/></queue>", "cannot have a reservation" },
        { "<defaultQueueSchedulingPolicy>fifo</defaultQueueSchedulingPolicy>", "fifo cannot be the default" },
        { "<defaultQueueSchedulingMode>FifoPolicy</defaultQueueSchedulingMode>", "fifo cannot be" },
        { "<queueMaxAppsDefault>many</queueMaxAppsDefault>", "queueMaxAppsDefault: \"many\": expected" },
        { "<user><maxRunningApps>1</maxRunningApps></user>", "user: the attribute name is missing" },
        { "<user name='a'><maxRunningApps>x</maxRunningApps></user>", "maxRunningApps: \"x\"" },
        { "<queuePlacementPolicy/>", NAME ":2: queuePlacementPolicy: has no rule" },
        { "<queuePlacementPolicy>\n<rule name='nestedUserQueue'>\n<rule name='unknownRule'/></rule>"
          "</queuePlacementPolicy>",
          NAME ":4: rule \"unknownRule\": not known" },
        { "<queuePlacementPolicy><rule name='specified'/>\n<rule name='user' create='false'/>"
          "</queuePlacementPolicy>",
          NAME ":3: rule user: is the last one and may pass on" },
        { "<queuePlacementPolicy><rule/></queuePlacementPolicy>", "the attribute name is missing" },
        { "<pool name='x'><minMaps>5</minMaps></pool>", NAME ":2: minMaps: this file is for the fair "
                                                             "scheduler of Hadoop 1" },
        { "<pool name='x'><schedulingMode>FAIR</schedulingMode>\n<minShare>2</minShare></pool>",
          NAME ":3: minShare: this file is for Spark's own fair scheduler" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refused(cases[i].body, cases[i].part);
    /* One error message lists all errors. */
    refused("<queue name='a'>\n<weight>x</weight>\n<maxRunningApps>y</maxRunningApps></queue>",
            NAME ":3: queue root.a: weight: \"x\": expected a number from 0\n" NAME
                 ":4: queue root.a: maxRunningApps: \"y\"");
}

static void test_warnings(void **state)
{
    static const struct {
        const char *body, *part;
    } cases[] = {
        { "<colour>red</colour>", NAME ":2: colour: is not known, and ignored" },
        { "<queue name='a'>\n<colour/></queue>", NAME ":3: queue root.a: colour: is not known" },
        { "<userMaxJobsDefault>3</userMaxJobsDefault>", "its present name is userMaxAppsDefault" },
        { "<queue name='a'><maxRunningJobs>3</maxRunningJobs></queue>",
          "its present name is maxRunningApps" },
        { "<queue name='a'><queuePlacementPolicy/></queue>", "it belongs at the top of the file" },
        { "<queue name='a'><weight>1</weight>\n<weight>2</weight></queue>",
          NAME ":3: queue root.a: weight: is given twice" },
        { "<queue name='a'><minResources>2 mb, 2 vcores</minResources><maxResources>1 mb, 2 vcores"
          "</maxResources></queue>",
          NAME ":2: queue root.a: its minimum of memory-mb, 2, is above its "
               "maximum, 1" },
        { "<queue name='a'><minResources>10%</minResources></queue>", "a percentage has no effect here" },
        { "<queue name='a'><maxResources>1 mb, 2 vcores, 3 disks</maxResources></queue>",
          "\"3 disks\" is ignored" },
        { "<queue name='a'><allowPreemptionFrom>no</allowPreemptionFrom></queue>",
          "\"no\" is neither true nor false" },
        { "<queue name='a'><aclSubmitApps>alice, bob</aclSubmitApps></queue>",
          "\"bob\" is taken for a group" },
        { "<queue name='a'><fairSharePreemptionThreshold>1.5</fairSharePreemptionThreshold></queue>",
          "1.5 is not between 0 and 1: taken for 1" },
        { "<queue name='a'><minSharePreemptionTimeout>-1</minSharePreemptionTimeout></queue>",
          "-1 seconds are taken for 0" },
        { "<queue name='a'/>\n<queue name='a'/>", NAME ":3: queue root.a: queue: is in line 2, too" },
        { "<queue name='a'><reservation/></queue>", "creel has no reservations of resources" },
        { "<reservation-agent>x</reservation-agent>", "creel has no reservations of resources" },
        { "<queue name='a'><schedulingPolicy>drf</schedulingPolicy></queue>", NAME
          ":2: queue root.a: is not created, nor are the queues below it: under root, whose policy is fair" },
        { "<queue name='a'><schedulingPolicy>fifo</schedulingPolicy><queue name='b'/></queue>",
          "queue root.a.b: is not created, nor are the queues below it: root.a has the policy fifo" },
        { "<queue name='a'><minMaps>5</minMaps><maxRunningApps>1</maxRunningApps></queue>",
          "minMaps: is not known" },
        { "<queuePlacementPolicy><rule name='user' create='yes'/><rule name='default' queue='x'/>"
          "</queuePlacementPolicy>",
          "create=\"yes\" is neither true nor false" },
        { "<queuePlacementPolicy><rule name='user' queue='x'/></queuePlacementPolicy>",
          "user: the attribute queue has no effect" },
        { "<queuePlacementPolicy><rule name='nestedUserQueue'><rule name='primaryGroup'/>\n"
          "<rule name='default'/></rule></queuePlacementPolicy>",
          NAME ":3: rule: is the second one" },
        { "<queuePlacementPolicy><rule name='nestedUserQueue'><rule name='default' queue='x'/></rule>\n"
          "<rule name='reject'/></queuePlacementPolicy>",
          NAME ":3: this rule and those after it are "
               "reached only where" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fair_allocations_free(read_body(cases[i].body));
        assert_part(warnings, cases[i].part);
    }
}

/* Two elements for the same queue are merged. */
static void test_written_twice(void **state)
{
    struct fair_allocations *allocations =
        read_body("<queue name='a'><weight>2</weight><maxRunningApps>4</maxRunningApps></queue>\n"
                  "<queue name='a'><weight>3</weight><queue name='b'/></queue>\n");

    (void)state;
    assert_true(queue(allocations, "root.a")->weight == 3.0f);
    assert_int_equal(queue(allocations, "root.a")->max_running_apps, 4);
    assert_false(queue(allocations, "root.a")->leaf);
    assert_int_equal(allocations->queue_count, 3);
    fair_allocations_free(allocations);
}

static void test_barred(void **state)
{
    struct fair_allocations *allocations =
        read_body("<queue name='f'>\n"
                  "  <queue name='d'><schedulingPolicy>drf</schedulingPolicy><queue name='e'/></queue>\n"
                  "  <queue name='i'><schedulingPolicy>fifo</schedulingPolicy></queue></queue>\n");

    (void)state;
    assert_false(queue(allocations, "root.f")->barred);
    assert_true(queue(allocations, "root.f.d")->barred);
    assert_true(queue(allocations, "root.f.d.e")->barred);
    assert_false(queue(allocations, "root.f.i")->barred);
    fair_allocations_free(allocations);
    assert_true(fair_policy_allows(FAIR_POLICY_DRF, FAIR_POLICY_FAIR));
    assert_true(fair_policy_allows(FAIR_POLICY_DRF, FAIR_POLICY_FIFO));
    assert_false(fair_policy_allows(FAIR_POLICY_FIFO, FAIR_POLICY_FIFO));
    assert_false(fair_policy_allows(FAIR_POLICY_FAIR, FAIR_POLICY_DRF));
}

static void test_access(void **state)
{
    struct fair_allocations *allocations = read_body(
        "<queue name='root'><aclSubmitApps> </aclSubmitApps><aclAdministerApps>boss</aclAdministerApps>\n"
        "<queue name='dev'><aclSubmitApps> staff</aclSubmitApps>\n<aclAdministerApps>\n  lead\n"
        "</aclAdministerApps><queue name='ml'><aclSubmitApps>bob</aclSubmitApps></queue></queue></queue>\n");
    static const char *const staff[] = { "staff" };
    const struct acl_person alice = { "alice", staff, 1 }, bob = { "bob", NULL, 0 };
    const struct acl_person lead = { "lead", NULL, 0 }, ada = { "ada", NULL, 0 };
    struct conf *conf = conf_new_defaults();
    struct fair_access *off = fair_access_new(conf), *on;
    struct access_answer answer;
    char text[200];
    struct err err;

    (void)state;
    assert_int_equal(conf_set(conf, "yarn.acl.enable", "true", NULL), 0);
    assert_int_equal(conf_set(conf, "yarn.admin.acl", "ada", NULL), 0);
    on = fair_access_new(conf);
    assert_true(fair_access_ask(off, allocations, "root.dev", &bob, ACCESS_ADMINISTER).allowed);
    assert_true(fair_access_ask(on, allocations, "root.dev.ml", &alice, ACCESS_SUBMIT).allowed);
    assert_true(fair_access_ask(on, allocations, "root.dev.made.up", &alice, ACCESS_SUBMIT).allowed);
    assert_true(fair_access_ask(on, allocations, "root.dev.ml", &bob, ACCESS_SUBMIT).allowed);
    assert_true(fair_access_ask(on, allocations, "root.dev.ml", &lead, ACCESS_SUBMIT).allowed);
    assert_true(fair_access_ask(on, allocations, "root.x", &ada, ACCESS_ADMINISTER).allowed);
    assert_false(fair_access_ask(on, allocations, "root.x", &lead, ACCESS_SUBMIT).allowed);
    assert_false(fair_access_ask(on, allocations, "root.dev.ml", &bob, ACCESS_ADMINISTER).allowed);
    assert_int_equal(fair_access_require(on, allocations, "root.dev.made", &bob, ACCESS_SUBMIT, &err),
                     -EACCES);
    assert_string_equal(err.text,
                        "user bob cannot submit to root.dev.made (aclSubmitApps: root.dev: "
                        "\" staff\", root: nobody; aclAdministerApps: root.dev: \"lead\", root: \"boss\")");
    answer = fair_access_ask(on, allocations, "root.dev.ml", &alice, ACCESS_SUBMIT);
    assert_string_equal(fair_access_explain(on, &answer, text, sizeof(text)),
                        "aclSubmitApps of root.dev: \" staff\"");
    fair_access_free(on);
    fair_access_free(off);
    conf_free(conf);
    fair_allocations_free(allocations);
}

/* The placement rules of the file, with the queues of the file. */
static void test_placement(void **state)
{
    struct fair_allocations *allocations =
        read_body("<queue name='users' type='parent'/><queue name='etl'/>\n"
                  "<queuePlacementPolicy><rule name='specified' create='false'/>\n"
                  "<rule name='nestedUserQueue'><rule name='default' queue='users'/></rule>\n"
                  "<rule name='default'/></queuePlacementPolicy>\n");
    const struct fair_queue_view view = {
        .context = allocations,
        .configured = fair_allocations_configured,
        .existing = fair_allocations_configured,
    };
    struct placement_request request = { .person = { .user = "bob" }, .queue = "etl" };
    struct placement_result result;

    (void)state;
    assert_int_equal(
        fair_placement_decide(allocations->placement, &view, &request, NULL, NULL, &result, NULL), 0);
    assert_string_equal(result.queue, "root.etl");
    assert_false(result.create);
    placement_result_clear(&result);
    request.queue = "new";
    assert_int_equal(
        fair_placement_decide(allocations->placement, &view, &request, NULL, NULL, &result, NULL), 0);
    assert_string_equal(result.queue, "root.users.bob");
    assert_true(result.create);
    placement_result_clear(&result);
    fair_allocations_free(allocations);
}

static void test_without_file(void **state)
{
    struct fair_options some = options();
    struct fair_allocations *allocations = fair_allocations_none(&some);

    (void)state;
    assert_int_equal(allocations->queue_count, 1);
    assert_int_equal(allocations->root->min_share_timeout_ms, FAIR_NEVER_MS);
    assert_true(allocations->root->fair_share_threshold == 0.5f);
    assert_string_equal(acl_text(allocations->root->acl_submit), "everybody");
    assert_non_null(allocations->placement);
    fair_allocations_free(allocations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),       cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_inherited),      cmocka_unit_test(test_old_timeout_name),
        cmocka_unit_test(test_kinds),          cmocka_unit_test(test_files_refused),
        cmocka_unit_test(test_bodies_refused), cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_written_twice),  cmocka_unit_test(test_barred),
        cmocka_unit_test(test_access),         cmocka_unit_test(test_placement),
        cmocka_unit_test(test_without_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
