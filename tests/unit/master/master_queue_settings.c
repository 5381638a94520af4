/* SPDX-License-Identifier: Apache-2.0 */
/* master_queue_settings.c - test: the report of a queue contains the queue's configured settings */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/conf/conf.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/sched.h"
#include "tests/unit/master/master_harness.h"

#define CAPACITY "yarn.scheduler.capacity."

static const char *const settings[][2] = {
    { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
    { "yarn.scheduler.minimum-allocation-mb", "128" },
    { "yarn.node-labels.enabled", "true" },
    { CAPACITY "root.queues", "open,closed,parked" },
    { CAPACITY "root.open.accessible-node-labels", "gpu" },
    { CAPACITY "root.accessible-node-labels.gpu.capacity", "100" },
    { CAPACITY "root.open.capacity", "50" },
    { CAPACITY "root.open.accessible-node-labels.gpu.capacity", "100" },
    { CAPACITY "root.open.default-node-label-expression", "gpu" },
    { CAPACITY "root.closed.capacity", "50" },
    { CAPACITY "root.closed.accessible-node-labels", " " },
    { CAPACITY "root.closed.acl_administer_queue", "boss" },
    { CAPACITY "root.closed.maximum-allocation-mb", "2560" },
    { CAPACITY "root.closed.maximum-am-resource-percent", "0.1" },
    { CAPACITY "root.closed.max-parallel-apps", "7" },
    { CAPACITY "root.closed.ordering-policy", "fair" },
    { CAPACITY "root.parked.capacity", "0" },
    { CAPACITY "root.parked.max-parallel-apps", "0" },
};

static const Creel__QueueReport *queue_report(struct harness *h, const char *path)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_LIST_QUEUES);
    Creel__ListQueues body = CREEL__LIST_QUEUES__INIT;
    const Creel__Envelope *reply;

    body.queue = (char *)(uintptr_t)path;
    envelope->list_queues = &body;
    reply = harness_ask(h, MASTER_CLIENT, 1000, "ann", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_QUEUE_LIST);
    return reply->queue_list->queues[0];
}

static void check_closed(const Creel__QueueReport *queue)
{
    assert_non_null(queue->settings);
    assert_string_equal(queue->settings->mode, "percentage");
    assert_string_equal(queue->settings->ordering, "fair");
    assert_string_equal(queue->settings->auto_creation, "off");
    assert_string_equal(queue->settings->administer_acl, "boss");
    assert_int_equal(queue->settings->n_labels, 0);
    assert_int_equal(queue->settings->maximum_allocation->memory_mb, 2560);
    assert_true(fabsf(queue->settings->am_fraction - 0.1f) < 0.0001f);
    assert_int_equal(queue->settings->max_parallel_apps, 7);
    assert_true(fabsf(queue->user_limit_percent - 100) < 0.1f);
    assert_true(fabsf(queue->user_limit_factor - 1) < 0.1f);
}

static void a_report_of_a_queue_has_its_settings(void **state)
{
    struct conf *conf = conf_of(settings, sizeof(settings) / sizeof(settings[0]));
    struct sched_config sched = capacity_of(conf);
    const Creel__QueueReport *queue;
    struct harness h;

    (void)state;
    harness_init(&h);
    h.config.scheduler = "capacity";
    h.config.sched = &sched;
    harness_start(&h);
    check_closed(queue_report(&h, "root.closed"));
    queue = queue_report(&h, "root.open");
    assert_int_equal(queue->settings->n_labels, 1);
    assert_string_equal(queue->settings->labels[0], "gpu");
    assert_string_equal(queue->settings->default_label, "gpu");
    assert_int_equal(queue->settings->max_parallel_apps, 0);
    assert_int_equal(queue_report(&h, "root.parked")->settings->max_parallel_apps, -1);
    assert_string_equal(queue_report(&h, "root")->settings->ordering, "utilization");
    harness_done(&h);
    conf_free(conf);
}

static void check_entry(const Creel__QueueSettings *of, size_t type, const char *resource, double value,
                        const char *unit)
{
    assert_true(type < of->n_configured);
    assert_string_equal(of->configured[type]->resource, resource);
    assert_true(fabs(of->configured[type]->value - value) < 1e-4);
    assert_string_equal(of->configured[type]->unit, unit);
}

/* Amounts are reported as configured, not as scaled, with a maximum that is inherited; a vector by type. */
static void a_report_of_a_queue_has_its_capacity_as_configured(void **state)
{
    static const char *const amounts[][2] = {
        { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
        { CAPACITY "root.queues", "a" },
        { CAPACITY "root.a.queues", "b" },
        { CAPACITY "root.a.capacity", "[memory=1048576,vcores=100]" },
        { CAPACITY "root.a.maximum-capacity", "[memory=2097152,vcores=200]" },
        { CAPACITY "root.a.b.capacity", "[memory=4096]" },
    };
    static const char *const vectors[][2] = {
        { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
        { CAPACITY "legacy-queue-mode.enabled", "false" },
        { CAPACITY "root.queues", "c,d" },
        { CAPACITY "root.c.capacity", "[memory=12.5%,vcores=2w]" },
        { CAPACITY "root.d.capacity", "1w" },
    };
    struct conf *conf = conf_of(amounts, sizeof(amounts) / sizeof(amounts[0]));
    struct sched_config sched = capacity_of(conf);
    const Creel__QueueSettings *of;
    struct harness h;

    (void)state;
    harness_init(&h);
    h.config.scheduler = "capacity";
    h.config.sched = &sched;
    harness_start(&h);
    of = queue_report(&h, "root.a")->settings;
    assert_string_equal(of->mode, "absolute");
    check_entry(of, 0, "memory-mb", 1048576, "");
    assert_int_equal(of->configured_minimum->vcores, 100);
    of = queue_report(&h, "root.a.b")->settings;
    check_entry(of, 1, "vcores", 0, "");
    assert_int_equal(of->configured_minimum->memory_mb, 4096);
    assert_int_equal(of->configured_maximum->memory_mb, 2097152);
    harness_done(&h);
    conf_free(conf);

    conf = conf_of(vectors, sizeof(vectors) / sizeof(vectors[0]));
    sched = capacity_of(conf);
    harness_init(&h);
    h.config.scheduler = "capacity";
    h.config.sched = &sched;
    harness_start(&h);
    of = queue_report(&h, "root.c")->settings;
    assert_string_equal(of->mode, "mixed");
    check_entry(of, 0, "memory-mb", 12.5, "%");
    check_entry(of, 1, "vcores", 2, "w");
    assert_int_equal(of->configured_minimum->memory_mb, 0);
    of = queue_report(&h, "root.d")->settings;
    assert_string_equal(of->mode, "weight");
    check_entry(of, 0, "memory-mb", 1, "w");
    harness_done(&h);
    conf_free(conf);
}

static void check_property(Creel__QueueProperty *const *list, size_t count, const char *name,
                           const char *value)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->name, name) == 0) {
            assert_string_equal(list[i]->value, value);
            return;
        }
    fail_msg("there is no %s among %zu properties", name, count);
}

static void a_report_of_a_queue_has_its_templates(void **state)
{
    static const char *const templates[][2] = {
        { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
        { CAPACITY "root.queues", "managed,teams" },
        { CAPACITY "root.managed.capacity", "1w" },
        { CAPACITY "root.managed.auto-create-child-queue.enabled", "true" },
        { CAPACITY "root.managed.leaf-queue-template.capacity", "1w" },
        { CAPACITY "root.managed.leaf-queue-template.maximum-am-resource-percent", "0.5" },
        { CAPACITY "root.teams.capacity", "1w" },
        { CAPACITY "root.teams.auto-queue-creation-v2.enabled", "true" },
        { CAPACITY "root.*.auto-queue-creation-v2.template.capacity", "3w" },
        { CAPACITY "root.teams.auto-queue-creation-v2.template.capacity", "4w" },
        { CAPACITY "root.*.auto-queue-creation-v2.leaf-template.user-limit-factor", "7" },
        { CAPACITY "root.teams.auto-queue-creation-v2.parent-template.priority", "2" },
        { CAPACITY "root.other.auto-queue-creation-v2.parent-template.capacity", "2w" },
    };
    struct conf *conf = conf_of(templates, sizeof(templates) / sizeof(templates[0]));
    struct sched_config sched = capacity_of(conf);
    const Creel__QueueSettings *of;
    struct harness h;

    (void)state;
    harness_init(&h);
    h.config.scheduler = "capacity";
    h.config.sched = &sched;
    harness_start(&h);
    of = queue_report(&h, "root.managed")->settings;
    assert_int_equal(of->n_managed_template, 2);
    check_property(of->managed_template, of->n_managed_template, "capacity", "1w");
    check_property(of->managed_template, of->n_managed_template, "maximum-am-resource-percent", "0.5");
    of = queue_report(&h, "root.teams")->settings;
    assert_int_equal(of->n_managed_template, 0);
    assert_int_equal(of->n_dynamic_template, 1);
    check_property(of->dynamic_template, of->n_dynamic_template, "capacity", "4w");
    assert_int_equal(of->n_dynamic_parent_template, 1);
    check_property(of->dynamic_parent_template, of->n_dynamic_parent_template, "priority", "2");
    check_property(of->dynamic_leaf_template, of->n_dynamic_leaf_template, "user-limit-factor", "7");
    assert_int_equal(queue_report(&h, "root")->settings->n_dynamic_template, 0);
    harness_done(&h);
    conf_free(conf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_of_a_queue_has_its_settings),
        cmocka_unit_test(a_report_of_a_queue_has_its_capacity_as_configured),
        cmocka_unit_test(a_report_of_a_queue_has_its_templates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
