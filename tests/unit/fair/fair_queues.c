/* SPDX-License-Identifier: Apache-2.0 */
/* fair_queues.c - test: fair scheduler: queues created by submissions, by the file, and changes between
 * parent and leaf */
#include <errno.h>

#include "tests/unit/fair/fair_fixture.h"

#define PARENT(name, inner) "<queue name=\"" name "\">" inner "</queue>"
#define LEAF(name) "<queue name=\"" name "\"/>"

static void reload(struct fair_fixture *f, const char *allocations)
{
    struct err err;

    if (fixture_reload(f, allocations, &err) < 0)
        fail_msg("%s", err.text);
}

static void a_submission_makes_its_queue_and_all_above(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app;

    fixture_begin(f, NULL, "");
    app = fixture_app(f, "root.a.b.c", 0);
    assert_string_equal(sched_app_queue(app), "root.a.b.c");
    assert_false(fixture_queue(f, "root.a.b").leaf);
    assert_true(fixture_queue(f, "root.a.b.c").dynamic);
    assert_false(fixture_queue(f, "root.default").dynamic);
    fixture_finish(f, app);
    assert_true(fixture_has(f, "root.a.b.c")); /* stays until the next check */
    fixture_advance(f, 10000);
    assert_false(fixture_has(f, "root.a"));
    assert_true(fixture_has(f, "root.default"));
}

static void no_queue_is_created_below_a_leaf(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app;
    struct err err;

    fixture_begin(f, NULL, LEAF("a"));
    assert_true(fixture_submit(f, "u", "root.a.b", &app, &err) < 0);
    assert_non_null(strstr(err.text, "root.a"));
    assert_true(fixture_submit(f, "u", "root.default.b", &app, &err) < 0);
    assert_true(fixture_submit(f, "u", "root", &app, &err) < 0);
}

static void the_depth_of_created_queues_is_limited(void **state)
{
    struct fair_fixture *f = *state;
    char path[4 + 2 * 70 + 1] = "root";
    struct sched_app *app;
    struct err err;

    fixture_begin(f, NULL, "");
    for (int i = 0; i < 70; i++)
        strcat(path, ".q");
    assert_int_equal(fixture_submit(f, "u", path, &app, &err), -EINVAL);
    assert_false(fixture_has(f, "root.q"));
}

static void an_idle_leaf_becomes_a_parent_at_once(void **state)
{
    struct fair_fixture *f = *state;

    fixture_begin(f, NULL, LEAF("a"));
    reload(f, PARENT("a", LEAF("b")));
    assert_true(fixture_queue(f, "root.a.b").leaf);
    assert_false(fixture_queue(f, "root.a").dynamic);
    reload(f, LEAF("a"));
    assert_true(fixture_queue(f, "root.a").leaf);
    assert_false(fixture_has(f, "root.a.b"));
}

static void a_busy_leaf_becomes_a_parent_when_it_is_empty(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app;

    fixture_begin(f, NULL, LEAF("a"));
    app = fixture_app(f, "a", 0);
    reload(f, PARENT("a", "<weight>7</weight>" LEAF("b")));
    fixture_advance(f, 30000);
    assert_true(fixture_queue(f, "root.a").leaf);
    assert_true(fixture_queue(f, "root.a").weight == 7); /* new settings apply at once */
    fixture_finish(f, app);
    fixture_advance(f, 10000);
    assert_true(fixture_queue(f, "root.a.b").leaf);
}

static void a_busy_parent_becomes_a_leaf_when_it_is_empty(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app;

    fixture_begin(f, NULL, PARENT("a", LEAF("b") LEAF("c")));
    app = fixture_app(f, "root.a.b", 0);
    reload(f, LEAF("a"));
    fixture_advance(f, 10000);
    assert_false(fixture_queue(f, "root.a").leaf);
    assert_false(fixture_has(f, "root.a.c")); /* no longer in the file */
    assert_true(fixture_has(f, "root.a.b"));
    fixture_finish(f, app);
    fixture_advance(f, 10000);
    assert_true(fixture_queue(f, "root.a").leaf);
}

static void an_idle_parent_of_the_file_becomes_a_leaf_at_once(void **state)
{
    struct fair_fixture *f = *state;

    fixture_begin(f, NULL, PARENT("a", PARENT("b", LEAF("c"))));
    reload(f, LEAF("a") LEAF("d"));
    assert_true(fixture_queue(f, "root.a").leaf);
    assert_false(fixture_has(f, "root.a.b"));
    assert_false(fixture_has(f, "root.a.b.c"));
    assert_true(fixture_has(f, "root.d"));
}

static void fair_queues_that_were_drf_have_no_share_of_vcores(void **state)
{
    struct fair_fixture *f = *state;

    fixture_begin(f, NULL, "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>" LEAF("a"));
    fixture_node(f, "n1", 8192, 8);
    fixture_app(f, "a", 0);
    fixture_update(f);
    assert_int_equal(fixture_queue(f, "root.a").fair_share.value[1], 8);
    assert_int_equal(fixture_queue(f, "root.a").steady_fair_share.value[1], 4);
    reload(f, LEAF("a"));
    fixture_update(f);
    assert_int_equal(fixture_queue(f, "root.a").fair_share.value[0], 8192);
    assert_int_equal(fixture_queue(f, "root.a").fair_share.value[1], 0);
    assert_int_equal(fixture_queue(f, "root.a").steady_fair_share.value[1], 0);
}

static void a_default_queue_that_the_file_names_stays_a_leaf(void **state)
{
    struct fair_fixture *f = *state;

    fixture_begin(f, NULL, LEAF("default"));
    reload(f, PARENT("default", LEAF("b")));
    fixture_advance(f, 30000);
    assert_true(fixture_queue(f, "root.default").leaf);
    assert_false(fixture_has(f, "root.default.b"));
}

static void unused_default_queue_does_not_block_other_queues(void **state)
{
    struct fair_fixture *f = *state;

    fixture_begin(f, NULL, "");
    assert_true(fixture_queue(f, "root.default").leaf);
    reload(f, PARENT("default", LEAF("b")));
    assert_false(fixture_queue(f, "root.default").leaf);
    assert_true(fixture_has(f, "root.default.b"));
    reload(f, LEAF("a"));
    fixture_advance(f, 10000);
    assert_true(fixture_queue(f, "root.default").leaf);
}

static void a_default_queue_may_be_a_parent(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app;
    struct err err;

    fixture_begin(f, NULL, PARENT("default", LEAF("b")));
    assert_true(fixture_has(f, "root.default.b"));
    assert_string_equal(sched_app_queue(fixture_app(f, "root.default.b", 0)), "root.default.b");
    assert_int_equal(fixture_submit(f, "u", "root.default", &app, &err), -EISDIR);
}

static void forbidden_default_queue_accepts_no_app(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app;
    struct err err;

    fixture_begin(f, NULL,
                  "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>"
                  "<queue name=\"root\"><schedulingPolicy>fair</schedulingPolicy></queue>");
    assert_int_equal(fixture_submit(f, "u", "root.default", &app, &err), -EISDIR);
    assert_non_null(strstr(err.text, "root.default: cannot be made: root.default would have policy drf"));
}

static void removed_queue_is_deleted_when_it_is_empty(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app;

    fixture_begin(f, NULL,
                  "<queueMaxAppsDefault>9</queueMaxAppsDefault>" PARENT(
                      "a", "<maxRunningApps>3</maxRunningApps>") LEAF("b"));
    app = fixture_app(f, "a", 0);
    reload(f, "<queueMaxAppsDefault>9</queueMaxAppsDefault>");
    assert_int_equal(fixture_queue(f, "root.a").max_apps, 9);
    assert_true(fixture_queue(f, "root.a").dynamic);
    fixture_advance(f, 10000);
    assert_false(fixture_has(f, "root.b"));
    assert_true(fixture_has(f, "root.a"));
    fixture_finish(f, app);
    fixture_advance(f, 10000);
    assert_false(fixture_has(f, "root.a"));
}

static void a_broken_file_changes_nothing(void **state)
{
    struct fair_fixture *f = *state;
    struct err err;

    fixture_begin(f, NULL, PARENT("a", "<weight>2</weight>"));
    assert_true(fixture_reload(f, PARENT("a", "<weight>heavy</weight>") LEAF("b"), &err) < 0);
    assert_non_null(strstr(err.text, "fair.xml:1"));
    assert_true(fixture_queue(f, "root.a").weight == 2);
    assert_false(fixture_has(f, "root.b"));
}

static void ad_hoc_children_have_the_maximum_that_is_set_for_them(void **state)
{
    struct fair_fixture *f = *state;

    fixture_begin(f, NULL,
                  "<queueMaxResourcesDefault>9000 mb, 9 vcores</queueMaxResourcesDefault>"
                  "<queue name=\"a\" type=\"parent\"><maxChildResources>50%</maxChildResources>"
                  "</queue>");
    fixture_node(f, "n1", 8192, 8);
    fixture_app(f, "root.a.b", 0);
    fixture_app(f, "root.c", 0);
    assert_int_equal(fixture_queue(f, "root.a.b").maximum.value[0], 4096);
    assert_int_equal(fixture_queue(f, "root.c").maximum.value[0], 9000);
    fixture_node(f, "n2", 8192, 8);
    assert_int_equal(fixture_queue(f, "root.a.b").maximum.value[0], 8192);
}

static void an_app_moves_with_all_it_has(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_node *node;
    struct sched_app *app;
    struct err err;

    fixture_begin(f, NULL, PARENT("a", "<maxResources>1024 mb, 1 vcores</maxResources>") LEAF("b"));
    node = fixture_node(f, "n1", 8192, 8);
    app = fixture_app(f, "b", 1024);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    fixture_ask(f, app, "*", 3, 1024, 1);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(sched_app_move(f->sched, app, "root.a", &f->decisions, &err), -EDQUOT);
    assert_non_null(strstr(err.text, "root.a"));
    assert_int_equal(fixture_queue(f, "root.b").am_used.value[0], 1024);
    assert_int_equal(sched_app_move(f->sched, app, "default", &f->decisions, &err), 0);
    fixture_audit(f);
    assert_int_equal(fixture_queue(f, "root.b").used.value[0], 0);
    assert_int_equal(fixture_queue(f, "root.b").am_used.value[0], 0);
    assert_int_equal(fixture_queue(f, "root.default").used.value[0], 2048);
    assert_int_equal(fixture_queue(f, "root.default").am_used.value[0], 1024);
    fixture_update(f);
    assert_int_equal(fixture_queue(f, "root.default").demand.value[0], 4096);
    assert_int_equal(fixture_queue(f, "root.b").demand.value[0], 0);
}

static void limits_that_a_move_does_not_touch_do_not_refuse_it(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app;
    struct err err;

    fixture_begin(f, NULL,
                  "<userMaxAppsDefault>1</userMaxAppsDefault>" PARENT(
                      "a", "<maxRunningApps>1</maxRunningApps>" LEAF("b") LEAF("c")));
    app = fixture_app(f, "root.a.b", 0);
    assert_int_equal(sched_app_move(f->sched, app, "root.a.c", &f->decisions, &err), 0);
    fixture_audit(f);
    assert_string_equal(sched_app_queue(app), "root.a.c");
    assert_int_equal(fixture_queue(f, "root.a").active_apps, 1);
    assert_int_equal(fixture_queue(f, "root.a.c").active_apps, 1);
}

static void refused_submission_creates_no_queue(void **state)
{
    static const char *const site[][2] = { { "yarn.acl.enable", "true" },
                                           { "yarn.admin.acl", "root" },
                                           { NULL, NULL } };
    struct fair_fixture *f = *state;
    struct sched_app *app;
    struct err err;

    fixture_begin(f, site,
                  "<queue name=\"root\"><aclSubmitApps> </aclSubmitApps>"
                  "<aclAdministerApps> </aclAdministerApps>" PARENT(
                      "a", "<aclSubmitApps>alice</aclSubmitApps>") "</queue>");
    assert_int_equal(fixture_submit(f, "bob", "a", &app, &err), -EACCES);
    assert_int_equal(fixture_submit(f, "bob", "root.new", &app, &err), -EACCES);
    assert_false(fixture_has(f, "root.new"));
    assert_int_equal(fixture_submit(f, "alice", "a", &app, &err), 0);
}

static void a_fair_parent_takes_no_drf_child(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app;
    struct err err;

    fixture_begin(f, NULL,
                  "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>" PARENT(
                      "a", "<schedulingPolicy>fair</schedulingPolicy>" PARENT(
                               "b", "<schedulingPolicy>fair</schedulingPolicy>")));
    assert_true(fixture_submit(f, "u", "root.a.new", &app, &err) < 0);
    assert_non_null(strstr(err.text, "drf"));
    assert_false(fixture_has(f, "root.a.new"));
    assert_int_equal(fixture_submit(f, "u", "root.a.b", &app, &err), 0);
}

/* The message names the conflicting policy, its queue, and where the policy is set. */
static void a_refusal_names_the_policy_that_is_in_the_way(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app;
    struct err err;

    fixture_begin(f, NULL,
                  PARENT("a", "\n<schedulingPolicy>fair</schedulingPolicy>\n" PARENT(
                                  "b", "<schedulingPolicy>drf</schedulingPolicy>" LEAF("c"))));
    assert_int_equal(fixture_submit(f, "u", "root.a.b.c", &app, &err), -EISDIR);
    assert_non_null(strstr(err.text, "root.a.b has policy drf (line 3 of the allocation file), which may "
                                     "not be below root.a, whose policy is fair"));
    reload(f, "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>" PARENT(
                  "a", "<schedulingPolicy>fair</schedulingPolicy>" PARENT(
                           "other", "<schedulingPolicy>fair</schedulingPolicy>")));
    assert_int_equal(fixture_submit(f, "u", "root.a.b.c", &app, &err), -EISDIR);
    assert_non_null(strstr(err.text, "root.a.b would have policy drf (defaultQueueSchedulingPolicy), "
                                     "which may not be below root.a, whose policy is fair"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_submission_makes_its_queue_and_all_above),
        TEST(no_queue_is_created_below_a_leaf),
        TEST(the_depth_of_created_queues_is_limited),
        TEST(an_idle_leaf_becomes_a_parent_at_once),
        TEST(a_busy_leaf_becomes_a_parent_when_it_is_empty),
        TEST(a_busy_parent_becomes_a_leaf_when_it_is_empty),
        TEST(an_idle_parent_of_the_file_becomes_a_leaf_at_once),
        TEST(fair_queues_that_were_drf_have_no_share_of_vcores),
        TEST(a_default_queue_that_the_file_names_stays_a_leaf),
        TEST(unused_default_queue_does_not_block_other_queues),
        TEST(a_default_queue_may_be_a_parent),
        TEST(forbidden_default_queue_accepts_no_app),
        TEST(removed_queue_is_deleted_when_it_is_empty),
        TEST(a_broken_file_changes_nothing),
        TEST(ad_hoc_children_have_the_maximum_that_is_set_for_them),
        TEST(an_app_moves_with_all_it_has),
        TEST(limits_that_a_move_does_not_touch_do_not_refuse_it),
        TEST(refused_submission_creates_no_queue),
        TEST(a_fair_parent_takes_no_drf_child),
        TEST(a_refusal_names_the_policy_that_is_in_the_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
