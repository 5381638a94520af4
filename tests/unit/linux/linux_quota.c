/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_quota.c - test: disk limits of a container's directories by project quotas of the kernel
 *
 * Needs root. Functions inserted by the linker (--wrap) simulate a file system with project quotas, which not
 * every kernel has. tests/vm has a real one.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dqblk_xfs.h>
#include <linux/fs.h>
#include <linux/quota.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/unit/linux/linux_fixture.h"

#define ID "container_1700000000000_0001_01_000001"
#define OTHER "container_1700000000000_0001_01_000002"
#define WORK "/usercache/nobody/appcache/application_1700000000000_0001/" ID
#define MIB ((uint64_t)1 << 20)
#define LIMIT_MB 20
#define FIRST 100
#define COUNT 3

/* --- the simulated file system -------------------------------------------------- */

static struct {
    bool enforces, forbids;
    uint64_t bytes[COUNT], inodes[COUNT], limit[COUNT];
    char joined[8][256]; /* directories assigned to a project, "path project" */
    size_t joined_count;
} disk;

static long answer(unsigned command, uint32_t project, void *data)
{
    struct fs_quota_statv *state = data;
    struct if_dqblk *block = data;

    if (command == QCMD((unsigned)Q_XGETQSTATV, PRJQUOTA)) {
        state->qs_flags = disk.enforces ? FS_QUOTA_PDQ_ACCT | FS_QUOTA_PDQ_ENFD : 0;
        return 0;
    }
    if (disk.forbids) {
        errno = EPERM;
        return -1;
    }
    assert_in_range(project, FIRST, FIRST + COUNT - 1);
    if (command == QCMD((unsigned)Q_GETQUOTA, PRJQUOTA)) {
        block->dqb_curspace = disk.bytes[project - FIRST];
        block->dqb_curinodes = disk.inodes[project - FIRST];
        return 0;
    }
    assert_true(command == QCMD((unsigned)Q_SETQUOTA, PRJQUOTA));
    assert_int_equal(block->dqb_valid, QIF_BLIMITS);
    disk.limit[project - FIRST] = block->dqb_bhardlimit * 1024;
    return 0;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    long argument[6];
    va_list more;

    va_start(more, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(more, long);
    va_end(more);
    if (number == SYS_quotactl_fd)
        return answer((unsigned)argument[1], (uint32_t)argument[2], (void *)argument[3]);
    return __real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4],
                          argument[5]);
}

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
    char link[64], path[200] = "";
    struct fsxattr *attributes;
    void *argument;
    va_list more;

    va_start(more, request);
    argument = va_arg(more, void *);
    va_end(more);
    if (request != FS_IOC_FSGETXATTR && request != FS_IOC_FSSETXATTR)
        return __real_ioctl(fd, request, argument);
    attributes = argument;
    if (request == FS_IOC_FSGETXATTR) {
        *attributes = (struct fsxattr){ .fsx_xflags = FS_XFLAG_NOATIME };
        return 0;
    }
    assert_int_equal(attributes->fsx_xflags, FS_XFLAG_NOATIME | FS_XFLAG_PROJINHERIT);
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    assert_true(readlink(link, path, sizeof(path) - 1) > 0);
    assert_true(disk.joined_count < sizeof(disk.joined) / sizeof(disk.joined[0]));
    snprintf(disk.joined[disk.joined_count++], sizeof(disk.joined[0]), "%s %u", path, attributes->fsx_projid);
    return 0;
}

/* While true, each measurement step takes longer than one call may. */
static bool clock_is_slow;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    static int64_t added_s;
    int result = __real_clock_gettime(clock, now);

    if (clock_is_slow && clock == CLOCK_MONOTONIC)
        now->tv_sec += ++added_s;
    return result;
}

static int open_bounded(void **state)
{
    struct fixture *fixture;
    int result;

    memset(&disk, 0, sizeof(disk));
    disk.enforces = true;
    result = fixture_open(state);
    if (result != 0)
        return result;
    fixture = *state;
    fixture->config.disk_limit_mb = LIMIT_MB;
    fixture->config.quota_project_first = FIRST;
    fixture->config.quota_project_count = COUNT;
    fixture_restart(fixture);
    return 0;
}

/* --- tests ---------------------------------------------------------------------------- */

/* Starts a container that waits for the file "go" in its directory. */
static void start(struct fixture *fixture)
{
    struct launch plan = fixture_plan(ID, SHELL("until [ -e go ]; do sleep 0.05; done; exit 3"));

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
}

static void end(struct fixture *fixture)
{
    scoped_free char *go = mem_printf("%s" WORK "/go", fixture->local);
    FILE *file = fopen(go, "we");

    assert_non_null(file);
    fclose(file);
    assert_int_equal(fixture_wait(fixture, ID, RUNTIME_EXITED).end.exit_status, 3);
    runtime_cleanup(fixture->runtime, ID);
}

static void expect_joined(const struct fixture *fixture, size_t i, const char *below, unsigned project)
{
    scoped_free char *expected = mem_printf("%s" WORK "%s %u", fixture->local, below, project);

    assert_true(i < disk.joined_count);
    assert_string_equal(disk.joined[i], expected);
}

static void test_a_container_has_a_project_while_it_lasts(void **state)
{
    struct fixture *fixture = *state;

    assert_true(runtime_quotas_work(fixture->runtime, NULL));
    start(fixture);
    expect_joined(fixture, 0, "", FIRST);
    expect_joined(fixture, 1, "/tmp", FIRST);
    assert_int_equal(disk.joined_count, 2);
    assert_int_equal(disk.limit[0], LIMIT_MB * MIB);
    end(fixture);
    assert_int_equal(disk.limit[0], 0);
}

static void on_found(void *context, const struct runtime_found *found)
{
    int *count = context;

    assert_int_equal(found->state, FOUND_RUNNING);
    ++*count;
}

static void test_a_new_agent_releases_it(void **state)
{
    struct fixture *fixture = *state;
    int found = 0;

    start(fixture);
    fixture_restart(fixture);
    assert_int_equal(runtime_recover(fixture->runtime, on_found, &found, NULL), 0);
    assert_int_equal(found, 1);
    assert_int_equal(disk.limit[0], LIMIT_MB * MIB);
    end(fixture);
    assert_int_equal(disk.limit[0], 0);
}

static void test_projects_with_files_are_skipped(void **state)
{
    struct fixture *fixture = *state;
    struct launch other = fixture_plan(OTHER, SHELL("exit 4"));

    disk.inodes[0] = 1;
    disk.bytes[1] = 4096;
    start(fixture);
    expect_joined(fixture, 0, "", FIRST + 2);
    assert_int_equal(disk.limit[0] + disk.limit[1], 0);
    /* No project id is free: the directory is only measured. */
    disk.inodes[2] = 2;
    assert_int_equal(fixture_run(fixture, &other).end.exit_status, 4);
    assert_int_equal(disk.joined_count, 2);
    end(fixture);
}

/* The end of an application cleans up each of its containers a second time. */
static void test_the_project_of_the_next_container_is_not_released(void **state)
{
    struct fixture *fixture = *state;
    struct launch other = fixture_plan(OTHER, SHELL("exit 4"));

    disk.inodes[1] = disk.inodes[2] = 2;
    assert_int_equal(fixture_run(fixture, &other).end.exit_status, 4);
    assert_int_equal(disk.limit[0], 0);
    start(fixture);
    expect_joined(fixture, 2, "", FIRST);
    disk.inodes[0] = 2;
    runtime_cleanup(fixture->runtime, OTHER);
    assert_int_equal(disk.limit[0], LIMIT_MB * MIB);
    disk.inodes[0] = 0;
    end(fixture);
    assert_int_equal(disk.limit[0], 0);
}

static void note(void *context, const char *container_id, uint64_t bytes, bool too_deep)
{
    uint64_t *noted = context;

    assert_string_equal(container_id, ID);
    assert_false(too_deep);
    *noted = bytes;
}

/* The quota does not limit processes of root, as on ext4. It counts files that are removed but still open. */
static void test_usage_counted_by_the_kernel_is_limited(void **state)
{
    struct fixture *fixture = *state;
    uint64_t noted = 0;

    start(fixture);
    disk.bytes[0] = 2 * LIMIT_MB * MIB;
    runtime_measure_disks(fixture->runtime, LIMIT_MB * MIB, note, &noted);
    assert_int_equal(noted, 2 * LIMIT_MB * MIB);
    /* The measurement finds files that their owner removed from the project. */
    disk.bytes[0] = 0;
    noted = 0;
    runtime_measure_disks(fixture->runtime, LIMIT_MB * MIB, note, &noted);
    assert_in_range(noted, 1, MIB);
    end(fixture);
}

/* Returns the number of open directories that were removed. */
static unsigned removed_directories(void)
{
    DIR *descriptors = opendir("/proc/self/fd");
    struct dirent *entry;
    unsigned count = 0;

    assert_non_null(descriptors);
    while ((entry = readdir(descriptors)) != NULL) {
        struct stat status;

        if (fstatat(dirfd(descriptors), entry->d_name, &status, 0) == 0 && S_ISDIR(status.st_mode) &&
            status.st_nlink == 0)
            count++;
    }
    closedir(descriptors);
    return count;
}

/* An open directory would still count for the project, which the next container then could not get. */
static void test_an_unfinished_measurement_ends_with_its_container(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *work = mem_printf("%s" WORK, fixture->local);
    scoped_fd int fd = -1;
    uint64_t noted = 0;

    start(fixture);
    fd = open(work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    for (int i = 0; i < 200; i++) {
        char name[16];

        snprintf(name, sizeof(name), "file%d", i);
        mem_close_fd(&(int){ openat(fd, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) });
    }
    mem_close_fd(&fd);
    fd = -1;
    clock_is_slow = true;
    runtime_measure_disks(fixture->runtime, LIMIT_MB * MIB, note, &noted);
    clock_is_slow = false;
    assert_int_equal(noted, 0);
    end(fixture);
    assert_int_equal(removed_directories(), 0);
}

static void test_without_quotas_it_is_measured(void **state)
{
    struct fixture *fixture = *state;
    struct err err = { .code = 0 };

    disk.enforces = false;
    assert_false(runtime_quotas_work(fixture->runtime, &err));
    assert_non_null(strstr(err.text, fixture->local));
    assert_non_null(strstr(err.text, "prjquota"));
    start(fixture);
    assert_int_equal(disk.joined_count, 0);
    assert_int_equal(disk.limit[0], 0);
    end(fixture);
}

static void test_without_the_right_it_is_measured(void **state)
{
    struct fixture *fixture = *state;
    struct err err = { .code = 0 };

    disk.forbids = true;
    assert_false(runtime_quotas_work(fixture->runtime, &err));
    assert_non_null(strstr(err.text, "CAP_SYS_ADMIN"));
    start(fixture);
    assert_int_equal(disk.joined_count, 0);
    end(fixture);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_bounded, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_a_container_has_a_project_while_it_lasts),
        CASE(test_a_new_agent_releases_it),
        CASE(test_projects_with_files_are_skipped),
        CASE(test_the_project_of_the_next_container_is_not_released),
        CASE(test_usage_counted_by_the_kernel_is_limited),
        CASE(test_an_unfinished_measurement_ends_with_its_container),
        CASE(test_without_quotas_it_is_measured),
        CASE(test_without_the_right_it_is_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
