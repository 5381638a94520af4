/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_kill.c - test: containers that are stopped, or that exceed their limits
 *
 * Needs root. However a container ends, none of its processes and cgroups may be left: the fixture's teardown
 * checks that.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nm-agent/linux/parts/process.h"
#include "tests/unit/linux/linux_fixture.h"
#include "common/base/mem.h"

#define ID "container_1700000000000_0001_01_000001"

/* Returns a number of seconds that only this test's sleep processes use. */
static const char *mark(void)
{
    static char text[32];

    snprintf(text, sizeof(text), "98%d", (int)getpid());
    return text;
}

#define with_mark(format) mem_printf((format), mark())

/* Returns whether the container has written to its stdout. */
static bool has_spoken(struct fixture *fixture)
{
    struct err err;
    uint64_t size = 0;
    size_t got = 0;
    char byte;

    return runtime_read_log(fixture->runtime, ID, "stdout", 0, &byte, 1, &got, &size, &err) == 0 && size > 0;
}

static struct runtime_event stop_and_wait(struct fixture *fixture)
{
    struct runtime_event event;

    runtime_stop(fixture->runtime, ID);
    runtime_stop(fixture->runtime, ID);
    event = fixture_wait(fixture, ID, RUNTIME_EXITED);
    runtime_cleanup(fixture->runtime, ID);
    assert_int_equal(fixture_processes(mark()), 0);
    return event;
}

/* --- preemption ------------------------------------------------------------- */

static void test_preempt_notice(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(
        ID, SHELL("trap 'cat \"$CREEL_PREEMPT_FILE\"; stat -c %U:%a preempt.json; exit 7' USR1; echo ready; "
                  "while :; do sleep 0.01; done"));
    scoped_free char *text = NULL;
    struct err err = { 0 };

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    fixture_until(fixture, has_spoken);
    /* Without a signal, a notice only writes the file; a later notice replaces the file. */
    assert_int_equal(runtime_preempt_notice(fixture->runtime, ID, 1, "first", RUNTIME_SIGNAL_ALL, 0, &err),
                     0);
    assert_int_equal(runtime_preempt_notice(fixture->runtime, ID, 1790000000123, "others \"need\" it\n",
                                            RUNTIME_SIGNAL_ALL, SIGUSR1, &err),
                     0);
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 7);
    text = fixture_log(fixture, ID, "stdout");
    assert_string_equal(text, "ready\n{\"deadlineAt\":\"2026-09-21T14:13:20.123Z\",\"deadlineMs\":"
                              "1790000000123,\"reason\":\"others 'need' it \"}\nnobody:400\n");
    assert_int_equal(
        runtime_preempt_notice(fixture->runtime, ID, 2, "late", RUNTIME_SIGNAL_ALL, SIGUSR1, &err), -ESRCH);
    runtime_cleanup(fixture->runtime, ID);
}

/* The user owns the directory: the agent must not follow a symbolic link placed at the file's name. */
static void test_preempt_notice_into_a_trap(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *target = mem_printf("%s/target", fixture->base);
    scoped_free char *script =
        mem_printf("ln -s %1$s preempt.json; ln -s %1$s .preempt.json.new; echo ready; "
                   "while [ -L preempt.json ]; do sleep 0.01; done",
                   target);
    struct launch plan = fixture_plan(ID, SHELL(script));
    struct err err = { 0 };

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    fixture_until(fixture, has_spoken);
    assert_int_equal(runtime_preempt_notice(fixture->runtime, ID, 1, "why", RUNTIME_SIGNAL_ALL, 0, &err), 0);
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 0);
    assert_false(fixture_has(fixture, "target"));
    runtime_cleanup(fixture->runtime, ID);
}

/* --- memory and processes ---------------------------------------------------- */

static void test_memory_limit(void **state)
{
    static const struct {
        const char *script;
        int status;
        const char *diagnostics;
    } cases[] = {
        { "exec tail /dev/zero", -104, "Killed by the kernel: memory limit 64 MiB reached (peak " },
        { "tail /dev/zero; exit $?", -104, "Killed by the kernel: memory limit 64 MiB reached" },
        { "tail /dev/zero; exit 3", 3, "The kernel killed a process of it: memory limit 64 MiB" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06zu", i + 1);
        struct launch plan = fixture_plan(id, SHELL(cases[i].script));
        struct runtime_event event = fixture_run(*state, &plan);

        /* cgroup v2 kills the whole group, including the shell. */
        if (cases[i].status != 3 || event.end.exit_status != -104)
            assert_int_equal(event.end.exit_status, cases[i].status);
        if (event.end.exit_status == cases[i].status)
            assert_non_null(strstr(event.end.diagnostics, cases[i].diagnostics));
        assert_non_null(strstr(event.end.diagnostics, "raise --memory"));
        assert_in_range(event.end.totals.memory_peak_bytes, 32 << 20, 64 << 20);
    }
}

/* On cgroup v1 the kernel kills one process, and the shell ends with 0. */
static void test_memory_kills_the_container(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("tail /dev/zero; exit 0"));
    struct runtime_event event;

    fixture->config.memory_kills_container = true;
    fixture_restart(fixture);
    event = fixture_run(fixture, &plan);
    assert_int_equal(event.end.exit_status, -104);
    assert_non_null(strstr(event.end.diagnostics, "memory limit 64 MiB reached"));
}

static void see(void *context, const struct runtime_sample *look)
{
    (void)context;
    assert_string_equal(look->container_id, ID);
    assert_in_range(look->memory_bytes, 1 << 20, 64 << 20);
    assert_in_range(look->totals.memory_peak_bytes, look->memory_bytes, 64 << 20);
    assert_true(look->totals.cpu_time_us > 0);
    assert_int_equal(look->number, 0);
    assert_false(look->group_gone);
}

static void test_figures(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(
        ID, SHELL("head -c 20000000 /dev/zero > big; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; "
                  "echo ready; sleep 1000"));
    struct runtime_event event;

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    fixture_until(fixture, has_spoken);
    runtime_sample(fixture->runtime, RUNTIME_SAMPLE_FIGURES, see, NULL);
    assert_in_range(runtime_used_memory_bytes(fixture->runtime), 1 << 20, 64 << 20);
    event = stop_and_wait(fixture);
    assert_in_range(event.end.totals.memory_peak_bytes, 10 << 20, 64 << 20);
    assert_in_range(event.end.totals.cpu_time_us, 10000, 60000000);
    assert_true(event.end.totals.written_bytes >= 20000000);
    assert_int_equal(runtime_used_memory_bytes(fixture->runtime), 0);
}

static void test_pids_limit(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *script =
        with_mark("i=0; while [ $i -lt 300 ]; do sleep %1$s & i=$((i+1)); done; echo all");
    struct launch plan = fixture_plan(ID, SHELL(script));
    struct runtime_event event = fixture_run(fixture, &plan);

    assert_int_not_equal(event.end.exit_status, 0);
    scoped_free char *out = fixture_log(fixture, ID, "stdout");
    scoped_free char *problem = fixture_log(fixture, ID, "stderr");

    assert_string_equal(out, "");
    assert_non_null(strstr(problem, "fork"));
    assert_int_equal(fixture_processes(mark()), 0);
}

/* --- stop --------------------------------------------------------------------- */

static void test_term_is_enough(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan =
        fixture_plan(ID, SHELL("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.02; done"));

    fixture_launch(fixture, &plan);
    fixture_until(fixture, has_spoken);
    assert_int_equal(stop_and_wait(fixture).end.exit_status, 7);
    scoped_free char *out = fixture_log(fixture, ID, "stdout");

    assert_string_equal(out, "ready\nbye\n");
}

static void test_term_is_ignored(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *script = with_mark("trap '' TERM; echo ready; sleep %1$s & sleep %1$s; sleep 1000");
    struct launch plan = fixture_plan(ID, SHELL(script));
    struct runtime_event event;
    int64_t stopped_ms;

    fixture_launch(fixture, &plan);
    fixture_until(fixture, has_spoken);
    stopped_ms = process_now_ms(); /* not the start: a busy machine may report the start late */
    event = stop_and_wait(fixture);
    assert_int_equal(event.end.exit_status, 137);
    assert_true(event.end.finished_ms - stopped_ms >= 299);
}

static void test_stop_at_once(void **state)
{
    struct fixture *fixture = *state;
    struct runtime_event event;
    scoped_free char *script = with_mark("trap '' TERM; sleep %1$s; exec sleep %1$s");

    for (int i = 0; i < 20; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06d", i + 1);
        struct launch plan = fixture_plan(id, SHELL(script));

        fixture_launch(fixture, &plan);
        runtime_stop(fixture->runtime, id);
        event = fixture_wait(fixture, id, RUNTIME_EXITED);
        assert_true(event.end.exit_status == 143 || event.end.exit_status == 137);
        runtime_cleanup(fixture->runtime, id);
    }
    assert_int_equal(fixture_processes(mark()), 0);
}

static void test_fork_bomb(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *script =
        with_mark("trap '' TERM; f() { f %1$s | f %1$s & }; echo ready; f; while :; do sleep 1; done");
    struct launch plan = fixture_plan(ID, SHELL(script));

    fixture_launch(fixture, &plan);
    fixture_until(fixture, has_spoken);
    /* The shell exits with status 2 when fork fails, or is killed. */
    assert_int_not_equal(stop_and_wait(fixture).end.exit_status, 0);
}

static void test_daemon_is_gone(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *script =
        with_mark("(setsid sh -c 'trap \"\" TERM HUP; sleep %1$s' &) & sleep %1$s & echo ready; exit 5");
    struct launch plan = fixture_plan(ID, SHELL(script));

    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 5);
    assert_int_equal(fixture_processes(mark()), 0);
}

static void test_signal(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan =
        fixture_plan(ID, SHELL("trap 'echo noticed; exit 0' USR1; echo ready; while :; do sleep 0.02; done"));

    fixture_launch(fixture, &plan);
    fixture_until(fixture, has_spoken);
    runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_ALL, SIGUSR1, NULL);
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 0);
    runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_ALL, SIGUSR1, NULL);
    runtime_cleanup(fixture->runtime, ID);
    scoped_free char *out = fixture_log(fixture, ID, "stdout");

    assert_string_equal(out, "ready\nnoticed\n");
}

/* A parent that waits in vfork for its child is in state D, and can be killed. */
static void test_vfork_parent(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *script =
        with_mark("exec python3 -c \"import ctypes; c = ctypes.CDLL(None); print('ready', flush=True)\n"
                  "getattr(c, 'vf' + 'ork')() == 0 and getattr(c, 'sle' + 'ep')(%1$s)\"");
    struct launch plan = fixture_plan(ID, SHELL(script));

    fixture_launch(fixture, &plan);
    fixture_until(fixture, has_spoken);
    assert_in_range(stop_and_wait(fixture).end.exit_status, 137, 143);
}

static void run_uninterruptible(struct fixture *fixture)
{
    scoped_free char *script = with_mark("echo ready; exec sleep %1$s");
    scoped_free char *group = mem_printf("/sys/fs/cgroup/freezer%s-frozen", fixture->root);
    struct launch plan = fixture_plan(ID, SHELL(script));
    struct runtime_event event;

    fixture_launch(fixture, &plan);
    fixture_until(fixture, has_spoken);
    assert_true(fixture_freeze(fixture, ID, true));
    runtime_stop(fixture->runtime, ID);
    event = fixture_wait(fixture, ID, RUNTIME_STUCK);
    assert_non_null(strstr(event.end.diagnostics, "was killed and does not end: process "));
    assert_non_null(strstr(event.end.diagnostics, "(sleep) is in state D"));
    assert_true(fixture_freeze(fixture, ID, false));
    assert_in_range(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 137, 143);
    runtime_cleanup(fixture->runtime, ID);
    assert_int_equal(rmdir(group), 0);
}

/* Calls TEST if this machine can have processes that SIGKILL does not end: in the freezer of cgroup v1. */
static void with_freezer(void (*test)(struct fixture *fixture), struct fixture *fixture)
{
    if (access("/sys/fs/cgroup/freezer/tasks", W_OK) != 0)
        skip();
    test(fixture);
}

static void test_uninterruptible(void **state)
{
    with_freezer(run_uninterruptible, *state);
}

static void ignore_found(void *context, const struct runtime_found *found)
{
    (void)context;
    (void)found;
}

static bool finds_stuck(struct fixture *fixture)
{
    struct runtime_event event = { .kind = RUNTIME_RUNNING };

    runtime_find_stuck(fixture->runtime);
    while (runtime_poll(fixture->runtime, &event) && event.kind != RUNTIME_STUCK)
        ;
    if (event.kind != RUNTIME_STUCK)
        return false;
    assert_string_equal(event.container_id, ID);
    assert_non_null(strstr(event.end.diagnostics, "was killed and does not end: process "));
    assert_non_null(strstr(event.end.diagnostics, "is in state D"));
    return true;
}

/* The command ends by itself, and a process that it left does not end: the shim kills it, not the agent. */
static void run_leftover_does_not_end(struct fixture *fixture)
{
    scoped_free char *script =
        with_mark("trap 'exit 5' USR1; sleep %1$s & echo $!; while :; do sleep 0.02; done");
    scoped_free char *group = mem_printf("/sys/fs/cgroup/freezer%s-frozen", fixture->root), *out = NULL;
    struct launch plan = fixture_plan(ID, SHELL(script));
    struct err err = { 0 };

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    fixture_until(fixture, has_spoken);
    out = fixture_log(fixture, ID, "stdout");
    assert_true(fixture_freeze_process(fixture, atoi(out), true));
    assert_int_equal(runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_MAIN, SIGUSR1, &err), 0);
    fixture_wait(fixture, ID, RUNTIME_COMMAND_ENDED);
    fixture_until(fixture, finds_stuck);
    assert_false(finds_stuck(fixture)); /* it is reported once */
    fixture_restart(fixture);
    assert_int_equal(runtime_recover(fixture->runtime, ignore_found, NULL, &err), 0);
    fixture_until(fixture, finds_stuck);
    assert_true(fixture_freeze_process(fixture, atoi(out), false));
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 5);
    runtime_cleanup(fixture->runtime, ID);
    assert_int_equal(rmdir(group), 0);
}

static void test_leftover_does_not_end(void **state)
{
    with_freezer(run_leftover_does_not_end, *state);
}

/* --- the shim ------------------------------------------------------------------ */

static pid_t shim_of(const struct fixture *fixture)
{
    scoped_free char *path = mem_printf("%s/containers/%s/started", fixture->state, ID);
    FILE *stream = fopen(path, "re");
    int pid = 0;

    assert_non_null(stream);
    assert_int_equal(fscanf(stream, "%d", &pid), 1);
    fclose(stream);
    assert_true(pid > 1);
    return pid;
}

/* The processes of the container have ended, and its shim cannot notice it. */
static void test_shim_is_stopped(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *script = with_mark("echo ready; exec sleep %1$s");
    struct launch plan = fixture_plan(ID, SHELL(script));
    scoped_free char *expected = NULL;
    struct runtime_event event;
    pid_t shim;

    fixture_launch(fixture, &plan);
    fixture_until(fixture, has_spoken);
    shim = shim_of(fixture);
    expected = mem_printf("its shim (process %d) is in state T: kill -CONT %d", (int)shim, (int)shim);
    assert_int_equal(kill(shim, SIGSTOP), 0);
    runtime_stop(fixture->runtime, ID);
    event = fixture_wait(fixture, ID, RUNTIME_STUCK);
    assert_non_null(strstr(event.end.diagnostics, expected));
    assert_int_equal(kill(shim, SIGCONT), 0);
    assert_in_range(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 137, 143);
    runtime_cleanup(fixture->runtime, ID);
}

static bool shim_is_stopped(struct fixture *fixture)
{
    return process_state(shim_of(fixture)) == 'T';
}

static bool shim_goes_on(struct fixture *fixture)
{
    return !shim_is_stopped(fixture);
}

/* The container is not being stopped: without a look at its shim it would run for ever. */
static void test_stopped_shim_is_found(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *script = with_mark("echo ready; exec sleep %1$s");
    struct launch plan = fixture_plan(ID, SHELL(script));
    scoped_free char *expected = NULL;
    struct runtime_event event;
    pid_t shim;

    fixture_launch(fixture, &plan);
    fixture_until(fixture, has_spoken);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    shim = shim_of(fixture);
    expected = mem_printf("its shim (process %d) is in state T", (int)shim);
    assert_int_equal(kill(shim, SIGSTOP), 0);
    fixture_until(fixture, shim_is_stopped);
    runtime_find_stuck(fixture->runtime);
    assert_false(runtime_poll(fixture->runtime, &event)); /* it may be stopped for a moment */
    runtime_find_stuck(fixture->runtime);
    runtime_find_stuck(fixture->runtime);
    event = fixture_wait(fixture, ID, RUNTIME_STUCK);
    assert_non_null(strstr(event.end.diagnostics, expected));
    assert_int_equal(kill(shim, SIGCONT), 0);
    fixture_until(fixture, shim_goes_on);
    runtime_find_stuck(fixture->runtime);
    assert_string_equal(fixture_wait(fixture, ID, RUNTIME_STUCK).end.diagnostics, "");
    stop_and_wait(fixture);
}

static void test_shim_is_killed(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *script = with_mark("trap '' TERM; sleep %1$s & echo ready; sleep %1$s");
    struct launch plan = fixture_plan(ID, SHELL(script));
    struct runtime_event event;

    fixture_launch(fixture, &plan);
    fixture_until(fixture, has_spoken);
    kill(shim_of(fixture), SIGKILL);
    event = fixture_wait(fixture, ID, RUNTIME_EXITED);
    assert_int_equal(event.end.exit_status, 154);
    assert_non_null(strstr(event.end.diagnostics, "Lost"));
    assert_int_equal(fixture_processes(mark()), 0);
    runtime_cleanup(fixture->runtime, ID);
}

static void test_shim_survives_signals(void **state)
{
    static const int signals[] = { SIGHUP, SIGTERM, SIGINT, SIGQUIT, SIGUSR1, SIGPIPE };
    struct fixture *fixture = *state;
    struct launch plan =
        fixture_plan(ID, SHELL("trap 'exit 9' USR1; echo ready; while :; do sleep 0.02; done"));

    fixture_launch(fixture, &plan);
    fixture_until(fixture, has_spoken);
    assert_int_not_equal(getsid(shim_of(fixture)), getsid(0));
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        kill(shim_of(fixture), signals[i]);
    runtime_signal(fixture->runtime, ID, RUNTIME_SIGNAL_ALL, SIGUSR1, NULL);
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 9);
    runtime_cleanup(fixture->runtime, ID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_preempt_notice),
        CASE(test_figures),
        CASE(test_pids_limit),
        CASE(test_preempt_notice_into_a_trap),
        CASE(test_figures),
        CASE(test_pids_limit),
        CASE(test_memory_limit),
        CASE(test_memory_kills_the_container),
        CASE(test_figures),
        CASE(test_pids_limit),
        CASE(test_term_is_enough),
        CASE(test_term_is_ignored),
        CASE(test_stop_at_once),
        CASE(test_fork_bomb),
        CASE(test_daemon_is_gone),
        CASE(test_signal),
        CASE(test_vfork_parent),
        CASE(test_uninterruptible),
        CASE(test_leftover_does_not_end),
        CASE(test_shim_is_stopped),
        CASE(test_stopped_shim_is_found),
        CASE(test_shim_survives_signals),
        CASE(test_shim_is_killed),
        CASE(test_shim_survives_signals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
