/* SPDX-License-Identifier: Apache-2.0 */
/* job_process.c - test: following an application and running its tasks, over real channels */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "client/cli/logs/follow.h"
#include "client/cli/run/task_run.h"
#include "client/include/creel-am.h"
#include "client/libcreel/am.h"
#include "client/libcreel/client.h"
#include "common/base/mem.h"
#include "tests/unit/am/job_cluster.h"

struct capture {
    char out_name[64], err_name[64];
    int old_out, old_err;
    char *out, *err;
};

static int open_temporary(char name[64])
{
    int fd;

    snprintf(name, 64, "/tmp/creel-test-XXXXXX");
    fd = mkstemp(name);
    assert_true(fd >= 0);
    return fd;
}

static void begin_capture(struct capture *capture)
{
    scoped_fd int out = open_temporary(capture->out_name);
    scoped_fd int err = open_temporary(capture->err_name);

    fflush(stdout);
    fflush(stderr);
    capture->old_out = dup(STDOUT_FILENO);
    capture->old_err = dup(STDERR_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
}

static char *read_and_remove(const char *name)
{
    FILE *file = fopen(name, "r");
    char *text = mem_alloc0(1 << 20);

    assert_non_null(file);
    (void)!fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    unlink(name);
    return text;
}

static void end_capture(struct capture *capture)
{
    fflush(stdout);
    fflush(stderr);
    dup2(capture->old_out, STDOUT_FILENO);
    dup2(capture->old_err, STDERR_FILENO);
    close(capture->old_out);
    close(capture->old_err);
    capture->out = read_and_remove(capture->out_name);
    capture->err = read_and_remove(capture->err_name);
}

static void drop_capture(struct capture *capture)
{
    free(capture->out);
    free(capture->err);
}

/* Checks that OUT has every labelled line of each of COUNT tasks exactly once, in order, and nothing else. */
static void assert_all_lines(const char *out, int count)
{
    int next[16] = { 0 }, lines = 0;

    while (*out) {
        int label, task, line, used = 0;

        assert_int_equal(sscanf(out, "[c%d] task %d line %d%n", &label, &task, &line, &used), 3);
        assert_int_equal(label, task);
        assert_in_range(task, 0, count - 1);
        assert_int_equal(line, next[task]++);
        assert_int_equal(out[used], '\n');
        out += used + 1;
        lines++;
    }
    assert_int_equal(lines, count * CLUSTER_LINES);
}

/* --- following -------------------------------------------------------------- */

static struct creel_client *make_client(const struct cluster *cluster)
{
    struct creel_client *client = mem_new0(struct creel_client);

    client->interrupt_fd = -1;
    client->targets[0].address = mem_strdup(cluster->rm_address);
    client->target_count = 1;
    client->address_text = mem_strdup(cluster->rm_address);
    key_generate(&client->own);
    memcpy(client->rm_key, cluster->rm_key.public_text, KEY_TEXT);
    client->timeout_ms = 5000;
    return client;
}

static void following_shows_all_output_and_each_state_once(void **state)
{
    struct cluster *cluster = *state;
    struct creel_client *client = make_client(cluster);
    struct follow_options options = { .copy_stdout = true, .copy_stderr = true, .show_state = true };
    enum follow_end end = FOLLOW_DETACHED;
    struct creel_apps *apps = NULL;
    struct capture capture;
    struct err err = { 0 };
    int r;

    begin_capture(&capture);
    r = follow_app(client, CLUSTER_APP, &options, &end, &apps, &err);
    end_capture(&capture);
    assert_string_equal(err.text, "");
    assert_int_equal(r, 0);
    assert_int_equal(end, FOLLOW_OVER);
    assert_int_equal(apps->items[0].state, CREEL_APP_FINISHED);
    assert_all_lines(capture.out, 3);
    assert_non_null(strstr(capture.err, "[c00] trouble of 0\n"));
    assert_non_null(strstr(capture.err, "[c02] trouble of 2\n"));
    assert_null(strstr(capture.err, "trouble of -")); /* the AM's container */
    assert_non_null(strstr(capture.err, "creel: " CLUSTER_APP " ACCEPTED: ClusterFull\n"));
    assert_non_null(strstr(capture.err, "creel: " CLUSTER_APP " RUNNING\n"));
    assert_ptr_equal(strstr(strstr(capture.err, " RUNNING") + 1, " RUNNING"), NULL);
    creel_apps_free(apps);
    drop_capture(&capture);
    creel_disconnect(client);
}

static void a_limit_ends_the_wait_and_not_the_application(void **state)
{
    struct cluster *cluster = *state;
    struct creel_client *client = make_client(cluster);
    struct follow_options options = { .limit_ms = 100 };
    enum follow_end end = FOLLOW_DETACHED;
    struct creel_apps *apps = NULL;
    struct err err = { 0 };

    assert_int_equal(follow_app(client, CLUSTER_SLOW_APP, &options, &end, &apps, &err), 0);
    assert_int_equal(end, FOLLOW_OUT_OF_TIME);
    assert_int_equal(apps->items[0].state, CREEL_APP_RUNNING);
    creel_apps_free(apps);
    creel_disconnect(client);
}

/* Sends SIGINT after MICROSECONDS. The loop blocks the signal and reads it from a descriptor, so a signal
 * sent early is not lost. */
static void interrupt_soon(unsigned microseconds)
{
    pid_t parent = getpid();

    if (fork() == 0) {
        usleep(microseconds);
        kill(parent, SIGINT);
        _exit(0);
    }
}

static void one_interrupt_leaves_it_running(void **state)
{
    struct cluster *cluster = *state;
    struct creel_client *client = make_client(cluster);
    struct follow_options options = { .limit_ms = 20000 };
    enum follow_end end = FOLLOW_OVER;
    struct creel_apps *apps = NULL;
    struct capture capture;
    struct err err = { 0 };
    int r;

    signal(SIGINT, SIG_IGN); /* if the signal arrives before the loop exists */
    interrupt_soon(300000);
    begin_capture(&capture);
    r = follow_app(client, CLUSTER_SLOW_APP, &options, &end, &apps, &err);
    end_capture(&capture);
    assert_int_equal(r, 0);
    assert_int_equal(end, FOLLOW_DETACHED);
    assert_non_null(strstr(capture.err, "creel logs -f " CLUSTER_SLOW_APP));
    creel_apps_free(apps);
    drop_capture(&capture);
    creel_disconnect(client);
}

static void interrupt_kills_the_job_if_configured(void **state)
{
    struct cluster *cluster = *state;
    struct creel_client *client = make_client(cluster);
    struct follow_options options = { .kill_on_interrupt = true, .limit_ms = 20000 };
    enum follow_end end = FOLLOW_DETACHED;
    struct creel_apps *apps = NULL;
    struct capture capture;
    struct err err = { 0 };
    int r;

    interrupt_soon(300000);
    begin_capture(&capture);
    r = follow_app(client, CLUSTER_SLOW_APP, &options, &end, &apps, &err);
    end_capture(&capture);
    assert_int_equal(r, 0);
    assert_int_equal(end, FOLLOW_OVER);
    assert_int_equal(apps->items[0].state, CREEL_APP_KILLED);
    creel_apps_free(apps);
    drop_capture(&capture);
    creel_disconnect(client);
}

/* --- running tasks ---------------------------------------------------------- */

static void set_environment(const struct cluster *cluster, char token_name[64])
{
    scoped_fd int fd = open_temporary(token_name);

    assert_int_equal(write(fd, "token", 5), 5);
    setenv("CREEL_APP_ID", CLUSTER_APP, 1);
    setenv("CREEL_CONTAINER_ID", CLUSTER_MASTER, 1);
    setenv("CREEL_RM_AM", cluster->rm_address, 1);
    setenv("CREEL_RM_KEY", cluster->rm_key.public_text, 1);
    setenv("CREEL_TOKEN_FILE", token_name, 1);
}

static void run_step_of(const struct am_environment *environment, uint32_t tasks, const char *prefix,
                        struct capture *capture, int *exit_status)
{
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    char command[] = "./tool", *argv[] = { command };
    struct task_run_options options = {
        .title_prefix = prefix, .job_files = true, .copy_output = true, .labels = tasks > 1
    };
    struct err err = { 0 };
    int r;

    launch.command = argv;
    launch.n_command = 1;
    job.launch = &launch;
    job.resource = &resource;
    job.task_count = tasks;
    begin_capture(capture);
    r = task_run(environment, &job, &options, exit_status, &err);
    end_capture(capture);
    assert_string_equal(err.text, "");
    assert_int_equal(r, 0);
}

static void steps_run_one_after_the_other(void **state)
{
    struct am_environment environment, other;
    struct capture capture;
    struct err err = { 0 };
    char token_name[64];
    int exit_status = -1;

    set_environment(*state, token_name);
    assert_true(am_environment_is_there());
    assert_int_equal(am_environment_read(&environment, &err), 0);
    assert_int_equal(am_environment_lock(&environment, false, &err), 0);
    assert_int_equal(am_environment_read(&other, &err), 0);
    assert_int_equal(am_environment_lock(&other, false, &err), -EBUSY);

    run_step_of(&environment, 4, "step1.", &capture, &exit_status);
    assert_int_equal(exit_status, 5);
    assert_all_lines(capture.out, 4);
    assert_non_null(strstr(capture.err, "creel: task 2 ended with 5 on n1:8041\n"));
    assert_non_null(strstr(capture.err, "1 of 4 tasks failed"));
    drop_capture(&capture);

    run_step_of(&environment, 1, "step2.", &capture, &exit_status);
    assert_int_equal(exit_status, 0);
    assert_int_equal(strncmp(capture.out, "task 0 line 0\ntask 0 line 1\n", 28), 0);
    drop_capture(&capture);

    am_environment_done(&environment);
    assert_int_equal(am_environment_lock(&other, false, &err), 0);
    am_environment_done(&other);
    unlink(token_name);
}

/* --- an AM of another user -------------------------------------------------- */

struct own_am {
    uint32_t granted, started, ended, with_98, with_99, refused;
};

static void am_granted(void *context, struct creel_am *am, const struct creel_am_container *container)
{
    const char *command[] = { "work", NULL }, *environment[] = { "A=1", NULL };
    struct creel_am_launch launch = { .title = "worker", .command = command, .environment = environment };
    const char *bytes[] = { "\xff", NULL };
    struct creel_am_launch of_bytes = { .title = "worker", .command = bytes };
    struct own_am *own = context;
    int r = creel_am_start(am, container->id, &of_bytes);

    if (r == 0) { /* an agent that restores escaped texts */
        own->granted++;
        return;
    }
    assert_int_equal(r, -EOPNOTSUPP);
    own->refused++;
    if (own->granted++ == 0) {
        assert_int_equal(creel_am_start(am, "container_1_0001_01_000099", &launch), -ENOENT);
        assert_int_equal(creel_am_start(am, container->id, &launch), 0);
        assert_int_equal(creel_am_start(am, container->id, &launch), -EBUSY);
        return;
    }
    assert_int_equal(creel_am_start(am, container->id, &launch), 0);
}

static void am_started(void *context, struct creel_am *am, const char *id, const char *error)
{
    struct own_am *own = context;

    (void)am;
    assert_non_null(strstr(id, "container_"));
    assert_null(error);
    own->started++;
}

static void am_completed(void *context, struct creel_am *am, const char *id, int exit_status,
                         const char *diagnostics)
{
    struct own_am *own = context;

    (void)diagnostics;
    assert_int_equal(creel_am_release(am, id), -ENOENT);
    own->with_98 += exit_status == 98;
    own->with_99 += exit_status == 99;
    if (++own->ended == 3)
        creel_am_finish(am, CREEL_FINAL_SUCCEEDED, 0, NULL);
}

static void a_master_of_others_runs_its_containers(void **state)
{
    struct creel_am_calls calls = { .granted = am_granted, .started = am_started, .completed = am_completed };
    struct own_am own = { .granted = 0 };
    struct creel_error error = { 0 };
    struct creel_am *am, *second;
    char token_name[64];

    set_environment(*state, token_name);
    assert_int_equal(creel_am_open(&calls, &own, &am, &error), 0);
    assert_string_equal(creel_am_app_id(am), CLUSTER_APP);
    assert_int_equal(creel_am_open(&calls, &own, &second, &error), -EBUSY);
    creel_am_ask(am, 1, 64, 1, 3);
    creel_am_progress(am, 0.5, 3, 0, 0, 0);
    assert_int_equal(creel_am_run(am, &error), 0);
    assert_int_equal(own.granted, 3);
    assert_int_equal(own.started, 3);
    assert_int_equal(own.ended, 3);
    assert_int_equal(own.with_99 + own.with_98, 3); /* tasks started without files */
    assert_true(own.refused > 0 && own.refused == own.with_99);
    assert_true(own.with_98 > 0); /* with the bytes of its command */
    creel_am_close(am);
    unlink(token_name);
}

static void missing_arguments_are_named(void **state)
{
    struct am_environment environment;
    struct err err = { 0 };
    char token_name[64];

    set_environment(*state, token_name);
    unsetenv("CREEL_RM_KEY");
    assert_int_equal(am_environment_read(&environment, &err), -EINVAL);
    assert_non_null(strstr(err.text, "CREEL_RM_KEY is not set"));
    unlink(token_name);
    set_environment(*state, token_name);
    unlink(token_name);
    assert_int_equal(am_environment_read(&environment, &err), -ENOENT);
    assert_non_null(strstr(err.text, token_name));
    setenv("CREEL_APP_ID", "container_7", 1);
    assert_int_equal(am_environment_read(&environment, &err), -EINVAL);
    assert_non_null(strstr(err.text, "container_7"));
    unsetenv("CREEL_TOKEN_FILE");
    assert_false(am_environment_is_there());
}

int main(void)
{
    static struct cluster cluster;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(following_shows_all_output_and_each_state_once, &cluster),
        cmocka_unit_test_prestate(a_limit_ends_the_wait_and_not_the_application, &cluster),
        cmocka_unit_test_prestate(one_interrupt_leaves_it_running, &cluster),
        cmocka_unit_test_prestate(interrupt_kills_the_job_if_configured, &cluster),
        cmocka_unit_test_prestate(steps_run_one_after_the_other, &cluster),
        cmocka_unit_test_prestate(a_master_of_others_runs_its_containers, &cluster),
        cmocka_unit_test_prestate(missing_arguments_are_named, &cluster),
    };
    int failed;

    cluster_start(&cluster);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    cluster_stop(&cluster);
    return failed;
}
