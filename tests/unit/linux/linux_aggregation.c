/* SPDX-License-Identifier: Apache-2.0 */
/* linux_aggregation.c - test: logs of ended applications move to shared storage, which may fail */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/shares.h"
#include "nm-agent/linux/state/retention.h"
#include "tests/unit/linux/linux_fixture.h"

#define APP "application_1700000000000_0001"
#define ID "container_1700000000000_0001_01_000001"
#define SAVED "shared/nobody/logs/" APP "/n1_8041.tar.gz"

static char shared[160];
static unsigned notes; /* events RUNTIME_LOGS so far */
static char note[512]; /* the last one */

static enum runtime_event_kind last_report; /* of an application */

static void make_shared(void)
{
    assert_int_equal(mkdir(shared, 0755), 0);
    assert_int_equal(chmod(shared, 01777), 0);
}

/* Starts the runtime again, with logs that move to shared storage. */
static void begin(struct fixture *fixture)
{
    snprintf(shared, sizeof(shared), "%s/shared", fixture->base);
    notes = 0;
    last_report = RUNTIME_LOGS;
    fixture->config.aggregation = (struct runtime_aggregation){
        .dir = shared,
        .suffix = "logs",
        .file = "n1_8041.tar.gz",
        .retain_ms = -1,
        .check_ms = 60000,
        .timeout_ms = 60000,
        .retry_ms = 3600000,
    };
    fixture_restart(fixture);
}

static bool exited; /* the container ID */

/* Takes the events that have come. A sweep of the storage may report a problem at any time from the start. */
static void poll_events(struct fixture *fixture)
{
    struct runtime_event event;

    while (runtime_poll(fixture->runtime, &event)) {
        if (event.kind == RUNTIME_LOGS_SAVED || event.kind == RUNTIME_LOGS_KEPT) {
            last_report = event.kind;
        } else if (event.kind == RUNTIME_LOGS) {
            memcpy(note, event.end.diagnostics, sizeof(note));
            notes++;
        } else if (strcmp(event.container_id, ID) == 0 && event.kind == RUNTIME_EXITED) {
            exited = true;
        }
    }
}

static bool has_exited(struct fixture *fixture)
{
    poll_events(fixture);
    return exited;
}

static void end_app(struct fixture *fixture)
{
    struct launch plan = fixture_plan(ID, SHELL("echo moved"));

    exited = false;
    fixture_launch(fixture, &plan);
    fixture_until(fixture, has_exited);
    runtime_cleanup(fixture->runtime, ID);
    runtime_cleanup_app(fixture->runtime, APP, 3600000);
}

static bool is_moved(struct fixture *fixture)
{
    poll_events(fixture);
    return fixture_has(fixture, SAVED) && !fixture_has(fixture, "logs/" APP);
}

static bool is_noted(struct fixture *fixture)
{
    poll_events(fixture);
    return notes > 0;
}

static void logs_move_to_shared_storage(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *command = NULL;
    uint64_t size = 0;
    size_t got = 0;
    char text[8];
    struct err err = { .code = 0 };

    begin(fixture);
    make_shared();
    end_app(fixture);
    fixture_until(fixture, is_moved);
    command = mem_printf("test \"$(stat -c %%U:%%a '%s/" SAVED
                         "')\" = nobody:640 && test \"$(tar xzOf '%s/" SAVED "' " ID "/stdout)\" = moved",
                         fixture->base, fixture->base);
    assert_int_equal(system(command), 0);
    assert_int_equal(notes, 0);
    assert_int_equal(last_report, RUNTIME_LOGS_SAVED);
    last_report = RUNTIME_LOGS;
    assert_int_equal(
        runtime_read_log(fixture->runtime, ID, "stdout", 0, text, sizeof(text), &got, &size, &err), -ENOENT);
    assert_non_null(strstr(err.text, "n1_8041.tar.gz"));
    /* A repeated order does not write the file again, but repeats the report. */
    runtime_cleanup_app(fixture->runtime, APP, 3600000);
    assert_true(is_moved(fixture));
    assert_int_equal(last_report, RUNTIME_LOGS_SAVED);
}

static void a_failure_is_reported_once_and_tried_again(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *log = NULL;
    char report[512];

    begin(fixture);
    end_app(fixture);
    fixture_until(fixture, is_noted);
    assert_non_null(strstr(note, shared));
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_non_null(strstr(report, shared));
    log = fixture_log(fixture, ID, "stdout");
    assert_string_equal(log, "moved\n");
    fixture_restart(fixture); /* it is still to be done */
    notes = 0;
    fixture_until(fixture, is_noted);
    make_shared();
    fixture_until(fixture, is_moved);
    assert_int_equal(notes, 2);
    assert_non_null(strstr(note, "again"));
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_string_equal(report, "");
}

/* Once the file is there, it is not written again from logs of which a part is deleted. */
static void a_file_that_is_there_is_not_written_again(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *path = mem_printf("%s/" SAVED, fixture->base);
    struct stat before, after;

    begin(fixture);
    make_shared();
    end_app(fixture);
    fixture_until(fixture, is_moved);
    assert_int_equal(stat(path, &before), 0);
    fixture_restart(fixture);
    assert_true(is_moved(fixture));
    runtime_cleanup_app(fixture->runtime, APP, 0);
    assert_true(is_moved(fixture));
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
}

static bool is_kept(struct fixture *fixture)
{
    poll_events(fixture);
    return notes > 0 && strstr(note, "stay on this node") != NULL;
}

static void after_the_time_for_attempts_logs_stay(void **state)
{
    struct fixture *fixture = *state;

    begin(fixture);
    fixture->config.aggregation.retry_ms = 0;
    fixture_restart(fixture);
    end_app(fixture);
    fixture_until(fixture, is_kept);
    poll_events(fixture);
    assert_int_equal(last_report, RUNTIME_LOGS_KEPT);
    assert_true(fixture_has(fixture, "logs/" APP));
}

static bool is_postponed(struct fixture *fixture)
{
    poll_events(fixture);
    return retention_find(fixture->runtime, APP)->failures > 0;
}

/* Begins the next attempt for the application, which is due within a minute. */
static void try_again(struct fixture *fixture)
{
    retention_postpone(fixture->runtime, retention_find_pending(fixture->runtime, APP), 0);
    fixture->runtime->aggregation.poll_due_ms = 0;
    runtime_arm(fixture->runtime);
}

/* Ends the application with a second log directory that is silent, after the time for attempts. */
static struct blockade *end_app_beside_silent_directory(struct fixture *fixture)
{
    scoped_free char *both = mem_printf("%s,%s/logs2", fixture->logs, fixture->base);
    scoped_free char *second = mem_printf("%s/logs2", fixture->base);
    struct blockade *blockade;

    begin(fixture);
    make_shared();
    fixture->config.log_dirs = both;
    fixture->config.aggregation.retry_ms = 0;
    fixture_restart(fixture);
    fixture->config.log_dirs = fixture->logs;
    blockade = fixture_block(fixture, second);
    end_app(fixture);
    fixture_until(fixture, is_postponed);
    assert_int_equal(last_report, RUNTIME_LOGS);
    return blockade;
}

/* A log directory may be late when the agent starts: the time for attempts does not end before it was tried
 * again. */
static void a_late_log_directory_gets_another_attempt(void **state)
{
    struct fixture *fixture = *state;

    fixture_unblock(end_app_beside_silent_directory(fixture));
    try_again(fixture);
    fixture_until(fixture, is_moved);
    assert_int_equal(last_report, RUNTIME_LOGS_SAVED);
    assert_int_equal(notes, 0);
}

/* After the time for attempts, the logs in the directories that answer are written to shared storage. */
static void logs_beside_a_silent_directory_are_written(void **state)
{
    struct fixture *fixture = *state;
    struct blockade *blockade = end_app_beside_silent_directory(fixture);

    try_again(fixture);
    fixture_until(fixture, is_kept);
    poll_events(fixture);
    assert_non_null(strstr(note, "a log directory did not answer in time"));
    assert_int_equal(last_report, RUNTIME_LOGS_KEPT);
    assert_true(fixture_has(fixture, SAVED));
    assert_true(fixture_has(fixture, "logs/" APP "/" ID "/stdout"));
    fixture_unblock(blockade);
}

static bool is_user_noted(struct fixture *fixture)
{
    poll_events(fixture);
    return notes > 0 && strstr(note, "belongs to user id 1234") != NULL;
}

static bool is_other_saved(struct fixture *fixture)
{
    poll_events(fixture);
    return fixture_has(fixture, "shared/daemon/logs/application_1700000000000_0002/n1_8041.tar.gz");
}

static void one_users_problem_does_not_delay_others(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan("container_1700000000000_0002_01_000001", SHELL("echo root"));
    scoped_free char *theirs = NULL;

    begin(fixture);
    fixture->config.allowed_users = "nobody,root,daemon";
    fixture_restart(fixture);
    make_shared();
    theirs = mem_printf("%s/nobody", shared);
    assert_int_equal(mkdir(theirs, 0755), 0);
    assert_int_equal(chown(theirs, 1234, 1234), 0);
    end_app(fixture);
    fixture_until(fixture, is_user_noted);
    plan.app_id = "application_1700000000000_0002";
    plan.user = "daemon";
    fixture_run(fixture, &plan);
    runtime_cleanup_app(fixture->runtime, plan.app_id, 3600000);
    fixture_until(fixture, is_other_saved);
    assert_true(fixture_has(fixture, "logs/" APP));
}

/* Logs of USER, a numeric id, which are large holes: they take minutes to compress. */
static void make_large_logs(struct fixture *fixture, const char *app_id, const char *user)
{
    const char *number = app_id + strlen("application_");
    scoped_free char *command =
        mem_printf("mkdir -p '%s/%s/container_%s_01_000001' && cd '%s/%s/container_%s_01_000001' && "
                   "truncate -s 1T stdout && chown -R %s .",
                   fixture->logs, app_id, number, fixture->logs, app_id, number, user);

    assert_int_equal(system(command), 0);
}

static bool are_all_begun(struct fixture *fixture)
{
    poll_events(fixture);
    return shares_refused(runtime_log_places(fixture->runtime), SHARES_OWNER_FULL) == 4;
}

static void one_users_slow_logs_do_not_delay_others(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan("container_1700000000000_0002_01_000001", SHELL("echo other"));
    char app_id[ID_TEXT_MAX];

    begin(fixture);
    make_shared();
    for (int i = 0; i < 8; i++) {
        snprintf(app_id, sizeof(app_id), "application_1700000000000_%04d", 10 + i);
        make_large_logs(fixture, app_id, "65534");
        runtime_cleanup_app(fixture->runtime, app_id, 3600000);
    }
    fixture_until(fixture, are_all_begun);
    assert_int_equal(shares_used(runtime_log_places(fixture->runtime)), 4);
    assert_non_null(strstr(note, "logs of the user with id 65534 wait"));
    assert_int_equal(notes, 1);
    plan.app_id = "application_1700000000000_0002";
    plan.user = "daemon";
    fixture_run(fixture, &plan);
    runtime_cleanup_app(fixture->runtime, plan.app_id, 3600000);
    fixture_until(fixture, is_other_saved);
}

static const char *expected; /* part of the last note */

static bool is_expected(struct fixture *fixture)
{
    poll_events(fixture);
    return notes > 0 && strstr(note, expected) != NULL;
}

static void logs_stay_if_their_owner_has_no_account_or_is_banned(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *command = NULL;

    begin(fixture);
    end_app(fixture);
    fixture_until(fixture, is_noted); /* there is no shared storage yet */
    fixture->config.banned_users = "nobody";
    fixture_restart(fixture);
    make_shared();
    expected = "listed in creel.container.banned-users";
    fixture_until(fixture, is_expected);
    command = mem_printf("chown 54321 '%s/logs/" APP "/" ID "'", fixture->base);
    assert_int_equal(system(command), 0);
    fixture->config.banned_users = NULL;
    fixture_restart(fixture);
    expected = "user id 54321 has no account on this node";
    fixture_until(fixture, is_expected);
    assert_false(fixture_has(fixture, SAVED));
    assert_true(fixture_has(fixture, "logs/" APP));
}

/* Ends the runtime first, and so its processes creel-aggregate. */
static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    return fixture_close(state);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(logs_move_to_shared_storage),
        CASE(a_failure_is_reported_once_and_tried_again),
        CASE(a_file_that_is_there_is_not_written_again),
        CASE(after_the_time_for_attempts_logs_stay),
        CASE(a_late_log_directory_gets_another_attempt),
        CASE(logs_beside_a_silent_directory_are_written),
        CASE(one_users_problem_does_not_delay_others),
        CASE(one_users_slow_logs_do_not_delay_others),
        CASE(logs_stay_if_their_owner_has_no_account_or_is_banned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
