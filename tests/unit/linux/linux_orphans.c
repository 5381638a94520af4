/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_orphans.c - test: no container continues to run after its agent has lost the container's state
 *
 * Needs root. Removes each directory of the agent in turn while a container runs. A container that the next
 * agent does not report must have ended before that agent can register.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/linux/linux_fixture.h"
#include "common/base/mem.h"

#define ID "container_1700000000000_0001_01_000001"

static void count(void *context, const struct runtime_found *found)
{
    *(int *)context += found->state == FOUND_RUNNING;
}

/* Recovers the containers. Returns the number of running containers reported. */
static int recover(struct fixture *fixture)
{
    struct err err = { .code = 0 };
    int running = 0;

    if (runtime_recover(fixture->runtime, count, &running, &err) != 0)
        fail_msg("runtime_recover: %s", err.text);
    return running;
}

/* Starts a container whose command line contains the fixture's base path. */
static void start(struct fixture *fixture)
{
    scoped_free char *script =
        mem_printf("trap '' TERM; while [ ! -e %s/end ]; do sleep 0.05; done", fixture->base);
    struct launch plan = fixture_plan(ID, SHELL(script));

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    assert_true(fixture_processes(fixture->base) > 0);
}

/* Stops the agent, removes WHAT below its base directory, and starts the next agent. */
static void lose(struct fixture *fixture, const char *what)
{
    scoped_free char *command = mem_printf("rm -r %s/%s", fixture->base, what);

    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    assert_int_equal(system(command), 0);
    fixture_restart(fixture);
}

static void end(struct fixture *fixture)
{
    scoped_free char *command = mem_printf("touch %s/end", fixture->base);

    assert_int_equal(system(command), 0);
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 0);
    runtime_cleanup(fixture->runtime, ID);
}

/* --- state without which a container is lost ----------------------------------- */

static void assert_ended(struct fixture *fixture)
{
    struct runtime_event event;

    assert_int_equal(recover(fixture), 0);
    assert_int_equal(fixture_processes(fixture->base), 0);
    assert_int_equal(fixture_groups(fixture), 0);
    event = fixture_wait(fixture, ID, RUNTIME_GHOST);
    assert_non_null(strstr(event.end.diagnostics, "state directory is gone"));
    assert_false(fixture_has(fixture, "local/usercache/nobody"));
    assert_int_equal(runtime_counters(fixture->runtime)->orphans_killed, 1);
}

static void test_state_directory(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    lose(fixture, "state");
    assert_ended(fixture);
}

static void test_containers_of_state_directory(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    lose(fixture, "state/containers");
    assert_ended(fixture);
}

static void test_all_directories(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    lose(fixture, "*");
    assert_ended(fixture);
}

/* --- other state: the container continues --------------------------------------- */

static void assert_goes_on(struct fixture *fixture)
{
    assert_int_equal(recover(fixture), 1);
    assert_true(fixture_processes(fixture->base) > 0);
    assert_int_equal(runtime_counters(fixture->runtime)->orphans_killed, 0);
    end(fixture);
}

static void test_local_directory(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    lose(fixture, "local");
    assert_goes_on(fixture);
}

static void test_log_directory(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    lose(fixture, "logs");
    assert_goes_on(fixture);
}

/* The container's record names its cgroup, even if the agent now has another instance name. */
static void test_instance(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    lose(fixture, "state/instance");
    assert_goes_on(fixture);
}

/* --- other processes --------------------------------------------------------------- */

static void test_root_of_another_agent(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *other_state = mem_printf("%s/other-state", fixture->base);
    scoped_free char *other_local = mem_printf("%s/other-local", fixture->base);
    scoped_free char *other_logs = mem_printf("%s/other-logs", fixture->base);
    struct runtime_config config = fixture->config;
    struct runtime *other = NULL;
    struct err err = { .code = 0 };
    int running = 0;

    start(fixture);
    config.state_dir = other_state;
    config.local_dirs = other_local;
    config.log_dirs = other_logs;
    assert_int_equal(runtime_new(&config, &other, &err), 0);
    assert_int_equal(runtime_recover(other, count, &running, &err), -EBUSY);
    assert_non_null(strstr(err.text, "another agent uses the control group root"));
    runtime_free(other);
    assert_true(fixture_processes(fixture->base) > 0);
    end(fixture);
}

static void test_that_does_not_end(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *group = mem_printf("/sys/fs/cgroup/freezer%s-frozen", fixture->root);
    struct err err = { .code = 0 };
    int running = 0;

    if (access("/sys/fs/cgroup/freezer/tasks", W_OK) != 0)
        skip();
    start(fixture);
    assert_true(fixture_freeze(fixture, ID, true));
    lose(fixture, "state");
    assert_int_equal(runtime_recover(fixture->runtime, count, &running, &err), -EBUSY);
    assert_non_null(strstr(err.text, ID ", left by an earlier agent, was killed and does not end: process "));
    assert_true(fixture_freeze(fixture, ID, false));
    fixture_restart(fixture);
    assert_int_equal(recover(fixture), 0);
    assert_int_equal(fixture_processes(fixture->base), 0);
    rmdir(group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_state_directory),       CASE(test_containers_of_state_directory),
        CASE(test_all_directories),       CASE(test_local_directory),
        CASE(test_log_directory),         CASE(test_instance),
        CASE(test_root_of_another_agent), CASE(test_that_does_not_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
