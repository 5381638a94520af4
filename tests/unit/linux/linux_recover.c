/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_recover.c - test: an agent that was killed recovers its containers after a restart
 *
 * Needs root. Every accepted container runs exactly once and its exit status is never lost, wherever the
 * agent was killed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/linux/linux_fixture.h"
#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/cgroup.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/linux/shim/plan.h"

#define ID "container_1700000000000_0001_01_00000"
#define APP "application_1700000000000_0001"

struct seen {
    char text[2048]; /* lines "id state record" */
};

static void note(void *context, const struct runtime_found *found)
{
    static const char *const states[] = { "saved", "running", "ended", "acked" };
    struct seen *seen = context;
    size_t used = strlen(seen->text);

    snprintf(seen->text + used, sizeof(seen->text) - used, "%s %s %.*s\n",
             found->container_id + strlen(found->container_id) - 1, states[found->state],
             (int)found->record_size, found->record ? (const char *)found->record : "");
}

static struct seen recover(struct fixture *fixture)
{
    struct seen seen = { "" };
    struct err err = { .code = 0 };

    if (runtime_recover(fixture->runtime, note, &seen, &err) != 0)
        fail_msg("runtime_recover: %s", err.text);
    return seen;
}

static bool first_has_exit(struct fixture *fixture)
{
    return fixture_has(fixture, "state/containers/" ID "1/exit");
}

static void test_each_state(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *wait = mem_printf("while [ ! -e %s/go ]; do sleep 0.02; done; exit 6", fixture->base);
    struct launch ended = fixture_plan(ID "1", SHELL("echo one; exit 9"));
    struct launch running = fixture_plan(ID "2", SHELL(wait));
    struct launch saved = fixture_plan(ID "3", SHELL("exit 3"));
    struct launch acked = fixture_plan(ID "4", SHELL("exit 4"));
    scoped_free char *go = mem_printf("%s/go", fixture->base);
    struct runtime_event event;
    struct err err;

    fixture_launch(fixture, &ended);
    fixture_launch(fixture, &running);
    fixture_wait(fixture, ID "2", RUNTIME_RUNNING);
    assert_int_equal(runtime_save(fixture->runtime, ID "3", "third", 5, &err), 0);
    fixture_run(fixture, &acked);
    runtime_acknowledge(fixture->runtime, ID "4");
    fixture_until(fixture, first_has_exit);

    fixture_restart(fixture);
    assert_string_equal(recover(fixture).text, "1 ended grant\n2 running grant\n3 saved third\n4 acked \n");
    event = fixture_wait(fixture, ID "1", RUNTIME_EXITED);
    assert_int_equal(event.end.exit_status, 9);
    assert_true(event.end.started_ms > 0);
    assert_int_equal(fixture_run(fixture, &saved).end.exit_status, 3);
    /* And once more, with a container that the second agent started. */
    fixture_restart(fixture);
    assert_string_equal(recover(fixture).text, "1 ended grant\n2 running grant\n3 ended grant\n4 acked \n");
    close(open(go, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    assert_int_equal(fixture_wait(fixture, ID "2", RUNTIME_EXITED).end.exit_status, 6);
    runtime_cleanup_app(fixture->runtime, APP, 0);
    fixture_restart(fixture);
    assert_string_equal(recover(fixture).text, "");
    assert_false(fixture_has(fixture, "local/usercache/nobody"));
}

static pid_t shim_of(const struct fixture *fixture, const char *id)
{
    scoped_free char *path = mem_printf("%s/containers/%s/started", fixture->state, id);
    FILE *stream = fopen(path, "re");
    int pid = 0;

    assert_non_null(stream);
    assert_int_equal(fscanf(stream, "%d", &pid), 1);
    fclose(stream);
    return pid;
}

static bool first_has_spoken(struct fixture *fixture)
{
    uint64_t size = 0;
    struct err err;
    size_t got = 0;
    char byte;

    return runtime_read_log(fixture->runtime, ID "1", "stdout", 0, &byte, 1, &got, &size, &err) == 0 &&
           size > 0;
}

static void test_stop_after_restart(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID "1", SHELL("trap '' TERM; echo ready; sleep 1000; sleep 1000"));

    fixture_launch(fixture, &plan);
    fixture_until(fixture, first_has_spoken);
    fixture_restart(fixture);
    assert_string_equal(recover(fixture).text, "1 running grant\n");
    assert_int_equal(runtime_launch(fixture->runtime, &plan, NULL), -EEXIST);
    runtime_stop(fixture->runtime, ID "1");
    assert_int_equal(fixture_wait(fixture, ID "1", RUNTIME_EXITED).end.exit_status, 137);
    runtime_cleanup(fixture->runtime, ID "1");
}

static void test_shim_killed_meanwhile(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID "1", SHELL("trap '' TERM; sleep 1000; sleep 1000"));
    pid_t shim;

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID "1", RUNTIME_RUNNING);
    shim = shim_of(fixture, ID "1");
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    kill(shim, SIGKILL);
    waitpid(shim, NULL, 0);
    fixture_restart(fixture);
    assert_string_equal(recover(fixture).text, "1 ended grant\n");
    assert_int_equal(fixture_wait(fixture, ID "1", RUNTIME_EXITED).end.exit_status, 154);
    runtime_cleanup(fixture->runtime, ID "1");
}

/* --- recovery on slow or overloaded hosts --------------------------------------- */

static void put_file(struct fixture *fixture, const char *id, const char *name, const char *text)
{
    scoped_free char *directory = mem_printf("%s/containers/%s", fixture->state, id);
    scoped_free char *path = mem_printf("%s/%s", directory, name);
    FILE *stream;

    mkdir(directory, 0700);
    stream = fopen(path, "we");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void remove_first(const struct fixture *fixture, const char *name)
{
    scoped_free char *path = mem_printf("%s/containers/" ID "1/%s", fixture->state, name);

    assert_int_equal(unlink(path), 0);
}

static void rename_first(const struct fixture *fixture, const char *from, const char *to)
{
    scoped_free char *old = mem_printf("%s/containers/" ID "1/%s", fixture->state, from);
    scoped_free char *new = mem_printf("%s/containers/" ID "1/%s", fixture->state, to);

    assert_int_equal(rename(old, new), 0);
}

/* Starts a process that has the lock of container 1 as a shim has it before it has written "started". Its
 * standard input is the write end of *GO: it ends when that is closed. */
static pid_t start_slow_shim(const struct fixture *fixture, int *go)
{
    scoped_free char *path = mem_printf("%s/containers/" ID "1", fixture->state);
    int pair[2], state_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    pid_t pid;
    char byte;

    assert_true(state_fd >= 0);
    assert_int_equal(flock(state_fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_NAME, SHIM_NAME, 0, 0, 0);
        dup2(pair[0], STDIN_FILENO);
        dup2(state_fd, SHIM_FD_STATE);
        close_range(SHIM_FD_STATE + 1, ~0U, 0);
        close(SHIM_FD_STATE - 1);
        _exit(read(STDIN_FILENO, &byte, 1) == 0 ? 0 : 1);
    }
    close(state_fd);
    close(pair[0]);
    *go = pair[1];
    return pid;
}

/* The container's shim has the lock, and has not written its pid to the file "started": it has no child. */
static void test_shim_that_writes_its_pid_late(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID "1", SHELL("exit 6"));
    struct process shim = { .pid = 0 };
    struct runtime_event event;
    char text[PROCESS_TEXT_MAX];
    int go;

    fixture_launch(fixture, &plan);
    fixture_until(fixture, first_has_exit);
    remove_first(fixture, "started");
    rename_first(fixture, "exit", "kept");
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    shim.pid = start_slow_shim(fixture, &go);
    fixture_restart(fixture);
    assert_string_equal(recover(fixture).text, "1 running grant\n");
    for (int i = 0; i < 5; i++) {
        struct pollfd item = { .fd = runtime_fd(fixture->runtime), .events = POLLIN };

        assert_int_equal(poll(&item, 1, 5000), 1); /* the runtime retries */
        assert_false(runtime_poll(fixture->runtime, &event));
        assert_false(fixture_has(fixture, "state/containers/" ID "1/started"));
    }
    assert_int_equal(process_of(shim.pid, &shim), 0);
    process_format(&shim, text);
    put_file(fixture, ID "1", "started", text);
    rename_first(fixture, "kept", "exit");
    close(go);
    assert_int_equal(fixture_wait(fixture, ID "1", RUNTIME_EXITED).end.exit_status, 6);
    assert_int_equal(waitpid(shim.pid, NULL, 0), shim.pid);
    runtime_cleanup(fixture->runtime, ID "1");
}

/* An agent without free descriptors cannot read its containers' records. It must not treat a container as
 * unknown. */
static void test_no_descriptors_to_look(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID "1", SHELL("sleep 1000"));
    struct rlimit before, tight;
    int refused = 0, taken = 0;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID "1", RUNTIME_RUNNING);
    for (unsigned spare = 0; spare < 10; spare++) {
        struct seen seen = { "" };
        struct err err = { 0 };
        int next, result;

        fixture_restart(fixture);
        next = open("/dev/null", O_RDONLY | O_CLOEXEC);
        close(next);
        tight = before;
        tight.rlim_cur = (rlim_t)next + spare;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
        result = runtime_recover(fixture->runtime, note, &seen, &err);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        if (result == 0) {
            assert_string_equal(seen.text, "1 running grant\n");
            taken++;
        } else {
            assert_int_equal(result, -EMFILE);
            assert_non_null(strstr(err.text, "cannot be taken up"));
            refused++;
        }
    }
    assert_in_range(refused, 2, 9);
    assert_in_range(taken, 1, 8);
    runtime_stop(fixture->runtime, ID "1");
    assert_int_equal(fixture_wait(fixture, ID "1", RUNTIME_EXITED).end.exit_status, 143);
    assert_true(fixture_has(fixture, "local/usercache/nobody/appcache/" APP "/" ID "1/tmp"));
    runtime_cleanup(fixture->runtime, ID "1");
}

static void test_reboot_and_damage(void **state)
{
    struct fixture *fixture = *state;
    static const char meta[] = "app " APP "\nuser nobody\nuid 65534\nwork /nonexistent/w\n"
                               "logs /nonexistent/l\ncgroup 0 1 /nonexistent/m\n"
                               "cgroup 1 1 /nonexistent/c\ncgroup 2 1 /nonexistent/p\n";
    scoped_free char *started = mem_printf("%d 1 another-boot\n", (int)getpid());

    /* 1: ran before the reboot. 2: an empty directory. 3: half a record file. 4: an exit record without
     * its end. 5: a record that could not be renamed on a full disk. */
    put_file(fixture, ID "1", "record", "grant");
    put_file(fixture, ID "1", "meta", meta);
    put_file(fixture, ID "1", "started", started);
    put_file(fixture, ID "2", "record.new", "gr");
    put_file(fixture, ID "3", "record", "grant");
    put_file(fixture, ID "3", "meta", "app ");
    put_file(fixture, ID "4", "record", "grant");
    put_file(fixture, ID "4", "meta", meta);
    put_file(fixture, ID "4", "started", started);
    put_file(fixture, ID "4", "exit", "status 0\nstarted_ms 1\nfinished_ms 2\nmemory_peak_bytes 3\n");
    put_file(fixture, ID "5", "record", "grant");
    put_file(fixture, ID "5", "meta", meta);
    put_file(fixture, ID "5", "started", started);
    put_file(fixture, ID "5", "exit.tmp",
             "status 8\nstarted_ms 1\nfinished_ms 2\n"
             "memory_peak_bytes 3\ncpu_time_us 4\ndiagnostics over\tthere\nend\n");
    put_file(fixture, ID "6", "record", "grant"); /* a power failure lost its meta file */
    put_file(fixture, ID "6", "meta", "");
    put_file(fixture, ID "6", "started", started);
    fixture_restart(fixture);
    assert_string_equal(recover(fixture).text, "1 ended grant\n3 saved grant\n4 ended grant\n"
                                               "5 ended grant\n6 ended grant\n");
    assert_int_equal(fixture_wait(fixture, ID "1", RUNTIME_EXITED).end.exit_status, 154);
    assert_int_equal(fixture_wait(fixture, ID "4", RUNTIME_EXITED).end.exit_status, 154);
    struct runtime_event event = fixture_wait(fixture, ID "5", RUNTIME_EXITED);

    assert_int_equal(event.end.exit_status, 8);
    assert_string_equal(event.end.diagnostics, "over\nthere");
    assert_int_equal(fixture_wait(fixture, ID "6", RUNTIME_EXITED).end.exit_status, 154);
    assert_false(fixture_has(fixture, "state/containers/" ID "2"));
    runtime_cleanup(fixture->runtime, ID "6");
    runtime_cleanup_app(fixture->runtime, APP, 0);
    for (int i = 1; i <= 6; i++) {
        scoped_free char *path = mem_printf("state/containers/" ID "%d", i);

        assert_false(fixture_has(fixture, path));
    }
}

static void test_orphans_are_removed(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *work = mem_printf("%s/usercache", fixture->local);
    static const char *const below[] = { "",
                                         "/nobody",
                                         "/nobody/appcache",
                                         "/nobody/appcache/a",
                                         "/nobody/appcache/a/gone",
                                         "/nobody/appcache/a/gone/x" };
    struct launch plan = fixture_plan(ID "1", SHELL("sleep 1000"));

    plan.job_token = "t0ken";
    plan.job_token_size = 5;
    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID "1", RUNTIME_RUNNING);
    for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
        scoped_free char *path = mem_printf("%s%s", work, below[i]);

        assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
    }
    /* Removes the container's state directory: the container now is unknown to the agent. */
    scoped_free char *books =
        mem_printf("rm -r %s/containers/%s && test -f %s/nobody/appcache/" APP
                   "/creel-job-token && touch %s/nobody/appcache/" APP "/creel-job-token.new",
                   fixture->state, ID "1", work, work);

    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    assert_int_equal(system(books), 0);
    fixture_restart(fixture);
    assert_string_equal(recover(fixture).text, "");
    assert_false(fixture_has(fixture, "local/usercache/nobody"));
}

/* A power failure may leave the file of the job token empty. */
static void test_empty_job_token_is_replaced(void **state)
{
    struct fixture *fixture = *state;
    struct launch first = fixture_plan(ID "1", SHELL("true"));
    struct launch second = fixture_plan(ID "2", SHELL("cat $CREEL_JOB_TOKEN_FILE"));
    scoped_free char *file =
        mem_printf("%s/usercache/nobody/appcache/" APP "/creel-job-token", fixture->local);
    scoped_free char *out = NULL;

    first.job_token = second.job_token = "t0ken";
    first.job_token_size = second.job_token_size = 5;
    assert_int_equal(fixture_run(fixture, &first).end.exit_status, 0);
    assert_int_equal(truncate(file, 0), 0);
    assert_int_equal(fixture_run(fixture, &second).end.exit_status, 0);
    out = fixture_log(fixture, ID "2", "stdout");
    assert_string_equal(out, "t0ken");
}

static void test_two_agents_one_directory(void **state)
{
    struct fixture *fixture = *state;
    struct runtime_config other = fixture->config;
    scoped_free char *elsewhere = mem_printf("%s/other", fixture->base);
    struct runtime *second = NULL;
    struct err err = { .code = 0 };

    assert_int_equal(runtime_new(&other, &second, &err), -EBUSY);
    assert_non_null(strstr(err.text, "in use by another agent"));
    other.state_dir = elsewhere;
    assert_int_equal(runtime_new(&other, &second, &err), -EBUSY);
    assert_non_null(strstr(err.text, fixture->local));
    assert_null(second);
}

/* Users can open all directories on the path to their files, and can lock what they can open. */
static void test_users_hold_no_lock(void **state)
{
    struct fixture *fixture = *state;
    const char *const directories[] = { fixture->local, fixture->logs };
    scoped_free char *file = mem_printf("%s/.creel-lock", fixture->local);
    struct stat status;
    int fds[2];

    for (size_t i = 0; i < 2; i++) {
        fds[i] = open(directories[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_int_equal(flock(fds[i], LOCK_EX | LOCK_NB), 0);
    }
    fixture_restart(fixture);
    for (size_t i = 0; i < 2; i++)
        close(fds[i]);
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
}

/* --- directories kept for debugging -------------------------------------------- */

static int count_kept(const struct fixture *fixture)
{
    scoped_free char *path = mem_printf("%s/kept", fixture->local);
    DIR *stream = opendir(path);
    struct dirent *entry;
    int count = 0;

    while (stream != NULL && (entry = readdir(stream)) != NULL)
        count += strstr(entry->d_name, "_container_") != NULL;
    if (stream != NULL)
        closedir(stream);
    return count;
}

static bool nothing_kept(struct fixture *fixture)
{
    struct runtime_event event;

    runtime_poll(fixture->runtime, &event);
    return count_kept(fixture) == 0;
}

static void test_kept_for_a_while(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID "1", SHELL("echo left >file"));

    fixture->config.debug_delay_ms = 3000;
    fixture_restart(fixture);
    fixture_run(fixture, &plan);
    runtime_acknowledge(fixture->runtime, ID "1");
    runtime_cleanup_app(fixture->runtime, APP, 0);
    assert_int_equal(count_kept(fixture), 1);
    /* The directory's name, not the agent's setting, has the time of removal. */
    fixture->config.debug_delay_ms = 0;
    fixture_restart(fixture);
    assert_string_equal(recover(fixture).text, "");
    assert_int_equal(count_kept(fixture), 1);
    fixture_until(fixture, nothing_kept);
}

/* --- kill -9 of the agent at any moment --------------------------------------- */

static void run_agent(struct fixture *fixture, const struct launch *plan, int ready_fd)
{
    struct runtime_event event;

    if (runtime_new(&fixture->config, &fixture->runtime, NULL) != 0)
        _exit(1);
    if (write(ready_fd, "r", 1) != 1)
        _exit(1);
    if (runtime_save(fixture->runtime, plan->container_id, "grant", 5, NULL) != 0 ||
        runtime_launch(fixture->runtime, plan, NULL) != 0)
        _exit(1);
    for (;;)
        runtime_poll(fixture->runtime, &event);
}

/* Runs an agent in a process of its own and kills it DELAY_US microseconds after it started to work. */
static void crash_agent(struct fixture *fixture, const struct launch *plan, long delay_us)
{
    struct timespec delay = { .tv_nsec = delay_us * 1000 };
    int ready[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0)
        run_agent(fixture, plan, ready[1]);
    assert_true(pid > 0);
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    nanosleep(&delay, NULL);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_killed_at_any_moment(void **state)
{
    enum { ROUNDS = 80, STEP_US = 150 };
    struct fixture *fixture = *state;
    int counts[4] = { 0 };
    scoped_free char *tally = mem_printf("%s/tally", fixture->base);

    mkdir(tally, 0777);
    assert_int_equal(chmod(tally, 0777), 0);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    for (int i = 0; i < ROUNDS; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%05d1", i);
        scoped_free char *file = mem_printf("tally/%d", i);
        scoped_free char *script = mem_printf("echo ran >> %s/%s; exit 11", fixture->base, file);
        scoped_free char *path = mem_printf("%s/%s", fixture->base, file);
        struct launch plan = fixture_plan(id, SHELL(script));
        struct runtime_event event;
        struct seen seen;
        struct stat status;

        crash_agent(fixture, &plan, (long)i * STEP_US);
        fixture_restart(fixture);
        seen = recover(fixture);
        counts[0] += seen.text[0] == '\0';
        counts[1] += strstr(seen.text, "saved") != NULL;
        counts[2] += strstr(seen.text, "running") != NULL;
        counts[3] += strstr(seen.text, "ended") != NULL;
        if (seen.text[0] == '\0' || strstr(seen.text, "saved"))
            fixture_launch(fixture, &plan);
        event = fixture_wait(fixture, id, RUNTIME_EXITED);
        if (event.end.exit_status != 11)
            fail_msg("%s, found %s: %d, %s", id, seen.text, event.end.exit_status, event.end.diagnostics);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_size, 4);
        runtime_cleanup(fixture->runtime, id);
        runtime_cleanup_app(fixture->runtime, APP, 0);
        runtime_free(fixture->runtime);
        fixture->runtime = NULL;
    }
    print_message("agent fell with the container unknown %d, saved %d, running %d, ended %d\n", counts[0],
                  counts[1], counts[2], counts[3]);
    fixture_restart(fixture);
    assert_string_equal(recover(fixture).text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_each_state),
        CASE(test_stop_after_restart),
        CASE(test_shim_killed_meanwhile),
        CASE(test_shim_that_writes_its_pid_late),
        CASE(test_no_descriptors_to_look),
        CASE(test_reboot_and_damage),
        CASE(test_orphans_are_removed),
        CASE(test_empty_job_token_is_replaced),
        CASE(test_two_agents_one_directory),
        CASE(test_users_hold_no_lock),
        CASE(test_kept_for_a_while),
        CASE(test_killed_at_any_moment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
