/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_launch.c - test: starting containers on this machine's real cgroups
 *
 * Needs root. Checks what a user sees: exit status, output, environment, files.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/unit/linux/linux_fixture.h"
#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/cgroup.h"
#include "nm-agent/linux/parts/tree.h"

#define ID "container_1700000000000_0001_01_000001"
#define SECOND "container_1700000000000_0001_01_000002"
#define APP "application_1700000000000_0001"

static void test_statuses(void **state)
{
    static const struct {
        const char *script;
        int status;
    } cases[] = {
        { "true", 0 },
        { "false", 1 },
        { "exit 42", 42 },
        { "kill -SEGV $$", 139 },
        { "kill -TERM $$", 143 },
        { "kill -KILL $$", 137 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06zu", i + 1);
        struct launch plan = fixture_plan(id, SHELL(cases[i].script));
        struct runtime_event event = fixture_run(*state, &plan);

        assert_int_equal(event.end.exit_status, cases[i].status);
        assert_string_equal(event.end.diagnostics, "");
        assert_true(event.end.started_ms > 1600000000000);
        assert_true(event.end.finished_ms >= event.end.started_ms);
    }
}

static void test_running_is_reported_first(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("true"));
    struct runtime_event event;

    fixture_launch(fixture, &plan);
    event = fixture_event(fixture);
    assert_int_equal(event.kind, RUNTIME_RUNNING);
    assert_string_equal(event.container_id, ID);
    event = fixture_event(fixture);
    assert_int_equal(event.kind, RUNTIME_EXITED);
    assert_false(runtime_poll(fixture->runtime, &event));
    runtime_cleanup(fixture->runtime, ID);
}

static void test_output(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("echo out; echo problem >&2; cat"));

    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
    scoped_free char *out = fixture_log(fixture, ID, "stdout");
    scoped_free char *problem = fixture_log(fixture, ID, "stderr");

    assert_string_equal(out, "out\n");
    assert_string_equal(problem, "problem\n");
}

static void test_command_not_found(void **state)
{
    static const char *const missing[] = { "no-such-command", "x", NULL };
    static const char *const missing_path[] = { "./no-such-script", NULL };
    static const char *const not_executable[] = { "/etc/passwd", NULL };
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, missing);
    struct runtime_event event = fixture_run(fixture, &plan);

    assert_int_equal(event.end.exit_status, 127);
    assert_non_null(strstr(event.end.diagnostics, "command not found: \"no-such-command\" (PATH=/opt/"
                                                  "creel-test/bin:"));
    assert_int_equal(event.end.started_ms, 0);

    plan = fixture_plan("container_1700000000000_0001_01_000002", missing_path);
    event = fixture_run(fixture, &plan);
    assert_int_equal(event.end.exit_status, 127);
    assert_non_null(strstr(event.end.diagnostics, "command not found: \"./no-such-script\""));

    plan = fixture_plan("container_1700000000000_0001_01_000003", not_executable);
    event = fixture_run(fixture, &plan);
    assert_int_equal(event.end.exit_status, 126);
    assert_non_null(strstr(event.end.diagnostics, "not executable"));
}

static void test_directory_is_missing(void **state)
{
    struct launch plan = fixture_plan(ID, SHELL("true"));
    struct runtime_event event;

    plan.directory = "/no/such/directory";
    event = fixture_run(*state, &plan);
    assert_int_equal(event.end.exit_status, -1);
    assert_non_null(strstr(event.end.diagnostics, "directory could not be entered: /no/such/directory: "
                                                  "No such file"));
}

/* --- user and environment --------------------------------------------------- */

static void test_user_and_environment(void **state)
{
    static const char *const environment[] = { "GREETING=a b=c", "LANG=over", NULL };
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(
        ID, SHELL("id -un; id -Gn; echo \"$GREETING|$LANG|$CREEL_TEST_PASSED|$CREEL_TEST_SECRET|$USER|"
                  "$CONTAINER_ID|$CREEL_APP_ID|$HOME\"; test \"$PWD\" = \"$(pwd -P)\" && "
                  "test \"$TMPDIR\" = \"$PWD/tmp\" && touch \"$TMPDIR/x\" here \"$LOG_DIRS/syslog\" && "
                  "stat -c %a . tmp; grep -c . /proc/self/cgroup >/dev/null; "
                  "grep NoNewPrivs /proc/self/status; ls /proc/self/fd | wc -l; umask; ulimit -n"));
    scoped_free char *out = NULL;

    setenv("CREEL_TEST_PASSED", "yes", 1);
    setenv("CREEL_TEST_SECRET", "no", 1);
    setenv("LANG", "C", 1);
    plan.environment = environment;
    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
    out = fixture_log(fixture, ID, "stdout");
    assert_string_equal(out, "nobody\nnogroup\na b=c|over|yes||nobody|" ID "|" APP
                             "|/nonexistent\n700\n700\nNoNewPrivs:\t1\n4\n0022\n1024\n");
}

static void test_secrets(void **state)
{
    struct fixture *fixture = *state;
    const struct launch_secret secrets[] = { { ".token", "s3cret", 6, "TOKEN_FILE" } };
    struct launch plan = fixture_plan(ID, SHELL("cat $TOKEN_FILE; stat -c ' %a %U' .token"));

    plan.secrets = secrets;
    plan.secret_count = 1;
    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
    scoped_free char *out = fixture_log(fixture, ID, "stdout");

    assert_string_equal(out, "s3cret 400 nobody\n");
}

static void test_job_token(void **state)
{
    static const char *const ids[] = { ID, SECOND }; /* the second one finds the file of the first one */
    struct fixture *fixture = *state;

    for (size_t i = 0; i < 2; i++) {
        struct launch plan =
            fixture_plan(ids[i], SHELL("cat $CREEL_JOB_TOKEN_FILE; stat -c ' %a %U' $CREEL_JOB_TOKEN_FILE; "
                                       "rm -f $CREEL_JOB_TOKEN_FILE 2>/dev/null || echo kept; ls"));
        scoped_free char *out = NULL;

        plan.job_token = "t0ken";
        plan.job_token_size = 5;
        assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
        out = fixture_log(fixture, ids[i], "stdout");
        assert_string_equal(out, "t0ken 400 nobody\nkept\ntmp\n");
    }
}

static void test_users_refused(void **state)
{
    static const struct {
        const char *user, *reason;
        int result;
    } cases[] = {
        { "no-such-user", "unknown on this node", -LAUNCH_NO_ACCOUNT },
        { "root", "below creel.container.min-user-id 1000", -EACCES },
        { "bin", "creel.container.banned-users", -EACCES },
        { "../root", "is not a user name", -EACCES },
        { "", "is not a user name", -EACCES },
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct launch plan = fixture_plan(ID, SHELL("true"));
        struct err err = { .code = 0 };

        plan.user = cases[i].user;
        assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), cases[i].result);
        assert_non_null(strstr(err.text, cases[i].reason));
        assert_int_equal(fixture_groups(fixture), 0);
        assert_false(fixture_has(fixture, "state/containers/" ID));
    }
    /* The user is listed in allowed-system-users. */
    struct launch plan = fixture_plan(ID, SHELL("id -un"));

    plan.user = "daemon";
    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
}

/* --- duplicate starts and unsafe names --------------------------------------- */

static void test_second_launch_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("echo once"));
    struct err err = { .code = 0 };

    fixture_launch(fixture, &plan);
    assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EEXIST);
    fixture_wait(fixture, ID, RUNTIME_EXITED);
    assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EEXIST);
    runtime_cleanup(fixture->runtime, ID);
    assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EEXIST);
    runtime_acknowledge(fixture->runtime, ID);
    assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EEXIST);
    assert_int_equal(runtime_save(fixture->runtime, ID, "x", 1, &err), -EEXIST);
    fixture_restart(fixture);
    assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EEXIST);
    scoped_free char *out = fixture_log(fixture, ID, "stdout");

    assert_string_equal(out, "once\n");
}

static void test_names_are_checked(void **state)
{
    static const char *const bad[] = {
        "../x",
        "a/b",
        ".hidden",
        "",
        "a b",
        "x\n",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    };
    struct fixture *fixture = *state;
    struct err err = { .code = 0 };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct launch plan = fixture_plan(bad[i], SHELL("true"));

        assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EINVAL);
        assert_int_equal(runtime_save(fixture->runtime, bad[i], "x", 1, &err), -EINVAL);
        runtime_cleanup(fixture->runtime, bad[i]);
        runtime_acknowledge(fixture->runtime, bad[i]);
        runtime_stop(fixture->runtime, bad[i]);
        runtime_cleanup_app(fixture->runtime, bad[i], 0);
        plan = fixture_plan(ID, SHELL("true"));
        plan.app_id = bad[i];
        assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EINVAL);
    }
    const struct launch_secret secrets[] = { { "../../escape", "x", 1, NULL } };
    struct launch plan = fixture_plan(ID, SHELL("true"));

    plan.secrets = secrets;
    plan.secret_count = 1;
    assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EBADR);
    assert_non_null(strstr(err.text, "is not a file name"));
    assert_int_equal(fixture_groups(fixture), 0);
}

/* --- cleanup ---------------------------------------------------------------- */

/* The runtime removes trees in small steps, so that a large tree does not block the agent. */
static bool work_is_gone(struct fixture *fixture)
{
    struct runtime_event event;

    assert_false(runtime_poll(fixture->runtime, &event)); /* removes the next part */
    return !fixture_has(fixture, "local/usercache/nobody/appcache/" APP "/" ID);
}

static void test_cleanup_leaves_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(
        ID, SHELL("mkdir -p a/b/c; ln -s /etc a/link; chmod 0 a/b; mkfifo pipe; touch 'odd name'; "
                  "i=0; d=deep; while [ $i -lt 120 ]; do d=$d/d; i=$((i+1)); done; mkdir -p $d"));
    uint64_t size;
    size_t got;
    char byte;
    struct err err;

    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
    assert_int_equal(fixture_groups(fixture), 0);
    fixture_until(fixture, work_is_gone);
    assert_true(access("/etc/passwd", F_OK) == 0);
    runtime_cleanup(fixture->runtime, ID);
    runtime_acknowledge(fixture->runtime, ID);
    assert_false(fixture_has(fixture, "state/containers/" ID "/record"));
    assert_false(fixture_has(fixture, "state/containers/" ID "/exit"));
    assert_true(fixture_has(fixture, "state/containers/" ID "/acked"));
    assert_true(fixture_has(fixture, "logs/" APP "/" ID "/stdout"));
    runtime_cleanup_app(fixture->runtime, APP, 0);
    runtime_cleanup_app(fixture->runtime, APP, 0);
    assert_false(fixture_has(fixture, "state/containers/" ID));
    assert_false(fixture_has(fixture, "local/usercache/nobody"));
    assert_false(fixture_has(fixture, "logs/" APP));
    assert_int_equal(runtime_read_log(fixture->runtime, ID, "stdout", 0, &byte, 1, &got, &size, &err),
                     -ENOENT);
    assert_non_null(strstr(err.text, "has expired"));
}

static bool user_is_gone(struct fixture *fixture)
{
    struct runtime_event event;

    runtime_poll(fixture->runtime, &event); /* removal continues in small steps */
    return !fixture_has(fixture, "local/usercache/nobody");
}

static void test_many_at_once(void **state)
{
    enum { COUNT = 200 };
    struct fixture *fixture = *state;
    int ended = 0;

    for (int i = 0; i < COUNT; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06d", i + 1);
        scoped_free char *script = mem_printf("echo %d; exit %d", i, i % 100);
        struct launch plan = fixture_plan(id, SHELL(script));

        fixture_launch(fixture, &plan);
    }
    while (ended < COUNT) {
        struct runtime_event event = fixture_event(fixture);
        int number = atoi(event.container_id + strlen(event.container_id) - 6) - 1;

        if (event.kind != RUNTIME_EXITED)
            continue;
        assert_int_equal(event.end.exit_status, number % 100);
        runtime_cleanup(fixture->runtime, event.container_id);
        ended++;
    }
    runtime_cleanup_app(fixture->runtime, APP, 0);
    fixture_until(fixture, user_is_gone);
}

struct ends {
    unsigned char of[400];
    int sum;
};

static void count_end(struct ends *ends, const struct runtime_event *event)
{
    const char *id = event->container_id;
    long number = strtol(id + strlen(id) - 6, NULL, 10);

    if (event->kind != RUNTIME_EXITED)
        return;
    assert_int_equal(event->end.exit_status, 0);
    assert_int_equal(ends->of[number]++, 0);
    ends->sum++;
}

/* Another shim that is just being spawned may hold a copy of the descriptor whose close reports the end. */
static void test_end_is_reported_once(void **state)
{
    struct fixture *fixture = *state;
    struct ends ends = { .sum = 0 };
    int count = (int)sizeof(ends.of);

    for (int i = 0; i < count; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06d", i);
        struct launch plan = fixture_plan(id, SHELL("true"));
        struct runtime_event event;

        fixture_launch(fixture, &plan);
        for (int look = 0; look < 100; look++)
            while (runtime_poll(fixture->runtime, &event))
                count_end(&ends, &event);
    }
    while (ends.sum < count) {
        struct runtime_event event = fixture_event(fixture);

        count_end(&ends, &event);
    }
    for (int i = 0; i < count; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06d", i);

        runtime_cleanup(fixture->runtime, id);
    }
    runtime_cleanup_app(fixture->runtime, APP, 0);
}

/* A container that left its directory empty passes the directory on to the next container. From other
 * containers nothing remains visible. */
static void test_directories_are_used_again(void **state)
{
    static const struct {
        const char *script;
        bool is_spare;
    } cases[] = {
        { "true", true },
        { "mkdir a && rmdir a && touch tmp/x && rm tmp/x", true },
        { "touch tmp/x", false },
        { "touch x", false },
        { "chmod 0750 .", false },
        { "chmod 0777 tmp", false },
        { "rmdir tmp", false },
        { "rmdir tmp && touch tmp", false },
        { "rmdir tmp && ln -s /etc tmp", false },
        { "mkdir tmp/a", false },
        { "true", true },
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06zu", i + 1), *log = NULL;
        scoped_free char *script = mem_printf("ls -A . tmp; stat -c '%%U %%a' . tmp; %s", cases[i].script);
        scoped_free char *spare = mem_printf("ls %s/usercache/nobody/appcache/" APP " | "
                                             "grep -qx 'spare-[0-9]*'",
                                             fixture->local);
        struct launch plan = fixture_plan(id, SHELL(script));

        assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
        log = fixture_log(fixture, id, "stdout");
        assert_string_equal(log, ".:\ntmp\n\ntmp:\nnobody 700\nnobody 700\n");
        assert_int_equal(system(spare) == 0, cases[i].is_spare);
    }
    runtime_cleanup_app(fixture->runtime, APP, 0);
    fixture_until(fixture, user_is_gone);
}

static int flags_of(const char *path)
{
    scoped_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int flags = -1;

    return fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 ? flags : -1;
}

/* The file system places the directories of different containers in different block groups (FS_TOPDIR_FL);
 * all files below one container's directory stay together. */
static void test_containers_are_spread(void **state)
{
    static const char *const spread[] = { "state/containers", "local/usercache/nobody/appcache/" APP,
                                          "logs/" APP };
    static const char *const together[] = { "state/containers/" ID, "logs/" APP "/" ID,
                                            "local/usercache/nobody/appcache/" APP "/" ID };
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("true"));
    scoped_free char *other = mem_printf("%s/other", fixture->base);

    assert_int_equal(mkdir(other, 0700), 0);
    tree_spread(other);
    if ((flags_of(other) & FS_TOPDIR_FL) == 0 || flags_of(other) == -1)
        skip(); /* this file system has no such flag */
    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_EXITED);
    for (size_t i = 0; i < 3; i++) {
        scoped_free char *parent = mem_printf("%s/%s", fixture->base, spread[i]);
        scoped_free char *child = mem_printf("%s/%s", fixture->base, together[i]);

        assert_true((flags_of(parent) & FS_TOPDIR_FL) != 0);
        assert_int_equal(flags_of(child) & FS_TOPDIR_FL, 0);
    }
    runtime_cleanup(fixture->runtime, ID);
}

static void ignore(int signal_number)
{
    (void)signal_number;
}

/* The kernel does not set a memory limit while a signal is pending. */
static void test_limits_in_a_rain_of_signals(void **state)
{
    struct fixture *fixture = *state;
    struct itimerval rain = { .it_interval.tv_usec = 20, .it_value.tv_usec = 20 }, dry = { 0 };
    struct sigaction action = { .sa_handler = ignore }, before;
    struct leaf_limits limits = {
        .memory_bytes = 64 << 20, .vcores = 1, .cpu_quota_us = -1, .pids_max = 100
    };
    struct cgroups *groups;
    struct leaf leaf;
    struct err err = { 0 };
    int failed = 0;

    assert_int_equal(cgroups_new(fixture->root, "rain", NULL, &groups, &err), 0);
    leaf = cgroups_leaf(groups, ID);
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &rain, NULL);
    for (int i = 0; i < 300; i++) {
        failed += cgroups_create(groups, ID, &limits, &err) != 0;
        leaf_remove(&leaf);
    }
    setitimer(ITIMER_REAL, &dry, NULL);
    sigaction(SIGALRM, &before, NULL);
    leaf_clear(&leaf);
    cgroups_free(groups);
    if (failed)
        fail_msg("%d of 300 failed: %s", failed, err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_statuses),
        CASE(test_running_is_reported_first),
        CASE(test_output),
        CASE(test_command_not_found),
        CASE(test_directory_is_missing),
        CASE(test_user_and_environment),
        CASE(test_secrets),
        CASE(test_job_token),
        CASE(test_users_refused),
        CASE(test_second_launch_is_refused),
        CASE(test_names_are_checked),
        CASE(test_cleanup_leaves_nothing),
        CASE(test_many_at_once),
        CASE(test_end_is_reported_once),
        CASE(test_limits_in_a_rain_of_signals),
        CASE(test_containers_are_spread),
        CASE(test_directories_are_used_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
