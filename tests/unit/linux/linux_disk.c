/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_disk.c - test: cached files, logs, and full disks
 *
 * Needs root. Full disks are small tmpfs file systems in a mount namespace of the test's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/linux/linux_fixture.h"
#include "common/base/mem.h"
#include "nm-agent/linux/state/disk_io.h"
#include "nm-agent/linux/runtime_state.h"

#define ID "container_1700000000000_0001_01_000001"
#define APP "application_1700000000000_0001"
#define OTHER_ID "container_1700000000000_0002_01_000001"
#define OTHER_APP "application_1700000000000_0002"

/* --- the cache ----------------------------------------------------------------- */

static const char *hash_of(const void *data, size_t size, char hex[65])
{
    unsigned char hash[32];

    crypto_generichash(hash, sizeof(hash), data, size, NULL, 0);
    return sodium_bin2hex(hex, 65, hash, sizeof(hash));
}

static int put(struct fixture *fixture, const char *hash, const char *data, size_t size, size_t chunk,
               struct err *err)
{
    int result = 0;

    for (size_t at = 0; (at < size || at == 0) && result == 0; at += chunk)
        result = runtime_cache_write(fixture->runtime, hash, size, at, data + at,
                                     size - at < chunk ? size - at : chunk, err);
    return result;
}

static void test_file_in_container(void **state)
{
    static const char script[] = "#!/bin/sh\necho from the cache\n";
    struct fixture *fixture = *state;
    char hash[65], empty_hash[65];
    struct err err = { .code = 0 };
    const char *name = hash_of(script, strlen(script), hash);
    const struct launch_file files[] = {
        { "job.sh", name, 0500, false },
        { "plain", name, 0400, false },
        { "empty", hash_of("", 0, empty_hash), 0400, false },
    };
    struct launch plan = fixture_plan(
        ID, SHELL("./job.sh && cmp job.sh plain && test ! -x plain && test ! -s empty && "
                  "! (echo x >> plain) 2>/dev/null && ! chmod u+w job.sh 2>/dev/null && rm plain"));

    plan.files = files;
    plan.file_count = 3;
    assert_false(runtime_cache_has(fixture->runtime, name));
    assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -ENOENT);
    assert_non_null(strstr(err.text, "\"job.sh\""));
    assert_int_equal(fixture_groups(fixture), 0);
    assert_int_equal(put(fixture, name, script, strlen(script), 5, &err), 0);
    assert_int_equal(put(fixture, empty_hash, "", 0, 5, &err), 0);
    assert_true(runtime_cache_has(fixture->runtime, name));
    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
    scoped_free char *out = fixture_log(fixture, ID, "stdout");

    assert_string_equal(out, "from the cache\n");
    assert_true(runtime_cache_has(fixture->runtime, name));
}

static void test_bad_arrivals(void **state)
{
    struct fixture *fixture = *state;
    struct runtime *runtime = fixture->runtime;
    char hash[65];
    struct err err = { .code = 0 };

    hash_of("good", 4, hash);
    assert_int_equal(runtime_cache_write(runtime, hash, 4, 0, "evil", 4, &err), -EBADMSG);
    assert_false(runtime_cache_has(runtime, hash));
    assert_int_equal(runtime_cache_write(runtime, hash, 4, 2, "od", 2, &err), -EINVAL);
    assert_non_null(strstr(err.text, "begin again at 0"));
    assert_int_equal(runtime_cache_write(runtime, hash, 4, 0, "go", 2, &err), 0);
    assert_int_equal(runtime_cache_write(runtime, hash, 4, 2, "odbye", 5, &err), -EINVAL);
    assert_int_equal(runtime_cache_write(runtime, hash, 5, 2, "od", 2, &err), -EINVAL);
    assert_int_equal(runtime_cache_write(runtime, hash, 4, 2, "od", 2, &err), 0);
    assert_true(runtime_cache_has(runtime, hash));
    assert_int_equal(runtime_cache_write(runtime, "../../etc/passwd", 4, 0, "x", 1, &err), -EINVAL);
    assert_int_equal(runtime_cache_write(runtime, hash_of("big", 3, hash), 2 << 20, 0, "x", 1, &err), -EFBIG);
    assert_non_null(strstr(err.text, "yarn.nodemanager.localizer.cache.target-size-mb"));
}

static void test_cache_is_bounded(void **state)
{
    enum { SIZE = 300000 };
    struct fixture *fixture = *state;
    scoped_free char *data = mem_alloc0(SIZE);
    char hash[5][65];
    struct err err = { .code = 0 };
    struct launch_file file = { .name = "held", .hash_hex = hash[0], .mode = 0400 };
    struct launch plan = fixture_plan(ID, SHELL("sleep 1000"));

    plan.files = &file;
    plan.file_count = 1;
    for (size_t i = 0; i < 5; i++) {
        data[0] = (char)i;
        hash_of(data, SIZE, hash[i]);
        assert_int_equal(put(fixture, hash[i], data, SIZE, 100000, &err), 0);
        if (i == 0)
            fixture_launch(fixture, &plan);
    }
    /* One megabyte holds three files: the linked file stays, the oldest other files are removed. */
    assert_true(runtime_cache_has(fixture->runtime, hash[0]));
    assert_false(runtime_cache_has(fixture->runtime, hash[1]));
    assert_false(runtime_cache_has(fixture->runtime, hash[2]));
    assert_true(runtime_cache_has(fixture->runtime, hash[3]));
    assert_true(runtime_cache_has(fixture->runtime, hash[4]));
    runtime_stop(fixture->runtime, ID);
    fixture_wait(fixture, ID, RUNTIME_EXITED);
    runtime_cleanup(fixture->runtime, ID);
}

/* --- logs ------------------------------------------------------------------------ */

static void test_log_reading(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("printf 0123456789"));
    uint64_t size = 0;
    size_t got = 0;
    char text[32] = "";
    struct err err;

    assert_int_equal(runtime_read_log(fixture->runtime, ID, "stdout", 0, text, 4, &got, &size, &err),
                     -ENOENT);
    assert_non_null(strstr(err.text, "has written no stdout"));
    fixture_run(fixture, &plan);
    assert_int_equal(runtime_read_log(fixture->runtime, ID, "stdout", 3, text, 4, &got, &size, &err), 0);
    assert_int_equal(got, 4);
    assert_int_equal(size, 10);
    assert_memory_equal(text, "3456", 4);
    assert_int_equal(runtime_read_log(fixture->runtime, ID, "stdout", UINT64_MAX, text, 4, &got, &size, &err),
                     0);
    assert_int_equal(got, 0);
    assert_int_equal(runtime_read_log(fixture->runtime, ID, "../stdout", 0, text, 4, &got, &size, &err),
                     -EINVAL);
    assert_int_equal(runtime_read_log(fixture->runtime, "../" ID, "stdout", 0, text, 4, &got, &size, &err),
                     -EINVAL);
}

static void test_log_tricks(void **state)
{
    static const char *const tricks[] = {
        "ln -sf /etc/shadow",
        "mkfifo",
        "ln -sfn /etc",
        "f() { echo x > y; ln y \"$1\"; }; f",
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof(tricks) / sizeof(tricks[0]); i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06zu", i + 1);
        scoped_free char *script = mem_printf("cd $LOG_DIRS; rm stdout; %s stdout", tricks[i]);
        struct launch plan = fixture_plan(id, SHELL(script));
        uint64_t size = 0;
        size_t got = 0;
        char text[32] = "";
        struct err err;

        assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
        assert_int_equal(runtime_read_log(fixture->runtime, id, "stdout", 0, text, 4, &got, &size, &err),
                         -EPERM);
        assert_string_equal(text, "");
    }
}

static bool logs_are_gone(struct fixture *fixture)
{
    struct runtime_event event;

    assert_false(runtime_poll(fixture->runtime, &event));
    return !fixture_has(fixture, "logs/" APP);
}

static bool second_logs_are_gone(struct fixture *fixture)
{
    struct runtime_event event;

    assert_false(runtime_poll(fixture->runtime, &event));
    return !fixture_has(fixture, "logs2/" APP);
}

static void test_log_retention(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("echo kept"));

    fixture_run(fixture, &plan);
    runtime_cleanup_app(fixture->runtime, APP, 400);
    scoped_free char *out = fixture_log(fixture, ID, "stdout");

    assert_string_equal(out, "kept\n");
    fixture_restart(fixture);
    runtime_cleanup_app(fixture->runtime, APP, 3600000);
    assert_true(fixture_has(fixture, "logs/" APP));
    fixture_until(fixture, logs_are_gone);
    fixture_restart(fixture);
    assert_true(fixture_has(fixture, "state/retain/" APP));
}

struct blocking {          /* a job of the thread of a directory that does not answer */
    struct worker_job job; /* first member */
    const char *pipe;      /* the job ends when the other end of this named pipe is opened */
};

static void block(struct worker_job *job)
{
    (void)close(open(((struct blocking *)job)->pipe, O_RDONLY | O_CLOEXEC));
}

static void unblock(struct worker_job *job)
{
    (void)job;
}

static bool state_answers(struct fixture *fixture)
{
    struct err err;

    return runtime_state_answers(fixture->runtime, &err);
}

/* Nothing is written to a state directory that does not answer; the time of the logs is written later. */
static void test_retention_while_the_state_directory_does_not_answer(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *pipe = mem_printf("%s/pipe", fixture->state);
    struct blocking blocking = { .job = { .run = block, .done = unblock }, .pipe = pipe };

    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_false(disk_run(&fixture->runtime->health.state, &blocking.job));
    runtime_cleanup_app(fixture->runtime, APP, 3600000);
    assert_false(fixture_has(fixture, "state/retain/" APP));
    assert_false(state_answers(fixture));
    assert_int_equal(close(open(pipe, O_WRONLY | O_CLOEXEC)), 0);
    fixture_until(fixture, state_answers);
    assert_true(fixture_has(fixture, "state/retain/" APP));
}

/* Starts the runtime again with a second log directory, and a log of the application in both. The container
 * runs before: it would use the directory with more room. */
static void use_two_log_dirs(struct fixture *fixture, const char *second)
{
    scoped_free char *both = mem_printf("%s,%s", fixture->logs, second);
    scoped_free char *logs = mem_printf("%s/" APP, second);
    struct launch plan = fixture_plan(ID, SHELL("echo kept"));

    fixture_run(fixture, &plan);
    assert_true(fixture_has(fixture, "logs/" APP));
    fixture->config.log_dirs = both;
    fixture_restart(fixture);
    fixture->config.log_dirs = fixture->logs;
    assert_int_equal(mkdir(logs, 0755), 0);
}

/* The deletion of logs does not wait for a log directory that does not answer. */
static void test_log_retention_beside_a_silent_directory(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *second = mem_printf("%s/logs2", fixture->base);
    struct blockade *blockade;

    use_two_log_dirs(fixture, second);
    blockade = fixture_block(fixture, second);
    runtime_cleanup_app(fixture->runtime, APP, 0);
    fixture_until(fixture, logs_are_gone);
    assert_true(fixture_has(fixture, "logs2/" APP));
    fixture_unblock(blockade);
    assert_true(fixture_has(fixture, "logs2/" APP)); /* its next attempt is later */
    fixture->config.log_dirs = second;
    fixture_restart(fixture);
    fixture->config.log_dirs = fixture->logs;
    fixture_until(fixture, second_logs_are_gone);
}

/* --- disks that do not answer -------------------------------------------------------- */

static bool app_is_gone(struct fixture *fixture)
{
    struct runtime_event event;

    assert_false(runtime_poll(fixture->runtime, &event));
    return !fixture_has(fixture, "local/usercache/nobody/appcache/" APP);
}

/* Begins the next attempt at what a silent disk has delayed, which is due within a minute. */
static void try_again(struct fixture *fixture)
{
    assert_int_not_equal(fixture->runtime->orphan_dirs.due_ms, 0);
    fixture->runtime->orphan_dirs.due_ms = monotonic_ms();
    runtime_arm(fixture->runtime);
}

static bool no_attempt_is_left(struct fixture *fixture)
{
    return app_is_gone(fixture) && fixture->runtime->orphan_dirs.due_ms == 0;
}

/* The file with the token of the application keeps its directory. */
static void test_directory_of_an_app_on_a_silent_disk(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("true"));
    struct blockade *blockade;

    plan.job_token = "t0ken";
    plan.job_token_size = 5;
    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
    blockade = fixture_block(fixture, fixture->local);
    runtime_cleanup_app(fixture->runtime, APP, 0);
    assert_false(app_is_gone(fixture));
    fixture_unblock(blockade);
    assert_false(app_is_gone(fixture)); /* the next attempt is later */
    try_again(fixture);
    fixture_until(fixture, app_is_gone);
    fixture_until(fixture, no_attempt_is_left);
}

static void ignore_found(void *context, const struct runtime_found *found)
{
    (void)context;
    (void)found;
}

/* An agent that starts while the disk is silent removes what earlier ones left there, but nothing of an
 * application that runs. */
static void test_restart_while_a_disk_is_silent(void **state)
{
    struct fixture *fixture = *state;
    struct launch ended = fixture_plan(ID, SHELL("true")),
                  running = fixture_plan(OTHER_ID, SHELL("sleep 1000"));
    struct blockade *blockade;
    struct err err = { .code = 0 };

    ended.job_token = running.job_token = "t0ken";
    ended.job_token_size = running.job_token_size = 5;
    running.app_id = OTHER_APP;
    fixture_launch(fixture, &running);
    fixture_wait(fixture, OTHER_ID, RUNTIME_RUNNING);
    assert_int_equal(fixture_run(fixture, &ended).end.exit_status, 0);
    blockade = fixture_block(fixture, fixture->local);
    runtime_cleanup_app(fixture->runtime, APP, 0);
    fixture_unblock(blockade);
    fixture_restart(fixture);
    blockade = fixture_block(fixture, fixture->local);
    assert_int_equal(runtime_recover(fixture->runtime, ignore_found, NULL, &err), 0);
    fixture_unblock(blockade);
    try_again(fixture);
    fixture_until(fixture, app_is_gone);
    assert_true(fixture_has(fixture, "local/usercache/nobody/appcache/" OTHER_APP "/" OTHER_ID));
    assert_true(fixture_has(fixture, "local/usercache/nobody/appcache/" OTHER_APP "/creel-job-token"));
    fixture_until(fixture, no_attempt_is_left);
    runtime_kill(fixture->runtime, OTHER_ID);
    fixture_wait(fixture, OTHER_ID, RUNTIME_EXITED);
    runtime_cleanup(fixture->runtime, OTHER_ID);
    runtime_cleanup_app(fixture->runtime, OTHER_APP, 0);
}

static int kept_count(struct fixture *fixture)
{
    scoped_free char *command =
        mem_printf("exit $(ls %s/kept 2>/dev/null | grep -c _" ID ")", fixture->local);
    int status = system(command);

    return WEXITSTATUS(status);
}

static bool is_delayed(struct fixture *fixture)
{
    struct runtime_event event;

    assert_false(runtime_poll(fixture->runtime, &event));
    return kept_count(fixture) == 1;
}

/* The delay of the deletion begins when the disk answers. */
static void test_delayed_deletion_on_a_silent_disk(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("echo left >file"));
    struct blockade *blockade;

    fixture->config.debug_delay_ms = 3600000;
    fixture_restart(fixture);
    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_EXITED);
    blockade = fixture_block(fixture, fixture->local);
    runtime_cleanup(fixture->runtime, ID);
    runtime_cleanup_app(fixture->runtime, APP, 0);
    fixture_unblock(blockade);
    try_again(fixture);
    fixture_until(fixture, is_delayed);
    fixture_until(fixture, app_is_gone);
}

/* --- full disks -------------------------------------------------------------------- */

static void mount_small(const char *path, const char *options)
{
    assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
    assert_int_equal(mount("creel-test", path, "tmpfs", 0, options), 0);
}

/* Fills the file system of PATH completely. */
static void fill(const char *path)
{
    static const char zeros[4096];
    scoped_free char *name = mem_printf("%s/filler", path);
    int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    while (write(fd, zeros, sizeof(zeros)) > 0)
        ;
    assert_int_equal(errno, ENOSPC);
    close(fd);
}

static void unfill(const char *path)
{
    scoped_free char *name = mem_printf("%s/filler", path);

    assert_int_equal(unlink(name), 0);
}

/* Opens another runtime with one of its directories on a file system of 1 MiB. */
static void reopen_with_small(struct fixture *fixture, const char *path)
{
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    mount_small(path, "size=1m,mode=755");
    fixture_restart(fixture);
}

/* A thread checks the disks: its result may come a moment later. */
static bool health_becomes(const struct fixture *fixture, bool healthy, char *report, size_t size)
{
    for (int tries = 0; tries < 2000; tries++) {
        if (runtime_healthy(fixture->runtime, report, size) == healthy)
            return true;
        usleep(10000);
    }
    return false;
}

static void test_full_at_the_start(void **state)
{
    struct fixture *fixture = *state;
    char *const places[] = { fixture->state, fixture->local };
    struct launch plan = fixture_plan(ID, SHELL("true"));
    const struct launch_secret secrets[] = { { ".token", "s3cret", 6, NULL } };
    struct err err;
    char report[256];

    plan.secrets = secrets;
    plan.secret_count = 1;
    for (size_t i = 0; i < 2; i++) {
        reopen_with_small(fixture, places[i]);
        assert_true(health_becomes(fixture, true, report, sizeof(report)));
        fill(places[i]);
        if (i == 0) {
            assert_int_equal(runtime_save(fixture->runtime, ID, "grant", 5, &err), -ENOSPC);
            assert_non_null(strstr(err.text, "/state/containers/" ID "/record: No space left"));
            assert_null(strstr(strstr(err.text, ID) + 1, ID)); /* names the container once */
            assert_false(fixture_has(fixture, "state/containers/" ID));
        }
        assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -ENOSPC);
        assert_false(fixture_has(fixture, "state/containers/" ID));
        assert_false(fixture_has(fixture, "local/usercache/nobody/appcache/" APP "/" ID));
        assert_int_equal(fixture_groups(fixture), 0);
        assert_true(health_becomes(fixture, false, report, sizeof(report)));
        assert_non_null(strstr(report, places[i]));
        assert_non_null(strstr(report, "full"));
        unfill(places[i]);
        assert_true(health_becomes(fixture, true, report, sizeof(report)));
        assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
        runtime_cleanup_app(fixture->runtime, APP, 0);
        runtime_free(fixture->runtime);
        fixture->runtime = NULL;
        assert_int_equal(umount(places[i]), 0);
        fixture_restart(fixture);
    }
}

/* The usual setup: working directories on another disk than the agent's state. */
static void test_file_from_another_disk(void **state)
{
    static const char script[] = "#!/bin/sh\necho from another disk\n";
    struct fixture *fixture = *state;
    char hash[65];
    struct err err = { .code = 0 };
    const struct launch_file files[] = { { "job.sh", hash_of(script, strlen(script), hash), 0500, false } };
    struct launch plan = fixture_plan(ID, SHELL("./job.sh"));

    plan.files = files;
    plan.file_count = 1;
    reopen_with_small(fixture, fixture->local);
    assert_int_equal(put(fixture, hash, script, strlen(script), 4096, &err), 0);
    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
    runtime_cleanup_app(fixture->runtime, APP, 0);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    assert_int_equal(umount(fixture->local), 0);
    fixture_restart(fixture);
}

static void count_ended(void *context, const struct runtime_found *found)
{
    *(int *)context += found->state == FOUND_ENDED;
}

static void test_full_at_the_end(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *go = mem_printf("%s/go", fixture->base);
    scoped_free char *script = mem_printf("while [ ! -e %s ]; do sleep 0.02; done; exit 5", go);
    struct launch plan = fixture_plan(ID, SHELL(script));
    int ended = 0;

    reopen_with_small(fixture, fixture->state);
    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    fill(fixture->state);
    close(open(go, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 5);
    fixture_restart(fixture);
    assert_int_equal(runtime_recover(fixture->runtime, count_ended, &ended, NULL), 0);
    assert_int_equal(ended, 1);
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 5);
    runtime_cleanup(fixture->runtime, ID);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    assert_int_equal(umount(fixture->state), 0);
}

static void test_read_only_disk(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("true"));
    char report[256];
    struct err err;

    reopen_with_small(fixture, fixture->local);
    assert_int_equal(mount(NULL, fixture->local, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EROFS);
    assert_int_equal(fixture_groups(fixture), 0);
    assert_true(health_becomes(fixture, false, report, sizeof(report)));
    assert_non_null(strstr(report, "read-only"));
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    assert_int_equal(umount(fixture->local), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_file_in_container),
        CASE(test_bad_arrivals),
        CASE(test_cache_is_bounded),
        CASE(test_log_reading),
        CASE(test_log_tricks),
        CASE(test_log_retention),
        CASE(test_retention_while_the_state_directory_does_not_answer),
        CASE(test_log_retention_beside_a_silent_directory),
        CASE(test_directory_of_an_app_on_a_silent_disk),
        CASE(test_restart_while_a_disk_is_silent),
        CASE(test_delayed_deletion_on_a_silent_disk),
        CASE(test_file_from_another_disk),
        CASE(test_full_at_the_start),
        CASE(test_full_at_the_end),
        CASE(test_read_only_disk),
    };

    /* Mounts of this test must not be visible elsewhere, and vanish with the process. */
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        perror("linux_disk: needs root, for a mount namespace");
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
