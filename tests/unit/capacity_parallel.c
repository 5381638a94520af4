/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_parallel.c - test: capacity scheduler: the cost of giving away places of max-parallel-apps */
#include <stdio.h>

#include "rm/sched/capacity/internal.h"
#include "tests/unit/capacity_live.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_given_away_at_once_cost_one_check_each),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
