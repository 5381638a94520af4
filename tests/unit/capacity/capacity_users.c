/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_users.c - test: capacity scheduler: user limits, active users, headroom, moves between queues */
#include <errno.h>

#include "tests/unit/capacity/capacity_live.h"

static void headroom_is_whole_containers_of_the_cluster(void **state)
{
    struct live live;
    struct sched_node *node;
    struct sched_app *app;
    struct resource headroom;
    (void)state;

    live_begin(&live, "root.queues=a,b\nroot.a.capacity=99\nroot.b.capacity=1\n"
                      "root.a.user-limit-factor=10\n");
    node = live_node(&live, "n1", 16783, NULL);
    live_ask(&live, live_app(&live, "ben", "b"), 1, 1024);
    live_heartbeat(&live, node, 1);
    app = live_app(&live, "ada", "a");
    headroom = live_figures(&live, app).headroom; /* 15759 MB are free */
    assert_int_equal(headroom.value[RESOURCE_MEMORY_MB], 15360);
    live_end(&live);
}

/* The queue's maximum is <9216, 10> in whole containers, 92 % of the cluster. Other queues leave <2832,
 * 93>, 93 %. The configured maximum would be 95 %. */
static void the_limit_of_ams_follows_from_whole_containers(void **state)
{
    struct live live;
    struct sched_node *node;
    (void)state;

    live_begin(&live, "resource-calculator="
                      "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator\n"
                      "root.queues=a,b\nroot.a.capacity=[memory=1024,vcores=1]\n"
                      "root.a.maximum-capacity=[memory=9500,vcores=10]\n"
                      "root.b.capacity=[memory=8000,vcores=90]\n"
                      "root.a.maximum-am-resource-percent=0.5\nroot.b.user-limit-factor=10\n");
    node = live_node(&live, "n1", 10000, NULL);
    live_ask(&live, live_app(&live, "ben", "b"), 7, 1024);
    live_heartbeat(&live, node, 7);
    assert_int_equal(live_queue(&live, "root.b").containers, 7);
    assert_int_equal(live_queue(&live, "root.a").am_limit.value[RESOURCE_MEMORY_MB], 5120);
    live_end(&live);
}

/* Adds an app with an AM of MEMORY_MB. */
static struct sched_app *managed_app(struct live *live, const char *user, int64_t memory_mb)
{
    const struct resource am = resource_of(memory_mb, 1);
    struct sched_app_spec spec = {
        .id = { 1, ++live->last_app }, .user = user, .queue = "a", .manages = true
    };
    struct sched_app *app;
    struct err err;

    if (sched_app_add(live->sched, &spec, &app, &err) < 0)
        fail_msg("%s", err.text);
    sched_app_start(live->sched, app, &am, &live->decisions);
    return app;
}

#define SHARED \
    "root.queues=a\nroot.a.capacity=100\nroot.a.minimum-user-limit-percent=10\n" \
    "root.a.maximum-am-resource-percent=1\n"

/* If the new user counted, the limit of each of the two users' AMs would be 8 GiB. */
static void a_new_user_does_not_count_for_the_limit_of_its_first_am(void **state)
{
    struct live live;
    struct sched_node *node;
    (void)state;

    live_begin(&live, SHARED);
    node = live_node(&live, "n1", 16384, NULL);
    live_ask(&live, managed_app(&live, "ben", 1024), 100, 1024);
    live_heartbeat(&live, node, 1);
    assert_int_equal(live_queue(&live, "root.a").active_users, 1);
    assert_true(live_figures(&live, managed_app(&live, "ada", 8192)).active);
    live_check(&live);
    live_end(&live);
}

static void a_waiting_app_makes_its_user_active_if_another_of_its_apps_is(void **state)
{
    struct live live;
    struct sched_node *node;
    struct sched_app *first, *second;
    (void)state;

    live_begin(&live, SHARED);
    node = live_node(&live, "n1", 16384, NULL);
    first = managed_app(&live, "ben", 8192);
    live_heartbeat(&live, node, 1);
    assert_int_equal(live_queue(&live, "root.a").active_users, 0);
    second = managed_app(&live, "ada", 10240);
    assert_false(live_figures(&live, second).active);
    assert_int_equal(live_queue(&live, "root.a").active_users, 0);
    assert_false(live_figures(&live, managed_app(&live, "ben", 10240)).active);
    assert_int_equal(live_queue(&live, "root.a").active_users, 1);
    sched_app_stop_asking(live.sched, first);
    live_check(&live);
    live_end(&live);
}

/* An app that was activated after the request for its AM makes its user active only by a further request. */
static void requests_before_activation_do_not_count(void **state)
{
    struct live live;
    struct sched_app *first, *second;
    (void)state;

    live_begin(&live, SHARED);
    first = managed_app(&live, "ben", 8192); /* no node yet: both apps are pending */
    second = managed_app(&live, "ada", 1024);
    live_node(&live, "n1", 16384, NULL);
    assert_true(live_figures(&live, first).active && live_figures(&live, second).active);
    assert_int_equal(live_queue(&live, "root.a").active_users, 0);
    live_ask(&live, second, 2, 1024);
    assert_int_equal(live_queue(&live, "root.a").active_users, 1);
    live_ask(&live, second, 0, 1024);
    assert_int_equal(live_queue(&live, "root.a").active_users, 1); /* the AM's request is still
                                                                      pending */
    live_check(&live);
    live_end(&live);
}

/* The maxima of the queues are larger than the maximum number of all applications. */
static void the_system_has_a_maximum_of_applications(void **state)
{
    struct live live;
    struct err err;
    (void)state;

    live_begin(&live, "maximum-applications=3\nroot.queues=a,b\nroot.a.capacity=50\n"
                      "root.b.capacity=50\nroot.a.maximum-applications=10\n"
                      "root.b.maximum-applications=10\n");
    live_node(&live, "n1", 8192, NULL);
    live_app(&live, "ada", "a");
    live_app(&live, "ada", "a");
    live_app(&live, "ben", "b");
    assert_null(live_try_app(&live, (struct sched_app_spec){ .user = "ben", .queue = "b" }, &err));
    assert_int_equal(err.code, EDQUOT);
    assert_non_null(strstr(err.text, "yarn.scheduler.capacity.maximum-applications"));
    live_end(&live);
}

static void a_move_to_the_own_queue_is_judged_as_a_submission(void **state)
{
    struct live live;
    struct sched_app *app;
    struct err err;
    (void)state;

    live_begin(&live, "root.queues=a\nroot.a.capacity=100\nroot.a.maximum-applications=2\n");
    live_node(&live, "n1", 8192, NULL);
    app = live_app(&live, "ada", "a");
    assert_int_equal(sched_app_move(live.sched, app, "a", &live.decisions, &err), 0);
    live_app(&live, "ada", "a");
    assert_int_equal(sched_app_move(live.sched, app, "a", &live.decisions, &err), -EDQUOT);
    assert_int_equal(sched_queue_set_running(live.sched, "root.a", false, &live.decisions, &err), 0);
    assert_int_equal(sched_app_move(live.sched, app, "a", &live.decisions, &err), -ESHUTDOWN);
    assert_string_equal(sched_app_queue(app), "root.a");
    live_end(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headroom_is_whole_containers_of_the_cluster),
        cmocka_unit_test(the_limit_of_ams_follows_from_whole_containers),
        cmocka_unit_test(a_new_user_does_not_count_for_the_limit_of_its_first_am),
        cmocka_unit_test(a_waiting_app_makes_its_user_active_if_another_of_its_apps_is),
        cmocka_unit_test(requests_before_activation_do_not_count),
        cmocka_unit_test(the_system_has_a_maximum_of_applications),
        cmocka_unit_test(a_move_to_the_own_queue_is_judged_as_a_submission),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
