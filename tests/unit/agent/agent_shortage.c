/* SPDX-License-Identifier: Apache-2.0 */
/* agent_shortage.c - test: launches on a machine that is short of descriptors, processes or memory */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "tests/unit/agent/agent_fixture.h"

/* Too many open files or processes on the node do not fail the container: the agent retries the launch. */
static void launch_is_retried_when_the_machine_lacks_resources(void **state)
{
    static const int codes[] = { -EMFILE, -ENFILE, -EAGAIN, -ENOMEM };
    struct fixture *f = *state;

    fixture_ask(f, CONTAINER(2), 1024, 0);
    fixture_saved(f, CONTAINER(2), 0);
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
        fixture_launched(f, CONTAINER(2), codes[i]);
        assert_int_equal(fixture_count(f, AGENT_LAUNCH), 0);
        assert_int_equal(agent_container_state(f->agent, CONTAINER(2)),
                         CREEL__CONTAINER_STATE__CONTAINER_STARTING);
        fixture_check(f);
        fixture_status(f, CONTAINER(2), true);
        while (fixture_count(f, AGENT_LAUNCH) == 0)
            fixture_status(f, CONTAINER(2), true);
        assert_string_equal(fixture_one(f, AGENT_LAUNCH)->container_id, CONTAINER(2));
    }
    fixture_launched(f, CONTAINER(2), 0);
    fixture_running(f, CONTAINER(2));
    fixture_ask(f, CONTAINER(3), 1024, 0); /* no retry of a container that was ordered to stop */
    fixture_saved(f, CONTAINER(3), 0);
    fixture_ask_stop(f, CONTAINER(3));
    fixture_launched(f, CONTAINER(3), -EMFILE);
    assert_int_equal(fixture_status(f, CONTAINER(3), true)->exit_status, -105);
}

static void expect_shortage(const struct fixture *f, bool shown)
{
    scoped_free char *text = agent_shortage(f->agent, f->now);

    assert_int_equal(text != NULL, shown);
    if (shown)
        assert_non_null(strstr(text, "no container could be started for 2"));
}

/* A node that cannot start any container would else keep all jobs that it gets. */
static void a_launch_that_a_long_shortage_prevents_goes_elsewhere(void **state)
{
    const Creel__ContainerStatus *status = NULL;
    struct fixture *f = *state;
    int64_t begin;

    fixture_ask(f, CONTAINER(2), 1024, 0);
    fixture_saved(f, CONTAINER(2), 0);
    begin = f->now.steady_ms;
    assert_null(agent_shortage(f->agent, f->now));
    while (f->now.steady_ms - begin < 60000) {
        fixture_launched(f, CONTAINER(2), -EMFILE);
        fixture_check(f);
        status = fixture_status(f, CONTAINER(2), true);
        if (status != NULL && status->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE)
            break;
        while (fixture_count(f, AGENT_LAUNCH) == 0)
            fixture_status(f, CONTAINER(2), true);
    }
    assert_int_equal(status->state, CREEL__CONTAINER_STATE__CONTAINER_COMPLETE);
    assert_true(status->node_fault && status->retry_elsewhere);
    assert_in_range(f->now.steady_ms - begin, 20000, 30000);
    expect_shortage(f, true);
    fixture_ask(f, CONTAINER(3), 1024, 0);
    fixture_saved(f, CONTAINER(3), 0);
    fixture_launched(f, CONTAINER(3), 0);
    expect_shortage(f, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up_registered, fixture_tear_down)
        TEST(launch_is_retried_when_the_machine_lacks_resources),
        TEST(a_launch_that_a_long_shortage_prevents_goes_elsewhere),
    };

    return cmocka_run_group_tests_name("agent_shortage", tests, NULL, NULL);
}
