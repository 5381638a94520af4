/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_parallel.c - test: max-parallel-apps: cost of its places, order of applications that wait;
 * a queue without capacity */
#include <stdio.h>
#include <string.h>

#include "common/base/text_builder.h"
#include "rm/sched/capacity/internal.h"
#include "tests/unit/capacity/capacity_live.h"

/* The queue could have more AMs, but the limit of the user refuses all but the first. */
static void places_given_away_at_once_cost_one_check_each(void **state)
{
    enum { COUNT = 500 };
    static const char queue[] = "root.queues=a\nroot.a.capacity=100\nmaximum-am-resource-percent=1\n"
                                "root.a.user-limit-factor=0.1\n";
    const struct resource am = resource_of(1024, 1);
    char lines[200];
    struct live live;
    uint64_t before;
    (void)state;

    snprintf(lines, sizeof(lines), "%sroot.a.max-parallel-apps=1\n", queue);
    live_begin(&live, lines);
    live_node(&live, "n1", 10240, NULL);
    for (uint32_t i = 1; i <= COUNT; i++) {
        struct sched_app_spec spec = { .id = { 1, i }, .user = "ann", .queue = "a", .manages = true };
        struct sched_app *app;
        struct err err;

        if (sched_app_add(live.sched, &spec, &app, &err) < 0)
            fail_msg("%s", err.text);
        sched_app_start(live.sched, app, &am, &live.decisions);
    }
    before = capacity_of(live.sched)->am_checks;
    live_refresh(&live, queue);
    assert_int_equal(live_queue(&live, "root.a").active_apps, 1);
    assert_int_equal(live_queue(&live, "root.a").waiting_apps, COUNT - 1);
    assert_in_range(capacity_of(live.sched)->am_checks - before, COUNT - 1, 2 * COUNT);
    live_end(&live);
}

static struct sched_app *start(struct live *live, uint32_t id, int priority)
{
    struct sched_app_spec spec = {
        .id = { 1, id }, .user = "ann", .queue = "a", .manages = true, .priority = priority
    };
    const struct resource am = resource_of(1024, 1);
    struct sched_app *app;
    struct err err;

    if (sched_app_add(live->sched, &spec, &app, &err) < 0)
        fail_msg("%s", err.text);
    sched_app_start(live->sched, app, &am, &live->decisions);
    return app;
}

static void add_number(void *context, const char *name)
{
    struct app_id id;

    assert_true(app_id_parse(name, &id));
    text_builder_separate(context, " ");
    text_builder_printf(context, "%u", id.seq);
}

static void expect_order(struct live *live, const char *wanted)
{
    struct text_builder order = TEXT_BUILDER_MALLOC;
    char *text;

    sched_queue_order(live->sched, "root.a", add_number, &order);
    text = text_builder_finish(&order);
    assert_string_equal(text, wanted);
    free(text);
}

/* Two have a place: 1 runs, 2 waits for the limit on AMs. Of the others, the oldest is the next that gets a
 * place, whatever its priority. */
static void the_order_of_a_queue_is_that_of_places(void **state)
{
    struct sched_node *node;
    struct sched_app *first;
    struct live live;
    (void)state;

    live_begin(&live, "root.queues=a\nroot.a.capacity=100\nmaximum-am-resource-percent=0.1\n"
                      "root.a.max-parallel-apps=2\nyarn.cluster.max-application-priority=10\n");
    node = live_node(&live, "n1", 10240, NULL);
    first = start(&live, 1, 0);
    for (uint32_t i = 2; i <= 4; i++)
        start(&live, i, (int)i);
    expect_order(&live, "1 2 3 4");
    live_heartbeat(&live, node, 1);
    expect_order(&live, "2 3 4 1"); /* 1 has no pending request any more */
    live_ask(&live, first, 1, 1024);
    expect_order(&live, "1 2 3 4");
    live_end(&live);
}

/* The key maximum-applications is not set: a message must not name it as the cause. */
static void a_capacity_of_zero_is_named_as_the_cause(void **state)
{
    struct sched_app_spec spec = { .id = { 1, 9 }, .user = "ann", .queue = "z" };
    struct live live;
    struct err err = { .text = "" };
    (void)state;

    live_begin(&live, "root.queues=a,z\nroot.a.capacity=100\nroot.z.capacity=0\n");
    assert_null(live_try_app(&live, spec, &err));
    assert_non_null(strstr(err.text, "its capacity (yarn.scheduler.capacity.root.z.capacity) is 0"));
    live_end(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_capacity_of_zero_is_named_as_the_cause),
        cmocka_unit_test(the_order_of_a_queue_is_that_of_places),
        cmocka_unit_test(places_given_away_at_once_cost_one_check_each),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
