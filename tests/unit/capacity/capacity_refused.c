/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_refused.c - test: capacity scheduler: errors in the configuration name file, line, key, value
 * and rule; warnings */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "tests/unit/capacity/capacity_fixture.h"

#define KEY "yarn.scheduler.capacity."
#define AB "root.queues=a,b\n" /* line 2 of the file */
#define DOMINANT "resource-calculator=DominantResourceCalculator\n"

static void messages_name_file_key_and_reason(void **state)
{
    static const struct {
        const char *lines, *text;
    } cases[] = {
        { AB "root.a.capacity=30\nroot.b.capacity=70.5\n",
          "cs.xml:2: " KEY "root.queues: \"a,b\": the capacities of the queues of root add up to "
          "100.5 (a 30, b 70.5), expected 100, give or take 0.05" },
        { AB "root.a.capacity=30\nroot.b.capacity=60\n", "add up to 90 (a 30, b 60), expected 100" },
        { AB, "add up to 0 (a 0, b 0), expected 100 (or allow-zero-capacity-sum)" },
        { AB "root.a.capacity=-5\nroot.b.capacity=105\n",
          "cs.xml:3: " KEY "root.a.capacity: \"-5\": expected a percentage from 0 to 100, a weight "
          "like 3w or amounts like [memory=10240,vcores=12]\n"
          "cs.xml:4: " KEY "root.b.capacity: \"105\": expected a percentage" },
        { AB "root.a.capacity=ten\nroot.b.capacity=90\n", "root.a.capacity: \"ten\": expected" },
        { AB "root.a.capacity=nan\nroot.b.capacity=90\n", "root.a.capacity: \"nan\": expected" },
        { AB "root.a.capacity=\nroot.b.capacity=90\n", "root.a.capacity: \"\": expected" },
        { AB "root.a.capacity=50\nroot.b.capacity=50\nroot.b.maximum-capacity=101\n",
          "cs.xml:5: " KEY "root.b.maximum-capacity: \"101\": expected a percentage from 0 to 100" },
        { "root.queues=a,b,a\nroot.a.capacity=50\nroot.b.capacity=50\n",
          "cs.xml:2: " KEY "root.queues: \"a,b,a\": a is there twice" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.queues=root\n",
          "root.a.queues: \"root\": root would be above itself" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.queues=root.a\n",
          "root.a.queues: \"root.a\": root.a would be above itself" },
        { "root.queues=a.b\n", "root.queues: \"a.b\": a.b has a dot" },
        { AB "root.a.capacity=50\nroot.b.capacity=50\nroot.c.queues=x\n",
          "cs.xml:5: " KEY "root.c.queues: \"x\": these queues have no parent: no list of queues has "
          "root.c" },
        { "root.queues=\n", "root.queues: \"\": expected at least one queue below root" },
        { "root.a.capacity=100\n", "root.a.capacity: \"100\": is a key of a queue, but " KEY
                                   "root.queues, which lists them, is missing" },
        { AB "root.a.capacity=100\nroot.b.queues=c\nroot.b.c.capacity=100\n",
          "root.b.queues: \"c\": the capacities of the queues of root.b add up to 100 (c 100), "
          "expected 0, for that is the capacity of their parent" },
        { AB "root.a.capacity=100\nroot.a.queues=c,d\n",
          "cs.xml:4: " KEY "root.a.queues: \"c,d\": the capacities of the queues of root.a add up to 0" },
        { AB "root.a.capacity=50\nroot.b.capacity=3w\n",
          "cs.xml:4: " KEY "root.b.capacity: \"3w\": queues side by side have one form, but that of "
          "root.a is in percentages" },
        { AB "root.a.capacity=20000w\nroot.b.capacity=3w\n",
          "root.a.capacity: \"20000w\": expected a weight from 0w to 10000w" },
        { AB "root.a.capacity=50\nroot.b.capacity=50\nroot.a.state=PAUSED\n",
          "root.a.state: \"PAUSED\": expected RUNNING or STOPPED" },
        { "root.queues=a\nroot.a.queues=b\nroot.a.capacity=100\nroot.a.b.capacity=100\n"
          "root.a.state=STOPPED\nroot.a.b.state=RUNNING\n",
          "cs.xml:7: " KEY "root.a.b.state: \"RUNNING\": root.a is STOPPED, so a queue below it cannot "
          "be RUNNING" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.maximum-allocation=memory-mb=9216,vcores=2\n",
          "cs.xml:4: " KEY "root.a.maximum-allocation: \"memory-mb=9216,vcores=2\": memory-mb 9216 is "
          "above the cluster's maximum allocation, 8192" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.maximum-allocation-vcores=5\n",
          "root.a.maximum-allocation-vcores: \"5\": vcores 5 is above the cluster's maximum "
          "allocation, 4" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.maximum-allocation=lots\n",
          "expected <resource>=<amount> instead of \"lots\"" },
        { "maximum-applications=-1\n", "maximum-applications: \"-1\": expected a whole number from 1" },
        { "maximum-am-resource-percent=-0.1\n", "expected a number from 0 to 100" },
        { "resource-calculator=a.b.Calculator\n", "expected DefaultResourceCalculator or" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.minimum-user-limit-percent=101\n",
          "expected a number from 0 to 100" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.user-limit-factor=-2\n",
          "root.a.user-limit-factor: \"-2\": expected a number from 0 to 1000000" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.user-settings.ann.weight=2\n",
          "root.a.user-settings.ann.weight: \"2\": expected at most 1, which is 100 / the "
          "minimum-user-limit-percent of root.a" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.ordering-policy=random\n",
          "root.a.ordering-policy: \"random\": expected fifo, fair" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.maximum-application-lifetime=10\n"
          "root.a.default-application-lifetime=20\n",
          "root.a.default-application-lifetime: \"20\": is above the maximum-application-lifetime" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.priority=high\n",
          "root.a.priority: \"high\": expected a whole number" },
        { "mapred.capacity-scheduler.queue.default.capacity=100\n",
          "cs.xml:2: mapred.capacity-scheduler.queue.default.capacity: OLD FORMAT" },
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++)
        capacity_bad(cases[i].lines, cases[i].text);
}

/* Names in messages have at most 255 bytes: a longer path could be configured, but no request could name
 * it. */
static void paths_that_are_too_long(void **state)
{
    char name[300], *lines;
    struct capacity_fixture fixture;
    struct capacity_queue *made = NULL;
    struct err err = { .code = 0 };
    (void)state;

    memset(name, 'q', sizeof(name));
    name[250] = '\0'; /* "root." and the name have 255 bytes */
    lines = mem_printf("root.queues=%s\nroot.%s.capacity=1w\n"
                       "root.auto-queue-creation-v2.enabled=true\n",
                       name, name);
    capacity_good(&fixture, lines);
    name[249] = '\0';
    scoped_free char *longest = mem_printf("root.a%s", name);

    assert_int_equal(capacity_config_create(fixture.config, longest, &made, &err), 0);
    scoped_free char *longer = mem_printf("root.ab%s", name);

    assert_int_equal(capacity_config_create(fixture.config, longer, &made, &err), -E2BIG);
    assert_non_null(strstr(err.text, "its path has 256 bytes, at most 255 go"));
    capacity_done(&fixture);
    free(lines);
    name[249] = 'q';
    name[250] = 'q';
    name[251] = '\0';
    lines = mem_printf("root.queues=%s\nroot.%s.capacity=100\n", name, name);
    capacity_bad(lines, "makes a path that is too long: expected at most 255 bytes");
    capacity_bad(lines, "cs.xml:2: " KEY "root.queues: ");
    free(lines);
}

static void amounts_that_do_not_fit(void **state)
{
    static const struct {
        const char *lines, *text;
    } cases[] = {
        { AB "root.a.capacity=[memory=1024\n", "with ] at its end" },
        { AB "root.a.capacity=[]\n", "not nothing" },
        { AB "root.a.capacity=[memory]\n", "expected <resource>=<amount> instead of \"memory\"" },
        { AB "root.a.capacity=[memory=-1]\n", "for memory instead of \"-1\"" },
        { AB "root.a.capacity=[memory=1024,memory-mb=1024]\n", "gives memory-mb twice" },
        { AB "root.a.capacity=[gpu=1]\n", "there is no resource called \"gpu\", only memory-mb, vcores" },
        { AB "root.a.capacity=[memory=50%]\n", "legacy-queue-mode.enabled false" },
        { AB "root.a.capacity=[memory=2048]\nroot.a.maximum-capacity=[memory=1024]\n",
          "cs.xml:4: " KEY "root.a.maximum-capacity: \"[memory=1024]\": 1024 of memory-mb is below "
          "the capacity, 2048" },
        { AB "root.a.capacity=[memory=2048]\nroot.a.maximum-capacity=[memory=4096]\n"
             "root.a.queues=c\nroot.a.c.capacity=[memory=2048]\nroot.a.c.maximum-capacity=[memory=8192]\n",
          "8192 of memory-mb is above the maximum of root.a, 4096" },
        { AB "root.a.capacity=[memory=2048,vcores=2]\nroot.a.queues=c,d\n"
             "root.a.c.capacity=[memory=1024,vcores=2]\nroot.a.d.capacity=[memory=2048,vcores=1]\n",
          "cs.xml:4: " KEY "root.a.queues: \"c,d\": the minimums of the queues of root.a add up to 3072 "
          "of memory-mb, expected at most 2048, its own" },
        { DOMINANT AB "root.a.capacity=[memory=2048,vcores=2]\nroot.a.queues=c,d\n"
                      "root.a.c.capacity=[memory=1024,vcores=2]\nroot.a.d.capacity=[memory=1024,vcores=1]\n",
          "cs.xml:5: " KEY "root.a.queues: \"c,d\": the minimums of the queues of root.a add up to 3 "
          "of vcores, expected at most 2, its own" },
        { DOMINANT AB
          "root.a.capacity=[memory=2048,vcores=2]\nroot.a.maximum-capacity=[memory=4096,vcores=4]\n"
          "root.a.queues=c\nroot.a.c.capacity=[memory=1024]\nroot.a.c.maximum-capacity=[vcores=5]\n",
          "root.a.c.maximum-capacity: \"[vcores=5]\": 5 of vcores is above the maximum of root.a, 4" },
        { AB "root.a.capacity=[memory=4096]\nroot.a.maximum-capacity=[memory=4096]\nroot.a.queues=c\n"
             "root.a.c.capacity=[memory=4096]\nroot.a.c.queues=d\nroot.a.c.d.capacity=[memory=1024]\n"
             "root.a.c.d.maximum-capacity=[memory=8192]\n",
          "root.a.c.d.maximum-capacity: \"[memory=8192]\": 8192 of memory-mb is above the maximum of root.a, "
          "4096" },
        { AB "root.a.capacity=[memory=2048]\nroot.a.queues=c\nroot.a.c.capacity=100\n",
          "root.a.c.capacity: \"100\": expected amounts, for the capacity of root.a is in amounts" },
        { AB "root.a.capacity=100\nroot.a.queues=c\nroot.a.c.capacity=[memory=1024]\n",
          "root.a.c.capacity: \"[memory=1024]\": expected no amounts" },
        { "root.queues=a,b\nroot.b.capacity=[memory=1024]\nroot.a.queues=c\n"
          "root.a.c.capacity=[memory=1024]\n",
          "root.a.c.capacity: \"[memory=1024]\": expected no amounts, for root.a has no capacity in "
          "amounts" },
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++)
        capacity_bad(cases[i].lines, cases[i].text);
}

#define LABELS "yarn.node-labels.enabled=true\n" AB "root.a.capacity=50\nroot.b.capacity=50\n"

static void unknown_labels_are_refused(void **state)
{
    static const struct {
        const char *lines, *text;
    } cases[] = {
        { LABELS "root.a.default-node-label-expression=gpu\n",
          "cs.xml:6: " KEY "root.a.default-node-label-expression: \"gpu\": there is no label gpu" },
        { LABELS "root.a.accessible-node-labels=gpu\nroot.b.accessible-node-labels= \n"
                 "root.b.default-node-label-expression=gpu\n",
          "root.b has no access to label gpu" },
        { LABELS "root.a.accessible-node-labels= \nroot.b.accessible-node-labels= \n"
                 "root.accessible-node-labels.gpu.capacity=100\n",
          "for label gpu add up to 0 (a 0, b 0), expected 100" },
        { LABELS "root.a.accessible-node-labels=g pu\n", "\"g pu\" is no label" },
        { LABELS "root.a.accessible-node-labels=x\nroot.a.queues=c\nroot.a.c.capacity=100\n"
                 "root.a.c.accessible-node-labels=x,y\n",
          "root.a.c.accessible-node-labels: \"x,y\": root.a may not use label y" },
        { LABELS "root.a.accessible-node-labels=x\nroot.a.queues=c\nroot.a.c.capacity=100\n"
                 "root.a.c.accessible-node-labels=*\n",
          "* is more than root.a may use" },
        { LABELS "root.accessible-node-labels.x.capacity=100\n"
                 "root.a.accessible-node-labels.x.capacity=50\n",
          "the capacities of the queues of root for label x add up to 50 (a 50, b 0), expected 100" },
        { LABELS "root.a.accessible-node-labels.x.capacity=100\n",
          "for label x add up to 100 (a 100, b 0), expected 0" },
        { LABELS "creel.node-labels=x(exclusive=maybe)\n", "\"x(exclusive=maybe)\": expected" },
        { LABELS "creel.node-labels=x,y,x(exclusive=false)\n",
          "cs.xml:6: creel.node-labels: \"x(exclusive=false)\": label x is there twice: expected it once" },
        { LABELS "creel.node-labels=x!y\n", "cs.xml:6: creel.node-labels: \"x!y\": expected" },
        { LABELS "creel.node-labels=-x\n", "cs.xml:6: creel.node-labels: \"-x\": expected" },
        { LABELS "root.a.accessible-node-labels=_x\n", "\"_x\" is no label: expected at most 255 letters" },
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++)
        capacity_bad(cases[i].lines, cases[i].text);
}

static void at_most_twenty_messages_are_printed(void **state)
{
    scoped_text_builder struct text_builder lines = TEXT_BUILDER_MALLOC;
    struct capacity_fixture fixture;
    size_t line_count = 0;
    (void)state;

    text_builder_add(&lines, "root.queues=a\n");
    for (int i = 0; i < 30; i++)
        text_builder_printf(&lines, "root.a.user-settings.u%d.weight=-1\n", i);
    assert_int_equal(capacity_try(&fixture, text_builder_text(&lines)), -EINVAL);
    for (const char *c = fixture.err.text; *c; c++)
        line_count += *c == '\n';
    assert_int_equal(line_count, 20);
    assert_non_null(strstr(fixture.err.text, "\n... and 10 more"));
    capacity_done(&fixture);
}

static void harmless_oddities_are_warnings(void **state)
{
    static const struct {
        const char *lines, *warnings;
    } cases[] = {
        { "root.queues=prod,dev\nroot.prod.capacity=50\nroot.dev.capacity=50\n"
          "root.default.capacity=100\nroot.default.state=RUNNING\nroot.default.sub.state=RUNNING\n",
          "cs.xml:5: " KEY "root.default.capacity: \"100\": there is no queue root.default: this key "
          "and 2 more of it are ignored\n" },
        { "root.queues=prod,dev\nroot.prod.capacity=50\nroot.dev.capacity=50\nroot.prdo.priority=1\n",
          "cs.xml:5: " KEY "root.prdo.priority: \"1\": there is no queue root.prdo: this key is "
          "ignored, did you mean root.prod?\n" },
        { "root.queues=dev\nroot.dev.capacity=100\nroot.dev.maximum-capactiy=75\n",
          "cs.xml:4: " KEY "root.dev.maximum-capactiy: \"75\": unknown key, ignored, did you mean "
          "maximum-capacity?\n" },
        { "default.minimum-user-limit-percent=100\n",
          "cs.xml:2: " KEY "default.minimum-user-limit-percent: \"100\": unknown key, ignored\n" },
        { "node-locality-dealy=3\n", "cs.xml:2: " KEY "node-locality-dealy: \"3\": unknown key, ignored"
                                     ", did you mean node-locality-delay?\n" },
        { "root.queues=a\nroot.a.queues=b\nroot.a.capacity=100\nroot.a.b.capacity=100\n"
          "root.a.ordering-policy=fifo\n",
          "cs.xml:6: " KEY "root.a.ordering-policy: \"fifo\": is for queues with apps: ignored\n" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.ordering-policy=utilization\n",
          "cs.xml:4: " KEY "root.a.ordering-policy: \"utilization\": is for queues with queues below "
          "them: ignored\n" },
        { "root.capacity=90\n" AB "root.a.capacity=50\nroot.b.capacity=50\n",
          "cs.xml:2: " KEY "root.capacity: \"90\": has no effect: root is the whole cluster\n" },
        { "per-node-heartbeat.maximum-offswitch-assignments=-1\n",
          "cs.xml:2: " KEY "per-node-heartbeat.maximum-offswitch-assignments: \"-1\": is below 1, so "
          "1 is used\n" },
        { AB "root.a.capacity=100\n",
          "cs.xml:2: " KEY "root.queues: \"a,b\": root.b has no "
          "capacity, so it accepts no applications unless it has maximum-applications\n" },
        { AB "root.a.capacity=100\nroot.b.maximum-applications=9\n",
          "cs.xml:2: " KEY "root.queues: "
          "\"a,b\": root.b has no capacity, so it only gets what other queues do not use\n" },
        { "lazy-preemption-enabled=yes\n", "cs.xml:2: " KEY "lazy-preemption-enabled: \"yes\": expected "
                                           "true or false, so it is false\n" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.maximum-am-resource-percent=50\n",
          "cs.xml:4: " KEY "root.a.maximum-am-resource-percent: \"50\": is a fraction, 1 for all, so "
          "this is no limit\n" },
        { "schedule-asynchronously.enable=true\nschedule-asynchronously.maximum-threads=4\n",
          "cs.xml:2: " KEY "schedule-asynchronously.enable: \"true\": has no effect here: free resources are "
          "offered at once\n"
          "cs.xml:3: " KEY "schedule-asynchronously.maximum-threads: \"4\": has no effect here: free "
          "resources are offered at once, by one thread\n" },
        { "ordering-policy.priority-utilization.underutilized-preemption.allow-move-reservation=true\n",
          "cs.xml:2: " KEY "ordering-policy.priority-utilization.underutilized-preemption."
          "allow-move-reservation: \"true\": has no effect here: a reservation stays on its node until it "
          "is served or given up\n" },
        { "root.queues=a\nroot.a.capacity=100\nroot.a.reservable=true\n",
          "cs.xml:4: " KEY "root.a.reservable: \"true\": has no effect here: creel has no "
          "reservations of resources for later times\n" },
        { AB "root.a.capacity=100\nroot.b.capacity=0\nroot.a.accessible-node-labels.x.capacity=0\n",
          "yarn.node-labels.enabled: is false (default), so label x is of no use\n" },
        { LABELS "root.accessible-node-labels.x.capacity=100\nroot.a.accessible-node-labels=x\n"
                 "root.b.accessible-node-labels= \nroot.a.accessible-node-labels.x.capacity=50\n"
                 "root.b.accessible-node-labels.x.capacity=50\n",
          "cs.xml:10: " KEY "root.b.accessible-node-labels.x.capacity: \"50\": root.b may not use "
          "label x, so this is of no use\n" },
        { "yarn.node-labels.enabled=true\nroot.queues=a\nroot.a.capacity=1w\n"
          "root.a.accessible-node-labels= \nroot.accessible-node-labels.x.capacity=100\n",
          "cs.xml:6: " KEY "root.accessible-node-labels.x.capacity: \"100\": no queue with apps has label x "
          "among its accessible-node-labels, so this is of no use\n" },
        { "yarn.node-labels.enabled=true\nroot.queues=a\nroot.a.capacity=1w\n"
          "root.a.accessible-node-labels.x.capacity=1w\n",
          "cs.xml:5: " KEY
          "root.a.accessible-node-labels.x.capacity: \"1w\": is of no use, since root has no "
          "capacity for label x: set " KEY "root.accessible-node-labels.x.capacity to 100\n" },
        { "root.queues=a\nroot.a.capacity=1w\nroot.a.auto-queue-creation-v2.enabled=true\n"
          "root.a.auto-queue-creation-v2.leaf-template.capacity=[memory=1024]\n",
          "cs.xml:5: " KEY
          "root.a.auto-queue-creation-v2.leaf-template.capacity: \"[memory=1024]\": submissions "
          "create queues below root.a with weights, like 1w: with this capacity, none will be created\n" },
        { AB "root.a.capacity=[memory=2048,vcores=2]\nroot.a.queues=c,d\n"
             "root.a.c.capacity=[memory=1024,vcores=2]\nroot.a.d.capacity=[memory=1024,vcores=1]\n"
             "root.b.capacity=[memory=1024]\n",
          "cs.xml:4: " KEY "root.a.queues: \"c,d\": the minimums of the queues of root.a add up to 3 of "
          "vcores, more than its own, 2: they cannot all be used at a time\n" },
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct capacity_fixture fixture;

        capacity_good(&fixture, cases[i].lines);
        assert_string_equal(fixture.warnings, cases[i].warnings);
        capacity_done(&fixture);
    }
}

/* A maximum below the capacity is valid, in each form, and for labels. Queues below such a queue get no
 * warning of their own. */
static void maximum_below_the_capacity_is_a_warning(void **state)
{
    static const struct {
        const char *lines, *warnings;
    } cases[] = {
        { AB "root.a.capacity=50\nroot.b.capacity=50\nroot.b.maximum-capacity=40\nroot.b.queues=c\n"
             "root.b.c.capacity=100\n",
          "cs.xml:5: " KEY
          "root.b.maximum-capacity: \"40\": root.b never gets more than 40 % of the cluster, "
          "so its capacity of 50 % is not used above that: raise the maximum, or lower the capacity\n" },
        { AB "root.a.capacity=3w\nroot.b.capacity=1w\nroot.a.maximum-capacity=30\n",
          "cs.xml:5: " KEY
          "root.a.maximum-capacity: \"30\": root.a never gets more than 30 % of the cluster, "
          "so its capacity of 75 % is not used above that: raise the maximum, or lower the capacity\n" },
        { LABELS "root.accessible-node-labels.x.capacity=100\n"
                 "root.a.accessible-node-labels.x.capacity=50\n"
                 "root.b.accessible-node-labels.x.capacity=50\n"
                 "root.b.accessible-node-labels.x.maximum-capacity=30\n",
          "cs.xml:9: " KEY "root.b.accessible-node-labels.x.maximum-capacity: \"30\": root.b never gets more "
          "than 30 % of the cluster for label x, so its capacity of 50 % is not used above that: raise the "
          "maximum, or lower the capacity\n" },
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct capacity_fixture fixture;

        capacity_good(&fixture, cases[i].lines);
        assert_string_equal(fixture.warnings, cases[i].warnings);
        capacity_done(&fixture);
    }
}

/* As in YARN, a label of which a queue has no key has the maximum 0. Queues that inherit their labels, or
 * name all, get no warning. */
static void a_label_without_keys_is_a_warning(void **state)
{
    struct capacity_fixture fixture;

    (void)state;
    capacity_good(&fixture, LABELS "root.a.accessible-node-labels=x\n"
                                   "root.accessible-node-labels.x.capacity=100\n"
                                   "root.b.accessible-node-labels.x.capacity=100\n"
                                   "root.b.accessible-node-labels=x\n");
    assert_string_equal(
        fixture.warnings,
        "cs.xml:6: " KEY "root.a.accessible-node-labels: \"x\": root.a may use nothing of label x, "
        "as in YARN: set accessible-node-labels.x.capacity of the queue and of the queues above it\n");
    capacity_done(&fixture);
    capacity_good(&fixture, LABELS "root.accessible-node-labels.x.capacity=100\n"
                                   "root.b.accessible-node-labels.x.capacity=100\n");
    assert_string_equal(fixture.warnings, "");
    capacity_done(&fixture);
}

/* A label that is declared, and of which no queue below root has a key. */
static void a_label_for_no_queue_is_a_warning(void **state)
{
    struct capacity_fixture fixture;

    (void)state;
    capacity_good(&fixture, "creel.node-labels=x,y\n" LABELS "root.accessible-node-labels.y.capacity=100\n"
                            "root.b.accessible-node-labels.y.capacity=100\n");
    assert_string_equal(
        fixture.warnings,
        "cs.xml:2: creel.node-labels: no queue below root has a capacity for label x, so "
        "requests that name it wait for ever, as in YARN: set accessible-node-labels.x.capacity "
        "of queues, and of the queues above them\n");
    capacity_done(&fixture);
    capacity_good(&fixture, "creel.node-labels=x\nyarn.node-labels.enabled=false\n" AB
                            "root.a.capacity=50\nroot.b.capacity=50\n");
    assert_null(strstr(fixture.warnings, "wait for ever")); /* another warning explains it */
    capacity_done(&fixture);
}

static void nearly_exact_sums_are_accepted(void **state)
{
    static const char *const files[] = {
        AB "root.a.capacity=30\nroot.b.capacity=70.005\n",
        "root.queues=a,b,c\nroot.a.capacity=33.333\nroot.b.capacity=33.333f\nroot.c.capacity=33.334\n",
        AB "root.a.capacity=100\nroot.b.capacity=0\nroot.b.maximum-capacity=0\nroot.a.maximum-capacity=-1\n",
        AB "root.a.capacity=50\nroot.b.capacity=50\nroot.a.queues=c,,d,\nroot.a.allow-zero-capacity-sum="
           "true\n",
        "root.queues=a\nroot.a.queues=a\nroot.a.capacity=100\nroot.a.a.capacity=100\n",
        "root.queues=a\nroot.a.capacity=100\nroot.a.maximum-applications=-5\n"
        "global-queue-max-application=-2\n"
        "root.a.maximum-application-lifetime=-7\nroot.a.default-application-lifetime=-8\n"
        "node-locality-delay=-3\nrack-locality-additional-delay=-4\n",
        AB "root.a.capacity=1w\nroot.b.capacity=0w\nroot.a.queues=c\nroot.a.c.capacity=100\n",
        ("root.queues=a\nroot.a.capacity=100\nroot.a.maximum-allocation=[memory=4Gi,vcore=2]\n"
         "root.a.acl_application_max_priority=[user=x max_priority=7]\nqueue-mappings=u:x:a\n"),
    };
    (void)state;

    for (size_t i = 0; i < COUNT(files); i++) {
        struct capacity_fixture fixture;

        capacity_good(&fixture, files[i]);
        assert_string_equal(fixture.warnings, "");
        capacity_done(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_name_file_key_and_reason),
        cmocka_unit_test(paths_that_are_too_long),
        cmocka_unit_test(amounts_that_do_not_fit),
        cmocka_unit_test(unknown_labels_are_refused),
        cmocka_unit_test(at_most_twenty_messages_are_printed),
        cmocka_unit_test(harmless_oddities_are_warnings),
        cmocka_unit_test(maximum_below_the_capacity_is_a_warning),
        cmocka_unit_test(a_label_without_keys_is_a_warning),
        cmocka_unit_test(a_label_for_no_queue_is_a_warning),
        cmocka_unit_test(nearly_exact_sums_are_accepted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
