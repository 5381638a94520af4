/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm_notify.c - test: events of jobs in rows of the store, their JSON, the bounds of the queue, and runs of
 * the notify command
 */
#include "tests/unit/store/store_support.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/monotonic.h"
#include "rm/net/notify/notify_command.h"
#include "rm/net/notify/notify_jobs.h"
#include "rm/net/notify/notify_queue.h"
#include "rm/net/notify/notify_settings.h"

#define ID "application_1700000000000_0001"
#define LONG_MS 60000
#define SHORT_MS 100

/* --- events of jobs ------------------------------------------------------------- */

static Creel__StoredApp row_of(Creel__AppState state, int64_t started_ms)
{
    Creel__StoredApp row = CREEL__STORED_APP__INIT;

    row.app_id = (char *)(uintptr_t)ID;
    row.state = state;
    row.started_ms = started_ms;
    row.exit_status = -1000;
    return row;
}

static void the_result_decides_between_end_and_fail(void **state)
{
    static const struct {
        Creel__EventKind kind;
        Creel__FinalStatus status;
        const char *event, *diagnostics;
    } cases[] = {
        { CREEL__EVENT_KIND__EVENT_APP_STARTED, CREEL__FINAL_STATUS__FINAL_UNDEFINED, "begin", "" },
        { CREEL__EVENT_KIND__EVENT_APP_FINISHED, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, "end", "" },
        { CREEL__EVENT_KIND__EVENT_APP_FINISHED, CREEL__FINAL_STATUS__FINAL_FAILED, "fail", "" },
        { CREEL__EVENT_KIND__EVENT_APP_FAILED, CREEL__FINAL_STATUS__FINAL_FAILED, "fail", "" },
        { CREEL__EVENT_KIND__EVENT_APP_KILLED, CREEL__FINAL_STATUS__FINAL_KILLED, "end", "" },
        { CREEL__EVENT_KIND__EVENT_APP_KILLED, CREEL__FINAL_STATUS__FINAL_FAILED, "end", "" },
        { CREEL__EVENT_KIND__EVENT_APP_KILLED, CREEL__FINAL_STATUS__FINAL_KILLED, "end", "killed by ann" },
        { CREEL__EVENT_KIND__EVENT_APP_KILLED, CREEL__FINAL_STATUS__FINAL_KILLED, "fail",
          "killed by the resource manager: its time limit of 60 s is reached" },
        { CREEL__EVENT_KIND__EVENT_APP_KILLED, CREEL__FINAL_STATUS__FINAL_KILLED, "fail",
          "killed by the resource manager: its lifetime of 60 s is over" },
        { CREEL__EVENT_KIND__EVENT_APP_KILLED, CREEL__FINAL_STATUS__FINAL_KILLED, "fail",
          "killed by the resource manager: its deadline has come" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        Creel__StoredApp row = row_of(CREEL__APP_STATE__APP_RUNNING, 5);
        Creel__Event event = CREEL__EVENT__INIT;

        event.kind = cases[i].kind;
        row.final_status = cases[i].status;
        row.diagnostics = (char *)(uintptr_t)cases[i].diagnostics;
        assert_string_equal(notify_jobs_name(&event, &row), cases[i].event);
    }
}

static void the_json_is_one_line_with_the_keys_of_status(void **state)
{
    Creel__StoredApp row = row_of(CREEL__APP_STATE__APP_FAILED, 1700000001000);
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    scoped_free char *text = NULL;
    size_t length;

    (void)state;
    job.name = (char *)(uintptr_t) "two\nlines";
    row.job = &job;
    row.user = (char *)(uintptr_t) "ann";
    row.queue = (char *)(uintptr_t) "root.dev";
    row.final_status = CREEL__FINAL_STATUS__FINAL_FAILED;
    row.exit_status = 3;
    row.diagnostics = (char *)(uintptr_t) "exit status 3";
    row.submitted_ms = 1700000000000;
    row.attempts = 1;
    text = notify_jobs_json("fail", &row, &length);
    assert_int_equal(strlen(text), length);
    assert_string_equal(
        text, "{\"apiVersion\":\"creel/v1\",\"kind\":\"JobEvent\",\"event\":\"fail\",\"id\":\"" ID "\","
              "\"name\":\"two\\nlines\",\"user\":\"ann\",\"queue\":\"root.dev\",\"state\":\"FAILED\","
              "\"finalStatus\":\"FAILED\",\"exitStatus\":3,\"diagnostics\":\"exit status 3\","
              "\"submittedAt\":\"2023-11-14T22:13:20.000Z\",\"submittedMs\":1700000000000,"
              "\"startedAt\":\"2023-11-14T22:13:21.000Z\",\"startedMs\":1700000001000,\"attempt\":1}\n");
}

/* Returns the value of NAME for EVENT of a job of ann with TYPES and USERS; "-": it is not set. */
static char *variable_of(const char *name, const char *event, const char *types, const char *users)
{
    Creel__StoredApp row = row_of(CREEL__APP_STATE__APP_FAILED, 5);
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    char **variables, *found = NULL;

    job.mail_type = (char *)(uintptr_t)types;
    job.mail_user = (char *)(uintptr_t)users;
    row.job = &job;
    row.user = (char *)(uintptr_t) "ann";
    variables = notify_jobs_variables(event, &row);
    for (size_t i = 0; variables[i] != NULL; i++) {
        size_t length = strlen(name);

        if (strncmp(variables[i], name, length) == 0 && variables[i][length] == '=')
            found = mem_strdup(variables[i] + length + 1);
        free(variables[i]);
    }
    free(variables);
    return found != NULL ? found : mem_strdup("-");
}

static void mail_is_for_the_events_of_the_job(void **state)
{
    static const struct {
        const char *name, *event, *types, *users, *value;
    } cases[] = {
        { "CREEL_EVENT", "fail", "", "", "fail" },
        { "CREEL_MAIL_TYPE", "fail", "", "bob@example.org", "-" },
        { "CREEL_MAIL_TO", "fail", "", "bob@example.org", "-" },
        { "CREEL_MAIL_TYPE", "begin", "END,FAIL", "", "END,FAIL" },
        { "CREEL_MAIL_USER", "begin", "END,FAIL", "", "ann" },
        { "CREEL_MAIL_TO", "begin", "END,FAIL", "", "-" },
        { "CREEL_MAIL_TO", "begin", "all", "bob@example.org,eve", "bob@example.org,eve" },
        { "CREEL_MAIL_TO", "end", "END", "", "ann" },
        { "CREEL_MAIL_TO", "fail", "END", "", "ann" },
        { "CREEL_MAIL_TO", "end", "FAIL", "", "-" },
        { "CREEL_MAIL_TO", "fail", "fail", "", "ann" },
        { "CREEL_MAIL_TO", "fail", "NONE", "", "-" },
        { "CREEL_MAIL_TO", "fail", "TIME_LIMIT_90,REQUEUE", "", "-" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scoped_free char *value = variable_of(cases[i].name, cases[i].event, cases[i].types, cases[i].users);

        assert_string_equal(value, cases[i].value);
    }
}

/* --- the queue -------------------------------------------------------------------- */

static bool add(struct notify_queue *queue, unsigned number, const char *text)
{
    scoped_free char *id = mem_printf("application_1700000000000_%04u", number);

    return notify_queue_add(queue, id, "end", text, strlen(text), NULL);
}

static void a_full_queue_takes_no_more_events(void **state)
{
    struct notify_queue *queue = notify_queue_new();
    unsigned number = 0;

    (void)state;
    while (number < NOTIFY_QUEUE_MAX)
        assert_true(add(queue, ++number, "{}\n"));
    assert_false(add(queue, ++number, "{}\n"));
    assert_non_null(notify_queue_pop(queue));
    assert_int_equal(notify_queue_waiting(queue), NOTIFY_QUEUE_MAX - 1);
    assert_true(add(queue, ++number, "{}\n"));
    assert_false(add(queue, ++number, "{}\n"));
    notify_queue_free(queue);
}

static void the_bytes_of_waiting_events_are_bounded(void **state)
{
    struct notify_queue *queue = notify_queue_new();
    scoped_free char *text = mem_alloc(NOTIFY_QUEUE_BYTES_MAX / 4 + 1);

    (void)state;
    memset(text, 'x', NOTIFY_QUEUE_BYTES_MAX / 4);
    text[NOTIFY_QUEUE_BYTES_MAX / 4] = '\0';
    for (unsigned i = 1; i <= 4; i++)
        assert_true(add(queue, i, text));
    assert_false(add(queue, 5, "x"));
    assert_non_null(notify_queue_pop(queue));
    assert_true(add(queue, 5, "x"));
    notify_queue_free(queue);
}

static void few_events_are_taken_at_once_and_in_order(void **state)
{
    struct notify_queue *queue = notify_queue_new();
    struct notify_event *taken[NOTIFY_AT_ONCE];

    (void)state;
    for (unsigned i = 0; i <= NOTIFY_AT_ONCE; i++)
        assert_true(add(queue, i + 1, "{}\n"));
    for (unsigned i = 0; i < NOTIFY_AT_ONCE; i++) {
        taken[i] = notify_queue_pop(queue);
        assert_non_null(taken[i]);
        assert_int_equal(taken[i]->app_id[strlen(taken[i]->app_id) - 1], '1' + (int)i);
    }
    assert_null(notify_queue_pop(queue));
    notify_queue_done(queue, taken[2]);
    assert_non_null(notify_queue_pop(queue));
    assert_null(notify_queue_pop(queue));
    notify_queue_free(queue);
}

static void events_of_one_job_are_taken_one_after_another(void **state)
{
    struct notify_queue *queue = notify_queue_new();
    struct notify_event *begin, *other;

    (void)state;
    add(queue, 1, "begin");
    add(queue, 1, "end");
    add(queue, 2, "other");
    begin = notify_queue_pop(queue);
    other = notify_queue_pop(queue);
    assert_memory_equal(begin->text, "begin", 5);
    assert_memory_equal(other->text, "other", 5);
    assert_null(notify_queue_pop(queue));
    notify_queue_done(queue, begin);
    assert_memory_equal(notify_queue_pop(queue)->text, "end", 3);
    notify_queue_free(queue);
}

/* --- the command -------------------------------------------------------------------- */

/* Runs SCRIPT by the shell, or the program of that path, with TEXT. */
static int run(const char *script, int64_t timeout_ms, bool stop, const char *text, struct err *err)
{
    char *const shell[] = { (char *)(uintptr_t) "/bin/sh", (char *)(uintptr_t) "-c",
                            (char *)(uintptr_t)script, NULL };
    char *const program[] = { (char *)(uintptr_t)script, NULL };
    char *const environment[] = { (char *)(uintptr_t) "PATH=/usr/bin:/bin", NULL };
    scoped_fd int stop_fd = eventfd(stop ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK);
    const struct notify_command command = {
        .argv = script[0] == '/' ? program : shell,
        .environment = environment,
        .timeout_ms = timeout_ms,
        .stop_fd = stop_fd,
    };

    return notify_command_run(&command, text, strlen(text), err);
}

static void the_command_reads_the_event(void **state)
{
    struct err err = { 0 };

    (void)state;
    assert_ok(run("read line && [ \"$line\" = '{\"event\":1}' ] && ! read more", LONG_MS, false,
                  "{\"event\":1}\n", &err),
              err);
    assert_ok(run("exit 0", LONG_MS, false, "it need not read it", &err), err);
}

static void a_large_event_reaches_a_slow_reader(void **state)
{
    struct err err = { 0 };
    scoped_free char *text = mem_alloc(1000001);

    (void)state;
    memset(text, 'x', 1000000);
    text[1000000] = '\0';
    assert_ok(run("[ \"$(wc -c)\" -eq 1000000 ]", LONG_MS, false, text, &err), err);
}

static void the_reason_of_a_failure_is_its_standard_error(void **state)
{
    struct err err = { 0 };

    (void)state;
    assert_int_equal(run("echo 'no such\tmailbox' >&2; exit 3", LONG_MS, false, "", &err), -ECHILD);
    assert_string_equal(err.text, "exit status 3: no such mailbox");
    assert_int_equal(run("kill -TERM $$", LONG_MS, false, "", &err), -ECHILD);
    assert_string_equal(err.text, "killed by signal 15");
    assert_int_equal(run("/nonexistent/program", LONG_MS, false, "", &err), -ENOENT);
    assert_string_equal(err.text, "cannot be executed: No such file or directory");
}

static void a_hung_command_is_killed_with_its_children(void **state)
{
    struct err err = { 0 };

    (void)state;
    /* The output of both would keep the pipe open. */
    assert_int_equal(run("trap '' TERM; sleep 1000 & sleep 1000", SHORT_MS, false, "", &err), -ETIMEDOUT);
    assert_string_equal(err.text, "killed after 100 ms (creel.jobs.notify-timeout-ms)");
    assert_int_equal(run("sleep 1000", LONG_MS, true, "", &err), -ECANCELED);
}

/* Returns true if the process has ended; one that nobody has waited for counts. */
static bool has_ended(int pid)
{
    scoped_free char *path = mem_printf("/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    char process_state = 'X';

    if (file == NULL)
        return true;
    if (fscanf(file, "%*d (%*[^)]) %c", &process_state) != 1)
        process_state = 'X';
    fclose(file);
    return process_state == 'X' || process_state == 'Z';
}

static void processes_that_a_command_leaves_are_ended(void **state)
{
    char *directory = scratch_make();
    scoped_free char *script = mem_printf("cd %s && { sleep 1000 & echo $! >pid; }", directory);
    scoped_free char *path = mem_printf("%s/pid", directory);
    int64_t deadline_ms = monotonic_ms() + LONG_MS;
    struct err err = { 0 };
    FILE *file;
    int pid = 0;

    (void)state;
    assert_ok(run(script, LONG_MS, false, "", &err), err);
    file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &pid), 1);
    fclose(file);
    while (!has_ended(pid) && monotonic_ms() < deadline_ms)
        sched_yield();
    assert_true(has_ended(pid));
    scratch_remove(directory);
}

/* --- settings ------------------------------------------------------------------------- */

static int read_settings(const char *command, const char *user, struct notify_settings *settings,
                         struct err *err)
{
    struct conf *conf = conf_new_defaults();
    int r;

    assert_int_equal(conf_set(conf, "creel.jobs.notify-command", command, err), 0);
    assert_int_equal(conf_set(conf, "creel.jobs.notify-user", user, err), 0);
    r = notify_settings_read(conf, settings, err);
    conf_free(conf);
    return r;
}

static void the_command_is_split_at_blanks(void **state)
{
    struct notify_settings settings;
    struct err err = { 0 };

    (void)state;
    assert_ok(read_settings("  /usr/bin/mailer  --to 'ops\n", "", &settings, &err), err);
    assert_string_equal(settings.command.argv[0], "/usr/bin/mailer");
    assert_string_equal(settings.command.argv[1], "--to");
    assert_string_equal(settings.command.argv[2], "'ops");
    assert_null(settings.command.argv[3]);
    assert_int_equal(settings.command.timeout_ms, 30000);
    assert_int_equal(settings.command.switch_user, geteuid() == 0);
    notify_settings_done(&settings);
    assert_ok(read_settings(" ", "", &settings, &err), err);
    assert_null(settings.command.argv);
    notify_settings_done(&settings);
}

static void a_command_or_user_that_cannot_be_used_is_refused(void **state)
{
    struct notify_settings settings;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(read_settings("mailer --to ops", "", &settings, &err), -EINVAL);
    assert_contains(err.text, "creel.jobs.notify-command: mailer is no absolute path");
    assert_int_equal(read_settings("/usr/bin/mailer", "no-such-user", &settings, &err), -EINVAL);
    assert_contains(err.text, "creel.jobs.notify-user: no-such-user: there is no such user on this host");
    if (geteuid() == 0)
        return;
    assert_int_equal(read_settings("/usr/bin/mailer", "root", &settings, &err), -EINVAL);
    assert_contains(err.text, "creel.jobs.notify-user: root: the resource manager does not run as root");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_result_decides_between_end_and_fail),
        cmocka_unit_test(the_json_is_one_line_with_the_keys_of_status),
        cmocka_unit_test(mail_is_for_the_events_of_the_job),
        cmocka_unit_test(a_full_queue_takes_no_more_events),
        cmocka_unit_test(the_bytes_of_waiting_events_are_bounded),
        cmocka_unit_test(few_events_are_taken_at_once_and_in_order),
        cmocka_unit_test(events_of_one_job_are_taken_one_after_another),
        cmocka_unit_test(the_command_reads_the_event),
        cmocka_unit_test(a_large_event_reaches_a_slow_reader),
        cmocka_unit_test(the_reason_of_a_failure_is_its_standard_error),
        cmocka_unit_test(a_hung_command_is_killed_with_its_children),
        cmocka_unit_test(processes_that_a_command_leaves_are_ended),
        cmocka_unit_test(the_command_is_split_at_blanks),
        cmocka_unit_test(a_command_or_user_that_cannot_be_used_is_refused),
    };

    signal(SIGPIPE, SIG_IGN); /* as loop_new does */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
