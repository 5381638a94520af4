/* SPDX-License-Identifier: Apache-2.0 */
/* fair_ams.c - test: fair scheduler: AMs of second attempts, preempted AMs, a cluster full of AMs */
#include "tests/unit/fair/fair_fixture.h"

/* Returns the number of preemption decisions so far; does not clear the decisions. */
static size_t preempted(const struct fair_fixture *f)
{
    size_t count = 0;

    for (size_t i = 0; i < f->decisions.count; i++)
        count += f->decisions.items[i].kind == SCHED_PREEMPT ? 1 : 0;
    return count;
}

/* --- preemption ---------------------------------------------------------------------- */

/* Runs an AM and two tasks. APP's tasks alone use its whole fair share, so no task may be preempted; only
 * the AM could be. */
static void ask_for_two_large_tasks(struct fair_fixture *f, struct sched_app *app, struct sched_node *node)
{
    fixture_heartbeat(f, node, 1); /* places the AM */
    fixture_ask(f, app, "*", 2, 6144, 2);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, app).containers, 3);
}

static struct sched_app *starve(struct fair_fixture *f)
{
    struct sched_app *hungry = fixture_app(f, "hungry", 0);

    fixture_ask(f, hungry, "*", 1, 1024, 1);
    fixture_update(f);
    fixture_advance(f, 5000);
    fixture_update(f);
    return hungry;
}

static void an_am_is_preempted_once(void **state)
{
    const struct resource master = resource_of(1024, 1);
    struct fair_fixture *f = *state;
    struct sched_app *greedy;
    struct sched_node *node;

    fixture_begin(f, fixture_preemption, FIXTURE_STARVING);
    node = fixture_node(f, "n1", 16384, 5);
    greedy = fixture_app(f, "greedy", 1024);
    fixture_update(f);
    ask_for_two_large_tasks(f, greedy, node);
    fixture_finish(f, starve(f));
    assert_int_equal(preempted(f), 1);
    fixture_advance(f, 2000);
    fixture_end_containers(f, greedy); /* the tasks end together with the AM */
    sched_app_start(f->sched, greedy, &master, &f->decisions);
    fixture_update(f);
    ask_for_two_large_tasks(f, greedy, node);
    starve(f);
    fixture_advance(f, 60000);
    fixture_update(f);
    assert_int_equal(preempted(f), 1);
}

/* --- a cluster full of AMs --------------------------------------------------------------- */

#define AM_QUEUES "<queue name=\"a\"/><queue name=\"b\"/><queue name=\"c\"/>"

/* AMs of three queues occupy a node of 3 vcores and wait for containers. */
static void fill_with_ams(struct fair_fixture *f, struct sched_node **node, struct sched_app *apps[3])
{
    static const char *const queues[] = { "a", "b", "c" };

    *node = fixture_node(f, "n1", 8192, 3);
    for (int i = 0; i < 3; i++) {
        apps[i] = fixture_app(f, queues[i], 1024);
        fixture_update(f);
        fixture_heartbeat(f, *node, 1);
        assert_int_equal(fixture_app_figures(f, apps[i]).containers, 1);
    }
    for (int i = 0; i < 3; i++)
        fixture_ask(f, apps[i], "*", 2, 1024, 1);
    fixture_update(f);
}

static void the_newest_of_ams_that_fill_the_cluster_gives_way(void **state)
{
    const struct resource master = resource_of(1024, 1);
    struct fair_fixture *f = *state;
    struct sched_app *apps[3];
    struct sched_node *node;

    fixture_begin(f, NULL, AM_QUEUES);
    fill_with_ams(f, &node, apps);
    fixture_advance(f, 29999);
    fixture_update(f);
    assert_int_equal(preempted(f), 0);
    fixture_advance(f, 1);
    fixture_update(f);
    assert_int_equal(preempted(f), 1);
    assert_ptr_equal(f->decisions.items[f->decisions.count - 1].app, apps[2]);
    fixture_advance(f, 15000);
    fixture_end_containers(f, apps[2]);
    sched_app_start(f->sched, apps[2], &master, &f->decisions);
    fixture_update(f);
    fixture_heartbeat(f, node, 1); /* goes to a task of another app, although the AM's app uses less */
    assert_int_equal(fixture_app_figures(f, apps[2]).containers, 0);
    assert_int_equal(fixture_app_figures(f, apps[0]).containers + fixture_app_figures(f, apps[1]).containers,
                     3);
    fixture_finish(f, apps[0]);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, apps[2]).containers, 0);
    fixture_advance(f, 300000);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, apps[2]).containers, 1);
}

static void an_am_that_gave_way_is_placed_when_no_other_one_is_left(void **state)
{
    const struct resource master = resource_of(1024, 1);
    struct fair_fixture *f = *state;
    struct sched_app *apps[3];
    struct sched_node *node;

    fixture_begin(f, NULL, AM_QUEUES);
    fill_with_ams(f, &node, apps);
    fixture_advance(f, 30000);
    fixture_update(f);
    fixture_end_containers(f, apps[2]);
    sched_app_start(f->sched, apps[2], &master, &f->decisions);
    fixture_finish(f, apps[0]);
    fixture_finish(f, apps[1]);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, apps[2]).containers, 1);
}

/* AMs without pending requests end by themselves some day. */
static void one_waiting_am_is_no_deadlock(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *apps[3];
    struct sched_node *node;

    fixture_begin(f, NULL, AM_QUEUES);
    fill_with_ams(f, &node, apps);
    fixture_ask(f, apps[0], "*", 0, 1024, 1);
    fixture_ask(f, apps[1], "*", 0, 1024, 1);
    fixture_advance(f, 600000);
    fixture_update(f);
    assert_int_equal(preempted(f), 0);
}

/* Requests two containers for APP on NAME, and nowhere else. */
static void ask_on(struct fair_fixture *f, struct sched_app *app, const char *name)
{
    const struct resource size = resource_of(1024, 1);
    const struct sched_ask asks[] = {
        { .priority = 1, .resource_name = name, .capability = size, .count = 2 },
        { .priority = 1, .resource_name = "/r", .capability = size, .count = 2, .strict_locality = true },
        { .priority = 1, .resource_name = "*", .capability = size, .count = 2, .strict_locality = true },
    };
    const struct sched_request request = { .asks = asks, .ask_count = 3 };

    assert_int_equal(sched_allocate(f->sched, app, &request, &f->decisions, NULL), 0);
}

/* What one of them gives up would serve no request: these name a node that is closed. */
static void ams_that_ask_for_a_closed_node_are_no_deadlock(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *apps[3];
    struct sched_node *node, *other;

    fixture_begin(f, NULL, AM_QUEUES);
    fill_with_ams(f, &node, apps);
    other = fixture_node(f, "n2", 8192, 3);
    sched_node_set_open(f->sched, other, false, &f->decisions);
    for (int i = 0; i < 3; i++)
        ask_on(f, apps[i], "n2");
    fixture_advance(f, 600000);
    fixture_update(f);
    assert_int_equal(preempted(f), 0);
    ask_on(f, apps[0], "n1");
    ask_on(f, apps[1], "n1");
    fixture_advance(f, 600000);
    fixture_update(f);
    assert_int_equal(preempted(f), 1);
}

static void protected_ams_are_not_preempted(void **state)
{
    static const char *const site[][2] = { { "yarn.scheduler.fair.am.preemption", "false" }, { NULL, NULL } };
    struct fair_fixture *f = *state;
    struct sched_app *apps[3];
    struct sched_node *node;

    fixture_begin(f, site, AM_QUEUES);
    fill_with_ams(f, &node, apps);
    fixture_advance(f, 600000);
    fixture_update(f);
    assert_int_equal(preempted(f), 0);
}

/* --- attempts --------------------------------------------------------------------------- */

/* The node of the first AM has lost contact: the first AM may end after the next AM starts. */
static void two_ams_of_an_app_are_counted_both(void **state)
{
    const struct resource master = resource_of(1024, 1);
    struct fair_fixture *f = *state;
    struct sched_node *node;
    struct sched_app *app;

    fixture_begin(f, NULL, "<queue name=\"a\"/>");
    node = fixture_node(f, "n1", 8192, 8);
    app = fixture_app(f, "a", 2048);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_queue(f, "root.a").am_used.value[0], 2048);
    sched_app_start(f->sched, app, &master, &f->decisions);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_queue(f, "root.a").am_used.value[0], 3072);
    fixture_end_containers(f, app);
    assert_int_equal(fixture_queue(f, "root.a").am_used.value[0], 0);
}

/* Returns an app that waits because of a limit on running apps, and whose AM failed. That happens if the
 * limit was reduced and the resource manager restarted before. */
static struct sched_app *waiting_app_whose_am_failed(struct fair_fixture *f)
{
    const struct sched_app_spec before = {
        .id = { 1, 77 }, .user = "u", .queue = "root.a", .recovered = true, .manages = true
    };
    const struct resource master = resource_of(1024, 1);
    struct sched_app *app;
    struct err err;

    assert_int_equal(sched_app_add(f->sched, &before, &app, &err), 0);
    sched_app_start(f->sched, app, NULL, &f->decisions);
    assert_int_equal(fixture_queue(f, "root.a").waiting_apps, 1);
    sched_app_start(f->sched, app, &master, &f->decisions);
    return app;
}

static void a_second_attempt_of_a_waiting_app_requests_its_am_when_it_may_run(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *first, *second;
    struct sched_node *node;

    fixture_begin(f, NULL, "<queue name=\"a\"><maxRunningApps>1</maxRunningApps></queue>");
    node = fixture_node(f, "n1", 8192, 8);
    first = fixture_app(f, "a", 0);
    second = waiting_app_whose_am_failed(f);
    fixture_finish(f, first);
    assert_int_equal(fixture_queue(f, "root.a").active_apps, 1);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, second).containers, 1);
}

static void the_same_after_a_move_to_a_queue_where_it_may_run(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *second;
    struct sched_node *node;
    struct err err;

    fixture_begin(f, NULL,
                  "<queue name=\"a\"><maxRunningApps>1</maxRunningApps></queue>"
                  "<queue name=\"b\"/>");
    node = fixture_node(f, "n1", 8192, 8);
    fixture_app(f, "a", 0);
    second = waiting_app_whose_am_failed(f);
    assert_int_equal(sched_app_move(f->sched, second, "root.b", &f->decisions, &err), 0);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, second).containers, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(an_am_is_preempted_once),
        TEST(the_newest_of_ams_that_fill_the_cluster_gives_way),
        TEST(an_am_that_gave_way_is_placed_when_no_other_one_is_left),
        TEST(one_waiting_am_is_no_deadlock),
        TEST(ams_that_ask_for_a_closed_node_are_no_deadlock),
        TEST(protected_ams_are_not_preempted),
        TEST(two_ams_of_an_app_are_counted_both),
        TEST(a_second_attempt_of_a_waiting_app_requests_its_am_when_it_may_run),
        TEST(the_same_after_a_move_to_a_queue_where_it_may_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
