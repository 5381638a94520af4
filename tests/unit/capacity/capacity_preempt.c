/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_preempt.c - test: a drain or a smaller maximum preempts nothing; requests do, as far as open nodes
 * could serve them */
#include <string.h>

#include "rm/sched/capacity/internal.h"
#include "tests/unit/capacity/capacity_world.h"

/* As in a drain: the node gets nothing more, and its total becomes what it uses. */
static void drain(struct world *world, struct sched_node *node)
{
    sched_node_set_open(world->live.sched, node, false, &world->live.decisions);
    sched_node_update(world->live.sched, node, node->used, &world->live.decisions);
}

/* --- maxima that become smaller ------------------------------------------------------ */

static void a_drain_preempts_nothing(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, WORLD_LINES("60"));
    world_place(&world, world.b, world.n1, 5);
    world_place(&world, world.b, world.n2, 4); /* 9 GiB of 16: within the maximum of 9.6 */
    drain(&world, world.n1);                   /* 9 GiB of 13: above the maximum of 7.8 */
    assert_int_equal(world_notices(&world, 10000), 0);
    drain(&world, world.n2);
    assert_int_equal(world_notices(&world, 20000), 0);
    world_end(&world);
}

static void a_lower_maximum_preempts_nothing_until_another_queue_asks(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    world_place(&world, world.b, world.n1, 8);
    world_place(&world, world.b, world.n2, 4);
    live_refresh(&world.live, WORLD_LINES("50"));
    assert_int_equal(world_notices(&world, 10000), 0);
    live_ask(&world.live, world.b, 4, 1024);
    assert_int_equal(world_notices(&world, 20000), 0);
    live_ask(&world.live, world.a, 8, 1024);
    assert_int_equal(world_notices(&world, 30000), 4);
    world_end(&world);
}

/* --- containers of closed nodes --------------------------------------------------------- */

static void what_another_queue_asks_for_is_preempted_on_open_nodes(void **state)
{
    struct world world;
    const struct sched_container *container;
    uint32_t on_n1 = 0;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    world_place(&world, world.b, world.n2, 8);
    world_place(&world, world.b, world.n1, 8); /* the newest containers: selected first */
    drain(&world, world.n1);
    live_ask(&world.live, world.a, 3, 1024);
    assert_int_equal(world_notices(&world, 10000), 3);
    TAILQ_FOREACH(container, &world.n1->containers, of_node)
        on_n1 += container->killed ? 1 : 0;
    assert_int_equal(on_n1, 0);
    world_end(&world);
}

/* After a restart, nodes register in any order: recovers eight containers on NODE, with each second serial
 * from FIRST on. */
static void recover(struct world *world, struct sched_node *node, uint64_t first)
{
    for (uint32_t i = 0; i < 8; i++) {
        const struct sched_container_info info = {
            .node = node,
            .app = world->b,
            .resource = resource_of(1024, 1),
            .number = i + 1,
            .serial = first + 2 * i,
        };

        sched_container_recover(world->live.sched, &info, NULL);
    }
}

static void recovered_containers_go_newest_first_whatever_node_came_last(void **state)
{
    struct world world;
    const struct sched_container *container;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    recover(&world, world.n2, 2);
    recover(&world, world.n1, 1); /* 1, 3, ..., 15; on the other node 2, 4, ..., 16 */
    live_ask(&world.live, world.a, 3, 1024);
    assert_int_equal(world_notices(&world, 10000), 3);
    TAILQ_FOREACH(container, &world.b->containers, of_app)
        assert_int_equal(container->killed, container->serial >= 14);
    world_end(&world);
}

static void if_all_nodes_are_drained_nothing_is_preempted(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    world_place(&world, world.b, world.n1, 8);
    world_place(&world, world.b, world.n2, 8);
    drain(&world, world.n1);
    drain(&world, world.n2);
    live_ask(&world.live, world.a, 4, 1024);
    assert_int_equal(world_notices(&world, 10000), 0);
    world_end(&world);
}

/* An application without an AM in the cluster may ask while it waits to be activated. */
static void for_an_application_that_waits_to_be_activated_nothing_is_preempted(void **state)
{
    struct world world;
    struct sched_app *waiting;

    (void)state;
    world_begin(&world, "root.a.max-parallel-apps=1\n" WORLD_LINES("100"));
    waiting = live_app(&world.live, "ann", "a");
    world_place(&world, world.b, world.n1, 8);
    world_place(&world, world.b, world.n2, 8);
    live_ask(&world.live, waiting, 3, 1024);
    assert_int_equal(world_notices(&world, 10000), 0);
    live_ask(&world.live, world.a, 2, 1024); /* is active: gets room for itself alone */
    assert_int_equal(world_notices(&world, 20000), 2);
    live_check(&world.live);
    world_end(&world);
}

static void within_its_queue_nothing_is_preempted_for_it_either(void **state)
{
    struct world world;
    struct sched_app *waiting;

    (void)state;
    world_begin(&world, "root.b.max-parallel-apps=1\n" WORLD_LINES("100"));
    waiting = live_app(&world.live, "cat", "b");
    world_place(&world, world.b, world.n1, 8);
    world_place(&world, world.b, world.n2, 8);
    live_ask(&world.live, waiting, 3, 1024);
    assert_int_equal(world_notices(&world, 10000), 0);
    world_end(&world);
}

/* Returns how many containers of APP the last round has chosen. */
static size_t count_picked(const struct world *world, const struct sched_app *app)
{
    const struct sched_container *container;
    size_t count = 0;

    TAILQ_FOREACH(container, &app->containers, of_app)
        count += capacity_is_picked(world->live.sched, container);
    return count;
}

/* As in YARN: it counts for its queue, but only active applications give containers. */
static void an_application_that_moved_and_waits_gives_nothing(void **state)
{
    struct world world;
    struct sched_app *moves;
    struct err err;

    (void)state;
    world_begin(
        &world,
        "root.a.maximum-am-resource-percent=1\nroot.b.maximum-am-resource-percent=0\n" WORLD_LINES("100"));
    for (int i = 0; i < 2; i++) { /* the first one is the one AM that queue b has */
        struct sched_app_spec spec = { .user = "cat", .queue = i == 0 ? "b" : "a", .manages = true };

        moves = live_try_app(&world.live, spec, &err);
        assert_non_null(moves);
    }
    world_place(&world, world.b, world.n1, 8);
    world_place(&world, moves, world.n2, 8);
    assert_int_equal(sched_app_move(world.live.sched, moves, "b", &world.live.decisions, &err), 0);
    assert_int_equal(live_figures(&world.live, moves).active, 0);
    live_ask(&world.live, world.a, 3, 1024);
    live_tick(&world.live, 10000);
    sched_preempt(world.live.sched, &world.live.decisions);
    assert_int_equal(count_picked(&world, moves), 0);
    assert_int_equal(count_picked(&world, world.b), 3);
    world_end(&world);
}

/* --- the queue that gets the room ------------------------------------------------------- */

/* Returns how many containers of APP the last round has chosen for QUEUE. */
static size_t count_for(const struct world *world, const struct sched_app *app, const char *queue)
{
    const struct sched_container *container;
    size_t count = 0;

    TAILQ_FOREACH(container, &app->containers, of_app) {
        const char *gainer = sched_container_gainer(world->live.sched, container);

        count += gainer != NULL && strcmp(gainer, queue) == 0;
    }
    return count;
}

static void preempt_at(struct world *world, int64_t now_ms)
{
    live_tick(&world->live, now_ms);
    sched_preempt(world->live.sched, &world->live.decisions);
    world->live.decisions.count = 0;
}

static void each_round_says_for_which_queue_a_container_is_preempted(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    world_place(&world, world.b, world.n1, 8);
    world_place(&world, world.b, world.n2, 8);
    assert_int_equal(count_for(&world, world.b, "root.a"), 0);
    live_ask(&world.live, world.a, 3, 1024);
    assert_int_equal(count_for(&world, world.b, "root.a"), 0); /* before the first round */
    preempt_at(&world, 10000);
    assert_int_equal(count_for(&world, world.b, "root.a"), 3);
    live_ask(&world.live, world.a, 1, 1024);
    preempt_at(&world, 10500);
    assert_int_equal(count_for(&world, world.b, "root.a"), 1);
    assert_int_equal(count_for(&world, world.b, ""), 2);
    world_end(&world);
}

/* --- strict locality ----------------------------------------------------------------- */

/* Requests COUNT containers of 1 GiB for APP on the node or host NAME, and nowhere else. */
static void ask_on(struct world *world, struct sched_app *app, const char *name, uint32_t count)
{
    const struct resource size = resource_of(1024, 1);
    const struct sched_ask rows[] = {
        { .priority = 1, .resource_name = name, .count = count, .capability = size },
        { .priority = 1,
          .resource_name = world->n1->rack,
          .count = count,
          .capability = size,
          .strict_locality = true },
        { .priority = 1, .resource_name = "*", .count = count, .capability = size, .strict_locality = true },
    };
    const struct sched_request request = { .asks = rows, .ask_count = 3 };
    struct err err;

    if (sched_allocate(world->live.sched, app, &request, &world->live.decisions, &err) < 0)
        fail_msg("%s", err.text);
}

static void a_request_for_closed_nodes_alone_preempts_nothing(void **state)
{
    static const char *const names[] = { "n1:1", "n3:1" };
    struct world world;

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        for (int silent = 0; silent < 2; silent++) {
            world_begin(&world, WORLD_LINES("100"));
            world_place(&world, world.b, world.n1, 8);
            world_place(&world, world.b, world.n2, 8);
            ask_on(&world, world.a, names[i], 3);
            if (silent)
                sched_node_set_silent(world.live.sched, world.n1, true);
            else
                sched_node_set_open(world.live.sched, world.n1, false, &world.live.decisions);
            assert_int_equal(world_notices(&world, 10000), 0);
            sched_node_set_silent(world.live.sched, world.n1, false);
            sched_node_set_open(world.live.sched, world.n1, true, &world.live.decisions);
            assert_int_equal(world_notices(&world, 20000), i == 0 ? 3 : 0);
            world_end(&world);
        }
}

/* Three of five containers may run on the open node. */
static void of_a_request_for_some_closed_nodes_the_others_count(void **state)
{
    const struct resource size = resource_of(1024, 1);
    struct world world;
    struct sched_ask rows[] = {
        { .priority = 1, .resource_name = "n1:1", .count = 2, .capability = size },
        { .priority = 1, .resource_name = "n2:1", .count = 3, .capability = size },
        { .priority = 1, .count = 5, .capability = size, .strict_locality = true },
        { .priority = 1, .resource_name = "*", .count = 5, .capability = size, .strict_locality = true },
    };
    const struct sched_request request = { .asks = rows, .ask_count = 4 };

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    rows[2].resource_name = world.n1->rack;
    world_place(&world, world.b, world.n1, 8);
    world_place(&world, world.b, world.n2, 8);
    sched_node_set_open(world.live.sched, world.n1, false, &world.live.decisions);
    assert_int_equal(sched_allocate(world.live.sched, world.a, &request, &world.live.decisions, NULL), 0);
    assert_int_equal(world_notices(&world, 10000), 3);
    world_end(&world);
}

/* --- containers that are being stopped --------------------------------------------------- */

static void stop_all(struct world *world, const struct sched_app *app, bool stuck)
{
    struct sched_container *container;

    TAILQ_FOREACH(container, &app->containers, of_app)
        sched_container_stopping(world->live.sched, container, stuck);
    live_check(&world->live);
}

/* RUN_ON: a process of them did not end, and has ended; they are not being stopped after all. */
static void preempt_for_room_that_does_not_come(bool run_on)
{
    struct sched_container *container;
    struct sched_app *killed;
    struct world world;

    world_begin(&world, WORLD_LINES("100"));
    killed = live_app(&world.live, "carl", "b");
    world_place(&world, killed, world.n2, 8);
    world_place(&world, world.b, world.n1, 8);
    stop_all(&world, killed, false);
    live_ask(&world.live, world.a, 8, 1024);
    assert_int_equal(world_notices(&world, 10000), 0);
    stop_all(&world, killed, true);
    TAILQ_FOREACH(container, &killed->containers, of_app)
        if (run_on)
            sched_container_continues(world.live.sched, container);
    assert_int_equal(world_notices(&world, 20000), 8);
    world_end(&world);
}

static void for_room_that_a_killed_job_releases_nothing_is_preempted(void **state)
{
    (void)state;
    preempt_for_room_that_does_not_come(false);
    preempt_for_room_that_does_not_come(true);
}

/* --- within a queue, while containers end ------------------------------------------------- */

/* Runs rounds of preemption in which nothing ends, longer than any wait. Returns how many containers get a
 * notice or are killed. */
static size_t marks_of_rounds(struct world *world, int64_t now_ms)
{
    size_t count = 0;

    for (int round = 0; round < 10; round++) {
        live_tick(&world->live, now_ms + round * 1000);
        sched_preempt(world->live.sched, &world->live.decisions);
        count += live_count(&world->live, SCHED_PREEMPT) + live_count(&world->live, SCHED_KILL);
    }
    return count;
}

/* Ends the containers of APP that are being stopped, COUNT in number. */
static void end_stopped(struct world *world, struct sched_app *app, size_t count)
{
    struct sched_container *container, *next;

    TAILQ_FOREACH_SAFE(container, &app->containers, of_app, next)
        if (container->killed) {
            sched_container_end(world->live.sched, container, &world->live.decisions);
            count--;
        }
    assert_int_equal(count, 0);
}

static void stop_newest(struct world *world, const struct sched_app *app, int count, bool stuck)
{
    struct sched_container *container;

    TAILQ_FOREACH_REVERSE(container, &app->containers, container_list, of_app)
        if (count-- > 0)
            sched_container_stopping(world->live.sched, container, stuck);
    live_check(&world->live);
}

static void no_more_than_a_user_lacks_is_preempted_while_containers_end(void **state)
{
    struct sched_app *eve;
    struct world world;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    world_place(&world, world.b, world.n1, 8);
    world_place(&world, world.b, world.n2, 8);
    eve = live_app(&world.live, "eve", "b");
    live_ask(&world.live, eve, 4, 1024);
    assert_int_equal(world_notices(&world, 10000), 4);
    assert_int_equal(marks_of_rounds(&world, 20000), 0);
    end_stopped(&world, world.b, 4);
    live_heartbeat(&world.live, world.n1, 8);
    live_heartbeat(&world.live, world.n2, 8);
    assert_int_equal(live_figures(&world.live, eve).containers, 4);
    assert_int_equal(marks_of_rounds(&world, 40000), 0);
    world_end(&world);
}

static void only_what_a_user_lacks_beyond_stopped_containers_is_preempted(void **state)
{
    struct sched_app *eve;
    struct world world;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    world_place(&world, world.b, world.n1, 8);
    world_place(&world, world.b, world.n2, 8);
    stop_newest(&world, world.b, 3, false);
    eve = live_app(&world.live, "eve", "b");
    live_ask(&world.live, eve, 4, 1024);
    assert_int_equal(world_notices(&world, 10000), 1);
    stop_newest(&world, world.b, 3, true); /* their room is not expected any more */
    assert_int_equal(world_notices(&world, 20000), 3);
    assert_int_equal(marks_of_rounds(&world, 30000), 0);
    world_end(&world);
}

static void a_user_is_not_preempted_below_the_limit_while_containers_end(void **state)
{
    struct sched_app *eve;
    struct world world;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    world_place(&world, world.b, world.n1, 8);
    world_place(&world, world.b, world.n2, 8);
    eve = live_app(&world.live, "eve", "b");
    live_ask(&world.live, eve, 12, 1024); /* more than the user limit of 9 GiB */
    assert_int_equal(world_notices(&world, 10000), 6);
    assert_int_equal(marks_of_rounds(&world, 20000), 0);
    world_end(&world);
}

/* Counts the containers that a request of eve for 3 GiB preempts while nothing ends, with LINES. */
static size_t preempted_for_eve(const char *lines)
{
    struct sched_app *eve;
    struct world world;
    size_t count;

    world_begin(&world, lines);
    world_place(&world, world.b, world.n1, 8);
    world_place(&world, world.b, world.n2, 8);
    eve = live_app(&world.live, "eve", "b");
    sched_app_set_priority(world.live.sched, eve, 1, &world.live.decisions);
    live_ask(&world.live, eve, 3, 1024);
    count = world_notices(&world, 10000);
    count += marks_of_rounds(&world, 20000);
    world_end(&world);
    return count;
}

static void the_same_with_other_orders_within_the_queue(void **state)
{
    (void)state;
    assert_int_equal(preempted_for_eve(WORLD_LINES("100") "root.b.ordering-policy=fair\n"), 3);
    assert_int_equal(preempted_for_eve(WORLD_MONITOR
                                       "intra-queue-preemption.preemption-order-policy=priority_first\n"
                                       "yarn.cluster.max-application-priority=10\n" WORLD_LINES("100")),
                     3);
}

/* What another queue gets is not expected within the queue, and is not preempted within it again. */
static void room_for_another_queue_is_not_expected_within(void **state)
{
    struct sched_app *eve;
    struct world world;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    world_place(&world, world.b, world.n1, 8);
    world_place(&world, world.b, world.n2, 8);
    live_ask(&world.live, world.a, 4, 1024);
    assert_int_equal(world_notices(&world, 10000), 4);
    assert_int_equal(marks_of_rounds(&world, 20000), 0);
    eve = live_app(&world.live, "eve", "b");
    live_ask(&world.live, eve, 2, 1024);
    assert_int_equal(world_notices(&world, 40000), 2);
    assert_int_equal(marks_of_rounds(&world, 50000), 0);
    world_end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drain_preempts_nothing),
        cmocka_unit_test(for_an_application_that_waits_to_be_activated_nothing_is_preempted),
        cmocka_unit_test(within_its_queue_nothing_is_preempted_for_it_either),
        cmocka_unit_test(an_application_that_moved_and_waits_gives_nothing),
        cmocka_unit_test(each_round_says_for_which_queue_a_container_is_preempted),
        cmocka_unit_test(for_room_that_a_killed_job_releases_nothing_is_preempted),
        cmocka_unit_test(no_more_than_a_user_lacks_is_preempted_while_containers_end),
        cmocka_unit_test(only_what_a_user_lacks_beyond_stopped_containers_is_preempted),
        cmocka_unit_test(a_user_is_not_preempted_below_the_limit_while_containers_end),
        cmocka_unit_test(the_same_with_other_orders_within_the_queue),
        cmocka_unit_test(room_for_another_queue_is_not_expected_within),
        cmocka_unit_test(a_lower_maximum_preempts_nothing_until_another_queue_asks),
        cmocka_unit_test(what_another_queue_asks_for_is_preempted_on_open_nodes),
        cmocka_unit_test(recovered_containers_go_newest_first_whatever_node_came_last),
        cmocka_unit_test(if_all_nodes_are_drained_nothing_is_preempted),
        cmocka_unit_test(a_request_for_closed_nodes_alone_preempts_nothing),
        cmocka_unit_test(of_a_request_for_some_closed_nodes_the_others_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
