/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_keep_records.c - test: files of a running container that were removed are made again
 *
 * Needs root. Without these files, the next agent would end the container.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "tests/unit/linux/linux_fixture.h"

#define APP "application_1700000000000_0001"
#define ID "container_1700000000000_0001_01_00000"

static void find(void *context, const struct runtime_found *found)
{
    if (found->state == FOUND_RUNNING)
        *(int64_t *)context = found->started_ms;
}

/* Returns the time of the start of the container, which runs, in seconds. */
static int64_t recover(struct fixture *fixture)
{
    struct err err = { .code = 0 };
    int64_t started_ms = 0;

    if (runtime_recover(fixture->runtime, find, &started_ms, &err) != 0)
        fail_msg("runtime_recover: %s", err.text);
    return started_ms / 1000;
}

static bool has_begun(struct fixture *fixture)
{
    scoped_free char *out = fixture_log(fixture, ID "1", "stdout");

    return strstr(out, "begun") != NULL;
}

static bool has_got_signal(struct fixture *fixture)
{
    scoped_free char *out = fixture_log(fixture, ID "1", "stdout");

    return strstr(out, "usr1") != NULL;
}

static void remove_files(const struct fixture *fixture)
{
    static const char *const names[] = { "meta", "record", "started" };

    for (size_t i = 0; i < 3; i++) {
        scoped_free char *path = mem_printf("%s/containers/" ID "1/%s", fixture->state, names[i]);

        assert_int_equal(unlink(path), 0);
    }
}

static char *read_started(const struct fixture *fixture)
{
    scoped_free char *path = mem_printf("%s/containers/" ID "1/started", fixture->state);
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    size_t size;

    assert_int_equal(file_read(fd, 4096, &text, &size), 0);
    return text;
}

static void test_removed_files_are_made_again(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID "1", SHELL("echo begun; exec sleep 600"));
    scoped_free char *started = NULL;
    int64_t started_ms;

    fixture_launch(fixture, &plan);
    started_ms = fixture_wait(fixture, ID "1", RUNTIME_RUNNING).end.started_ms;
    fixture_until(fixture, has_begun);
    started = read_started(fixture);
    assert_ptr_not_equal(strchr(started, '\n'), strrchr(started, '\n')); /* the shim, and the command */
    for (int agent = 0; agent < 2; agent++) { /* the second one has adopted the container */
        scoped_free char *made = NULL;

        remove_files(fixture);
        runtime_keep_records(fixture->runtime);
        assert_non_null(
            strstr(fixture_wait(fixture, ID "1", RUNTIME_RECORD_MADE).end.diagnostics, "file meta"));
        assert_non_null(
            strstr(fixture_wait(fixture, ID "1", RUNTIME_RECORD_MADE).end.diagnostics, "file started"));
        fixture_wait(fixture, ID "1", RUNTIME_RECORD_LOST);
        assert_int_equal(runtime_save(fixture->runtime, ID "1", "grant", 5, NULL), 0);
        made = read_started(fixture);
        assert_string_equal(made, started);
        fixture_restart(fixture);
        assert_int_equal(recover(fixture), started_ms / 1000);
    }
    runtime_stop(fixture->runtime, ID "1");
    assert_int_equal(fixture_wait(fixture, ID "1", RUNTIME_EXITED).end.exit_status, 143);
    runtime_cleanup(fixture->runtime, ID "1");
    runtime_cleanup_app(fixture->runtime, APP, 0);
}

/* The shim has locked the directory that was removed. */
static void test_a_removed_directory_is_reported(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID "1", SHELL("echo begun; exec sleep 600"));
    scoped_free char *path = mem_printf("%s/containers/" ID "1", fixture->state);
    scoped_free char *away = mem_printf("%s/away", fixture->base);
    char report[1024];

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID "1", RUNTIME_RUNNING);
    assert_int_equal(rename(path, away), 0);
    runtime_keep_records(fixture->runtime);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_non_null(strstr(report,
                           "/containers: files of 1 running container were removed and cannot be made "
                           "again (" ID "1: "));
    assert_non_null(strstr(report, "let these containers end before creel-nm is restarted"));
    assert_int_equal(rename(away, path), 0);
    runtime_keep_records(fixture->runtime);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_string_equal(report, "");
    runtime_stop(fixture->runtime, ID "1");
    assert_int_equal(fixture_wait(fixture, ID "1", RUNTIME_EXITED).end.exit_status, 143);
    runtime_cleanup(fixture->runtime, ID "1");
    runtime_cleanup_app(fixture->runtime, APP, 0);
}

/* --- while no agent runs --------------------------------------------------------------- */

static void end_agent(struct fixture *fixture)
{
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
}

static void write_started(const struct fixture *fixture, const char *text)
{
    scoped_free char *path = mem_printf("%s/containers/" ID "1/started", fixture->state);
    scoped_fd int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void remove_started(const struct fixture *fixture)
{
    scoped_free char *path = mem_printf("%s/containers/" ID "1/started", fixture->state);

    assert_int_equal(unlink(path), 0);
}

static void damage_started(const struct fixture *fixture, int way)
{
    static const char *const texts[] = { "", "12", "1 2 another-boot\n" };

    if (way == 3)
        remove_started(fixture);
    else
        write_started(fixture, texts[way]);
}

/* The shim has the lock, and the command as its child: it is found, and the file is made again. */
static void test_a_shim_is_found_without_its_file(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan =
        fixture_plan(ID "1", SHELL("trap 'echo usr1' USR1; sleep 600 & echo begun; while :; do wait; done"));
    scoped_free char *started = NULL;
    int64_t started_ms;

    fixture_launch(fixture, &plan);
    started_ms = fixture_wait(fixture, ID "1", RUNTIME_RUNNING).end.started_ms;
    fixture_until(fixture, has_begun);
    started = read_started(fixture);
    for (int way = 0; way < 4; way++) {
        scoped_free char *made = NULL;
        int64_t found_s;

        end_agent(fixture);
        damage_started(fixture, way);
        fixture_restart(fixture);
        found_s = recover(fixture);
        assert_true(found_s >= started_ms / 1000 - 1 && found_s <= started_ms / 1000 + 1);
        assert_non_null(strstr(fixture_wait(fixture, ID "1", RUNTIME_RECORD_MADE).end.diagnostics,
                               "its file started in the state directory was removed or damaged"));
        made = read_started(fixture);
        assert_string_equal(made, started);
    }
    assert_int_equal(runtime_signal(fixture->runtime, ID "1", RUNTIME_SIGNAL_MAIN, SIGUSR1, NULL), 0);
    fixture_until(fixture, has_got_signal);
    runtime_stop(fixture->runtime, ID "1");
    assert_int_equal(fixture_wait(fixture, ID "1", RUNTIME_EXITED).end.exit_status, 143);
    runtime_cleanup(fixture->runtime, ID "1");
    runtime_cleanup_app(fixture->runtime, APP, 0);
}

static bool has_saved(struct fixture *fixture)
{
    scoped_free char *out = fixture_log(fixture, ID "1", "stdout");

    return strstr(out, "saved") != NULL;
}

static pid_t shim_of(const struct fixture *fixture)
{
    scoped_free char *text = read_started(fixture);

    return (pid_t)strtol(text, NULL, 10);
}

/* The lock of the container is that of this test: no process has it as a shim has it. */
static void test_a_container_without_a_shim_to_be_found(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan =
        fixture_plan(ID "1", SHELL("trap 'echo usr1' USR1; trap 'sleep 0.3; echo saved; exit' "
                                   "TERM; echo begun; while :; do sleep 0.1; done"));
    scoped_free char *path = mem_printf("%s/containers/" ID "1", fixture->state);
    struct runtime_event event;
    int lock_fd;
    pid_t shim;

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID "1", RUNTIME_RUNNING);
    fixture_until(fixture, has_begun);
    shim = shim_of(fixture);
    end_agent(fixture);
    kill(shim, SIGKILL);
    waitpid(shim, NULL, 0);
    remove_started(fixture);
    lock_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(lock_fd, LOCK_EX | LOCK_NB), 0);
    fixture_restart(fixture);
    recover(fixture);
    assert_int_equal(runtime_signal(fixture->runtime, ID "1", RUNTIME_SIGNAL_MAIN, SIGUSR1, NULL), 0);
    fixture_until(fixture, has_got_signal);
    event = fixture_wait(fixture, ID "1", RUNTIME_STUCK);
    assert_non_null(strstr(event.end.diagnostics, "its shim is not found: "));
    assert_non_null(strstr(event.end.diagnostics, "/containers/" ID "1/started is missing or damaged"));
    runtime_stop(fixture->runtime, ID "1");
    fixture_until(fixture, has_saved); /* SIGTERM, and its grace */
    close(lock_fd);
    assert_int_equal(fixture_wait(fixture, ID "1", RUNTIME_EXITED).end.exit_status, 154);
    runtime_cleanup(fixture->runtime, ID "1");
    runtime_cleanup_app(fixture->runtime, APP, 0);
}

/* Without "meta" the agent does not know the directories of the container: it writes no other one. */
static void test_meta_is_lost_while_no_agent_runs(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID "1", SHELL("echo begun; exec sleep 600"));
    scoped_free char *path = mem_printf("%s/containers/" ID "1/meta", fixture->state);

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID "1", RUNTIME_RUNNING);
    fixture_until(fixture, has_begun);
    end_agent(fixture);
    assert_int_equal(unlink(path), 0);
    fixture_restart(fixture);
    recover(fixture);
    runtime_keep_records(fixture->runtime);
    assert_false(fixture_has(fixture, "state/containers/" ID "1/meta"));
    assert_int_equal(runtime_signal(fixture->runtime, ID "1", RUNTIME_SIGNAL_STEPS, SIGCONT, NULL), 0);
    runtime_stop(fixture->runtime, ID "1");
    assert_int_equal(fixture_wait(fixture, ID "1", RUNTIME_EXITED).end.exit_status, 143);
    runtime_cleanup(fixture->runtime, ID "1");
    runtime_cleanup_app(fixture->runtime, APP, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_removed_files_are_made_again),           CASE(test_a_removed_directory_is_reported),
        CASE(test_a_shim_is_found_without_its_file),       CASE(test_meta_is_lost_while_no_agent_runs),
        CASE(test_a_container_without_a_shim_to_be_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
