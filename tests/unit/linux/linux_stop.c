/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_stop.c - test: programs that save their work when their container is stopped
 *
 * Needs root. The container's command is a shell that SIGTERM ends at once; the program that it waits for
 * handles the signal. The kill delay is a minute, more than a test waits for, unless the test is about its
 * end.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/runtime/exec.h"
#include "tests/unit/linux/linux_fixture.h"

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
    assert_int_equal(event.end.exit_status, 128 + SIGTERM);
    assert_true(event.end.finished_ms - stopped_ms >= 490); /* with the program, not with the shell */
}

static void a_program_that_ignores_term_is_killed_after_the_delay(void **state)
{
    struct fixture *fixture = *state;
    int64_t stopped_ms;

    set_delay(fixture, SHORT_MS);
    launch(fixture, DEAF "; echo after");
    stopped_ms = process_now_ms();
    runtime_stop(fixture->runtime, ID);
    assert_true(wait_for_end(fixture, "ready\n").end.finished_ms - stopped_ms >= SHORT_MS - 1);
}

static void what_a_command_leaves_behind_saves(void **state)
{
    struct fixture *fixture = *state;
    struct runtime_event event;

    set_delay(fixture, LONG_MS);
    launch(fixture, "(" SAVER("TERM") ") & " UNTIL_READY "exit 5");
    event = wait_for_end(fixture, "ready\ngot\nsaved\n");
    assert_int_equal(event.end.exit_status, 5);
    assert_true(event.end.finished_ms - event.end.command_ms >= 490); /* the end of the last process */
}

static void the_end_of_a_command_that_leaves_processes_is_reported(void **state)
{
    struct fixture *fixture = *state;
    struct runtime_event event;

    set_delay(fixture, LONG_MS);
    launch(fixture, "(" SAVER("TERM") ") & " UNTIL_READY "exit 5");
    event = fixture_event(fixture);
    assert_int_equal(event.kind, RUNTIME_COMMAND_ENDED); /* before the end of the container */
    assert_int_equal(event.end.exit_status, 5);
    assert_true(event.end.command_ms > 0);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").end.exit_status, 5);
}

static void a_later_agent_finds_the_end_of_a_command(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture, "(" DEAF ") & " UNTIL_READY "exit 6");
    fixture_wait(fixture, ID, RUNTIME_COMMAND_ENDED);
    restart(fixture);
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_COMMAND_ENDED).end.exit_status, 6);
    runtime_kill(fixture->runtime, ID);
    assert_int_equal(wait_for_end(fixture, "ready\n").end.exit_status, 6);
}

static void what_a_command_leaves_behind_is_killed_after_the_delay(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, SHORT_MS);
    launch(fixture, "(setsid " DEAF ") & " UNTIL_READY "exit 5");
    assert_int_equal(wait_for_end(fixture, "ready\n").end.exit_status, 5);
}

static void a_restart_of_the_agent_keeps_the_delay(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture, SAVER("TERM") "; echo after");
    runtime_stop(fixture->runtime, ID);
    restart(fixture);
    runtime_stop(fixture->runtime, ID);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").end.exit_status, 128 + SIGTERM);
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
    assert_int_equal(wait_for_end(fixture, "ready\n").end.exit_status, 128 + SIGKILL);
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
    assert_int_equal(wait_for_end(fixture, "ready\n").end.exit_status, 128 + SIGKILL);
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
    assert_int_equal(wait_for_end(fixture, "ready\n").end.exit_status, 5);
}

static void a_stop_sends_no_second_term_to_what_a_command_left(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture, "(" SAVER("TERM") ") & " UNTIL_READY "exit 5");
    fixture_until(fixture, has_term);
    runtime_stop(fixture->runtime, ID);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").end.exit_status, 5);
}

static void a_program_saves_on_the_signal_of_a_notice(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, SHORT_MS / 3);
    launch(fixture, SAVER("USR1") "; echo after");
    assert_int_equal(runtime_preempt_notice(fixture->runtime, ID, process_now_ms() + LONG_MS, "test",
                                            RUNTIME_SIGNAL_ALL, SIGUSR1, NULL),
                     0);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").end.exit_status, 128 + SIGUSR1);
}

/* The shell would be ended by USR1. */
static void a_shell_is_left_out_of_a_signal_to_the_others(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, SHORT_MS / 3);
    launch(fixture, "(" SAVER("USR1") ") ; echo after; exit 4");
    assert_int_equal(runtime_preempt_notice(fixture->runtime, ID, process_now_ms() + LONG_MS, "test",
                                            RUNTIME_SIGNAL_OTHERS, SIGUSR1, NULL),
                     0);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\nafter\n").end.exit_status, 4);
}

/* Both processes that are no step would be ended by USR1, or print. */
static void a_signal_to_the_steps_reaches_them_alone(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture,
           "mkdir -p $CREEL_SCRATCH/tmp/.creel-steps; trap 'echo shell' USR1; "
           "sh -c 'until [ -e over ]; do sleep 0.02; done' & other=$!; "
           "SLURM_STEP_ID=0 sh -c \"trap 'echo got; exit 7' USR1; echo ready; "
           "while :; do sleep 0.02; done\"; status=$?; touch over; wait $other; echo $?; exit $status");
    assert_int_equal(runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_STEPS, SIGUSR1, NULL), 0);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\n0\n").end.exit_status, 7);
}

/* As Slurm: a signal between two steps has no effect, and is no error. */
static void a_signal_to_steps_that_have_ended_is_no_error(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture, "mkdir -p $CREEL_SCRATCH/tmp/.creel-steps; trap 'echo shell; exit 1' USR1; "
                    "trap 'echo asked; exit 0' USR2; echo ready; while :; do sleep 0.02; done");
    assert_int_equal(runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_STEPS, SIGUSR1, NULL), 0);
    assert_int_equal(runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_MAIN, SIGUSR2, NULL), 0);
    assert_int_equal(wait_for_end(fixture, "ready\nasked\n").end.exit_status, 0);
}

static void without_a_step_a_signal_to_the_steps_reaches_the_others(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, SHORT_MS / 3);
    launch(fixture, "(" SAVER("USR1") ") ; echo after; exit 4");
    assert_int_equal(runtime_preempt_notice(fixture->runtime, ID, process_now_ms() + LONG_MS, "test",
                                            RUNTIME_SIGNAL_STEPS, SIGUSR1, NULL),
                     0);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\nafter\n").end.exit_status, 4);
}

/* The program would be ended by USR1. */
static void a_signal_to_the_first_process_goes_to_the_shell_alone(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, SHORT_MS / 3);
    launch(fixture, "trap 'echo asked; touch asked' USR1; "
                    "(echo ready; while [ ! -e asked ]; do sleep 0.02; done; exit 6) & "
                    "wait $!; s=$?; while [ $s -gt 128 ]; do wait $!; s=$?; done; exit $s");
    assert_int_equal(runtime_preempt_notice(fixture->runtime, ID, process_now_ms() + LONG_MS, "test",
                                            RUNTIME_SIGNAL_MAIN, SIGUSR1, NULL),
                     0);
    assert_int_equal(wait_for_end(fixture, "ready\nasked\n").end.exit_status, 6);
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
    assert_int_equal(runtime_preempt_notice(fixture->runtime, ID, notified_ms + 2 * SHORT_MS, "test",
                                            RUNTIME_SIGNAL_ALL, SIGUSR1, NULL),
                     0);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").end.exit_status, 3);
    assert_true(process_now_ms() - notified_ms >= 2 * SHORT_MS + 490);
}

static void a_program_saves_on_a_signal_of_its_user(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture, SAVER("TERM") "; echo after");
    assert_int_equal(runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_GROUP, SIGTERM, NULL), 0);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").end.exit_status, 128 + SIGTERM);
}

/* Returns whether the program has handled the signal, and the command has ended. SIGWINCH ends nothing. */
static bool has_only_the_program(struct fixture *fixture)
{
    scoped_free char *text = fixture_log(fixture, ID, "stdout");

    return strstr(text, "got\n") != NULL &&
           runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_MAIN, SIGWINCH, NULL) == -ESRCH;
}

/* USR1 ends the shell, which leads the process group; the program gets USR2 after that. */
static void signal_what_a_leader_left(struct fixture *fixture, enum runtime_scope scope)
{
    set_delay(fixture, LONG_MS);
    launch(fixture, "(trap 'echo got' USR1; trap 'echo second; exit 0' USR2; echo ready; "
                    "while :; do sleep 0.02; done); echo after");
    assert_int_equal(runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_GROUP, SIGUSR1, NULL), 0);
    fixture_until(fixture, has_only_the_program);
    assert_int_equal(runtime_signal(fixture->runtime, ID, scope, SIGUSR2, NULL), 0);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsecond\n").end.exit_status, 128 + SIGUSR1);
}

static void a_signal_reaches_a_group_whose_leader_has_ended(void **state)
{
    signal_what_a_leader_left(*state, RUNTIME_SIGNAL_GROUP);
}

static void a_signal_reaches_the_others_of_a_command_that_has_ended(void **state)
{
    signal_what_a_leader_left(*state, RUNTIME_SIGNAL_OTHERS);
}

/* A preemption that is given up takes back the time of its own signal alone. */
static void the_time_of_a_signal_goes_on_without_a_preemption(void **state)
{
    struct fixture *fixture = *state;

    set_delay(fixture, LONG_MS);
    launch(fixture, SAVER("USR1") "; echo after");
    assert_int_equal(runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_GROUP, SIGUSR1, NULL), 0);
    runtime_spare(fixture->runtime, ID);
    assert_int_equal(wait_for_end(fixture, "ready\ngot\nsaved\n").end.exit_status, 128 + SIGUSR1);
}

/* --- steps ------------------------------------------------------------------- */

/* Runs SCRIPT in a container that sleeps, as a client does. Its output is in the log of the container. */
static struct exec_process run_step(struct fixture *fixture, const char *script)
{
    scoped_free char *text =
        mem_printf("exec >>%s/application_1700000000000_0001/" ID "/stdout; %s", fixture->logs, script);
    struct launch container = fixture_plan(ID, SHELL("exec sleep 1000"));
    struct launch step = fixture_plan(ID, SHELL(text));
    struct exec_process process;

    fixture_launch(fixture, &container);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    assert_int_equal(runtime_exec(fixture->runtime, &step, NULL, &process, NULL), 0);
    fixture_until(fixture, is_ready);
    return process;
}

static void wait_for_step(const struct exec_process *process)
{
    int64_t until_ms = monotonic_ms() + 20000;

    while (waitpid(process->shim, NULL, WNOHANG) == 0) {
        poll(NULL, 0, 10);
        assert_true(monotonic_ms() < until_ms);
    }
}

static void assert_output(struct fixture *fixture, const char *expected)
{
    scoped_free char *text = fixture_log(fixture, ID, "stdout");

    assert_string_equal(text, expected);
}

static struct runtime_event found;

/* Looks for processes that do not end; FOUND is what the agent reports. */
static bool finds_news(struct fixture *fixture)
{
    runtime_find_stuck(fixture->runtime);
    while (runtime_poll(fixture->runtime, &found))
        if (found.kind == RUNTIME_STUCK)
            return true;
    return false;
}

static void end_container(struct fixture *fixture, const char *expected)
{
    runtime_kill(fixture->runtime, ID);
    wait_for_end(fixture, expected);
}

static void a_step_without_a_client_saves(void **state)
{
    struct fixture *fixture = *state;
    struct exec_process process;

    set_delay(fixture, LONG_MS);
    process = run_step(fixture, SAVER("TERM") "; echo after");
    exec_close(&process);
    wait_for_step(&process);
    assert_output(fixture, "ready\ngot\nsaved\n");
    assert_false(fixture_has(fixture, "state/containers/" ID "/exit")); /* the container runs */
    end_container(fixture, "ready\ngot\nsaved\n");
}

static void what_a_step_leaves_in_another_session_saves(void **state)
{
    struct fixture *fixture = *state;
    struct exec_process process;

    set_delay(fixture, LONG_MS);
    process = run_step(fixture, "(setsid " SAVER("TERM") " &) ; exec sleep 1000");
    exec_close(&process);
    wait_for_step(&process);
    end_container(fixture, "ready\ngot\nsaved\n");
}

static void a_step_that_ignores_term_is_killed_after_the_delay(void **state)
{
    struct fixture *fixture = *state;
    struct exec_process process;
    int64_t closed_ms;

    set_delay(fixture, SHORT_MS);
    process = run_step(fixture, DEAF "; echo after");
    closed_ms = monotonic_ms();
    exec_close(&process);
    wait_for_step(&process);
    assert_true(monotonic_ms() - closed_ms >= SHORT_MS);
    end_container(fixture, "ready\n");
}

/* The container runs meanwhile. Only the freezer of cgroup v1 makes such a process. */
static void a_process_of_a_step_that_does_not_end_is_found(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *group = mem_printf("/sys/fs/cgroup/freezer%s-frozen", fixture->root);
    scoped_free char *out = NULL, *expected = NULL;
    struct exec_process process;

    if (access("/sys/fs/cgroup/freezer/tasks", W_OK) != 0) {
        skip();
    }
    set_delay(fixture, SHORT_MS);
    process = run_step(fixture, "echo $$; echo ready; exec sleep 1000");
    out = fixture_log(fixture, ID, "stdout");
    expected = mem_printf("process %d (sleep) of a command of creel container exec was killed and does not "
                          "end: it is in state D",
                          atoi(out));
    assert_true(fixture_freeze_process(fixture, atoi(out), true));
    assert_false(finds_news(fixture));
    exec_close(&process);
    wait_for_step(&process);
    assert_true(finds_news(fixture));
    assert_string_equal(found.container_id, ID);
    assert_non_null(strstr(found.end.diagnostics, expected));
    assert_false(finds_news(fixture)); /* it is reported once */
    assert_true(fixture_freeze_process(fixture, atoi(out), false));
    fixture_until(fixture, finds_news);
    assert_string_equal(found.end.diagnostics, "");
    runtime_kill(fixture->runtime, ID);
    fixture_wait(fixture, ID, RUNTIME_EXITED);
    runtime_cleanup(fixture->runtime, ID);
    assert_int_equal(rmdir(group), 0);
}

static void a_stop_after_the_end_of_a_step_sends_no_second_term(void **state)
{
    struct fixture *fixture = *state;
    struct exec_process process;
    scoped_free char *note = NULL;
    int64_t until_ms = monotonic_ms() + 20000;

    set_delay(fixture, LONG_MS);
    process = run_step(fixture, SAVER("TERM") "; echo after");
    note = mem_printf("state/containers/" ID "/term.%d", (int)process.shim);
    exec_close(&process);
    while (!fixture_has(fixture, note))
        assert_true(monotonic_ms() < until_ms);
    runtime_stop(fixture->runtime, ID);
    wait_for_end(fixture, "ready\ngot\nsaved\n");
    wait_for_step(&process);
}

static void the_end_of_a_step_after_a_stop_sends_no_second_term(void **state)
{
    struct fixture *fixture = *state;
    struct exec_process process;

    set_delay(fixture, LONG_MS);
    process = run_step(fixture, SAVER("TERM") "; echo after");
    runtime_stop(fixture->runtime, ID);
    exec_close(&process);
    wait_for_end(fixture, "ready\ngot\nsaved\n");
    wait_for_step(&process);
}

static void a_kill_of_the_container_ends_the_delay_of_a_step(void **state)
{
    struct fixture *fixture = *state;
    struct exec_process process;

    set_delay(fixture, LONG_MS);
    process = run_step(fixture, DEAF);
    exec_close(&process);
    end_container(fixture, "ready\n");
    wait_for_step(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(a_program_below_a_shell_saves),
        CASE(a_program_that_ignores_term_is_killed_after_the_delay),
        CASE(what_a_command_leaves_behind_saves),
        CASE(what_a_command_leaves_behind_is_killed_after_the_delay),
        CASE(the_end_of_a_command_that_leaves_processes_is_reported),
        CASE(a_later_agent_finds_the_end_of_a_command),
        CASE(a_restart_of_the_agent_keeps_the_delay),
        CASE(a_stop_ends_while_no_agent_runs),
        CASE(an_agent_that_starts_later_kills_at_the_time_of_the_stop),
        CASE(a_kill_ends_the_delay_of_what_a_command_left),
        CASE(a_stop_sends_no_second_term_to_what_a_command_left),
        CASE(a_program_saves_on_the_signal_of_a_notice),
        CASE(a_shell_is_left_out_of_a_signal_to_the_others),
        CASE(a_signal_to_the_steps_reaches_them_alone),
        CASE(a_signal_to_steps_that_have_ended_is_no_error),
        CASE(without_a_step_a_signal_to_the_steps_reaches_the_others),
        CASE(a_signal_to_the_first_process_goes_to_the_shell_alone),
        CASE(what_outlives_a_notice_gets_term_at_its_deadline),
        CASE(a_program_saves_on_a_signal_of_its_user),
        CASE(a_signal_reaches_a_group_whose_leader_has_ended),
        CASE(a_signal_reaches_the_others_of_a_command_that_has_ended),
        CASE(the_time_of_a_signal_goes_on_without_a_preemption),
        CASE(a_step_without_a_client_saves),
        CASE(what_a_step_leaves_in_another_session_saves),
        CASE(a_step_that_ignores_term_is_killed_after_the_delay),
        CASE(a_process_of_a_step_that_does_not_end_is_found),
        CASE(a_stop_after_the_end_of_a_step_sends_no_second_term),
        CASE(the_end_of_a_step_after_a_stop_sends_no_second_term),
        CASE(a_kill_of_the_container_ends_the_delay_of_a_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
