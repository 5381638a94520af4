/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_health.c - test: health of the node: good and bad disks, and the operator's health script
 *
 * Needs root. Disks are small tmpfs file systems in a mount namespace of the test's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"
#include "nm-agent/linux/disks/disk_health.h"
#include "tests/unit/linux/linux_fixture.h"

#define ID "container_1700000000000_0001_01_000001"
#define WAIT_MS 20000 /* after which a test fails */

/* No event signals the awaited condition, so the tests poll. */
static void pause_shortly(void)
{
    const struct timespec pause = { .tv_nsec = 5000000 };

    nanosleep(&pause, NULL);
}

/* --- syncs that take long ----------------------------------------------------- */

static atomic_bool syncs_block, sync_runs;

/* In place of that of the C library. */
int fsync(int fd)
{
    (void)fd;
    sync_runs = true;
    while (syncs_block)
        pause_shortly();
    sync_runs = false;
    return 0;
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

/* The disk has less than a hundred inodes. A launch that failed has all disks tested at once. */
/* On such a disk, programs of jobs cannot run, although tests by writes succeed. */
static void test_disk_without_execution(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *program = mem_printf("%s/program", fixture->local);
    struct launch plan = fixture_plan(ID, (const char *const[]){ program, NULL });
    scoped_fd int fd = -1;
    char report[512];

    assert_int_equal(unshare(CLONE_NEWNS), 0);
    assert_int_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    mount_small(fixture->local, "4m");
    fixture_restart(fixture);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_string_equal(report, "");
    fd = open(program, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    assert_int_equal(write(fd, "#!/bin/sh\n", 10), 10);
    mem_close_fd(&fd);
    assert_int_equal(mount(NULL, fixture->local, NULL, MS_REMOUNT | MS_NOEXEC, NULL), 0);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_non_null(strstr(report, "is mounted noexec"));
    assert_non_null(strstr(fixture_run(fixture, &plan).end.diagnostics, "its file system is mounted noexec"));
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    assert_int_equal(umount2(fixture->local, MNT_DETACH), 0);
}

static void test_disk_without_inodes(void **state)
{
    struct runtime_health rules = { .used_percent_max = 100, .watermark_percent = 100 };
    struct fixture *fixture = *state;
    scoped_free char *small = mem_printf("%s/inodes", fixture->base);
    struct disk disk = { .path = small };

    assert_int_equal(unshare(CLONE_NEWNS), 0);
    assert_int_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    assert_int_equal(mkdir(small, 0755), 0);
    assert_int_equal(mount("creel-test", small, "tmpfs", 0, "size=4m,nr_inodes=20,mode=0755"), 0);
    disk_check_begin(&disk, false, 1);
    disk_judge(&disk, &rules, 1);
    assert_false(disk.bad);
    for (int i = 0; i < 40; i++) {
        scoped_free char *path = mem_printf("%s/%d", small, i);
        scoped_fd int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

        assert_true(fd >= 0 || errno == ENOSPC);
    }
    disk_check_begin(&disk, false, 1);
    disk_judge(&disk, &rules, 1);
    assert_true(disk.bad);
    assert_non_null(strstr(disk.why, "the disk is out of inodes (0 of 20 are free): remove files"));
    umount2(small, MNT_DETACH);
}

/* A write error does not show in the figures of a disk: the next check after the failure writes. */
static void test_disks_in_doubt_are_tested_by_a_write(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *small = mem_printf("%s/doubt", fixture->base);
    struct rlimit limit, none;
    char report[512];

    assert_int_equal(unshare(CLONE_NEWNS), 0);
    assert_int_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    mount_small(small, "4m");
    fixture->config.local_dirs = small;
    fixture->config.health = (struct runtime_health){ .disk_interval_ms = 3600000, .disks_min = 0.5 };
    fixture_restart(fixture);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    none = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0); /* files can be created, but not written */
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    runtime_doubt_disks(fixture->runtime);
    assert_false(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_non_null(strstr(report, "cannot be written"));
    runtime_free(fixture->runtime);
    fixture->runtime = NULL;
    umount2(small, MNT_DETACH);
    fixture->config.local_dirs = fixture->local;
    fixture_restart(fixture);
}

static bool is_synced(struct fixture *fixture)
{
    (void)fixture;
    return !sync_runs;
}

/* Containers start on a disk while a synced write to it takes long. */
static void test_slow_sync(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID, SHELL("true"));
    char report[512];

    fixture->config.health = (struct runtime_health){ .disk_interval_ms = 3600000, .disks_min = 0.5 };
    fixture_restart(fixture);
    syncs_block = true;
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_string_equal(report, "");
    assert_true(sync_runs);
    assert_int_equal(fixture_run(fixture, &plan).end.exit_status, 0);
    syncs_block = false;
    fixture_until(fixture, is_synced);
}

static void test_limit_of_a_synced_write(void **state)
{
    struct fixture *fixture = *state;
    struct disk disk = { .path = fixture->local };
    struct runtime_health rules = { .used_percent_max = 100, .watermark_percent = 100 };
    int64_t now_ms = monotonic_ms();

    disk_io_start(&disk);
    syncs_block = true;
    disk_check_begin(&disk, true, now_ms);
    assert_true(worker_wait(disk.worker, WAIT_MS));
    disk_judge(&disk, &rules, now_ms + DISK_SYNC_MAX_MS);
    assert_false(disk.bad);
    disk_judge(&disk, &rules, now_ms + DISK_SYNC_MAX_MS + 1);
    assert_true(disk.bad);
    assert_non_null(strstr(disk.why, "a synced write has not ended within 60 s: look at its disk or mount"));
    syncs_block = false;
    assert_true(worker_wait(disk.writer, WAIT_MS));
    disk_check_begin(&disk, true, now_ms + DISK_SYNC_MAX_MS + 2);
    assert_true(worker_wait(disk.worker, WAIT_MS));
    assert_true(worker_wait(disk.writer, WAIT_MS));
    disk_judge(&disk, &rules, now_ms + DISK_SYNC_MAX_MS + 3);
    assert_false(disk.bad);
    assert_true(disk_io_end(&disk));
}

static void test_state_directory_that_was_replaced(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *aside = mem_printf("%s-aside", fixture->state);
    char report[512];

    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_int_equal(rename(fixture->state, aside), 0);
    assert_false(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_int_equal(mkdir(fixture->state, 0700), 0);
    assert_false(runtime_healthy(fixture->runtime, report, sizeof(report)));
    assert_non_null(strstr(report, "the state directory was removed, replaced or unmounted: put it back"));
    assert_int_equal(rmdir(fixture->state), 0);
    assert_int_equal(rename(aside, fixture->state), 0);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
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
        CASE(test_disk_without_execution),
        CASE(test_disk_without_inodes),
        CASE(test_disks_in_doubt_are_tested_by_a_write),
        CASE(test_slow_sync),
        CASE(test_limit_of_a_synced_write),
        CASE(test_state_directory_that_was_replaced),
        CASE(test_free_space),
        CASE(test_free_space_of_logs),
        CASE(test_health_script),
        CASE(test_disks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
