/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_trouble.c - test: containers that attack their shim or cgroup, and hosts with missing parts
 *
 * Needs root. What a user's container cannot do, what root's container can do and with which effect; missing
 * disks at the start of the agent; a kernel without swap accounting (functions inserted by the linker hide
 * its files).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/cgroup.h"
#include "nm-agent/linux/parts/tree.h"
#include "tests/unit/linux/linux_fixture.h"

#define ID "container_1700000000000_0001_01_000001"
#define OTHER "container_1700000000000_0001_01_000002"
#define APP "application_1700000000000_0001"

/* --- the kernel without swap accounting ---------------------------------------- */

static bool no_swap;
static int note_reads; /* opens of files term.PID: see term_note.h */

static bool is_missing(const char *path)
{
    return no_swap && (strstr(path, "memory.memsw.") != NULL || strstr(path, "memory.swap.max") != NULL);
}

int __real_openat(int fd, const char *path, int flags, ...);
int __wrap_openat(int fd, const char *path, int flags, ...);
int __wrap_openat(int fd, const char *path, int flags, ...)
{
    va_list more;
    mode_t mode;

    va_start(more, flags);
    mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    note_reads += strncmp(path, "term.", 5) == 0;
    if (!is_missing(path))
        return __real_openat(fd, path, flags, mode);
    errno = ENOENT;
    return -1;
}

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
    if (!is_missing(path))
        return __real_access(path, mode);
    errno = ENOENT;
    return -1;
}

static void test_a_stop_reads_the_notes_of_steps_once(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan =
        fixture_plan(ID, SHELL("for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; touch ready; sleep 1000"));
    scoped_free char *ready = mem_printf("%s/usercache/nobody/appcache/" APP "/" ID "/ready", fixture->local);
    scoped_free char *note = mem_printf("%s/containers/" ID "/term.1", fixture->state);
    scoped_fd int fd = -1;

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    while (access(ready, F_OK) != 0)
        sched_yield();
    fd = open(note, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "1 1 another-boot\n", 17), 17);
    note_reads = 0;
    runtime_stop(fixture->runtime, ID);
    assert_int_equal(note_reads, 1);
    fixture_wait(fixture, ID, RUNTIME_EXITED);
    runtime_cleanup(fixture->runtime, ID);
    runtime_cleanup_app(fixture->runtime, APP, 0);
}

static void test_no_swap_accounting(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("head -c 200m /dev/zero | tail -c 190m"));
    struct runtime_event event;

    no_swap = true;
    fixture_restart(fixture);
    assert_false(runtime_counts_swap(fixture->runtime)); /* the agent logs a warning */
    event = fixture_run(fixture, &plan);
    no_swap = false;
    /* The memory limit itself still works. */
    assert_int_equal(event.end.exit_status, -104);
    assert_non_null(strstr(event.end.diagnostics, "memory limit 64 MiB"));
}

/* --- control files ---------------------------------------------------------------- */

/* Shell expression for the container's own directory of the v1 or v2 controller. */
#define OWN(controller) \
    "$(for d in /sys/fs/cgroup/" controller " /sys/fs/cgroup; do " \
    "for g in $(sed 's/^[^:]*:[^:]*://' /proc/self/cgroup | grep " ID "); do " \
    "[ -e $d$g/cgroup.procs ] && echo $d$g; done; done | head -n 1)"
#define LIMIT(directory) \
    "$(ls " directory "/memory.limit_in_bytes " directory "/memory.max 2>/dev/null | head -n 1)"

static void on_sample(void *context, const struct runtime_sample *look)
{
    (void)look;
    ++*(int *)context;
}

static bool has_spoken(struct fixture *fixture)
{
    char byte;
    uint64_t size = 0;
    size_t got = 0;

    return runtime_read_log(fixture->runtime, ID, "stdout", 0, &byte, 1, &got, &size, NULL) == 0 && size > 0;
}

static struct launch root_plan(struct fixture *fixture, const char *const argv[])
{
    struct launch plan = fixture_plan(ID, argv);

    fixture->config.allowed_users = "root,nobody";
    fixture_restart(fixture);
    plan.user = "root";
    return plan;
}

static void test_user_cannot_change_limits(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(
        ID, SHELL("m=" OWN("memory") "; p=" OWN("pids") "; f=" LIMIT(
                "$m") "; [ -e $f ] || exit 9; "
                      "( echo 1000000000 >$f ) 2>&1; ( echo 9999 >$p/pids.max ) 2>&1; "
                      "( echo $$ >$m/../cgroup.procs ) 2>&1; mkdir $m/below 2>&1; cat $f; exit 0"));
    scoped_free char *log = NULL;
    int refused = 0;

    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
    log = fixture_log(fixture, ID, "stdout");
    for (const char *at = log; (at = strstr(at, "ermission denied")) != NULL; at++)
        refused++;
    assert_int_equal(refused, 4);
    assert_non_null(strstr(log, "\n67108864\n"));
}

static void test_root_is_set_back(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = root_plan(
        fixture, SHELL("m=" OWN("memory") "; f=" LIMIT(
                     "$m") "; s=$m/memory.memsw.limit_in_bytes; "
                           "[ -e $s ] && echo 1000000000 >$s; echo 1000000000 >$f || exit 9; echo done; "
                           "while [ $(cat $f) != 67108864 ]; do sleep 0.02; done; exit 5"));
    struct runtime_event event;
    int looks = 0;

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    fixture_until(fixture, has_spoken);
    runtime_sample(fixture->runtime, RUNTIME_SAMPLE_FIGURES, on_sample, &looks);
    assert_int_equal(looks, 1);
    event = fixture_wait(fixture, ID, RUNTIME_CHANGED);
    assert_non_null(strstr(event.end.diagnostics, "set back to 67108864"));
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 5);
    runtime_cleanup(fixture->runtime, ID);
}

/* --- shims -------------------------------------------------------------------------- */

static void test_user_cannot_kill_its_shim(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("kill -9 $PPID 2>/dev/null && exit 1; exit 7"));

    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 7);
}

static void test_root_kills_its_shim(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = root_plan(fixture, SHELL("kill -9 $PPID; sleep 1000"));
    struct launch other = fixture_plan(OTHER, SHELL("exit 3"));
    struct runtime_event event = fixture_run(fixture, &plan);

    assert_int_equal(event.end.exit_status, 154);
    assert_non_null(strstr(event.end.diagnostics, "its shim ended without leaving an exit status"));
    assert_int_equal(fixture_run(fixture, &other).end.exit_status, 3);
}

/* Sends SIGNAL_NUMBER to every child process that waits to become a shim. Returns the number of living
 * ones. */
static int signal_waiters(int signal_number)
{
    DIR *stream = opendir("/proc");
    struct dirent *entry;
    int count = 0;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        scoped_free char *path = mem_printf("/proc/%s/stat", entry->d_name);
        char line[200] = "", state = 'Z';
        int pid = atoi(entry->d_name), parent = 0;
        FILE *file = pid > 0 ? fopen(path, "re") : NULL;

        if (file == NULL)
            continue;
        if (fgets(line, sizeof(line), file) != NULL && strstr(line, "(creel-waiter)") != NULL &&
            sscanf(strrchr(line, ')'), ") %c %d", &state, &parent) == 2 && state != 'Z' && parent == getpid())
            count += kill(pid, signal_number) == 0;
        fclose(file);
    }
    if (stream != NULL)
        closedir(stream);
    return count;
}

static bool no_waiting_shim_lives(struct fixture *fixture)
{
    (void)fixture;
    return signal_waiters(0) == 0;
}

static void test_waiting_shims_are_killed(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("exit 3"));
    struct launch other = fixture_plan(OTHER, SHELL("exit 4"));

    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 3);
    assert_in_range(signal_waiters(SIGKILL), 1, 3);
    fixture_until(fixture, no_waiting_shim_lives); /* a dying shim would lose the next launch order */
    assert_int_equal(fixture_run(fixture, &other).end.exit_status, 4);
}

/* --- disks --------------------------------------------------------------------------- */

/* Puts a file above PATH, so that PATH cannot be a directory, even for root. */
static void put_in_the_way(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    close(fd);
}

static void test_one_disk_is_dead(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *way = mem_printf("%s/dead", fixture->base);
    scoped_free char *dead = mem_printf("%s/local", way);
    scoped_free char *local = mem_printf("%s,%s", dead, fixture->local);
    scoped_free char *logs = mem_printf("%s/logs,%s", way, fixture->logs);
    struct launch plan = fixture_plan(ID, SHELL("echo $LOCAL_DIRS; exit 3"));
    scoped_free char *log = NULL;
    char report[512];

    put_in_the_way(way);
    fixture->config.local_dirs = local;
    fixture->config.log_dirs = logs;
    fixture_restart(fixture);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_non_null(strstr(report, "1 of 2 local-dirs are bad"));
    assert_non_null(strstr(report, "1 of 2 log-dirs are bad"));
    assert_non_null(strstr(report, dead));
    assert_non_null(strstr(report, "Not a directory"));
    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 3);
    log = fixture_log(fixture, ID, "stdout");
    assert_null(strstr(log, dead));
    /* The directory is available again and is used again, without a restart of the agent. */
    assert_int_equal(unlink(way), 0);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_string_equal(report, "");
    assert_int_equal(access(dead, F_OK), 0);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    fixture->config.local_dirs = fixture->local;
    fixture->config.log_dirs = fixture->logs;
    fixture_restart(fixture);
}

static void test_all_disks_are_dead(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *way = mem_printf("%s/dead", fixture->base);
    scoped_free char *local = mem_printf("%s/1,%s/2", way, way);
    struct runtime_config config = fixture->config;
    struct runtime *runtime = NULL;
    struct err err = { .code = 0 };

    put_in_the_way(way);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    config.local_dirs = local;
    assert_int_equal(runtime_new(&config, &runtime, &err), -ENOTDIR);
    assert_non_null(strstr(err.text, "all 2 of them are bad"));
    assert_non_null(strstr(err.text, "yarn.nodemanager.local-dirs"));
    assert_non_null(strstr(err.text, "/dead/2"));
    fixture_restart(fixture);
}

/* A directory that is refused before the aggregation of logs is opened is named. */
static void test_refused_directory_with_log_aggregation(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *shared = mem_printf("%s/shared", fixture->base);
    scoped_free char *way = mem_printf("%s/dead", fixture->base);
    scoped_free char *refused = mem_printf("%s/1", way);
    struct runtime_config config = fixture->config;
    const char **const settings[] = { &config.state_dir, &config.local_dirs, &config.log_dirs };
    struct runtime *runtime = NULL;
    struct err err = { .code = 0 };

    put_in_the_way(way);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    config.aggregation.dir = shared;
    config.aggregation.suffix = "logs";
    config.aggregation.file = "n1";
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        const char *good = *settings[i];

        *settings[i] = refused;
        assert_true(runtime_new(&config, &runtime, &err) < 0);
        assert_non_null(strstr(err.text, refused));
        *settings[i] = good;
    }
    config.shim_path = way;
    assert_int_equal(runtime_new(&config, &runtime, &err), -EACCES);
    assert_non_null(strstr(err.text, "which starts containers"));
    fixture_restart(fixture);
}

static void test_read_only_at_the_start(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *disk = mem_printf("%s/disk", fixture->base);
    scoped_free char *path = mem_printf("%s/local", disk);
    scoped_free char *local = mem_printf("%s,%s", path, fixture->local);
    struct launch plan = fixture_plan(ID, SHELL("exit 3"));
    char report[512];

    assert_int_equal(mkdir(disk, 0755), 0);
    assert_int_equal(mount("creel-test", disk, "tmpfs", MS_RDONLY, "size=1m"), 0);
    fixture->config.local_dirs = local;
    fixture_restart(fixture);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_non_null(strstr(report, "Read-only file system"));
    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 3);
    fixture->config.local_dirs = fixture->local;
    fixture_restart(fixture);
    assert_int_equal(umount(disk), 0);
}

/* A large directory of an earlier try is removed in small steps, which must not touch a new directory in
 * its place. */
static void test_cleanup_keeps_new_directories(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *work = mem_printf("%s/usercache/nobody/appcache/" APP "/" ID, fixture->local);
    struct launch plan = fixture_plan(ID, SHELL("sleep 0.5; [ -d \"$PWD\" ] && exit 3"));
    int none = 0;

    assert_int_equal(tree_make(work, 0755, NULL), 0);
    for (int i = 0; i < 6000; i++) {
        scoped_free char *path = mem_printf("%s/%d", work, i);

        put_in_the_way(path);
    }
    fixture_restart(fixture);
    assert_int_equal(runtime_recover(fixture->runtime, NULL, &none, NULL), 0);
    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 3);
}

/* --- forbidden system calls ------------------------------------------------------------ */

/* Forbids clone3 for this process and its children from now on, as RestrictNamespaces= of systemd does. */
static void forbid_clone3(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

    assert_non_null(filter);
    assert_int_equal(seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0), 0);
    assert_int_equal(seccomp_load(filter), 0);
    seccomp_release(filter);
}

/* The process that forks waiting shims cannot fork, and becomes the shim of the first container itself. */
static void test_no_shim_can_be_forked_ahead(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("until [ -e go ]; do sleep 0.05; done; exit 3"));
    struct launch other = fixture_plan(OTHER, SHELL("exit 4"));
    scoped_free char *go = mem_printf("%s/usercache/nobody/appcache/" APP "/" ID "/go", fixture->local);

    forbid_clone3();
    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    assert_int_equal(fixture_run(fixture, &other).end.exit_status, 4);
    assert_true(fixture_processes("until [ -e go ]") > 0);
    put_in_the_way(go);
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 3);
    runtime_cleanup(fixture->runtime, ID);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_no_swap_accounting),          CASE(test_a_stop_reads_the_notes_of_steps_once),
        CASE(test_user_cannot_change_limits),   CASE(test_root_is_set_back),
        CASE(test_user_cannot_kill_its_shim),   CASE(test_root_kills_its_shim),
        CASE(test_waiting_shims_are_killed),    CASE(test_one_disk_is_dead),
        CASE(test_all_disks_are_dead),          CASE(test_refused_directory_with_log_aggregation),
        CASE(test_read_only_at_the_start),      CASE(test_cleanup_keeps_new_directories),
        CASE(test_no_shim_can_be_forked_ahead), /* the last test: the restriction stays for this
                                                   process */
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
