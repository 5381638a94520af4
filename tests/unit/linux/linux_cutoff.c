/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_cutoff.c - test: containers that end when their host has lost contact to the resource manager
 *
 * Needs root. The shim ends the containers, with or without a running agent.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/linux/linux_fixture.h"
#include "common/base/mem.h"

#define ID "container_1700000000000_0001_01_000001"

static int64_t monotonic_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void start(struct fixture *fixture, const char *script, int64_t stop_after_ms)
{
    struct launch plan = fixture_plan(ID, SHELL(script));

    plan.stop_after_ms = stop_after_ms;
    runtime_contact(fixture->runtime, monotonic_ms());
    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
}

static void test_without_contact(void **state)
{
    struct fixture *fixture = *state;
    int64_t earliest_ms = monotonic_ms() + 1300;
    struct runtime_event event;

    start(fixture, "sleep 1000 & exec sleep 1000", 1500);
    event = fixture_wait(fixture, ID, RUNTIME_EXITED);
    assert_int_equal(event.end.exit_status, -100);
    assert_non_null(strstr(event.end.diagnostics, "had no contact with the resource manager for 1.5 s"));
    assert_true(monotonic_ms() >= earliest_ms);
    runtime_cleanup(fixture->runtime, ID);
}

/* SIGTERM comes when an eighth of the time is left; a container that ignores SIGTERM is killed at the end. */
static void test_notice_before_the_cutoff(void **state)
{
    struct fixture *fixture = *state;

    start(fixture, "trap 'echo told' TERM; while :; do sleep 0.05; done", 2000);
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, -100);
    scoped_free char *out = fixture_log(fixture, ID, "stdout");

    assert_non_null(strstr(out, "told"));
    runtime_cleanup(fixture->runtime, ID);
}

static void test_with_contact(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *script =
        mem_printf("while [ ! -e %s/end ]; do sleep 0.05; done; exit 4", fixture->base);
    scoped_free char *end = mem_printf("%s/end", fixture->base);
    int64_t until_ms = monotonic_ms() + 2500;
    struct runtime_event event;

    start(fixture, script, 1000);
    while (monotonic_ms() < until_ms) {
        struct pollfd item = { .fd = runtime_fd(fixture->runtime), .events = POLLIN };

        runtime_contact(fixture->runtime, monotonic_ms());
        assert_false(poll(&item, 1, 100) == 1 && runtime_poll(fixture->runtime, &event));
    }
    assert_true(close(open(end, O_CREAT | O_WRONLY | O_CLOEXEC, 0644)) == 0);
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 4);
    runtime_cleanup(fixture->runtime, ID);
}

static bool has_exit(struct fixture *fixture)
{
    struct pollfd none = { .fd = -1 };

    poll(&none, 1, 10);
    return fixture_has(fixture, "state/containers/" ID "/exit");
}

static void count(void *context, const struct runtime_found *found)
{
    *(int *)context += found->state == FOUND_ENDED;
}

static void test_without_an_agent(void **state)
{
    struct fixture *fixture = *state;
    int64_t until_ms = monotonic_ms() + 20000;
    struct runtime_event event;
    struct err err;
    int ended = 0;

    start(fixture, "exec sleep 1000", 1000);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    while (!has_exit(fixture))
        assert_true(monotonic_ms() < until_ms);
    fixture_restart(fixture);
    assert_int_equal(runtime_recover(fixture->runtime, count, &ended, &err), 0);
    event = fixture_wait(fixture, ID, RUNTIME_EXITED);
    assert_int_equal(event.end.exit_status, -100);
    runtime_cleanup(fixture->runtime, ID);
}

/* The shim reaps orphans meanwhile, and detects the end of the container at once. */
static void test_ends_by_itself(void **state)
{
    struct fixture *fixture = *state;

    start(fixture, "(sleep 0.01 &) ; (sleep 0.01 &); sleep 0.2; exit 3", 3600000);
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 3);
    runtime_cleanup(fixture->runtime, ID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_without_contact),  CASE(test_notice_before_the_cutoff), CASE(test_with_contact),
        CASE(test_without_an_agent), CASE(test_ends_by_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
