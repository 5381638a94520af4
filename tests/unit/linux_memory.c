/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_memory.c - what the agent holds for each container that runs
 *
 * Needs root. Counted is what malloc has given out, which no other load on the machine changes: the runtime's
 * part here, the core's in agent_memory. Together they are to stay below 4 KiB.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/linux_fixture.h"
#include "tests/unit/held_bytes.h"

#define FEW 10
#define MANY 60
#define BYTES_MAX 1800                  /* of 4096; agent_memory has the others */

static void on_look(void *context, const struct runtime_sample *look)
{
    assert_true(look->process_count > 0);
    ++*(int *)context;
}

static void run_until(struct fixture *fixture, int from, int to)
{
    int running = 0;

    for (int i = from; i < to; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06d", i);
        struct launch plan = fixture_plan(id, (const char *const[]){ "/bin/sleep", "1000",
                                                                           NULL });

        fixture_launch(fixture, &plan);
    }
    while (running < to - from)
        running += fixture_event(fixture).kind == RUNTIME_RUNNING;
}

static size_t held(struct fixture *fixture, int containers)
{
    int seen = 0;

    for (int round = 0; round < 3; round++)
        runtime_sample(fixture->runtime, RUNTIME_SAMPLE_PROCESSES, on_look, &seen);
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
    print_message("the runtime holds %zu bytes for each container\n",
                  (many - few) / (MANY - FEW));
    assert_in_range((many - few) / (MANY - FEW), 1, BYTES_MAX);
    for (int i = 0; i < MANY; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06d", i);

        runtime_stop(fixture->runtime, id);
    }
    for (int ended = 0; ended < MANY; ) {
        struct runtime_event event = fixture_event(fixture);

        if (event.kind == RUNTIME_EXITED) {
            runtime_cleanup(fixture->runtime, event.container_id);
            ended++;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_container, fixture_open, fixture_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
