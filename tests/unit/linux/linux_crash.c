/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_crash.c - test: the agent, or a shim, crashes before each system call in a container's life
 *
 * Needs root. Whatever the call: the next agent finds the container, the command ran at most once, its end is
 * known or counts as lost, and no process, cgroup or file is left.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/unit/linux/crash_calls.h"
#include "tests/unit/linux/linux_fixture.h"

#define APP "application_1700000000000_0001"
#define WELL_MIN 10
#define CALLS_MAX 1000 /* more calls than there are, to detect an endless loop */

struct round {
    struct fixture *fixture;
    struct launch plan;
    char id[80];
    char *script, *tally; /* owned */
    const char *argv[4];
};

static void begin(struct round *round, struct fixture *fixture, const char *name, int number)
{
    *round = (struct round){ .fixture = fixture };
    snprintf(round->id, sizeof(round->id), "container_1700000000000_0001_01_%06d", number);
    round->tally = mem_printf("%s/tally/%s-%d", fixture->base, name, number);
    round->script = mem_printf("echo ran >> %s; exit 11", round->tally);
    round->argv[0] = "/bin/sh";
    round->argv[1] = "-c";
    round->argv[2] = round->script;
    round->plan = fixture_plan(round->id, round->argv);
}

static void make_tally(const struct fixture *fixture)
{
    scoped_free char *path = mem_printf("%s/tally", fixture->base);

    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(chmod(path, 0777), 0);
}

/* Returns the number of times that the command ran. */
static int count_runs(const struct round *round)
{
    struct stat status;

    return stat(round->tally, &status) == 0 ? (int)(status.st_size / 4) : 0;
}

static void done(struct round *round)
{
    free(round->script);
    free(round->tally);
}

/* --- the agent --------------------------------------------------------------- */

/* Runs a container and its application from start to cleanup, in an agent process of its own. */
static _Noreturn void live(struct round *round, int crash_at)
{
    struct runtime *runtime;
    struct runtime_event event = { .kind = RUNTIME_RUNNING };

    if (runtime_new(&round->fixture->config, &runtime, NULL) != 0)
        _exit(1);
    crash_before(crash_at);
    if (runtime_save(runtime, round->id, "grant", 5, NULL) != 0 ||
        runtime_launch(runtime, &round->plan, NULL) != 0)
        _exit(2);
    while (event.kind != RUNTIME_EXITED)
        runtime_poll(runtime, &event);
    runtime_cleanup(runtime, round->id);
    runtime_acknowledge(runtime, round->id);
    runtime_cleanup_app(runtime, APP, 0);
    runtime_free(runtime);
    _exit(event.end.exit_status == 11 ? 0 : 3);
}

struct finds {
    int count;
    bool saved, acked;
};

static void on_found(void *context, const struct runtime_found *found)
{
    struct finds *finds = context;

    finds->count++;
    finds->saved = found->state == FOUND_SAVED;
    finds->acked = found->state == FOUND_ACKED;
}

static bool is_empty(struct fixture *fixture)
{
    scoped_free char *command =
        mem_printf("[ -z \"$(ls %s/containers)\" ] && [ -z \"$(find %s -mindepth 2 -name 'container_*')\" ]",
                   fixture->state, fixture->local);

    return system(command) == 0;
}

/* Killed processes may take a moment to end. */
static bool groups_are_gone(struct fixture *fixture)
{
    struct runtime_event event;

    runtime_poll(fixture->runtime, &event);
    return fixture_groups(fixture) == 0;
}

/* Checks the state after a crash, and that the container then ends as usual. */
static void check_after_agent(struct round *round)
{
    struct fixture *fixture = round->fixture;
    struct finds finds = { 0 };
    struct err err = { 0 };

    fixture_restart(fixture);
    assert_int_equal(runtime_recover(fixture->runtime, on_found, &finds, &err), 0);
    assert_true(finds.count <= 1);
    if (!finds.acked && count_runs(round) == 1 && finds.count == 0)
        ; /* the removal of the application had begun already */
    else if (finds.count == 0 || finds.saved)
        fixture_launch(fixture, &round->plan);
    if ((finds.count > 0 && !finds.acked) || count_runs(round) == 0) {
        struct runtime_event event = fixture_wait(fixture, round->id, RUNTIME_EXITED);

        if (event.end.exit_status != 11)
            fail_msg("%s ended with %d: %s", round->id, event.end.exit_status, event.end.diagnostics);
    }
    assert_int_equal(count_runs(round), 1);
    runtime_cleanup(fixture->runtime, round->id);
    runtime_acknowledge(fixture->runtime, round->id);
    runtime_cleanup_app(fixture->runtime, APP, 0);
    assert_true(is_empty(fixture));
    fixture_until(fixture, groups_are_gone);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
}

static void test_agent_dies_before_each_call(void **state)
{
    struct fixture *fixture = *state;
    int status = CRASH_STATUS, calls = 0;

    make_tally(fixture);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    while (status == CRASH_STATUS && calls < CALLS_MAX) {
        struct round round;
        pid_t pid;

        begin(&round, fixture, "agent", ++calls);
        pid = fork();
        if (pid == 0)
            live(&round, calls);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        status = WEXITSTATUS(status);
        if (status != CRASH_STATUS)
            assert_int_equal(status, 0);
        check_after_agent(&round);
        done(&round);
    }
    assert_in_range(calls, 30, CALLS_MAX - 1);
    print_message("an agent died before each of %d calls\n", calls - 1);
    fixture_restart(fixture);
}

/* --- recovery ------------------------------------------------------------------- */

/* Recovers the containers in an agent that crashes before its CRASH_ATth call. */
static _Noreturn void recover_and_crash(struct round *round, int crash_at)
{
    struct finds finds = { 0 };
    struct runtime *runtime;
    struct runtime_event event = { .kind = RUNTIME_RUNNING };

    if (runtime_new(&round->fixture->config, &runtime, NULL) != 0)
        _exit(1);
    crash_before(crash_at);
    if (runtime_recover(runtime, on_found, &finds, NULL) != 0)
        _exit(2);
    while (event.kind != RUNTIME_EXITED)
        runtime_poll(runtime, &event);
    _exit(event.end.exit_status == 11 ? 0 : 3);
}

/* A container ends while no agent runs. Then agents start and crash one after another, each one call later
 * than the previous agent. */
static void test_recovery_dies_before_each_call(void **state)
{
    struct fixture *fixture = *state;
    struct round round;
    int status = CRASH_STATUS, calls = 0;

    make_tally(fixture);
    begin(&round, fixture, "recovery", 1);
    fixture_launch(fixture, &round.plan);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    while (status == CRASH_STATUS && calls < CALLS_MAX) {
        pid_t pid = fork();

        calls++;
        if (pid == 0)
            recover_and_crash(&round, calls);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        status = WEXITSTATUS(status);
    }
    assert_int_equal(status, 0);
    check_after_agent(&round);
    done(&round);
    fixture_restart(fixture);
}

/* --- the shim -------------------------------------------------------------------- */

static void set_shim_count(int count)
{
    FILE *stream = fopen(CRASH_SHIM_PATH ".count", "we");

    assert_non_null(stream);
    assert_true(fprintf(stream, "%d\n", count) > 0);
    assert_int_equal(fclose(stream), 0);
}

#define REFUSED (-7777)

/* Starts a container with such a shim. Returns its exit event; status REFUSED: the shim crashed before it
 * waited for a container. */
static struct runtime_event start_with(struct round *round)
{
    struct runtime_event event = { .end.exit_status = REFUSED };
    struct fixture *fixture = round->fixture;
    struct err err = { 0 };

    assert_int_equal(runtime_save(fixture->runtime, round->id, "grant", 5, &err), 0);
    if (runtime_launch(fixture->runtime, &round->plan, &err) == 0)
        return fixture_wait(fixture, round->id, RUNTIME_EXITED);
    assert_non_null(strstr(err.text, "cannot start " CRASH_SHIM_PATH));
    assert_int_equal(fixture_groups(fixture), 0);
    return event;
}

static void test_shim_dies_before_each_call(void **state)
{
    struct fixture *fixture = *state;
    int calls = 0, lost = 0, refused = 0,
        well = 0; /* WELL: numbers in sequence that ended as without a crash */
    struct runtime_event event;

    make_tally(fixture);
    fixture->config.shim_path = CRASH_SHIM_PATH;
    while (well < WELL_MIN && calls < CALLS_MAX) {
        struct round round;

        begin(&round, fixture, "shim", ++calls);
        set_shim_count(calls);
        fixture_restart(fixture); /* the shim that waits already has read the previous number */
        event = start_with(&round);
        well++;
        if (event.end.exit_status == REFUSED) {
            refused++;
            well = 0;
        } else if (event.end.exit_status == 154) {
            assert_non_null(strstr(event.end.diagnostics, "its shim ended"));
            lost++;
            well = 0;
        } else {
            assert_int_equal(event.end.exit_status, 11);
            assert_int_equal(count_runs(&round), 1);
        }
        assert_true(count_runs(&round) <= 1);
        runtime_cleanup(fixture->runtime, round.id);
        runtime_acknowledge(fixture->runtime, round.id);
        runtime_cleanup_app(fixture->runtime, APP, 0);
        assert_true(is_empty(fixture));
        fixture_until(fixture, groups_are_gone);
        done(&round);
    }
    assert_int_equal(well, WELL_MIN); /* the last numbers are beyond the shim's last call */
    assert_in_range(lost, 5, CALLS_MAX);
    assert_in_range(refused, 1, 15);
    print_message("a shim died before each of its calls: %d before it waited, %d before its record "
                  "was whole\n",
                  refused, lost);
    unlink(CRASH_SHIM_PATH ".count");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_agent_dies_before_each_call),
        CASE(test_recovery_dies_before_each_call),
        CASE(test_shim_dies_before_each_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
