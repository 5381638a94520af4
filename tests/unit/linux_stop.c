/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_stop.c - test: programs that save their work when their container is stopped
 *
 * Needs root. The container's command is a shell that SIGTERM ends at once; the program that it waits for
 * handles the signal. The kill delay is a minute, more than a test waits for, unless the test is about its
 * end.
 */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"
#include "nm-agent/linux/process.h"
#include "tests/unit/linux_fixture.h"

#define ID "container_1700000000000_0001_01_000001"
#define LONG_MS 60000
#define SHORT_MS 300

/* A program that needs half a second after SIGNAL, in which it starts processes that do not handle SIGNAL. */
#define SAVER(signal) \
    "sh -c 'trap \"echo got; sleep 0.25; sleep 0.25; echo saved; exit 0\" " signal "; echo ready; >up; " \
    "while :; do sleep 0.02; done'"
/* Waits until the background process is ready: it creates a file. */
#define UNTIL_READY "while [ ! -e up ]; do sleep 0.02; done; "
#define DEAF "sh -c 'trap \"\" TERM; echo ready; >up; while :; do sleep 0.02; done'"

static void set_delay(struct fixture *fixture, int64_t delay_ms)
{
    fixture->config.kill_delay_ms = delay_ms;
    fixture_restart(fixture);
}

static void ignore(void *context, const struct runtime_found *found)
{
    (void)context;
    (void)found;
}

/* The agent ends (unless it has ended), and another one takes up the container. */
static void restart(struct fixture *fixture)
{
    fixture_restart(fixture);
    assert_int_equal(runtime_recover(fixture->runtime, ignore, NULL, NULL), 0);
}

static bool is_ready(struct fixture *fixture)
{
    if (!fixture_has(fixture, "logs/application_1700000000000_0001/" ID "/stdout"))
        return false;

    scoped_free char *text = fixture_log(fixture, ID, "stdout");

    return strstr(text, "ready\n") != NULL;
}

static void launch(struct fixture *fixture, const char *script)
{
    struct launch plan = fixture_plan(ID, SHELL(script));

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    fixture_until(fixture, is_ready);
}

/* Waits for the end of the container, whose program must have written EXPECTED. */
static struct runtime_event wait_for_end(struct fixture *fixture, const char *expected)
{
    struct runtime_event event = fixture_wait(fixture, ID, RUNTIME_EXITED);
    scoped_free char *text = fixture_log(fixture, ID, "stdout");

    assert_string_equal(text, expected);
    runtime_cleanup(fixture->runtime, ID);
    return event;
}

static void a_program_below_a_shell_saves(void **state)
{
    struct fixture *fixture = *state;
    struct runtime_event event;
    int64_t stopped_ms;

    set_delay(fixture, LONG_MS);
    launch(fixture, SAVER("TERM") "; echo after");
    stopped_ms = process_now_ms();
    runtime_stop(fixture->runtime, ID);
    runtime_stop(fixture->runtime, ID);
    event = wait_for_end(fixture, "ready\ngot\nsaved\n");
    assert_int_equal(event.exit_status, 128 + SIGTERM);
    assert_true(event.finished_ms - stopped_ms >= 490); /* with the program, not with the shell */
}

static void a_program_that_ignores_term_is_killed_after_the_delay(void **state)
{
    struct fixture *fixture = *state;
    int64_t stopped_ms;

    set_delay(fixture, SHORT_MS);
    launch(fixture, DEAF "; echo after");
    stopped_ms = process_now_ms();
    runtime_stop(fixture->runtime, ID);
    assert_true(wait_for_end(fixture, "ready\n").finished_ms - stopped_ms >= SHORT_MS - 1);
}

static void what_a_command_leaves_behind_saves(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture, "(" SAVER("TERM") ") & " UNTIL_READY "exit 5");
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").exit_status, 5);
}

static void what_a_command_leaves_behind_is_killed_after_the_delay(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, SHORT_MS);
    launch(fixture, "(setsid " DEAF ") & " UNTIL_READY "exit 5");
    assert_int_equal(wait_for_end(fixture, "ready\n").exit_status, 5);
}

static void a_restart_of_the_agent_keeps_the_delay(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture, SAVER("TERM") "; echo after");
    runtime_stop(fixture->runtime, ID);
    restart(fixture);
    runtime_stop(fixture->runtime, ID);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").exit_status, 128 + SIGTERM);
}

/* Waits for the exit record, while no agent runs. */
static void wait_for_record(const struct fixture *fixture)
{
    int64_t until_ms = monotonic_ms() + 20000;

    while (!fixture_has(fixture, "state/containers/" ID "/exit")) {
        poll(NULL, 0, 10);
        assert_true(monotonic_ms() < until_ms);
    }
}

static void a_stop_ends_while_no_agent_runs(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, SHORT_MS);
    launch(fixture, "exec " DEAF);
    runtime_stop(fixture->runtime, ID);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    wait_for_record(fixture);
    restart(fixture);
    assert_int_equal(wait_for_end(fixture, "ready\n").exit_status, 128 + SIGKILL);
}

static void an_agent_that_starts_later_kills_at_the_time_of_the_stop(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, 2 * SHORT_MS);
    launch(fixture, "exec " DEAF);
    runtime_stop(fixture->runtime, ID);
    fixture->config.kill_delay_ms = LONG_MS;
    restart(fixture);
    runtime_stop(fixture->runtime, ID);
    assert_int_equal(wait_for_end(fixture, "ready\n").exit_status, 128 + SIGKILL);
}

static bool has_term(struct fixture *fixture)
{
    poll(NULL, 0, 10);
    return fixture_has(fixture, "state/containers/" ID "/term");
}

static void a_kill_ends_the_delay_of_what_a_command_left(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture, "(" DEAF ") & " UNTIL_READY "exit 5");
    fixture_until(fixture, has_term);
    runtime_kill(fixture->runtime, ID);
    assert_int_equal(wait_for_end(fixture, "ready\n").exit_status, 5);
}

static void a_stop_sends_no_second_term_to_what_a_command_left(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture, "(" SAVER("TERM") ") & " UNTIL_READY "exit 5");
    fixture_until(fixture, has_term);
    runtime_stop(fixture->runtime, ID);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").exit_status, 5);
}

static void a_program_saves_on_the_signal_of_a_notice(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, SHORT_MS / 3);
    launch(fixture, SAVER("USR1") "; echo after");
    assert_int_equal(
        runtime_preempt_notice(fixture->runtime, ID, process_now_ms() + LONG_MS, "test", SIGUSR1, NULL), 0);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").exit_status, 128 + SIGUSR1);
}

/* The shell handles USR1; the program does not, and outlives it. */
static void what_outlives_a_notice_gets_term_at_its_deadline(void **state)
{
    struct fixture *fixture = *state;
    int64_t notified_ms;

    set_delay(fixture, LONG_MS);
    launch(fixture,
           "trap 'exit 3' USR1; (trap '' USR1; exec " SAVER("TERM") ") & while :; do sleep 0.02; done");
    notified_ms = process_now_ms();
    assert_int_equal(
        runtime_preempt_notice(fixture->runtime, ID, notified_ms + 2 * SHORT_MS, "test", SIGUSR1, NULL), 0);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").exit_status, 3);
    assert_true(process_now_ms() - notified_ms >= 2 * SHORT_MS + 490);
}

static void a_program_saves_on_a_signal_of_its_user(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture, SAVER("TERM") "; echo after");
    assert_int_equal(runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_GROUP, SIGTERM, NULL), 0);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").exit_status, 128 + SIGTERM);
}

/* A preemption that is given up takes back the time of its own signal alone. */
static void the_time_of_a_signal_goes_on_without_a_preemption(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture, SAVER("USR1") "; echo after");
    assert_int_equal(runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_GROUP, SIGUSR1, NULL), 0);
    runtime_spare(fixture->runtime, ID);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").exit_status, 128 + SIGUSR1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(a_program_below_a_shell_saves),
        CASE(a_program_that_ignores_term_is_killed_after_the_delay),
        CASE(what_a_command_leaves_behind_saves),
        CASE(what_a_command_leaves_behind_is_killed_after_the_delay),
        CASE(a_restart_of_the_agent_keeps_the_delay),
        CASE(a_stop_ends_while_no_agent_runs),
        CASE(an_agent_that_starts_later_kills_at_the_time_of_the_stop),
        CASE(a_kill_ends_the_delay_of_what_a_command_left),
        CASE(a_stop_sends_no_second_term_to_what_a_command_left),
        CASE(a_program_saves_on_the_signal_of_a_notice),
        CASE(what_outlives_a_notice_gets_term_at_its_deadline),
        CASE(a_program_saves_on_a_signal_of_its_user),
        CASE(the_time_of_a_signal_goes_on_without_a_preemption),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
