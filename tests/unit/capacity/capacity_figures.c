/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_figures.c - test: capacity scheduler: absolute amounts, weights, labels and capacities per
 * resource type */
#include <errno.h>
#include <string.h>

#include "tests/unit/capacity/capacity_live.h"

static const struct capacity_share *share(const struct capacity_fixture *fixture, const char *path)
{
    return &capacity_queue(fixture, path)->shares[0];
}

static void assert_share(const struct capacity_fixture *fixture, const char *path, int64_t memory_mb,
                         int64_t vcores, int64_t most_mb, int64_t most_vcores)
{
    assert_amount(&share(fixture, path)->effective_minimum, memory_mb, vcores);
    assert_amount(&share(fixture, path)->effective_maximum, most_mb, most_vcores);
}

static const char amounts[] =
    "root.queues=a,b,c\nroot.a.queues=a1,a2\n"
    "root.a.capacity=[memory=102400,vcores=10]\nroot.a.maximum-capacity=[memory=204800,vcores=30]\n"
    "root.b.capacity=[memory=51200, vcores=10]\nroot.b.maximum-capacity=[ memory-mb = 153600 ]\n"
    "root.c.capacity=[memory_mb=25Gi,vcore=5]\nroot.c.maximum-capacity=50\n"
    "root.a.a1.capacity=[memory=51200,vcores=5]\nroot.a.a2.capacity=[memory=51200,vcores=5]\n"
    "root.a.a2.maximum-capacity=[memory=102400,vcores=10]\n";

static void absolute_amounts_are_exact(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, amounts);
    capacity_cluster(&fixture, 256000, 40);
    assert_share(&fixture, "root.a", 102400, 10, 204800, 30);
    assert_share(&fixture, "root.b", 51200, 10, 153600, 40);
    assert_share(&fixture, "root.c", 25600, 5, 128000, 20);
    assert_share(&fixture, "root.a.a1", 51200, 5, 204800, 30);
    assert_share(&fixture, "root.a.a2", 51200, 5, 102400, 10);
    assert_fraction(share(&fixture, "root.a")->absolute, 0.4);
    assert_fraction(share(&fixture, "root.a.a1")->capacity, 0.5);
    assert_fraction(share(&fixture, "root.a.a1")->absolute, 0.2);
    assert_fraction(share(&fixture, "root.a")->absolute_maximum, 0.8);
    assert_fraction(share(&fixture, "root.a.a2")->maximum, 0.5);
    capacity_done(&fixture);
}

/* Only memory is scarce: only memory is scaled down, again at the next level. The maximum is that with less
 * memory, as a whole. */
static void a_cluster_that_shrank_scales_amounts(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, amounts);
    capacity_cluster(&fixture, 89600, 40);
    assert_share(&fixture, "root.a", 51200, 10, 89600, 40);
    assert_share(&fixture, "root.b", 25600, 10, 89600, 40);
    assert_share(&fixture, "root.c", 12800, 5, 44800, 20);
    assert_share(&fixture, "root.a.a1", 25600, 5, 89600, 40);
    capacity_cluster(&fixture, 0, 0);
    assert_share(&fixture, "root.a", 0, 0, 0, 0);
    assert_true(share(&fixture, "root.a")->absolute == 0);
    capacity_done(&fixture);
}

/* Amounts are scaled all or none, by the calculator, and never up. */
static void the_calculator_decides_whether_amounts_are_scaled(void **state)
{
    static const char lines[] = "root.queues=a,b\nroot.a.capacity=[memory=4096,vcores=8]\n"
                                "root.b.capacity=[memory=4096,vcores=8]\n";
    static const char dominant[] = "resource-calculator=DominantResourceCalculator\n"
                                   "root.queues=a,b\nroot.a.capacity=[memory=4096,vcores=8]\n"
                                   "root.a.maximum-capacity=[memory=16384,vcores=10]\n"
                                   "root.b.capacity=[memory=4096,vcores=8]\n";
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, lines);
    capacity_cluster(&fixture, 8192, 8); /* memory is enough: vcores are not scaled */
    assert_share(&fixture, "root.a", 4096, 8, 8192, 8);
    capacity_cluster(&fixture, 4096, 8); /* it is not: both are */
    assert_share(&fixture, "root.a", 2048, 4, 4096, 8);
    capacity_cluster(&fixture, 4096, 64); /* vcores are enough for more, and stay */
    assert_share(&fixture, "root.a", 2048, 8, 4096, 64);
    capacity_done(&fixture);
    capacity_good(&fixture, dominant);
    capacity_cluster(&fixture, 12288, 12); /* vcores are more than there are: memory stays */
    assert_share(&fixture, "root.a", 4096, 6, 12288, 10);
    assert_share(&fixture, "root.b", 4096, 6, 12288, 12);
    capacity_done(&fixture);
}

static void fractions_of_amounts_follow_the_calculator(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, "resource-calculator=DominantResourceCalculator\nroot.queues=a\n"
                            "root.a.capacity=[memory=1024,vcores=8]\n");
    capacity_cluster(&fixture, 10240, 10);
    assert_fraction(share(&fixture, "a")->absolute, 0.8);
    capacity_done(&fixture);
    capacity_good(&fixture, "root.queues=a\nroot.a.capacity=[memory=1024,vcores=8]\n");
    capacity_cluster(&fixture, 10240, 10);
    assert_fraction(share(&fixture, "a")->absolute, 0.1);
    capacity_done(&fixture);
}

static void weights_are_among_siblings(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, "root.queues=a,b,c\nroot.a.queues=a1\nroot.a.capacity=1w\n"
                            "root.a.maximum-capacity=10\nroot.b.queues=b1,b2\nroot.b.capacity=9w\n"
                            "root.c.capacity=-1w\nroot.a.a1.capacity=100w\n"
                            "root.b.b1.capacity=50w\nroot.b.b1.maximum-capacity=50\n"
                            "root.b.b2.capacity=50w\nroot.b.b2.maximum-capacity=50\n");
    capacity_cluster(&fixture, 10240, 10);
    assert_fraction(share(&fixture, "root.a")->absolute, 0.1);
    assert_fraction(share(&fixture, "root.a")->absolute_maximum, 0.1);
    assert_fraction(share(&fixture, "root.b")->absolute, 0.9);
    assert_fraction(share(&fixture, "a1")->absolute, 0.1);
    assert_fraction(share(&fixture, "b1")->absolute, 0.45);
    assert_fraction(share(&fixture, "b1")->absolute_maximum, 0.5);
    assert_true(share(&fixture, "c")->absolute == 0);
    assert_share(&fixture, "b2", 4607, 4, 5120, 5); /* 0.45 as a float is slightly less */
    assert_int_equal(share(&fixture, "b2")->mode, CAPACITY_WEIGHT);
    capacity_done(&fixture);
}

static void percentages_may_be_below_weights_and_above(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, "root.queues=a,b\nroot.a.capacity=3w\nroot.b.capacity=1w\n"
                            "root.a.queues=c,d\nroot.a.c.capacity=40\nroot.a.d.capacity=60\n"
                            "root.a.d.queues=e,f\nroot.a.d.e.capacity=1w\nroot.a.d.f.capacity=2w\n");
    capacity_cluster(&fixture, 10000, 10);
    assert_fraction(share(&fixture, "c")->absolute, 0.3);
    assert_fraction(share(&fixture, "f")->absolute, 0.3);
    capacity_done(&fixture);
}

/* 5.1: amounts come first; percentages apply to the rest; weights share the remainder. */
static void by_type_outside_of_legacy_mode(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture,
                  "legacy-queue-mode.enabled=false\nroot.queues=a,b,c,d\n"
                  "root.a.capacity=[memory=2000,vcores=50%]\nroot.b.capacity=[memory=25%,vcores=1w]\n"
                  "root.c.capacity=[memory=1w,vcores=4]\nroot.d.capacity=2w\n"
                  "root.d.maximum-capacity=[memory=50%,vcores=7]\n");
    capacity_cluster(&fixture, 10000, 20);
    assert_share(&fixture, "a", 2000, 8, 10000, 20); /* half of 20 - 4 */
    assert_share(&fixture, "b", 2000, 3, 10000, 20); /* a quarter of 8000; a third of 8, rounded */
    assert_share(&fixture, "c", 2000, 4, 10000, 20); /* a third of 6000 */
    assert_share(&fixture, "d", 4000, 5, 5000, 7);
    assert_fraction(share(&fixture, "d")->absolute, 0.4);
    capacity_done(&fixture);
    capacity_good(&fixture, "legacy-queue-mode.enabled=false\nroot.queues=a,b\nroot.a.capacity=98\n"
                            "root.b.capacity=5w\n"); /* a weight is no percentage */
    capacity_done(&fixture);
    capacity_bad("legacy-queue-mode.enabled=false\nroot.queues=a,b\nroot.a.capacity=60\n"
                 "root.b.capacity=60\n",
                 "add up to 120 (a 60, b 60), expected at most 100");
}

static void percentages_and_weights_side_by_side(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, "legacy-queue-mode.enabled=false\nroot.queues=a,b,c\n"
                            "root.a.capacity=20\nroot.b.capacity=1w\nroot.c.capacity=3w\n");
    capacity_cluster(&fixture, 1003, 10);
    assert_share(&fixture, "a", 200, 2, 1003, 10); /* percentages are rounded down */
    assert_share(&fixture, "b", 201, 2, 1003, 10); /* weights to the nearest */
    assert_share(&fixture, "c", 602, 6, 1003, 10);
    assert_true(share(&fixture, "a")->capacity == 200.0f / 1003.0f); /* fractions come from amounts */
    assert_true(share(&fixture, "b")->absolute == 201.0f / 1003.0f);
    assert_int_equal(capacity_queue(&fixture, "b")->max_apps, 2003);
    capacity_cluster(&fixture, 0, 0); /* while there are no nodes, from the configured values */
    assert_fraction(share(&fixture, "a")->absolute, 0.2);
    assert_fraction(share(&fixture, "b")->absolute, 0.2);
    assert_fraction(share(&fixture, "c")->absolute, 0.6);
    capacity_done(&fixture);
}

/* Outside of legacy mode, a queue never has a guarantee above its maximum or above what its parent has
 * left, and none of any type without memory. */
static void amounts_by_type_are_limited(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, "legacy-queue-mode.enabled=false\nroot.queues=a,b,c,d\n"
                            "root.a.capacity=3w\nroot.a.maximum-capacity=25\nroot.b.capacity=1w\n"
                            "root.c.capacity=[memory=0,vcores=2]\nroot.d.capacity=0w\n"
                            "root.d.maximum-capacity=1\nroot.b.queues=x,y\n"
                            "root.b.x.capacity=1w\nroot.b.y.capacity=1w\n");
    capacity_cluster(&fixture, 1000, 11);
    assert_share(&fixture, "a", 250, 2, 250, 2);
    assert_share(&fixture, "c", 0, 0, 1000, 11);
    assert_share(&fixture, "d", 0, 0, 10, 11); /* 1 % of 11 vcores would be none: no limit */
    assert_share(&fixture, "root.b", 250, 3, 1000, 11);
    assert_share(&fixture, "x", 125, 2, 1000, 11); /* 1.5 rounded, ... */
    assert_share(&fixture, "y", 125, 1, 1000, 11); /* ... but only 1 is left */
    capacity_done(&fixture);
}

/* --- labels ----------------------------------------------------------------------------- */

static const char labels[] =
    "yarn.node-labels.enabled=true\ncreel.node-labels=red(exclusive=false)\n"
    "root.queues=a,b\nroot.a.queues=a1,a2\nroot.a.capacity=10\nroot.b.capacity=90\n"
    "root.a.a1.capacity=30\nroot.a.a2.capacity=70\n"
    "root.accessible-node-labels.red.capacity=100\nroot.accessible-node-labels.blue.capacity=100\n"
    "root.a.accessible-node-labels=red,blue\nroot.a.accessible-node-labels.red.capacity=50\n"
    "root.a.accessible-node-labels.red.maximum-capacity=60\n"
    "root.a.accessible-node-labels.blue.capacity=100\nroot.b.accessible-node-labels= red \n"
    "root.b.accessible-node-labels.red.capacity=50\n"
    "root.b.accessible-node-labels.red.maximum-am-resource-percent=0.5\n"
    "root.b.default-node-label-expression=red\n"
    "root.a.a1.accessible-node-labels.red.capacity=100\n"
    "root.a.a1.accessible-node-labels.blue.capacity=100\nroot.a.a2.accessible-node-labels= \n";

static void each_label_is_a_partition(void **state)
{
    struct capacity_fixture fixture;
    struct resource totals[CAPACITY_LABELS_MAX] = { { .value = { 0 } } };
    const struct capacity_queue *queue;
    int red, blue;
    (void)state;

    capacity_good(&fixture, labels);
    assert_string_equal(fixture.warnings, "");
    red = capacity_config_label(fixture.config, "red");
    blue = capacity_config_label(fixture.config, "blue");
    assert_int_equal(fixture.config->label_count, 3);
    assert_int_equal(capacity_config_label(fixture.config, ""), 0);
    assert_int_equal(capacity_config_label(fixture.config, "green"), -1);
    assert_true(fixture.config->label_shared[red]);
    assert_false(fixture.config->label_shared[blue]);
    totals[0] = resource_of(1000, 10);
    totals[red] = resource_of(2000, 20);
    totals[blue] = resource_of(4000, 40);
    capacity_config_compute(fixture.config, totals);

    queue = capacity_queue(&fixture, "a1");
    assert_fraction(queue->shares[red].absolute, 0.5);
    assert_fraction(queue->shares[red].absolute_maximum, 0.6);
    assert_amount(&queue->shares[red].effective_minimum, 1000, 10);
    assert_amount(&queue->shares[red].effective_maximum, 1200, 12);
    assert_amount(&queue->shares[blue].effective_minimum, 4000, 40);
    assert_amount(&queue->shares[0].effective_minimum, 30, 0);
    assert_true(queue->access == (UINT64_C(1) | UINT64_C(1) << red | UINT64_C(1) << blue));
    assert_int_equal(queue->max_apps, 10000); /* the queue has all of partition blue */
    assert_true(capacity_queue(&fixture, "a2")->access == 1);
    assert_true(fixture.config->root->access == UINT64_MAX);
    queue = capacity_queue(&fixture, "b");
    assert_true(queue->access == (UINT64_C(1) | UINT64_C(1) << red));
    assert_int_equal(queue->default_label, red);
    assert_fraction(queue->shares[red].am_fraction, 0.5);
    assert_fraction(queue->shares[0].am_fraction, 0.1);
    capacity_done(&fixture);
}

static void a_label_of_a_node_may_be_new(void **state)
{
    struct capacity_fixture fixture;
    struct resource totals[CAPACITY_LABELS_MAX] = { { .value = { 0 } } };
    int green;
    (void)state;

    capacity_good(&fixture, labels);
    green = capacity_config_label_add(fixture.config, "green");
    assert_int_equal(green, 3);
    assert_int_equal(capacity_config_label_add(fixture.config, "green"), 3);
    totals[green] = resource_of(1000, 10);
    capacity_config_compute(fixture.config, totals);
    assert_amount(&capacity_queue(&fixture, "b")->shares[green].effective_minimum, 0, 0);
    assert_false(capacity_queue(&fixture, "b")->access >> green & 1);
    for (int i = 4; i < CAPACITY_LABELS_MAX; i++) {
        char name[8] = { 'l', (char)('A' + i), '\0' };

        assert_int_equal(capacity_config_label_add(fixture.config, name), i);
    }
    assert_int_equal(capacity_config_label_add(fixture.config, "more"), -E2BIG);
    capacity_done(&fixture);
}

static void further_types_have_amounts_too(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, "yarn.resource-types=yarn.io/gpu,disk\nyarn.resource-types.disk.units=Gi\n"
                            "yarn.resource-types.yarn.io/gpu.maximum-allocation=4\nroot.queues=a\n"
                            "root.a.capacity=[memory=1024,yarn.io/gpu=2,disk=1Ti]\n"
                            "root.a.maximum-allocation=gpu=3\n");
    capacity_cluster(&fixture, 2048, 2);
    assert_int_equal(fixture.config->types.count, 4);
    assert_int_equal(fixture.config->maximum_allocation.value[2], 4);
    assert_int_equal(capacity_queue(&fixture, "a")->maximum_allocation.value[2], 3);
    assert_true(share(&fixture, "a")->minimum_vector->value[2] == 2);
    assert_true(share(&fixture, "a")->minimum_vector->value[3] == 1024);
    capacity_done(&fixture);
    capacity_bad("yarn.resource-types=gpu,gpu\n", "cs.xml:2: yarn.resource-types: \"gpu\" is named twice");
}

/* Each setting of the queue has another number. */
static void figures_of_a_queue_are_those_of_its_configuration(void **state)
{
    struct sched_queue_figures a, b;
    struct sched_node *node;
    struct live live;
    (void)state;

    live_begin(&live, "root.queues=a,b\nroot.a.capacity=25\nroot.a.maximum-capacity=80\nroot.b.capacity=75\n"
                      "root.a.maximum-applications=20\nroot.a.minimum-user-limit-percent=40\n"
                      "root.a.user-limit-factor=2\nroot.a.priority=3\nroot.a.state=RUNNING\n"
                      "root.a.maximum-application-lifetime=700\nroot.a.default-application-lifetime=60\n"
                      "root.b.state=STOPPED\n");
    node = live_node(&live, "n1:1", 10240, NULL);
    live_ask(&live, live_app(&live, "ann", "a"), 4, 1024);
    live_app(&live, "bob", "a");
    live_heartbeat(&live, node, 1);
    a = live_queue(&live, "root.a");
    assert_string_equal(a.path, "root.a");
    assert_string_equal(a.state, "RUNNING");
    assert_string_equal(a.configured_state, "RUNNING");
    assert_true(a.leaf);
    assert_false(a.dynamic);
    assert_fraction(a.capacity, 0.25);
    assert_fraction(a.max_capacity, 0.8);
    assert_fraction(a.absolute_capacity, 0.25);
    assert_fraction(a.absolute_max_capacity, 0.8);
    assert_fraction(a.absolute_used, 0.1);
    assert_fraction(a.used_capacity, 0.4);
    assert_fraction(a.weight, -1);
    assert_fraction(a.normalized_weight, 0);
    assert_int_equal(a.priority, 3);
    assert_amount(&a.used, 1024, 1);
    assert_amount(&a.pending, 3072, 3);
    assert_amount(&a.reserved, 0, 0);
    assert_amount(&a.minimum, 2560, 25);
    assert_amount(&a.maximum, 8192, 80);
    assert_fraction(a.user_limit_percent, 40);
    assert_fraction(a.user_limit_factor, 2);
    assert_int_equal(a.max_apps, 20);
    assert_int_equal(a.max_apps_per_user, 16);
    assert_int_equal(a.maximum_lifetime_s, 700);
    assert_int_equal(a.default_lifetime_s, 60);
    assert_int_equal(a.apps_running, 1);
    assert_int_equal(a.apps_pending, 1);
    assert_int_equal(a.active_apps, 2);
    assert_int_equal(a.waiting_apps, 0);
    assert_int_equal(a.active_users, 1);
    assert_int_equal(a.containers, 1);
    assert_int_equal(a.labelled_containers, 0);
    assert_false(a.preemption);
    b = live_queue(&live, "root.b");
    assert_string_equal(b.state, "STOPPED");
    assert_string_equal(b.configured_state, "STOPPED");
    assert_int_equal(b.priority, 0);
    assert_int_equal(b.maximum_lifetime_s, -1);
    assert_int_equal(b.default_lifetime_s, -1);
    live_end(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absolute_amounts_are_exact),
        cmocka_unit_test(a_cluster_that_shrank_scales_amounts),
        cmocka_unit_test(the_calculator_decides_whether_amounts_are_scaled),
        cmocka_unit_test(fractions_of_amounts_follow_the_calculator),
        cmocka_unit_test(weights_are_among_siblings),
        cmocka_unit_test(percentages_may_be_below_weights_and_above),
        cmocka_unit_test(by_type_outside_of_legacy_mode),
        cmocka_unit_test(percentages_and_weights_side_by_side),
        cmocka_unit_test(amounts_by_type_are_limited),
        cmocka_unit_test(each_label_is_a_partition),
        cmocka_unit_test(a_label_of_a_node_may_be_new),
        cmocka_unit_test(further_types_have_amounts_too),
        cmocka_unit_test(figures_of_a_queue_are_those_of_its_configuration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
