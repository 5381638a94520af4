/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_labels.c - test: capacity scheduler: nodes whose label changes while containers run on them */
#include <errno.h>
#include <string.h>

#include "tests/unit/capacity/capacity_live.h"

#define LINES \
    "yarn.node-labels.enabled=true\nroot.queues=a,b\nroot.a.capacity=50\nroot.b.capacity=50\n" \
    "root.accessible-node-labels.gpu.capacity=100\n" \
    "root.a.accessible-node-labels=gpu\nroot.b.accessible-node-labels=gpu\n" \
    "root.a.accessible-node-labels.gpu.capacity=50\n" \
    "root.b.accessible-node-labels.gpu.capacity=50\nroot.a.user-limit-factor=10\n"

static struct resource used(const struct live *live)
{
    return live_queue(live, "root.a").used; /* in the unlabelled partition */
}

static void running_containers_count_in_the_new_partition(void **state)
{
    struct live live;
    struct sched_node *node, *other;
    struct sched_app *app;
    struct sched_app_figures figures;
    struct resource sum;
    (void)state;

    live_begin(&live, LINES);
    node = live_node(&live, "n1:1", 8192, NULL);
    other = live_node(&live, "n2:1", 8192, NULL);
    app = live_app(&live, "ann", "a");
    live_ask(&live, app, 12, 1024);
    live_heartbeat(&live, node, 8);
    sum = used(&live);
    assert_amount(&sum, 8192, 8);
    sched_node_set_label(live.sched, node, "gpu", &live.decisions);
    live_check(&live);
    assert_string_equal(sched_node_label(node), "gpu");
    sum = used(&live);
    assert_amount(&sum, 0, 0);
    figures = live_figures(&live, app);
    assert_amount(&figures.used, 8192, 8); /* the containers still run */
    sum = live_queue(&live, "root.a").minimum;
    assert_amount(&sum, 4096, 50); /* resources of one node only */
    live_heartbeat(&live, other, 4);
    sum = used(&live);
    assert_amount(&sum, 4096, 4);
    sched_node_set_label(live.sched, node, "", &live.decisions);
    live_check(&live);
    sum = used(&live);
    assert_amount(&sum, 12288, 12);
    live_end(&live);
}

static void users_have_amounts_on_the_nodes_of_a_label(void **state)
{
    struct live live;
    struct sched_node *node;
    struct sched_user_figures user = { .user = NULL };
    struct sched_partition_figures queue;

    (void)state;
    live_begin(&live, LINES);
    node = live_node(&live, "n1:1", 8192, NULL);
    live_ask(&live, live_app(&live, "ann", "a"), 3, 1024);
    live_heartbeat(&live, node, 3);
    assert_false(sched_queue_user_partition(live.sched, "root.a", "ann", 1, &user));
    assert_false(sched_queue_user_partition(live.sched, "root.a", "bob", 1, &user));
    sched_node_set_label(live.sched, node, "gpu", &live.decisions);
    assert_true(sched_queue_user_partition(live.sched, "root.a", "ann", 1, &user));
    assert_amount(&user.used, 3072, 3);
    assert_amount(&user.limit, 4096, 1);
    assert_true(sched_queue_partition_figures(live.sched, "root.a", 1, &queue));
    assert_int_equal(queue.containers, 3);
    assert_true(sched_queue_user_next(live.sched, "root.a", NULL, &user));
    assert_amount(&user.used, 0, 0);
    live_end(&live);
}

static void reservations_on_the_relabelled_node_are_dropped(void **state)
{
    struct live live;
    struct sched_node *node;
    struct sched_app *app, *large;
    (void)state;

    live_begin(&live, LINES);
    node = live_node(&live, "n1:1", 8192, NULL);
    live_node(&live, "n2:1", 8192, NULL);
    app = live_app(&live, "ann", "a");
    large = live_app(&live, "ann", "a");
    live_ask(&live, app, 6, 1024);
    live_heartbeat(&live, node, 6);
    live_ask(&live, large, 1, 4096);
    live_heartbeat(&live, node, 1);
    assert_ptr_equal(sched_node_reserved_by(node), large);
    live.decisions.count = 0;
    sched_node_set_label(live.sched, node, "gpu", &live.decisions);
    assert_int_equal(live_count(&live, SCHED_UNRESERVED), 1);
    assert_null(sched_node_reserved_by(node));
    live_heartbeat(&live, node, 2); /* no app requested that label */
    assert_int_equal(live.decisions.count, 0);
    live_end(&live);
}

static void add_key(void *context, const char *key)
{
    char *all = context;

    strcat(strcat(all, key + strlen("yarn.scheduler.capacity.")), " ");
}

static void assert_label_keys(const char *lines, const char *queue, const char *label, const char *keys)
{
    char all[512] = "";
    struct live live;

    live_begin(&live, lines);
    assert_non_null(live_app(&live, "ann", queue));
    sched_label_keys(live.sched, label, add_key, all);
    assert_string_equal(all, keys);
    assert_int_equal(sched_label_queue(live.sched, label) != NULL, *keys != '\0');
    live_end(&live);
}

/* The error of creel label remove has the keys that an administrator must change. */
static void keys_that_name_a_label_are_known(void **state)
{
    (void)state;
    assert_label_keys(LINES, "a", "gpu",
                      "root.accessible-node-labels.gpu.capacity root.a.accessible-node-labels "
                      "root.a.accessible-node-labels.gpu.capacity root.b.accessible-node-labels "
                      "root.b.accessible-node-labels.gpu.capacity ");
    assert_label_keys("creel.node-labels=gpu,big\n"
                      "root.queues=a,b\nroot.a.capacity=50\nroot.b.capacity=50\n"
                      "root.a.default-node-label-expression=gpu\nroot.b.accessible-node-labels= big , x\n"
                      "root.b.accessible-node-labels.big.maximum-capacity=0\n",
                      "a", "gpu", "root.a.default-node-label-expression ");
    assert_label_keys("creel.node-labels=gpu\nroot.queues=a\nroot.a.capacity=100\n"
                      "root.a.accessible-node-labels.gpu.capacity=0\n",
                      "a", "gpu", "root.a.accessible-node-labels.gpu.capacity ");
    assert_label_keys("creel.node-labels=gpu\nroot.queues=a\nroot.a.capacity=100\n"
                      "root.a.accessible-node-labels=*\n",
                      "a", "gpu", "");
    assert_label_keys("creel.node-labels=gpu\nroot.queues=p\nroot.p.capacity=1w\n"
                      "root.p.auto-queue-creation-v2.enabled=true\n"
                      "root.p.auto-queue-creation-v2.template.accessible-node-labels=gpu\n",
                      "root.p.x", "gpu", "root.p.auto-queue-creation-v2.template.accessible-node-labels ");
}

/* A reload may change the order of the labels in the file; nodes keep their labels by name. */
static void a_refresh_names_another_label_first(void **state)
{
    static const char more[] =
        "creel.node-labels=big\n" LINES
        "root.a.default-node-label-expression=gpu\nroot.accessible-node-labels.big.capacity=100\n"
        "root.a.accessible-node-labels.big.capacity=0\nroot.b.accessible-node-labels=gpu,big\n"
        "root.b.accessible-node-labels.big.capacity=100\n";
    struct live live;
    struct sched_node *node, *other;
    struct sched_app *app;
    (void)state;

    live_begin(&live, LINES "root.a.default-node-label-expression=gpu\n");
    node = live_node(&live, "n1:1", 8192, "gpu");
    other = live_node(&live, "n2:1", 8192, "spot");
    app = live_app(&live, "ann", "a");
    live_ask(&live, app, 4, 1024);
    live_heartbeat(&live, node, 2);
    assert_int_equal(live_count(&live, SCHED_ALLOCATED), 2);
    live_refresh(&live, more);
    live_check(&live);
    live.decisions.count = 0;
    live_heartbeat(&live, other, 2);
    assert_int_equal(live_count(&live, SCHED_ALLOCATED), 0);
    live_heartbeat(&live, node, 2);
    assert_int_equal(live_count(&live, SCHED_ALLOCATED), 2);
    live_end(&live);
}

/* "creel label add night:shared": the configuration has no shared label. */
static void a_label_that_is_declared_as_shared_lends_its_nodes(void **state)
{
    struct live live;
    struct sched_node *node, *other;
    struct sched_app *app;
    (void)state;

    live_begin(&live, LINES);
    node = live_node(&live, "n1:1", 4096, NULL);
    assert_int_equal(sched_label_declare(live.sched, "night", false), 0);
    other = live_node(&live, "n2:1", 8192, "night");
    app = live_app(&live, "ann", "a");
    live_ask(&live, app, 6, 1024);
    for (int shared = 0; shared < 2; shared++) {
        assert_int_equal(sched_label_declare(live.sched, "night", shared != 0), 0);
        live_check(&live);
        for (int i = 0; i < 8; i++) {
            live_heartbeat(&live, node, 1);
            live_heartbeat(&live, other, 1);
        }
        live_check(&live);
        assert_int_equal(live_figures(&live, app).containers, shared ? 6 : 4);
    }
    live_end(&live);
}

/* The label is the first one: its index is 1. */
static void each_partition_has_figures(void **state)
{
    struct sched_partition_figures figures;
    struct live live;
    struct sched_node *node;
    struct sched_app *app;
    (void)state;

    live_begin(&live, LINES "root.a.default-node-label-expression=gpu\n");
    node = live_node(&live, "n1:1", 8192, "gpu");
    live_node(&live, "n2:1", 4096, NULL);
    app = live_app(&live, "ann", "a");
    live_ask(&live, app, 3, 1024);
    live_heartbeat(&live, node, 2);
    assert_true(sched_queue_partition_figures(live.sched, "root.a", 1, &figures));
    assert_string_equal(figures.label, "gpu");
    assert_true(figures.accessible);
    assert_int_equal(figures.used.value[0], 2048);
    assert_int_equal(figures.pending.value[0], 1024);
    assert_int_equal(figures.minimum.value[0], 4096);
    assert_true(figures.capacity == 0.5f && figures.absolute_capacity == 0.5f);
    assert_true(figures.used_capacity == 0.5f && figures.absolute_used == 0.25f);
    assert_true(sched_queue_partition_figures(live.sched, "root", 1, &figures));
    assert_int_equal(figures.used.value[0], 2048);
    assert_int_equal(figures.maximum.value[0], 8192);
    assert_false(sched_queue_partition_figures(live.sched, "root.a", 0, &figures));
    assert_false(sched_queue_partition_figures(live.sched, "root.a", 99, &figures));
    assert_false(sched_queue_partition_figures(live.sched, "root.x", 1, &figures));
    live_end(&live);
}

static void a_test_names_a_label_that_no_node_has(void **state)
{
    const struct resource size = resource_of(1024, 1);
    struct sched_app_spec spec = { .id = { 1, 9 }, .user = "ann", .queue = "a", .label = "gpu" };
    struct sched_node *node;
    struct live live;
    struct err err;

    (void)state;
    live_begin(&live, LINES);
    node = live_node(&live, "n1:1", 8192, NULL);
    live_tick(&live, SCHED_SIZE_WAIT_MS);
    assert_int_equal(sched_app_test(live.sched, &spec, &size, &err), -ERANGE);
    assert_non_null(strstr(err.text, "no registered node has the label gpu"));
    assert_non_null(strstr(err.text, "creel node label NODE set gpu"));
    sched_node_set_label(live.sched, node, "gpu", &live.decisions);
    assert_int_equal(sched_app_test(live.sched, &spec, &size, &err), 0);
    live_end(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_containers_count_in_the_new_partition),
        cmocka_unit_test(users_have_amounts_on_the_nodes_of_a_label),
        cmocka_unit_test(keys_that_name_a_label_are_known),
        cmocka_unit_test(reservations_on_the_relabelled_node_are_dropped),
        cmocka_unit_test(a_refresh_names_another_label_first),
        cmocka_unit_test(a_label_that_is_declared_as_shared_lends_its_nodes),
        cmocka_unit_test(each_partition_has_figures),
        cmocka_unit_test(a_test_names_a_label_that_no_node_has),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
