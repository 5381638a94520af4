/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_memory.c - test: memory that the agent's runtime uses per running container
 *
 * Needs root. Counts the bytes allocated by malloc, which do not depend on the load of the machine. This test
 * measures the runtime, agent_memory.c the core. The sum must stay below 4 KiB.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/linux/linux_fixture.h"
#include "tests/unit/held_bytes.h"

#define FEW 10
#define MANY 60
#define BYTES_MAX \
    1800 /* bytes of the 4096 allowed per container; agent_memory may use
            the rest */

static void on_sample(void *context, const struct runtime_sample *look)
{
    assert_true(look->process_count > 0);
    ++*(int *)context;
}

static void run_until(struct fixture *fixture, int from, int to)
{
    int running = 0;

    for (int i = from; i < to; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06d", i);
        struct launch plan = fixture_plan(id, (const char *const[]){ "/bin/sleep", "1000", NULL });

        fixture_launch(fixture, &plan);
    }
    while (running < to - from)
        running += fixture_event(fixture).kind == RUNTIME_RUNNING;
}

static size_t held(struct fixture *fixture, int containers)
{
    int seen = 0;

    for (int round = 0; round < 3; round++)
        runtime_sample(fixture->runtime, RUNTIME_SAMPLE_PROCESSES, on_sample, &seen);
    assert_int_equal(seen, 3 * containers);
    return held_bytes();
}

static void test_each_container(void **state)
{
    struct fixture *fixture = *state;
    size_t few, many;

    run_until(fixture, 0, FEW);
    few = held(fixture, FEW);
    run_until(fixture, FEW, MANY);
    many = held(fixture, MANY);
    print_message("the runtime holds %zu bytes for each container\n", (many - few) / (MANY - FEW));
    assert_in_range((many - few) / (MANY - FEW), 1, BYTES_MAX);
    for (int i = 0; i < MANY; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06d", i);

        runtime_stop(fixture->runtime, id);
    }
    for (int ended = 0; ended < MANY;) {
        struct runtime_event event = fixture_event(fixture);

        if (event.kind == RUNTIME_EXITED) {
            runtime_cleanup(fixture->runtime, event.container_id);
            ended++;
        }
    }
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_container, fixture_open, fixture_close),
    };

    (void)argument_count;
    held_bytes_without_caches(arguments);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
