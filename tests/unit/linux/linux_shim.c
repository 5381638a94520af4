/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_shim.c - test: the shim alone, with a plan written by the test, in cgroup v2 where mounted
 *
 * Needs root. On a machine with both cgroup versions the runtime uses v1 throughout; this test covers clone
 * into a v2 group and cgroup.kill on such a machine, too.
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

#include "tests/unit/linux/linux_fixture.h"
#include "common/base/mem.h"
#include "common/base/monotonic.h"
#include "nm-agent/linux/cgroup/cgroup.h"
#include "nm-agent/linux/shim/plan.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/linux/parts/exit_record.h"
#include "nm-agent/linux/parts/stop_order.h"
#include "nm-agent/linux/parts/tree.h"

struct bench {
    char directory[64], group[PATH_MAX + 64];
    int version, state_fd;
    char *out_path;
    struct plan plan;
};

static int bench_open(void **state)
{
    struct bench *bench = mem_new0(struct bench);
    static struct detect detect;

    if (detect_here(&detect, NULL) != 0)
        return -1;
    snprintf(bench->directory, sizeof(bench->directory), "/tmp/creel-test-shim-%d", (int)getpid());
    bench->version = detect.unified_mount[0] ? 2 : 1;
    snprintf(bench->group, sizeof(bench->group), "%s/creel-test-shim-%d",
             bench->version == 2 ? detect.unified_mount : detect.controller[LEAF_PIDS].mount, (int)getpid());
    if (mkdir(bench->directory, 0755) != 0 || mkdir(bench->group, 0755) != 0)
        return -1;
    bench->state_fd = open(bench->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bench->out_path = mem_printf("%s/out", bench->directory);
    bench->plan = (struct plan){
        .launch.directory = "/",
        .out_path = bench->out_path,
        .err_path = bench->out_path,
        .memory_bytes = 1 << 20,
        .leaf = { .directory = { bench->group, bench->group, bench->group, NULL },
                  .version = { bench->version, bench->version, bench->version, 0 } },
    };
    *state = bench;
    return 0;
}

static int bench_close(void **state)
{
    struct bench *bench = *state;
    bool left;

    leaf_kill(&bench->plan.leaf);
    for (int i = 0; i < 500 && leaf_remove(&bench->plan.leaf) == -EBUSY; i++)
        usleep(10000);
    close(bench->state_fd);
    tree_remove(bench->directory);
    free(bench->out_path);
    left = access(bench->group, F_OK) == 0;
    free(bench);
    return left ? -1 : 0;
}

/* Runs the shim with SCRIPT as the command. Returns its exit code. */
static int run_shim(struct bench *bench, const char *script)
{
    char shell[] = "/bin/sh", flag[] = "-c", *words = mem_strdup(script);
    const char *argv[] = { shell, flag, words, NULL }, *environment[] = { "PATH=/usr/bin:/bin", NULL };
    scoped_free char *plan_path = mem_printf("%s/plan", bench->directory);
    int plan_fd = open(plan_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), status;
    pid_t pid;

    bench->plan.launch.argv = argv;
    bench->plan.launch.environment = environment;
    assert_int_equal(plan_write(plan_fd, &bench->plan), 0);
    free(words);
    close(openat(bench->state_fd, "exit.tmp", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    pid = fork();
    if (pid == 0) {
        int high[2] = { fcntl(plan_fd, F_DUPFD, 20), fcntl(bench->state_fd, F_DUPFD, 20) };

        dup2(high[0], SHIM_FD_PLAN);
        dup2(high[1], SHIM_FD_STATE);
        dup2(open("/dev/null", O_WRONLY), SHIM_FD_REPORT);
        execl(SHIM_PATH, "creel-shim", "test", (char *)NULL);
        _exit(99);
    }
    close(plan_fd);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_ends_all(void **state)
{
    struct bench *bench = *state;
    struct container_end record;
    scoped_free char *text = NULL, *out = NULL, *group = NULL;

    assert_int_equal(run_shim(bench, "cat /proc/self/cgroup; trap '' TERM; "
                                     "(setsid sleep 1000 &) ; sleep 1000 & exit 6"),
                     0);
    assert_int_equal(record_read(bench->state_fd, "exit", &text, NULL, NULL), 0);
    assert_true(exit_record_parse(text, &record));
    assert_int_equal(record.exit_status, 6);
    assert_int_equal(leaf_signal(&bench->plan.leaf, 0), 0);
    assert_int_equal(record_read(bench->state_fd, "out", &out, NULL, NULL), 0);
    group = mem_printf("/creel-test-shim-%d\n", (int)getpid());
    assert_non_null(strstr(out, group));
}

#define SAVER "sh -c 'trap \"sleep 0.3; echo saved; exit 0\" TERM; >ready; while :; do sleep 0.02; done' & "
#define UNTIL_READY "while [ ! -e ready ]; do sleep 0.02; done; "

/* Runs SCRIPT, and returns the status of its container and what it has written. */
static int run_in_directory(struct bench *bench, const char *script, char **out)
{
    struct container_end record;
    scoped_free char *text = NULL;

    bench->plan.launch.directory = bench->directory;
    assert_int_equal(run_shim(bench, script), 0);
    assert_int_equal(record_read(bench->state_fd, "exit", &text, NULL, NULL), 0);
    assert_true(exit_record_parse(text, &record));
    assert_int_equal(leaf_signal(&bench->plan.leaf, 0), 0);
    assert_int_equal(record_read(bench->state_fd, "out", out, NULL, NULL), 0);
    return record.exit_status;
}

static void test_what_is_left_saves(void **state)
{
    struct bench *bench = *state;
    scoped_free char *out = NULL;

    bench->plan.kill_delay_ms = 60000;
    assert_int_equal(run_in_directory(bench, SAVER UNTIL_READY "exit 6", &out), 6);
    assert_non_null(strstr(out, "saved\n")); /* a shell may report the end of its child, too */
}

/* The agent has written the stop, and has sent SIGTERM to each process: here the command does. */
static void test_a_stop_waits_for_all(void **state)
{
    struct bench *bench = *state;
    struct stop_order order = { .kill_at_ms = monotonic_ms() + 60000 };
    char text[STOP_ORDER_TEXT_MAX];
    scoped_free char *out = NULL;

    stop_order_format(&order, text);
    assert_int_equal(record_put(bench->state_fd, STOP_ORDER_FILE, text, strlen(text), NULL), 0);
    assert_int_equal(run_in_directory(bench, SAVER UNTIL_READY "kill $!; kill $$", &out), 128 + SIGTERM);
    assert_non_null(strstr(out, "saved\n")); /* a shell may report the end of its child, too */
}

static void test_a_stop_kills_in_the_end(void **state)
{
    struct bench *bench = *state;
    struct stop_order order = { .kill_at_ms = monotonic_ms() + 500 };
    char text[STOP_ORDER_TEXT_MAX];
    scoped_free char *out = NULL;

    stop_order_format(&order, text);
    assert_int_equal(record_put(bench->state_fd, STOP_ORDER_FILE, text, strlen(text), NULL), 0);
    assert_int_equal(run_in_directory(bench, "trap '' TERM; sleep 1000 & exec sleep 1000", &out),
                     128 + SIGKILL);
    assert_true(monotonic_ms() >= order.kill_at_ms);
}

static void test_never_twice(void **state)
{
    struct bench *bench = *state;
    scoped_free char *out = NULL;

    assert_int_equal(run_shim(bench, "echo ran"), 0);
    assert_int_equal(run_shim(bench, "echo ran"), 1);
    assert_int_equal(record_read(bench->state_fd, "out", &out, NULL, NULL), 0);
    assert_string_equal(out, "ran\n");
}

static void test_cgroup_cannot_be_joined(void **state)
{
    struct bench *bench = *state;
    struct container_end record;
    scoped_free char *text = NULL;

    bench->plan.leaf.directory[LEAF_CPU] = "/nonexistent";
    assert_int_equal(run_shim(bench, "echo ran"), 0);
    bench->plan.leaf.directory[LEAF_CPU] = bench->group;
    assert_int_equal(record_read(bench->state_fd, "exit", &text, NULL, NULL), 0);
    assert_true(exit_record_parse(text, &record));
    assert_int_equal(record.exit_status, -1);
    assert_true(record.node_fault);
    assert_non_null(strstr(record.diagnostics, "its cgroup could not be joined: No such file"));
    assert_int_equal(faccessat(bench->state_fd, "out", F_OK, 0), -1);
}

static void test_not_for_people(void **state)
{
    int status = system(SHIM_PATH " 2>/dev/null </dev/null");

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)
        CASE(test_ends_all),
        CASE(test_what_is_left_saves),
        CASE(test_a_stop_waits_for_all),
        CASE(test_a_stop_kills_in_the_end),
        CASE(test_never_twice),
        CASE(test_cgroup_cannot_be_joined),
        cmocka_unit_test(test_not_for_people),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
