/* SPDX-License-Identifier: Apache-2.0 */
/* reference_model.c - test: the reference implementation of the capacity scheduler, in situations with
 * known results */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/reference/reference.h"

static struct reference ref;

static struct ref_queue_config leaf(const char *path, float capacity, float maximum)
{
    struct ref_queue_config queue = {
        .parent = 0,
        .leaf = true,
        .mode = REF_PERCENT,
        .share[0] = { .given = true, .capacity = capacity, .maximum = maximum, .am_fraction = 1 },
        .user_limit_percent = 100,
        .user_limit_factor = 1,
        .max_apps = -1,
        .max_parallel = INT64_MAX,
    };

    snprintf(queue.path, sizeof(queue.path), "%s", path);
    for (int u = 0; u < REF_USERS; u++)
        queue.user_weight[u] = 1;
    return queue;
}

static struct ref_config config_of(int leaves, const struct ref_queue_config *queues)
{
    struct ref_config config = {
        .minimum = resource_of(1024, 1),
        .maximum = resource_of(16384, 32),
        .maximum_applications = 10000,
        .node_locality_delay = 40,
        .rack_additional_delay = -1,
        .rack_full_reset = true,
        .continue_look = true,
        .max_assignments = 100,
        .max_offswitch = 1,
        .queue_count = leaves + 1,
    };

    for (int u = 0; u < REF_USERS; u++)
        config.user_parallel[u] = INT64_MAX;
    config.queues[0] = leaf("root", 100, 100);
    config.queues[0].leaf = false;
    config.queues[0].parent = -1;
    for (int i = 0; i < leaves; i++)
        config.queues[i + 1] = queues[i];
    return config;
}

static bool submit(int app, int user, int queue, const struct resource *master)
{
    struct ref_app_spec spec = { .user = user, .queue = queue, .label = REF_NO_NAME, .master = master };

    return ref_app_add(&ref, app, &spec);
}

static void request(int app, int key, uint32_t count, int64_t memory_mb)
{
    struct ref_key ask = { .size = resource_of(memory_mb, 1), .any = { .given = true, .count = count } };

    ref_ask(&ref, app, key, &ask);
}

static int64_t used_mb(int app)
{
    return ref_app_used(&ref, app, -1).value[0];
}

/* One queue has 8.5 % of one node of 8 GiB: its only user may exceed the limit by one container. */
static void a_user_passes_the_limit_by_one(void **state)
{
    struct ref_queue_config queues[] = { leaf("root.a", 8.5f, 100), leaf("root.b", 91.5f, 99) };
    struct ref_config config = config_of(2, queues);

    (void)state;
    ref_init(&ref, &config);
    ref_node_add(&ref, 0, 0, 0, resource_of(8192, 16));
    assert_true(submit(0, 0, 1, NULL));
    assert_true(submit(1, 0, 1, NULL));
    request(0, 1, 3, 1024);
    request(1, 1, 2, 1024);
    for (int i = 0; i < 3; i++)
        ref_heartbeat(&ref, 0);
    assert_int_equal(used_mb(0), 2048);
    assert_int_equal(used_mb(1), 0);
    config.queues[1].user_limit_factor = 10;
    ref_refresh(&ref, &config);
    ref_heartbeat(&ref, 0);
    assert_int_equal(used_mb(0), 3072);
    ref_heartbeat(&ref, 0);
    assert_int_equal(used_mb(1), 1024);
}

static void headroom_is_the_rest_of_the_users_limit(void **state)
{
    struct ref_queue_config queues[] = { leaf("root.a", 20, 20), leaf("root.b", 80, 100) };
    struct ref_config config = config_of(2, queues);

    (void)state;
    ref_init(&ref, &config);
    ref_node_add(&ref, 0, 0, 0, resource_of(8192, 16));
    ref_node_add(&ref, 1, 0, 0, resource_of(8192, 16));
    submit(0, 0, 2, NULL);
    request(0, 1, 1, 4096);
    ref_heartbeat(&ref, 0);
    assert_int_equal(ref_headroom(&ref, 0).value[0], 9216);
    submit(1, 1, 2, NULL);
    request(1, 1, 1, 4096);
    ref_heartbeat(&ref, 1);
    assert_int_equal(ref_headroom(&ref, 0).value[0], 8192);
    assert_int_equal(ref_headroom(&ref, 1).value[0], 8192);
}

/* AMs may use 10 % of the amount that the parent allows the queue, rounded up to the minimum allocation. */
static void masters_may_use_a_part_of_the_offered_limit(void **state)
{
    struct ref_queue_config queues[] = { leaf("root.a", 20, 20), leaf("root.b", 80, 99) };
    struct ref_config config = config_of(2, queues);

    (void)state;
    config.queues[2].share[0].am_fraction = 0.1f;
    ref_init(&ref, &config);
    ref_node_add(&ref, 0, 0, 0, resource_of(1638400, 3200));
    assert_int_equal(ref_am_limit(&ref, 2, 0).value[0], 162816);
}

static void apps_wait_for_masters_to_go(void **state)
{
    struct ref_queue_config queues[] = { leaf("root.a", 10, 100), leaf("root.b", 90, 100) };
    struct ref_config config = config_of(2, queues);
    struct resource master = resource_of(4096, 1);

    (void)state;
    config.queues[1].user_limit_percent = 50;
    config.queues[1].user_limit_factor = 5;
    config.queues[1].share[0].am_fraction = 0.1f;
    ref_init(&ref, &config);
    ref_node_add(&ref, 0, 0, 0, resource_of(163840, 320));
    for (int a = 0; a < 4; a++)
        submit(a, 0, 1, &master);
    assert_true(ref.apps[0].active && ref.apps[1].active);
    assert_false(ref.apps[2].active || ref.apps[3].active);
    ref_app_remove(&ref, 2);
    assert_false(ref.apps[3].active);
    ref_app_remove(&ref, 0);
    assert_true(ref.apps[3].active);
}

/* Three containers, requested on two of five names: off-switch only after more than three missed
 * opportunities. */
static void an_app_waits_for_its_hosts(void **state)
{
    struct ref_queue_config queues[] = { leaf("root.a", 20, 20), leaf("root.b", 80, 99) };
    struct ref_config config = config_of(2, queues);
    const struct ref_row one = { .given = true, .count = 1 };
    struct ref_key ask = { .size = resource_of(1024, 1),
                           .any = { .given = true, .count = 3 },
                           .node = { one, one },
                           .rack = { one, one } };

    (void)state;
    ref_init(&ref, &config);
    for (int n = 0; n < 3; n++)
        ref_node_add(&ref, n, n, 0, resource_of(8192, 16));
    submit(0, 0, 2, NULL);
    ref_ask(&ref, 0, 1, &ask);
    for (int i = 0; i < 3; i++)
        ref_heartbeat(&ref, 2);
    assert_int_equal(used_mb(0), 0);
    ref_heartbeat(&ref, 2);
    assert_int_equal(ref.decisions[ref.decision_count - 1].locality, SCHED_OFF_SWITCH);
    ref_heartbeat(&ref, 0);
    ref_heartbeat(&ref, 1);
    assert_int_equal(ref.decisions[ref.decision_count - 1].locality, SCHED_NODE_LOCAL);
    assert_int_equal(used_mb(0), 3072);
}

static void a_node_is_kept_for_a_large_container(void **state)
{
    struct ref_queue_config queues[] = { leaf("root.a", 50, 100), leaf("root.b", 50, 99) };
    struct ref_config config = config_of(2, queues);

    (void)state;
    config.continue_look = false;
    ref_init(&ref, &config);
    ref_node_add(&ref, 0, 0, 0, resource_of(4096, 16));
    ref_node_add(&ref, 1, 0, 0, resource_of(4096, 16));
    submit(0, 0, 1, NULL);
    submit(1, 1, 1, NULL);
    request(0, 1, 2, 1024);
    request(1, 1, 1, 4096);
    for (int i = 0; i < 3; i++)
        ref_heartbeat(&ref, 0);
    assert_true(ref.nodes[0].reserved);
    assert_int_equal(ref_queue_used(&ref, 1, 0, -1).value[0], 6144);
    ref_container_end(&ref, 0);
    ref_heartbeat(&ref, 0);
    assert_int_equal(used_mb(1), 0);
    ref_container_end(&ref, 1);
    ref_heartbeat(&ref, 0);
    assert_int_equal(used_mb(1), 4096);
    assert_false(ref.nodes[0].reserved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_user_passes_the_limit_by_one),
        cmocka_unit_test(headroom_is_the_rest_of_the_users_limit),
        cmocka_unit_test(masters_may_use_a_part_of_the_offered_limit),
        cmocka_unit_test(apps_wait_for_masters_to_go),
        cmocka_unit_test(an_app_waits_for_its_hosts),
        cmocka_unit_test(a_node_is_kept_for_a_large_container),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
