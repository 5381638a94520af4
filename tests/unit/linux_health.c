/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_health.c - test: health of the node: good and bad disks, and the operator's health script
 *
 * Needs root. Disks are small tmpfs file systems in a mount namespace of the test's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/unit/linux_fixture.h"

#define ID "container_1700000000000_0001_01_000001"

/* No event signals the awaited condition, so the tests poll. */
static void pause_shortly(void)
{
    const struct timespec pause = { .tv_nsec = 5000000 };

    nanosleep(&pause, NULL);
}

static void mount_small(const char *path, const char *size)
{
    scoped_free char *options = mem_printf("size=%s,mode=0755", size);

    assert_int_equal(mkdir(path, 0755) == 0 || errno == EEXIST, 1);
    assert_int_equal(mount("creel-test", path, "tmpfs", 0, options), 0);
}

static void fill(const char *directory, size_t size)
{
    scoped_free char *path = mem_printf("%s/fill", directory), *data = mem_alloc0(size);
    scoped_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_int_equal(write(fd, data, size), (ssize_t)size);
}

static void test_disks(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *one = mem_printf("%s/one", fixture->base);
    scoped_free char *two = mem_printf("%s/two", fixture->base);
    scoped_free char *three = mem_printf("%s/three", fixture->base);
    scoped_free char *both = mem_printf("%s,%s", one, two), *path = mem_printf("%s/fill", two);
    struct launch plan = fixture_plan(ID, SHELL("echo $LOCAL_DIRS"));
    char report[512];

    assert_int_equal(unshare(CLONE_NEWNS), 0);
    assert_int_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    mount_small(one, "4m");
    mount_small(two, "4m");
    mount_small(three, "4m");
    fixture->config.local_dirs = both;
    fixture->config.log_dirs = three;
    fixture->config.health = (struct runtime_health){
        .disk_interval_ms = 3600000,
        .disks_min = 0.5,
        .used_percent_max = 50,
        .watermark_percent = 20,
    };
    fixture_restart(fixture);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_string_equal(report, "");
    /* Above one threshold and between both thresholds, the disk stays bad. */
    fill(two, 3000000);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_non_null(strstr(report, "1 of 2 local-dirs are bad"));
    assert_non_null(strstr(report, "at most 50.0% are allowed"));
    fill(two, 1500000);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_non_null(strstr(report, two));
    fixture_run(fixture, &plan);
    scoped_free char *out = fixture_log(fixture, ID, "stdout");

    assert_non_null(strstr(out, one));
    assert_null(strstr(out, two));
    fill(one, 3000000);
    assert_false(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_non_null(strstr(report, "2 of 2 local-dirs"));
    assert_int_equal(unlink(path), 0);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_int_equal(mount(NULL, one, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_non_null(strstr(report, "the file system is read-only"));
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    umount2(one, MNT_DETACH);
    umount2(two, MNT_DETACH);
    umount2(three, MNT_DETACH);
    fixture->config.log_dirs = fixture->logs;
    fixture->config.local_dirs = fixture->local;
    fixture_restart(fixture);
}

static void test_free_space(void **state)
{
    struct fixture *fixture = *state;
    char report[512];

    fixture->config.health = (struct runtime_health){ .free_mb_min = INT64_MAX >> 21 };
    fixture_restart(fixture);
    assert_false(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_non_null(strstr(report, "(min-free-space-per-disk-mb)"));
    fixture->config.health.disks_unwatched = true;
    fixture_restart(fixture);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
}

/* The limit of local-dirs holds for log-dirs, too: no container starts without a place for its logs. */
static void test_free_space_of_logs(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *small = mem_printf("%s/small", fixture->base);
    scoped_free char *wanted = mem_printf("%s: 1 MiB of the disk are free, at least 3 must be", small);
    char report[512];

    assert_int_equal(unshare(CLONE_NEWNS), 0);
    assert_int_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    mount_small(small, "4m");
    fixture->config.log_dirs = small;
    fixture->config.health = (struct runtime_health){ .disk_interval_ms = 3600000, .free_mb_min = 3 };
    fixture_restart(fixture);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_string_equal(report, "");
    fill(small, 3 << 20);
    assert_false(runtime_healthy(fixture->runtime, report, sizeof(report)));
    if (strstr(report, wanted) == NULL)
        fail_msg("expected '%s' in: %s", wanted, report);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    umount2(small, MNT_DETACH);
    fixture->config.log_dirs = fixture->logs;
    fixture_restart(fixture);
}

/* Polls until the report contains WANTED ("": no report). */
static void until_report(struct fixture *fixture, const char *wanted)
{
    char report[512] = "";

    for (int i = 0; i < 2000; i++) {
        runtime_healthy(fixture->runtime, report, sizeof(report));
        if (*wanted ? strstr(report, wanted) != NULL : *report == '\0')
            return;
        pause_shortly();
    }
    fail_msg("the report is \"%s\"", report);
}

static void write_script(const char *path, const char *text)
{
    scoped_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static bool script_is_gone(struct fixture *fixture)
{
    (void)fixture;
    return fixture_processes("96123") == 0;
}

static void test_health_script(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *script = mem_printf("%s/judge", fixture->base);
    scoped_free char *words = mem_printf("%s/words", fixture->base);

    write_script(script, "#!/bin/sh\necho fine\ncat \"$1\"\nexit 1\n");
    write_script(words, "not an ERROR\n");
    fixture->config.health = (struct runtime_health){
        .script = script,
        .script_options = words,
        .script_interval_ms = 20,
        .script_timeout_ms = 60000,
    };
    fixture_restart(fixture);
    until_report(fixture, "");
    write_script(words, "well\nERROR: a fan has stopped");
    until_report(fixture, "health script: ERROR: a fan has stopped");
    write_script(words, "well\n");
    until_report(fixture, "");
    unlink(script);
    until_report(fixture, "cannot run");
    /* a script that never ends and has child processes */
    write_script(words, "");
    write_script(script, "#!/bin/sh\nsleep 96123 & sleep 96123\n");
    fixture->config.health.script_timeout_ms = 100;
    fixture_restart(fixture);
    until_report(fixture, "did not end within 100 ms");
    fixture->config.health.script = NULL;
    fixture_restart(fixture);
    fixture_until(fixture, script_is_gone);
    until_report(fixture, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_free_space),
        CASE(test_free_space_of_logs),
        CASE(test_health_script),
        CASE(test_disks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
