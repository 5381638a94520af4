/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_stepped.c - who is stepped over is asked again as soon as the answer could be another */
#include "tests/unit/capacity_live.h"

#define LINES "root.queues=a,b\nroot.a.capacity=50\nroot.b.capacity=50\nroot.a.user-limit-factor=0.25\n" \
              "root.b.user-limit-factor=10\n"

/* What it reserved it could give up, and then its user is below the limit: but the user slept, as one who
 * has nothing reserved. Seed 671 of sched_reference. */
static void an_app_that_moves_brings_its_reservation(void **state)
{
    struct sched_node *n1, *n2;
    struct sched_app *sleeps, *other, *moves;
    struct sched_container *last;
    struct live live;
    struct err err;
    (void)state;

    live_begin(&live, LINES);
    n1 = live_node(&live, "n1:1", 8192, NULL);
    n2 = live_node(&live, "n2:1", 8192, NULL);
    sleeps = live_app(&live, "ann", "a");
    live_ask(&live, sleeps, 5, 1024);
    live_heartbeat(&live, n1, 3);
    last = live.decisions.items[2].container;
    live_heartbeat(&live, n1, 1);
    assert_int_equal(live_figures(&live, sleeps).containers, 3);        /* one over the limit */
    other = live_app(&live, "bob", "b");
    live_ask(&live, other, 1, 4096);
    live_heartbeat(&live, n2, 1);
    moves = live_app(&live, "ann", "b");
    live_ask(&live, moves, 1, 6144);
    live_heartbeat(&live, n2, 1);
    assert_int_equal(live_count(&live, SCHED_RESERVED), 1);
    sched_container_end(live.sched, last, &live.decisions);
    assert_int_equal(sched_app_move(live.sched, moves, "a", &live.decisions, &err), 0);
    live_heartbeat(&live, n1, 1);
    assert_int_equal(live_count(&live, SCHED_UNRESERVED), 1);
    assert_int_equal(live_figures(&live, moves).containers, 1);
    live_check(&live);
    live_end(&live);
}

#define SPOT LINES "yarn.node-labels.enabled=true\nroot.accessible-node-labels.spot.capacity=100\n" \
             "root.a.accessible-node-labels=spot\nroot.b.accessible-node-labels=spot\n" \
             "root.a.accessible-node-labels.spot.capacity=50\n" \
             "root.b.accessible-node-labels.spot.capacity=50\ncreel.node-labels=spot(exclusive=false)\n"

/* The limit of the user is one of its own partition; what another lends is beside it. */
static void who_is_over_the_limit_may_borrow(void **state)
{
    struct sched_node *node, *lent;
    struct sched_app *app;
    struct live live;
    (void)state;

    live_begin(&live, SPOT);
    node = live_node(&live, "n1:1", 16384, NULL);
    lent = live_node(&live, "n2:1", 8192, "spot");
    app = live_app(&live, "ann", "a");
    live_ask(&live, app, 5, 1024);
    live_heartbeat(&live, node, 5);
    assert_int_equal(live_figures(&live, app).containers, 3);
    live_heartbeat(&live, lent, 3);     /* it waits for as many opportunities as there are nodes */
    assert_int_equal(live_figures(&live, app).containers, 4);
    live_check(&live);
    live_end(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_app_that_moves_brings_its_reservation),
        cmocka_unit_test(who_is_over_the_limit_may_borrow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
