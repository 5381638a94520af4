/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_trust.c - test: malicious users, and directories that users other than root can write
 *
 * Needs root. A passwd file with unusual accounts is mounted in a mount namespace of the test's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/linux/linux_fixture.h"
#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/cgroup_leaf.h"
#include "nm-agent/linux/parts/tree.h"

#define ID "container_1700000000000_0001_01_000001"
#define APP "application_1700000000000_0001"
#define NOBODY 65534

static void write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* --- logs ---------------------------------------------------------------------- */

/* A file of root in a user's directory stays root's, wherever the user moves the file. */
static void test_log_of_another_user(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("true"));
    scoped_free char *secret = mem_printf("%s/secret", fixture->base);
    scoped_free char *log = mem_printf("%s/" APP "/" ID "/stdout", fixture->logs);
    struct err err = { .code = 0 };
    uint64_t size = 0;
    size_t got = 0;
    char text[32] = "";

    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
    write_text(secret, "root's");
    assert_int_equal(rename(secret, log), 0);
    assert_int_equal(runtime_read_log(fixture->runtime, ID, "stdout", 0, text, 30, &got, &size, &err),
                     -EPERM);
    assert_string_equal(text, "");
}

/* --- files --------------------------------------------------------------------- */

/* The file mode does not restrict root: what one container of root does to its file must not reach other
 * containers. */
static void test_files_of_root_are_its_own(void **state)
{
    struct fixture *fixture = *state;
    struct err err = { .code = 0 };
    unsigned char hash[32];
    char hex[65];
    struct launch_file file = { .name = "data", .hash_hex = hex, .mode = 0400 };
    struct launch plan = fixture_plan(ID, SHELL("echo more >> data && chmod 666 data"));

    fixture->config.allowed_users = "root";
    fixture_restart(fixture);
    crypto_generichash(hash, sizeof(hash), (const unsigned char *)"good\n", 5, NULL, 0);
    sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
    assert_int_equal(runtime_cache_write(fixture->runtime, hex, 5, 0, "good\n", 5, &err), 0);
    plan.user = "root";
    plan.files = &file;
    plan.file_count = 1;
    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
    plan.container_id = ID "2";
    plan.argv = SHELL("cat data");
    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
    scoped_free char *out = fixture_log(fixture, ID "2", "stdout");

    assert_string_equal(out, "good\n");
}

/* A second file of the name "tmp", and a file whose name is that of another one. */
static void test_names_of_a_job_that_collide(void **state)
{
    struct fixture *fixture = *state;
    struct err err = { .code = 0 };
    unsigned char hash[32];
    char hex[65];
    const struct launch_file files[] = { { .name = "data", .hash_hex = hex, .mode = 0400 },
                                         { .name = "data", .hash_hex = hex, .mode = 0400 } };
    const struct launch_file tmp = { .name = "tmp", .hash_hex = hex, .mode = 0400 };
    struct launch plan = fixture_plan(ID, SHELL("true"));

    crypto_generichash(hash, sizeof(hash), (const unsigned char *)"good\n", 5, NULL, 0);
    sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
    assert_int_equal(runtime_cache_write(fixture->runtime, hex, 5, 0, "good\n", 5, &err), 0);
    plan.files = files;
    plan.file_count = 2;
    assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EBADR);
    plan.container_id = ID "2";
    plan.files = &tmp;
    plan.file_count = 1;
    assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EBADR);
    assert_non_null(strstr(err.text, "\"tmp\""));
}

/* --- directories ---------------------------------------------------------------- */

static void test_directories_of_others_are_refused(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *open_to_all = mem_printf("%s/open", fixture->base);
    scoped_free char *users = mem_printf("%s/users", fixture->base);
    scoped_free char *below = mem_printf("%s/users/below", fixture->base);
    scoped_free char *link = mem_printf("%s/link", fixture->base);
    const char *const bad[] = { open_to_all, users, below, link };
    const char **const settings[] = { &fixture->config.state_dir, &fixture->config.local_dirs,
                                      &fixture->config.log_dirs };
    struct runtime *runtime = NULL;
    struct err err = { .code = 0 };

    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    assert_int_equal(mkdir(open_to_all, 0755), 0);
    assert_int_equal(chmod(open_to_all, 0777), 0);
    assert_int_equal(mkdir(users, 0755), 0);
    assert_int_equal(mkdir(below, 0755), 0);
    assert_int_equal(chown(users, NOBODY, NOBODY), 0);
    assert_int_equal(symlink("users/below", link), 0);
    for (size_t i = 0; i < 3; i++) {
        const char *good = *settings[i];

        for (size_t j = 0; j < 4; j++) {
            *settings[i] = bad[j];
            assert_int_equal(runtime_new(&fixture->config, &runtime, &err), -EPERM);
            if (strstr(err.text, j == 0 ? open_to_all : users) == NULL)
                fail_msg("%s", err.text);
        }
        *settings[i] = good;
    }
    fixture_restart(fixture);
}

static void test_records_are_closed_again(void **state)
{
    static const char *const names[] = { "containers", "cache", "retain" };
    struct fixture *fixture = *state;
    struct stat status;

    for (size_t i = 0; i < 3; i++) {
        scoped_free char *path = mem_printf("%s/%s", fixture->state, names[i]);

        assert_int_equal(chmod(path, 0755), 0);
        fixture_restart(fixture);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0700);
    }
}

/* --- killing -------------------------------------------------------------------- */

/* The content of cgroup.procs when it is opened the first, second, ... time. */
/* A thread that writes the list of a control group's processes twice, and a process that it names. */
static struct {
    char path[PATH_MAX], pid[32];
    const char *text[4];
    pthread_t thread;
    bool running; /* THREAD runs */
    pid_t stranger;
} listing;

static void *write_listing(void *context)
{
    (void)context;
    for (size_t i = 0; i < 4 && listing.text[i]; i++) {
        FILE *out = fopen(listing.path, "we");

        if (out == NULL)
            return NULL;
        fputs(listing.text[i], out);
        fclose(out);
        usleep(20000); /* lets the reader reach the end of the file */
    }
    return NULL;
}

static void begin_listing(const char *first, const char *second)
{
    listing.text[0] = first;
    listing.text[1] = second;
    assert_int_equal(pthread_create(&listing.thread, NULL, write_listing, NULL), 0);
    listing.running = true;
}

static void end_listing(void)
{
    pthread_join(listing.thread, NULL);
    listing.running = false;
}

static int close_with_listing(void **state)
{
    if (listing.running) {
        /* The thread opens the pipe only when there is a reader. */
        int reader = open(listing.path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

        end_listing();
        mem_close_fd(&reader);
    }
    if (listing.stranger > 0) {
        kill(listing.stranger, SIGKILL);
        (void)waitpid(listing.stranger, NULL, 0);
    }
    memset(&listing, 0, sizeof(listing));
    return fixture_close(state);
}

/* A process of the group ends, and another process gets its pid, while the agent reads the list. */
static void test_strangers_are_not_killed(void **state)
{
    struct fixture *fixture = *state;
    pid_t stranger = fork();

    if (stranger == 0) {
        pause();
        _exit(0);
    }
    listing.stranger = stranger;
    snprintf(listing.path, sizeof(listing.path), "%s/cgroup.procs", fixture->base);
    snprintf(listing.pid, sizeof(listing.pid), "%d\n", (int)stranger);
    assert_int_equal(mkfifo(listing.path, 0600), 0);
    begin_listing(listing.pid, "");
    assert_int_equal(leaf_signal_directory(fixture->base, SIGKILL), 0);
    end_listing();
    assert_int_equal(waitpid(stranger, NULL, WNOHANG), 0);
    /* Only a pid that is listed both times is a member of the group. */
    begin_listing(listing.pid, listing.pid);
    assert_int_equal(leaf_signal_directory(fixture->base, SIGKILL), 1);
    end_listing();
    assert_int_equal(waitpid(stranger, NULL, 0), stranger);
    listing.stranger = 0;
}

/* --- removing -------------------------------------------------------------------- */

static void test_removal_keeps_its_time(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *top = mem_printf("%s/tree", fixture->base);
    struct timespec now;

    for (int i = 0; i < 100; i++) {
        scoped_free char *path = mem_printf("%s/%d/x", top, i);

        assert_int_equal(tree_make(path, 0755, NULL), 0);
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert_int_equal(tree_remove_until(top, (int64_t)now.tv_sec * 1000 - 1), -EAGAIN);
    assert_true(fixture_has(fixture, "tree/0/x") || fixture_has(fixture, "tree/99/x"));
    assert_int_equal(tree_remove_until(top, 0), 0);
    assert_false(fixture_has(fixture, "tree"));
}

static bool work_is_gone(struct fixture *fixture)
{
    struct runtime_event event;

    while (runtime_poll(fixture->runtime, &event))
        ;
    return !fixture_has(fixture, "local/usercache/nobody");
}

/* A process outside of the container continues to write into the directory that is being removed. */
static void test_removal_ends(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("mkdir a; sleep 1000"));
    scoped_free char *inside = mem_printf("%s/usercache/nobody/appcache/" APP "/" ID "/a", fixture->local);
    int ready[2], status;
    char byte;
    pid_t writer;

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    while (access(inside, F_OK) != 0)
        sched_yield();
    assert_int_equal(pipe(ready), 0);
    writer = fork();
    if (writer == 0) {
        char name[32];

        if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0 || chdir(inside) != 0)
            _exit(1);
        for (unsigned i = 0;; i++) {
            snprintf(name, sizeof(name), "f%u", i);
            if (mkdir(name, 0700) != 0)
                _exit(errno == EACCES || errno == ENOENT ? 0 : 2);
            if (i == 1000 && write(ready[1], "x", 1) != 1)
                _exit(3);
        }
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    runtime_stop(fixture->runtime, ID);
    fixture_wait(fixture, ID, RUNTIME_EXITED);
    runtime_cleanup(fixture->runtime, ID);
    runtime_acknowledge(fixture->runtime, ID);
    runtime_cleanup_app(fixture->runtime, APP, 0);
    fixture_until(fixture, work_is_gone);
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_int_equal(status, 0);
}

/* --- accounts -------------------------------------------------------------------- */

static int open_with_accounts(void **state)
{
    static const char accounts[] = "root:x:0:0::/root:/bin/sh\n"
                                   "ghost:x:4294967295:4294967295::/:/bin/sh\n"
                                   "half:x:2000:4294967295::/:/bin/sh\n";
    char path[64];
    int result;

    snprintf(path, sizeof(path), "/tmp/creel-test-passwd-%d", (int)getpid());
    write_text(path, accounts);
    result = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                     mount(path, "/etc/passwd", NULL, MS_BIND, NULL) == 0
                 ? 0
                 : -1;
    unlink(path);
    return result == 0 ? fixture_open(state) : -1;
}

static int close_with_accounts(void **state)
{
    int result = fixture_close(state);

    return umount("/etc/passwd") == 0 ? result : -1;
}

/* The kernel takes -1 for "no id": a process that sets its user to -1 stays root. */
static void test_ids_that_are_none(void **state)
{
    static const char *const users[] = { "ghost", "half" };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < 2; i++) {
        struct launch plan = fixture_plan(ID, SHELL("id"));
        struct err err = { .code = 0 };

        plan.user = users[i];
        assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EACCES);
        assert_non_null(strstr(err.text, "no usable user and group id"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_log_of_another_user),
        CASE(test_files_of_root_are_its_own),
        CASE(test_names_of_a_job_that_collide),
        CASE(test_directories_of_others_are_refused),
        CASE(test_records_are_closed_again),
        cmocka_unit_test_setup_teardown(test_strangers_are_not_killed, fixture_open, close_with_listing),
        CASE(test_removal_keeps_its_time),
        CASE(test_removal_ends),
        cmocka_unit_test_setup_teardown(test_ids_that_are_none, open_with_accounts, close_with_accounts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
