/* SPDX-License-Identifier: Apache-2.0 */
/* sched_size.c - test: after the time that nodes get to register, requests larger than the largest node
 * are refused */
#include <errno.h>
#include <string.h>

#include "tests/unit/capacity/capacity_live.h"

#define LINES \
    "root.queues=a,b\nroot.a.capacity=50\nroot.b.capacity=50\nroot.a.user-limit-factor=10\n" \
    "root.b.maximum-allocation-mb=2048\nyarn.scheduler.maximum-allocation-vcores=200\n"

/* Starts the scheduler and lets the waiting time pass. */
static void begin(struct live *live, const char *lines)
{
    live_begin(live, lines);
    live_tick(live, SCHED_SIZE_WAIT_MS);
}

static int try_ask(struct live *live, struct sched_app *app, struct resource size, struct err *err)
{
    const struct sched_ask ask = { .resource_name = "*", .priority = 1, .count = 1, .capability = size };
    const struct sched_request request = { .asks = &ask, .ask_count = 1 };
    int r = sched_allocate(live->sched, app, &request, &live->decisions, err);

    live_check(live);
    return r;
}

static void refused(struct live *live, struct sched_app *app, struct resource size, const char *text)
{
    struct err err;

    assert_int_equal(try_ask(live, app, size, &err), -ERANGE);
    if (strstr(err.text, text) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", text, err.text);
    assert_int_equal(live_figures(live, app).pending_containers, 0);
}

static void requests_above_the_largest_node_wait_at_first_and_are_refused_then(void **state)
{
    struct live live;
    struct sched_app *first, *then;
    struct err err;
    (void)state;

    live_begin(&live, LINES);
    live_node(&live, "n1", 4096, NULL);
    first = live_app(&live, "ada", "a");
    live_tick(&live, SCHED_SIZE_WAIT_MS - 1);
    assert_int_equal(try_ask(&live, first, resource_of(8192, 1), &err), 0);
    live_tick(&live, SCHED_SIZE_WAIT_MS);
    then = live_app(&live, "ada", "a");
    refused(&live, then, resource_of(8192, 1),
            "asks for <memory:8192, vCores:1>, more memory than any node has: the largest, n1, has "
            "<memory:4096, vCores:100>");
    refused(&live, then, resource_of(1024, 101), "more vcores than any node has: the largest, n1,");
    assert_int_equal(try_ask(&live, then, resource_of(4096, 100), &err), 0);
    assert_int_equal(live_figures(&live, first).pending_containers, 1);
    live_end(&live);
}

/* Memory of one node, vcores of another: each type is checked separately. */
static void the_largest_follows_the_nodes(void **state)
{
    struct live live;
    struct sched_app *app;
    struct sched_node *small, *large;
    struct err err;
    (void)state;

    begin(&live, LINES);
    app = live_app(&live, "ada", "a");
    assert_int_equal(try_ask(&live, app, resource_of(8192, 1), &err), 0); /* no node has registered
                                                                             yet */
    assert_int_equal(try_ask(&live, app, resource_of(1024, 1), &err), 0);
    small = live_node(&live, "n1", 2048, NULL);
    large = live_node(&live, "n2", 6144, NULL);
    live_heartbeat(&live, small, 1);
    refused(&live, app, resource_of(8192, 1), "n2");
    assert_int_equal(try_ask(&live, app, resource_of(6144, 1), &err), 0);
    assert_int_equal(try_ask(&live, app, resource_of(1024, 1), &err), 0);
    live_heartbeat(&live, small, 1);
    sched_node_set_open(live.sched, large, false, &live.decisions);
    sched_node_update(live.sched, large, resource_of(0, 0), &live.decisions); /* drained */
    assert_int_equal(try_ask(&live, app, resource_of(6144, 1), &err), 0);
    assert_int_equal(try_ask(&live, app, resource_of(1024, 1), &err), 0);
    sched_node_remove(live.sched, large);
    sched_node_update(live.sched, small, resource_of(3072, 100), &live.decisions);
    live_heartbeat(&live, small, 1);
    refused(&live, app, resource_of(4096, 1), "n1, has <memory:3072");
    live_end(&live);
}

/* 4000 MiB rounded up in steps of 1024 is 4096: more than the node has. */
static void requests_are_not_rounded_beyond_the_largest_node(void **state)
{
    struct live live;
    struct sched_app *app;
    struct sched_node *node;
    struct err err;
    (void)state;

    begin(&live, LINES);
    node = live_node(&live, "n1", 4077, NULL);
    live_node(&live, "n2", 4077, NULL);
    app = live_app(&live, "ada", "a");
    assert_int_equal(try_ask(&live, app, resource_of(4000, 1), &err), 0);
    live_heartbeat(&live, node, 1);
    assert_int_equal(live_figures(&live, app).used.value[RESOURCE_MEMORY_MB], 4077);
    live_end(&live);
}

static void an_am_is_judged_when_it_is_submitted(void **state)
{
    const struct resource large = resource_of(6144, 1), most = resource_of(4096, 1);
    struct sched_app_spec spec = { .user = "ada", .queue = "a", .manages = true, .master = &large };
    struct live live;
    struct err err;
    (void)state;

    begin(&live, LINES);
    live_node(&live, "n1", 4096, NULL);
    assert_null(live_try_app(&live, spec, &err));
    assert_non_null(strstr(err.text, "more memory than any node has"));
    spec.master = &most;
    assert_non_null(live_try_app(&live, spec, &err));
    spec.queue = "b";
    assert_null(live_try_app(&live, spec, &err));
    assert_non_null(strstr(err.text, "above the maximum for one container of root.b"));
    assert_int_equal(sched_queue_count(live.sched), 3);
    live_end(&live);
}

/* After a restart, an AM repeats a request that was accepted before; the large node has not registered
 * again yet. */
static void containers_from_before_a_restart_are_not_checked(void **state)
{
    struct sched_app_spec spec = { .user = "ada", .queue = "a", .recovered = true };
    struct live live;
    struct sched_app *app;
    struct err err;
    (void)state;

    begin(&live, LINES);
    live_node(&live, "n1", 4096, NULL);
    app = live_try_app(&live, spec, &err);
    assert_int_equal(try_ask(&live, app, resource_of(8192, 1), &err), 0);
    live_end(&live);
}

static void a_test_judges_as_a_submission_does(void **state)
{
    const struct resource large = resource_of(6144, 1);
    struct sched_app_spec spec = { .id = { 1, 9 }, .user = "ada", .queue = "a" };
    struct live live;
    struct err err;
    (void)state;

    live_begin(&live, LINES);
    assert_int_equal(sched_app_test(live.sched, &spec, &large, &err), 0);
    live_node(&live, "n1", 4096, NULL);
    assert_int_equal(sched_app_test(live.sched, &spec, &large, &err), 0);
    live_tick(&live, SCHED_SIZE_WAIT_MS);
    assert_int_equal(sched_app_test(live.sched, &spec, &large, &err), -ERANGE);
    assert_non_null(strstr(err.text, "more memory than any node has"));
    live_end(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_above_the_largest_node_wait_at_first_and_are_refused_then),
        cmocka_unit_test(the_largest_follows_the_nodes),
        cmocka_unit_test(requests_are_not_rounded_beyond_the_largest_node),
        cmocka_unit_test(an_am_is_judged_when_it_is_submitted),
        cmocka_unit_test(containers_from_before_a_restart_are_not_checked),
        cmocka_unit_test(a_test_judges_as_a_submission_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
