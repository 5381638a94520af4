/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_increases.c - test: an increase of a container preempts on its node, as far as the guarantees of
 * queues allow it */
#include "rm/sched/capacity/internal.h"
#include "tests/unit/capacity/capacity_world.h"

#define DOMINANT "resource-calculator=DominantResourceCalculator\n"

/* Requests MEMORY_MB for the first container of APP. */
static void resize(struct world *world, struct sched_app *app, int64_t memory_mb)
{
    struct resource asked = resource_of(memory_mb, 1);
    struct err err;

    if (sched_container_resize(world->live.sched, TAILQ_FIRST(&app->containers), &asked,
                               &world->live.decisions, &err) < 0)
        fail_msg("%s", err.text);
}

static uint32_t killed_on(const struct sched_node *node)
{
    const struct sched_container *container;
    uint32_t count = 0;

    TAILQ_FOREACH(container, &node->containers, of_node)
        count += container->killed ? 1 : 0;
    return count;
}

static void an_increase_on_a_drained_node_preempts_nothing(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    world_place(&world, world.a, world.n1, 1);
    world_place(&world, world.b, world.n1, 7);
    world_place(&world, world.b, world.n2, 8);
    resize(&world, world.a, 4096);
    sched_node_set_open(world.live.sched, world.n1, false, &world.live.decisions);
    assert_int_equal(world_notices(&world, 10000), 0);
    live_ask(&world.live, world.a, 1, 1024); /* counts; the increase does not */
    assert_int_equal(world_notices(&world, 20000), 1);
    live_ask(&world.live, world.a, 0, 1024);
    sched_node_set_open(world.live.sched, world.n1, true, &world.live.decisions);
    assert_int_equal(world_notices(&world, 30000), 3);
    assert_int_equal(killed_on(world.n1), 3);
    world_end(&world);
}

/* An application that has moved, and waits to be activated in its new queue, is not served. */
static void an_increase_of_an_application_that_waits_preempts_nothing(void **state)
{
    struct world world;
    struct sched_app *moves;
    struct err err;

    (void)state;
    world_begin(
        &world,
        "root.a.maximum-am-resource-percent=0\nroot.b.maximum-am-resource-percent=1\n" WORLD_LINES("100"));
    for (int i = 0; i < 2; i++) { /* the first one is the one AM that queue a has */
        struct sched_app_spec spec = { .user = "cat", .queue = i == 0 ? "a" : "b", .manages = true };

        moves = live_try_app(&world.live, spec, &err);
        assert_non_null(moves);
    }
    world_place(&world, moves, world.n1, 1);
    world_place(&world, world.b, world.n1, 7);
    world_place(&world, world.b, world.n2, 8);
    assert_int_equal(sched_app_move(world.live.sched, moves, "a", &world.live.decisions, &err), 0);
    resize(&world, moves, 4096);
    assert_int_equal(world_notices(&world, 10000), 0);
    world_end(&world);
}

/* The newest containers, which go first otherwise, are on the other node. */
static void preempt_for_increase(const char *lines)
{
    struct world world;

    world_begin(&world, lines);
    world_place(&world, world.a, world.n1, 1);
    world_place(&world, world.b, world.n1, 7);
    world_place(&world, world.b, world.n2, 8);
    resize(&world, world.a, 4096);
    assert_int_equal(world_notices(&world, 10000), 3);
    assert_int_equal(killed_on(world.n1), 3);
    live_end_killed(&world.live);
    live_heartbeat(&world.live, world.n1, 1);
    assert_int_equal(live_figures(&world.live, world.a).used.value[RESOURCE_MEMORY_MB], 4096);
    assert_int_equal(world_notices(&world, 20000), 0);
    world_end(&world);
}

static void an_increase_preempts_on_its_node_alone(void **state)
{
    (void)state;
    preempt_for_increase(WORLD_LINES("100"));
}

/* The queue that gives is above its guarantee by memory, and uses few of its vcores. */
static void with_the_dominant_calculator_the_largest_share_decides(void **state)
{
    (void)state;
    preempt_for_increase(DOMINANT WORLD_LINES("100"));
}

/* Of 16 GiB and 200 vcores. The queue that gives would keep 7 GiB and 7 vcores. */
static void a_queue_gives_nothing_below_its_dominant_guarantee(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, DOMINANT WORLD_LINES("100"));
    world_place(&world, world.a, world.n1, 1);
    world_place(&world, world.b, world.n1, 7);
    world_place(&world, world.b, world.n2, 3);
    resize(&world, world.a, 4096); /* b has 10 GiB */
    assert_int_equal(world_notices(&world, 10000), 0);
    resize(&world, world.a, 2048);
    assert_int_equal(world_notices(&world, 20000), 1);
    world_end(&world);
}

/* The same when the node is reserved for it already. */
static void an_increase_with_a_reservation_as_well(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    world_place(&world, world.a, world.n1, 1);
    world_place(&world, world.b, world.n1, 6);
    world_place(&world, world.b, world.n2, 5);
    resize(&world, world.a, 4096);
    live_heartbeat(&world.live, world.n1, 1);
    assert_ptr_equal(world.n1->reserved.app, world.a);
    assert_int_equal(world_notices(&world, 10000), 2);
    assert_int_equal(killed_on(world.n1), 2);
    live_end_killed(&world.live);
    live_heartbeat(&world.live, world.n1, 1);
    assert_int_equal(live_figures(&world.live, world.a).used.value[RESOURCE_MEMORY_MB], 4096);
    world_end(&world);
}

/* Its node has only containers of its own queue, or too few of others. */
static void an_increase_that_its_node_cannot_serve_preempts_nothing(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    world_place(&world, world.a, world.n1, 6);
    world_place(&world, world.b, world.n1, 2);
    world_place(&world, world.b, world.n2, 8);
    resize(&world, world.a, 4096); /* 3 GiB: more than the other queue has there */
    assert_int_equal(world_notices(&world, 10000), 0);
    live_ask(&world.live, world.a, 1, 1024); /* a request for a container may take any node */
    assert_int_equal(world_notices(&world, 20000), 1);
    world_end(&world);
}

/* Beyond its guarantee a queue gets nothing by preemption. */
static void an_increase_beyond_the_guarantee_preempts_nothing(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    world_place(&world, world.a, world.n2, 7);
    world_place(&world, world.a, world.n1, 1);
    world_place(&world, world.b, world.n1, 7);
    world_place(&world, world.b, world.n2, 1);
    resize(&world, world.a, 2048);
    assert_int_equal(world_notices(&world, 10000), 0);
    world_end(&world);
}

/* Applications of one queue give nothing for the increase of a container: what they have to give to each
 * other is counted for the queue, not by nodes. */
static void an_increase_preempts_nothing_within_its_queue(void **state)
{
    struct world world;
    struct sched_app *other;

    (void)state;
    world_begin(&world, WORLD_LINES("100"));
    other = live_app(&world.live, "eve", "b");
    world_place(&world, other, world.n1, 1);
    world_place(&world, world.b, world.n1, 7);
    world_place(&world, world.b, world.n2, 8);
    resize(&world, other, 4096);
    sched_node_set_open(world.live.sched, world.n1, false, &world.live.decisions);
    assert_int_equal(world_notices(&world, 10000), 0);
    sched_node_set_open(world.live.sched, world.n1, true, &world.live.decisions);
    assert_int_equal(world_notices(&world, 20000), 0);
    live_ask(&world.live, other, 1, 1024);
    assert_true(world_notices(&world, 30000) > 0);
    world_end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_increase_of_an_application_that_waits_preempts_nothing),
        cmocka_unit_test(an_increase_on_a_drained_node_preempts_nothing),
        cmocka_unit_test(an_increase_preempts_on_its_node_alone),
        cmocka_unit_test(with_the_dominant_calculator_the_largest_share_decides),
        cmocka_unit_test(a_queue_gives_nothing_below_its_dominant_guarantee),
        cmocka_unit_test(an_increase_with_a_reservation_as_well),
        cmocka_unit_test(an_increase_that_its_node_cannot_serve_preempts_nothing),
        cmocka_unit_test(an_increase_beyond_the_guarantee_preempts_nothing),
        cmocka_unit_test(an_increase_preempts_nothing_within_its_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
