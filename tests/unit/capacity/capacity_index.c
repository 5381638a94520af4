/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_index.c - test: capacity scheduler: the index skips queues and users only as long as a limit
 * refuses them */
#include "rm/sched/capacity/internal.h"
#include "tests/unit/capacity/capacity_live.h"

#define LINES \
    "root.queues=a,b\nroot.a.capacity=50\nroot.b.capacity=50\nroot.a.user-limit-factor=0.25\n" \
    "root.b.user-limit-factor=10\n"

/* The user is over the limit and has no reservation, but the application that moves to the queue has one. */
static void an_app_that_moves_brings_its_reservation(void **state)
{
    struct sched_node *n1, *n2;
    struct sched_app *over, *other, *moves;
    struct sched_container *last;
    struct live live;
    struct err err;
    (void)state;

    live_begin(&live, LINES);
    n1 = live_node(&live, "n1:1", 8192, NULL);
    n2 = live_node(&live, "n2:1", 8192, NULL);
    over = live_app(&live, "ann", "a");
    live_ask(&live, over, 5, 1024);
    live_heartbeat(&live, n1, 3);
    last = live.decisions.items[2].container;
    live_heartbeat(&live, n1, 1);
    assert_int_equal(live_figures(&live, over).containers, 3); /* one container over the limit */
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

#define SPOT \
    LINES "yarn.node-labels.enabled=true\nroot.accessible-node-labels.spot.capacity=100\n" \
          "root.a.accessible-node-labels=spot\nroot.b.accessible-node-labels=spot\n" \
          "root.a.accessible-node-labels.spot.capacity=50\n" \
          "root.b.accessible-node-labels.spot.capacity=50\ncreel.node-labels=spot(exclusive=false)\n"

/* A user's limit applies per partition; nodes lent by another partition do not count. */
static void a_user_over_its_limit_may_borrow(void **state)
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
    live_heartbeat(&live, lent, 1);
    assert_int_equal(live_figures(&live, app).containers,
                     3); /* has missed fewer offers than there are nodes */
    live_heartbeat(&live, lent, 1);
    assert_int_equal(live_figures(&live, app).containers, 4);
    live_heartbeat(&live, lent, 1); /* a borrowed container does not start the wait again */
    assert_int_equal(live_figures(&live, app).containers, 5);
    live_check(&live);
    live_end(&live);
}

#define HALF \
    "root.queues=a,b\nroot.a.capacity=50\nroot.b.capacity=50\nroot.a.user-limit-factor=10\n" \
    "root.b.user-limit-factor=10\nroot.a.maximum-capacity=50\n"

/* One node of 16 GiB. Queue a may use half of the node, uses 5 GiB and requests 4 GiB: refused. */
struct refused {
    struct live live;
    struct sched_node *node;
    struct sched_app *large, *other;
};

static void refuse(struct refused *refused)
{
    struct live *live = &refused->live;

    live_begin(live, HALF);
    refused->node = live_node(live, "n1:1", 16384, NULL);
    refused->large = live_app(live, "ann", "a");
    refused->other = live_app(live, "bob", "b");
    live_ask(live, refused->large, 5, 1024);
    live_heartbeat(live, refused->node, 5);
    live_ask(live, refused->large, 1, 4096);
    live_heartbeat(live, refused->node, 2);
    assert_int_equal(live->decisions.count, 0);
}

static void a_refused_queue_is_served_when_it_requests_less(void **state)
{
    struct refused refused;
    (void)state;

    refuse(&refused);
    live_ask(&refused.live, refused.large, 1, 2048);
    live_heartbeat(&refused.live, refused.node, 1);
    assert_int_equal(live_figures(&refused.live, refused.large).containers, 6);
    live_end(&refused.live);
}

static void a_refused_queue_is_served_when_a_container_ends_in_it(void **state)
{
    struct refused refused;
    (void)state;

    refuse(&refused);
    sched_container_end(refused.live.sched, TAILQ_FIRST(&refused.node->containers), &refused.live.decisions);
    live_heartbeat(&refused.live, refused.node, 1);
    assert_int_equal(live_figures(&refused.live, refused.large).containers, 5);
    live_end(&refused.live);
}

static void a_refused_queue_is_served_when_its_maximum_is_raised(void **state)
{
    struct refused refused;
    (void)state;

    refuse(&refused);
    live_refresh(&refused.live, HALF "root.a.maximum-capacity=100\n");
    live_heartbeat(&refused.live, refused.node, 1);
    assert_int_equal(live_figures(&refused.live, refused.large).containers, 6);
    live_end(&refused.live);
}

/* The refused queue keeps a's 3 GiB of headroom from queue b, which comes later because it uses more of
 * its guarantee: of the 11 GiB free, b gets 8 (AbstractParentQueue.assignContainersToChildQueues). */
static void a_refused_queue_keeps_its_headroom_from_later_siblings(void **state)
{
    struct refused refused;
    (void)state;

    refuse(&refused);
    live_ask(&refused.live, refused.other, 11, 1024);
    live_heartbeat(&refused.live, refused.node, 11);
    assert_int_equal(live_figures(&refused.live, refused.other).containers, 8);
    live_ask(&refused.live, refused.large, 0, 4096);
    live_heartbeat(&refused.live, refused.node, 11);
    assert_int_equal(live_figures(&refused.live, refused.other).containers, 11);
    live_end(&refused.live);
}

static void avoid(struct live *live, struct sched_app *app, const char *node)
{
    const struct sched_request request = { .blacklist_add = &node, .blacklist_add_count = 1 };

    assert_int_equal(sched_allocate(live->sched, app, &request, &live->decisions, NULL), 0);
}

/* The scheduler checks the headroom before the blacklist (RegularContainerAllocator.allocate). */
static void an_app_that_avoids_a_node_leaves_it_to_the_next_if_it_has_headroom(void **state)
{
    struct sched_app *first, *second;
    struct sched_node *node;
    struct live live;
    (void)state;

    live_begin(&live, HALF);
    node = live_node(&live, "n1:1", 8192, NULL);
    first = live_app(&live, "ann", "a");
    second = live_app(&live, "ann", "a");
    live_ask(&live, first, 1, 8192);
    live_ask(&live, second, 1, 1024);
    avoid(&live, first, "n1:1");
    live_heartbeat(&live, node, 1);
    assert_int_equal(live.decisions.count, 0);
    live_ask(&live, first, 1, 4096);
    live_heartbeat(&live, node, 1);
    assert_int_equal(live_figures(&live, second).containers, 1);
    live_end(&live);
}

#define QUARTER \
    "root.queues=a,b\nroot.a.capacity=25\nroot.b.capacity=75\nroot.a.maximum-capacity=25\n" \
    "root.a.user-limit-factor=10\nroot.b.user-limit-factor=10\n"

/* n1 has 4 GiB, of which bob's containers use 3. n2 has 12 GiB, of which bob's containers use 9.
 * Application KEEPS has reserved 4 GiB on n2, so its queue is at its maximum. */
struct full {
    struct live live;
    struct sched_node *n1, *n2;
    struct sched_app *keeps;
};

/* IDLE: an application without requests comes before KEEPS in the order. */
static void fill(struct full *full, bool idle)
{
    struct live *live = &full->live;

    live_begin(live, QUARTER);
    full->n1 = live_node(live, "n1:1", 4096, NULL);
    full->n2 = live_node(live, "n2:1", 12288, NULL);
    live_ask(live, live_app(live, "bob", "b"), 12, 1024);
    live_heartbeat(live, full->n1, 3);
    live_heartbeat(live, full->n2, 9);
    if (idle)
        live_app(live, "eve", "a");
    full->keeps = live_app(live, "ann", "a");
    live_ask(live, full->keeps, 1, 4096);
    live_heartbeat(live, full->n2, 1);
    assert_int_equal(live_count(live, SCHED_RESERVED), 1);
}

static void empty_first_node(struct full *full)
{
    while (!TAILQ_EMPTY(&full->n1->containers))
        sched_container_end(full->live.sched, TAILQ_FIRST(&full->n1->containers), &full->live.decisions);
}

static void a_queue_at_its_maximum_exchanges_a_reservation(void **state)
{
    struct full full;
    (void)state;

    fill(&full, false);
    live_heartbeat(&full.live, full.n1, 1);
    assert_int_equal(full.live.decisions.count, 0);
    empty_first_node(&full);
    live_heartbeat(&full.live, full.n1, 1);
    assert_int_equal(live_count(&full.live, SCHED_UNRESERVED), 1);
    assert_int_equal(live_figures(&full.live, full.keeps).containers, 1);
    live_end(&full.live);
}

static uint32_t opportunities(const struct full *full)
{
    return RB_MIN(sched_demand_tree, &full->keeps->demands)->opportunities;
}

/* The reservation cannot move to a node without space for it, so the offer of that node does not count. */
static void an_offer_that_cannot_be_exchanged_is_no_missed_opportunity(void **state)
{
    struct full full;
    uint32_t before;
    (void)state;

    fill(&full, false);
    before = opportunities(&full);
    live_heartbeat(&full.live, full.n1, 3);
    assert_int_equal(opportunities(&full), before);
    live_end(&full.live);
}

/* The first active application without a reservation in a queue at its limit ends the offer, even if the
 * application has no requests (AbstractLeafQueue.assignContainers). */
static void an_idle_app_ends_an_exchange(void **state)
{
    struct full full;
    (void)state;

    fill(&full, true);
    empty_first_node(&full);
    live_heartbeat(&full.live, full.n1, 1);
    assert_int_equal(full.live.decisions.count, 0);
    live_end(&full.live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_app_that_moves_brings_its_reservation),
        cmocka_unit_test(a_user_over_its_limit_may_borrow),
        cmocka_unit_test(a_refused_queue_is_served_when_it_requests_less),
        cmocka_unit_test(a_refused_queue_is_served_when_a_container_ends_in_it),
        cmocka_unit_test(a_refused_queue_is_served_when_its_maximum_is_raised),
        cmocka_unit_test(a_refused_queue_keeps_its_headroom_from_later_siblings),
        cmocka_unit_test(an_app_that_avoids_a_node_leaves_it_to_the_next_if_it_has_headroom),
        cmocka_unit_test(a_queue_at_its_maximum_exchanges_a_reservation),
        cmocka_unit_test(an_offer_that_cannot_be_exchanged_is_no_missed_opportunity),
        cmocka_unit_test(an_idle_app_ends_an_exchange),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
