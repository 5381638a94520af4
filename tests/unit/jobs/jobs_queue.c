/* SPDX-License-Identifier: Apache-2.0 */
/* jobs_queue.c - test: the order of the tasks of an array that wait for tasks of another array */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rm/jobs/array_queue.h"

enum { TASKS = 100 };

struct world {
    struct array_states states;
    struct array_queue queue;
};

static int set_up(void **state)
{
    static struct world world;

    world = (struct world){ .queue = { .positions = NULL } };
    array_states_init(&world.states, TASKS);
    *state = &world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    array_queue_clear(&world->queue);
    array_states_done(&world->states);
    return 0;
}

static void add(struct world *world, const uint32_t *positions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        array_queue_add(&world->queue, positions[i]);
}

static void expect_next(struct world *world, uint32_t expected)
{
    uint32_t position;

    for (int i = 0; i < 2; i++) { /* it stays until its task is in another state */
        assert_true(array_queue_next(&world->queue, &world->states, &position));
        assert_int_equal(position, expected);
    }
    array_states_set(&world->states, expected, ARRAY_TASK_LIVE);
}

static void expect_taken(struct world *world, uint32_t expected)
{
    uint32_t position;

    assert_true(array_queue_take(&world->queue, &position));
    assert_int_equal(position, expected);
}

static void positions_leave_in_the_order_in_which_they_came(void **state)
{
    static const uint32_t first[] = { 7, 3, 99, 0 }, later[] = { 50, 4 };
    struct world *world = *state;
    uint32_t position;

    add(world, first, 4);
    expect_next(world, 7);
    add(world, later, 2);
    expect_next(world, 3);
    expect_next(world, 99);
    expect_next(world, 0);
    expect_next(world, 50);
    expect_next(world, 4);
    assert_false(array_queue_next(&world->queue, &world->states, &position));
    array_queue_add(&world->queue, 60);
    expect_next(world, 60);
}

static void tasks_that_wait_no_more_are_passed_over(void **state)
{
    static const uint32_t positions[] = { 1, 2, 3, 4 };
    struct world *world = *state;
    uint32_t position;

    add(world, positions, 4);
    array_states_set(&world->states, 1, ARRAY_TASK_FAILED);
    array_states_set(&world->states, 2, ARRAY_TASK_OK);
    array_states_set(&world->states, 4, ARRAY_TASK_LIVE);
    expect_next(world, 3);
    assert_false(array_queue_next(&world->queue, &world->states, &position));
}

/* Whatever the states of the tasks are. */
static void positions_are_taken_once(void **state)
{
    static const uint32_t first[] = { 5, 6, 8 };
    struct world *world = *state;
    uint32_t position;

    assert_false(array_queue_take(&world->queue, &position));
    add(world, first, 3);
    array_states_set(&world->states, 6, ARRAY_TASK_OK);
    expect_taken(world, 5);
    expect_taken(world, 6);
    array_queue_add(&world->queue, 9);
    expect_taken(world, 8);
    expect_taken(world, 9);
    assert_false(array_queue_take(&world->queue, &position));
    array_queue_add(&world->queue, 10);
    expect_taken(world, 10);
    assert_false(array_queue_take(&world->queue, &position));
}

static void a_cleared_queue_is_empty(void **state)
{
    static const uint32_t positions[] = { 5, 6 };
    struct world *world = *state;
    uint32_t position;

    add(world, positions, 2);
    expect_taken(world, 5);
    array_queue_clear(&world->queue);
    assert_false(array_queue_next(&world->queue, &world->states, &position));
    assert_false(array_queue_take(&world->queue, &position));
    array_queue_add(&world->queue, 7);
    expect_taken(world, 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(positions_leave_in_the_order_in_which_they_came),
        TEST(tasks_that_wait_no_more_are_passed_over),
        TEST(positions_are_taken_once),
        TEST(a_cleared_queue_is_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
