/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_config.c - test: capacity scheduler: queue trees with percentages, and the amounts computed
 * from them */
#include <string.h>

#include "common/conf/yarn_keys.h"
#include "rm/sched/capacity/config/key_table.h"
#include "tests/unit/capacity/capacity_fixture.h"

static const char three_levels[] =
    "root.queues= a ,b, c\n"
    "root.a.capacity=10\nroot.a.maximum-capacity=15\nroot.a.queues=a1, a2 \n"
    "root.b.capacity=20\nroot.b.queues=b1,b2\n"
    "root.c.capacity=70\nroot.c.maximum-capacity=70\nroot.c.queues=c1,c2\n"
    "root.a.a1.capacity=30\nroot.a.a1.maximum-capacity=45\n"
    "root.a.a2.capacity=70\nroot.a.a2.maximum-capacity=85\n"
    "root.b.b1.capacity=50\nroot.b.b1.maximum-capacity=85\nroot.b.b2.capacity=50\n"
    "root.c.c1.capacity=50\nroot.c.c1.maximum-capacity=55\nroot.c.c1.queues=c11,c12\n"
    "root.c.c2.capacity=50\n"
    "root.c.c1.c11.capacity=55\nroot.c.c1.c12.capacity=45\nroot.c.c1.c12.maximum-capacity=70\n";

static void a_tree_of_three_levels(void **state)
{
    struct capacity_fixture fixture;
    const struct capacity_queue *queue;
    (void)state;

    capacity_good(&fixture, three_levels);
    assert_string_equal(fixture.warnings, "");
    assert_int_equal(fixture.config->queue_count, 12);
    capacity_cluster(&fixture, 100 * 1024, 100);
    queue = capacity_queue(&fixture, "root.c.c1.c12");
    assert_fraction(queue->shares[0].capacity, 0.45);
    assert_fraction(queue->shares[0].absolute, 0.1575);
    assert_fraction(queue->shares[0].absolute_maximum, 0.2695);
    assert_true(queue->leaf);
    assert_int_equal(queue->position, 1);
    assert_string_equal(queue->name, "c12");
    assert_string_equal(queue->parent->path, "root.c.c1");
    assert_false(queue->parent->leaf);
    queue = capacity_queue(&fixture, "root.b.b1");
    assert_fraction(queue->shares[0].absolute, 0.1);
    assert_fraction(queue->shares[0].absolute_maximum, 0.85);
    capacity_done(&fixture);
}

static void queues_are_ordered_as_in_the_tree(void **state)
{
    static const char *const order[] = {
        "root",      "root.a", "root.a.a1", "root.a.a2",     "root.b",        "root.b.b1",
        "root.b.b2", "root.c", "root.c.c1", "root.c.c1.c11", "root.c.c1.c12", "root.c.c2",
    };
    struct capacity_fixture fixture;
    const struct capacity_queue *queue;
    size_t i = 0;
    (void)state;

    capacity_good(&fixture, three_levels);
    TAILQ_FOREACH(queue, &fixture.config->queues, link)
        assert_string_equal(queue->path, order[i++]);
    assert_int_equal(i, COUNT(order));
    assert_ptr_equal(TAILQ_FIRST(&fixture.config->queues), fixture.config->root);
    capacity_done(&fixture);
}

/* 70 % is 0.7f, and amounts are truncated. */
static void amounts_are_cut_as_yarn_cuts_them(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, "root.queues=a,b\nroot.a.capacity=70\nroot.b.capacity=30\n"
                            "root.b.maximum-capacity=70\n");
    capacity_cluster(&fixture, 10240, 10);
    assert_amount(&capacity_queue(&fixture, "a")->shares[0].effective_minimum, 7167, 6);
    assert_amount(&capacity_queue(&fixture, "a")->shares[0].effective_maximum, 10240, 10);
    assert_amount(&capacity_queue(&fixture, "b")->shares[0].effective_minimum, 3072, 3);
    assert_amount(&capacity_queue(&fixture, "b")->shares[0].effective_maximum, 7167, 6);
    assert_amount(&fixture.config->root->shares[0].effective_minimum, 10240, 10);
    assert_true(capacity_queue(&fixture, "a")->shares[0].capacity == 0.7f);
    capacity_done(&fixture);
}

static void without_any_key_there_is_the_shipped_queue(void **state)
{
    static const char *const files[] = { "", "root.default.capacity=100\n",
                                         "root.acl_submit_applications=x\n", "maximum-applications=5\n" };
    (void)state;

    for (size_t i = 0; i < COUNT(files); i++) {
        struct capacity_fixture fixture;

        capacity_good(&fixture, files[i]);
        assert_int_equal(fixture.config->queue_count, 2);
        assert_fraction(capacity_queue(&fixture, "root.default")->shares[0].absolute, 1);
        capacity_done(&fixture);
    }
}

static void absent_keys_have_the_defaults_of_yarn(void **state)
{
    struct capacity_fixture fixture;
    const struct capacity_config *config;
    const struct capacity_queue *queue;
    (void)state;

    capacity_good(&fixture, "");
    config = fixture.config;
    assert_false(config->dominant);
    assert_int_equal(config->maximum_applications, 10000);
    assert_int_equal(config->node_locality_delay, 40);
    assert_int_equal(config->rack_locality_additional_delay, -1);
    assert_true(config->rack_locality_full_reset);
    assert_true(config->reservations_continue_look);
    assert_true(config->multiple_assignments);
    assert_int_equal(config->maximum_container_assignments, 100);
    assert_int_equal(config->maximum_offswitch_assignments, 1);
    assert_true(config->legacy_queue_mode);
    assert_false(config->lazy_preemption);
    assert_int_equal(config->queue_expiration_ms, 300000);
    assert_true(config->user_max_parallel_apps == INT64_MAX);
    assert_amount(&config->minimum_allocation, 1024, 1);
    assert_amount(&config->maximum_allocation, 8192, 4);

    queue = capacity_queue(&fixture, "default");
    assert_fraction(queue->user_limit_percent, 100);
    assert_fraction(queue->user_limit_factor, 1);
    assert_true(queue->max_parallel_apps == INT64_MAX);
    assert_fraction(queue->shares[0].am_fraction, 0.1);
    assert_string_equal(config->root->acl_submit, "*");
    assert_string_equal(queue->acl_submit, " ");
    assert_amount(&queue->maximum_allocation, 8192, 4);
    assert_int_equal(queue->maximum_lifetime_s, -1);
    assert_int_equal(queue->order, CAPACITY_ORDER_FIFO);
    assert_int_equal(queue->state, CAPACITY_RUNNING);
    assert_false(queue->state_given);
    assert_int_equal(queue->max_apps, 10000);
    assert_int_equal(queue->max_apps_per_user, 10000);
    capacity_done(&fixture);
}

static void most_apps_follow_from_capacity(void **state)
{
    struct capacity_fixture fixture;
    const struct capacity_queue *queue;
    (void)state;

    capacity_good(&fixture, "maximum-applications=1000\nroot.queues=a,b,c\nroot.a.capacity=70\n"
                            "root.a.minimum-user-limit-percent=50\nroot.b.capacity=20\n"
                            "root.b.maximum-applications=7\nroot.b.user-limit-factor=0.5\n"
                            "root.c.capacity=10\nroot.c.user-limit-factor=-1\n"
                            "root.c.minimum-user-limit-percent=1\n");
    queue = capacity_queue(&fixture, "a");
    assert_int_equal(queue->max_apps, 700); /* 1000 x 0.7f is 700 as a float */
    assert_int_equal(queue->max_apps_per_user, 350);
    queue = capacity_queue(&fixture, "b");
    assert_int_equal(queue->max_apps, 7);
    assert_int_equal(queue->max_apps_per_user, 3);
    queue = capacity_queue(&fixture, "c");
    assert_int_equal(queue->max_apps, 100);
    assert_int_equal(queue->max_apps_per_user, 100);
    capacity_done(&fixture);
}

static void leaf_is_found_by_a_unique_short_name(void **state)
{
    struct capacity_fixture fixture;
    bool ambiguous;
    (void)state;

    capacity_good(&fixture, "root.queues=a,b\nroot.a.queues=x,y\nroot.b.queues=x\n"
                            "root.a.capacity=50\nroot.b.capacity=50\nroot.a.x.capacity=50\n"
                            "root.a.y.capacity=50\nroot.b.x.capacity=100\n");
    assert_string_equal(capacity_config_find(fixture.config, "y", &ambiguous)->path, "root.a.y");
    assert_false(ambiguous);
    assert_null(capacity_config_find(fixture.config, "x", &ambiguous));
    assert_true(ambiguous);
    assert_null(capacity_config_find(fixture.config, "a", &ambiguous));
    assert_false(ambiguous);
    assert_null(capacity_config_find(fixture.config, "nobody", NULL));
    assert_string_equal(capacity_config_find(fixture.config, "root.b.x", NULL)->path, "root.b.x");
    capacity_done(&fixture);
}

static void queue_inherits_absent_keys_from_its_parents(void **state)
{
    struct capacity_fixture fixture;
    const struct capacity_queue *queue;
    (void)state;

    capacity_good(&fixture,
                  "root.queues=p\nroot.p.queues=q,r\nroot.p.capacity=100\n"
                  "root.p.q.capacity=50\nroot.p.r.capacity=50\n"
                  "root.p.disable_preemption=true\nroot.p.r.disable_preemption=false\n"
                  "root.p.intra-queue-preemption.disable_preemption=true\n"
                  "root.p.state=stopped\nroot.p.maximum-allocation-mb=4096\n"
                  "root.p.r.maximum-allocation=vcores=2\n"
                  "root.p.maximum-application-lifetime=100\nroot.p.q.default-application-lifetime=50\n"
                  "root.ordering-policy=priority-utilization\n"
                  "root.p.user-settings.ann.weight=0.5\nroot.p.q.user-settings.bob.b.weight=0.25\n"
                  "root.p.acl_submit_applications= ops\n");
    queue = capacity_queue(&fixture, "q");
    assert_true(queue->disable_preemption);
    assert_true(queue->disable_intra_preemption);
    assert_int_equal(queue->state, CAPACITY_STOPPED);
    assert_false(queue->state_given);
    assert_amount(&queue->maximum_allocation, 4096, 4);
    assert_int_equal(queue->maximum_lifetime_s, 100);
    assert_int_equal(queue->default_lifetime_s, 50);
    assert_true(queue->parent->priority_utilization);
    assert_fraction(capacity_queue_user_weight(queue, "ann"), 0.5);
    assert_fraction(capacity_queue_user_weight(queue, "bob.b"), 0.25);
    assert_fraction(capacity_queue_user_weight(queue, "eve"), 1);
    assert_string_equal(queue->parent->acl_submit, " ops");
    assert_string_equal(queue->acl_submit, " ");
    queue = capacity_queue(&fixture, "r");
    assert_false(queue->disable_preemption);
    assert_amount(&queue->maximum_allocation, 4096, 2);
    assert_int_equal(queue->default_lifetime_s, 100);
    capacity_done(&fixture);
}

static void limits_of_parallel_apps(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, "max-parallel-apps=9\nuser.max-parallel-apps=3\n"
                            "user.ann.max-parallel-apps=5\nroot.queues=a,b\nroot.a.capacity=100\n"
                            "root.a.max-parallel-apps=2\n");
    assert_int_equal(capacity_queue(&fixture, "a")->max_parallel_apps, 2);
    assert_int_equal(capacity_queue(&fixture, "b")->max_parallel_apps, 9);
    assert_int_equal(capacity_config_user_parallel(fixture.config, "ann"), 5);
    assert_int_equal(capacity_config_user_parallel(fixture.config, "bob"), 3);
    capacity_done(&fixture);
}

/* Keys that the scheduler reads must not be called keys without effect. */
static void keys_of_the_site_are_left_to_the_scheduler(void **state)
{
    (void)state;
    for (size_t i = 0; i < CAPACITY_ROW_COUNT; i++)
        if (capacity_keys[i].scope == CAPACITY_SITE)
            assert_true(yarn_key_elsewhere(capacity_keys[i].name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_of_three_levels),
        cmocka_unit_test(queues_are_ordered_as_in_the_tree),
        cmocka_unit_test(amounts_are_cut_as_yarn_cuts_them),
        cmocka_unit_test(without_any_key_there_is_the_shipped_queue),
        cmocka_unit_test(absent_keys_have_the_defaults_of_yarn),
        cmocka_unit_test(most_apps_follow_from_capacity),
        cmocka_unit_test(leaf_is_found_by_a_unique_short_name),
        cmocka_unit_test(queue_inherits_absent_keys_from_its_parents),
        cmocka_unit_test(limits_of_parallel_apps),
        cmocka_unit_test(keys_of_the_site_are_left_to_the_scheduler),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
