/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_parts.c - test: parts of the Linux runtime that need no root and no cgroup
 *
 * Detection of cgroups from files recorded on different machines, limits by YARN's formulas, records, paths.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/cgroup_detect.h"
#include "nm-agent/linux/cgroup/limits.h"
#include "nm-agent/linux/parts/environment.h"
#include "nm-agent/linux/parts/exit_record.h"
#include "nm-agent/linux/parts/paths.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/linux/shim/plan.h"

/* --- detection of cgroups ---------------------------------------------------- */

#define V1(id, path, options, name) \
#id " 30 0:30 / " path " " options ",nosuid,nodev,noexec,relatime shared:9 - cgroup cgroup " \
        "rw," name "\n"

static const char hybrid_mounts[] =
    "30 23 0:28 / /sys/fs/cgroup ro,nosuid shared:8 - tmpfs tmpfs ro,mode=755\n" V1(
        31, "/sys/fs/cgroup/systemd", "rw", "xattr,name=systemd")
        V1(32, "/sys/fs/cgroup/memory", "rw", "memory") V1(33, "/sys/fs/cgroup/cpu,cpuacct", "rw",
                                                           "cpu,cpuacct")
            V1(34, "/sys/fs/cgroup/pids", "rw",
               "pids") "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n";

static const char v2_mounts[] =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 "
    "rw,nsdelegate,memory_recursiveprot\n";

static struct detect *parse(const char *mounts, const char *own, const char *controllers)
{
    static struct detect detect;
    struct err err = { .code = 0 };

    if (detect_parse(mounts, own, controllers, &detect, &err) != 0)
        fail_msg("%s", err.text);
    return &detect;
}

static void test_hybrid(void **state)
{
    struct detect *detect = parse(hybrid_mounts,
                                  "4:memory:/process/149d\n3:pids:/\n"
                                  "2:cpu,cpuacct:/user.slice\n1:name=systemd:/\n0::/x\n",
                                  "hugetlb\n");

    (void)state;
    assert_string_equal(detect_mode(detect), "hybrid");
    assert_int_equal(detect->controller[LEAF_MEMORY].version, 1);
    assert_string_equal(detect->controller[LEAF_MEMORY].mount, "/sys/fs/cgroup/memory");
    assert_string_equal(detect->controller[LEAF_MEMORY].own, "/process/149d");
    assert_string_equal(detect->controller[LEAF_PIDS].own, "");
    assert_string_equal(detect->controller[LEAF_CPUACCT].mount, "/sys/fs/cgroup/cpu,cpuacct");
    assert_string_equal(detect->controller[LEAF_CPUACCT].own, "/user.slice");
    assert_string_equal(detect->unified_mount, "/sys/fs/cgroup/unified");
    assert_false(detect->controller[LEAF_MEMORY].read_only);
}

static void test_pure_v1(void **state)
{
    scoped_free char *mounts = mem_strdup(hybrid_mounts);

    (void)state;
    *strstr(mounts, "41 31") = '\0';
    assert_string_equal(detect_mode(parse(mounts, "0::/\n", "")), "v1");
}

static void test_pure_v2(void **state)
{
    struct detect *detect =
        parse(v2_mounts, "0::/system.slice/creel-nm.service\n", "cpuset cpu io memory hugetlb pids rdma\n");

    (void)state;
    assert_string_equal(detect_mode(detect), "v2");
    assert_int_equal(detect->controller[LEAF_MEMORY].version, 2);
    assert_string_equal(detect->controller[LEAF_MEMORY].mount, "/sys/fs/cgroup");
    /* A group that contains the agent cannot delegate controllers. */
    assert_string_equal(detect->controller[LEAF_MEMORY].own, "");
    assert_int_equal(detect->controller[LEAF_CPUACCT].version, 0);
}

static void test_each_controller_by_itself(void **state)
{
    static const char mounts[] =
        V1(32, "/sys/fs/cgroup/memory", "rw",
           "memory") "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
    struct detect *detect = parse(mounts, "4:memory:/\n0::/\n", "cpu pids\n");

    (void)state;
    assert_string_equal(detect_mode(detect), "hybrid");
    assert_int_equal(detect->controller[LEAF_MEMORY].version, 1);
    assert_int_equal(detect->controller[LEAF_CPU].version, 2);
    assert_int_equal(detect->controller[LEAF_PIDS].version, 2);
}

static void test_nspawn(void **state)
{
    /* Read-only; the mount shows only the container's part of the hierarchy. */
    static const char mounts[] =
        "32 31 0:35 /creeln1/payload /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory\n"
        "33 31 0:30 /creeln1/payload /sys/fs/cgroup/cpu ro,nosuid - cgroup cgroup rw,cpu\n"
        "34 31 0:36 /creeln1/payload /sys/fs/cgroup/pids ro,nosuid - cgroup cgroup rw,pids\n"
        "36 31 0:36 /creeln1/payload /mnt/with\\040blank rw,nosuid - cgroup cgroup rw,pids\n";
    struct detect *detect = parse(mounts,
                                  "4:memory:/creeln1/payload/agent\n"
                                  "3:cpu:/creeln1/payload\n2:pids:/elsewhere\n1:x:/../..\n",
                                  "");

    (void)state;
    assert_true(detect->controller[LEAF_MEMORY].read_only);
    assert_string_equal(detect->controller[LEAF_MEMORY].own, "/agent");
    assert_string_equal(detect->controller[LEAF_CPU].own, "");
    assert_string_equal(detect->controller[LEAF_PIDS].own, "");
    /* Of two mounts, the writable one is used. */
    assert_string_equal(detect->controller[LEAF_PIDS].mount, "/mnt/with blank");
    assert_false(detect->controller[LEAF_PIDS].read_only);
    assert_int_equal(detect->controller[LEAF_CPUACCT].version, 0);
}

static void test_missing_controller(void **state)
{
    struct detect detect;
    struct err err = { .code = 0 };

    (void)state;
    assert_int_equal(detect_parse(v2_mounts, "0::/\n", "cpu pids\n", &detect, &err), -ENOENT);
    assert_non_null(strstr(err.text, "cgroup controller memory"));
    assert_non_null(strstr(err.text, "cgroup_enable=memory"));
    assert_int_equal(detect_parse("", "", "", &detect, &err), -ENOENT);
    assert_int_equal(detect_parse("x\n32 31\n\n1 2 3 4 5 6 7\n", ":\n::\n", "", &detect, &err), -ENOENT);
}

/* --- limits ------------------------------------------------------------------ */

static void test_limits(void **state)
{
    static const struct {
        int64_t vcores, node_vcores, cpus;
        bool strict;
        int64_t quota_us, period_us;
        const char *shares, *weight;
    } cases[] = {
        { 1, 4, 4, false, -1, 1000000, "1024", "100" },
        { 1, 4, 4, true, 1000000, 1000000, "1024", "100" },
        { 1, 8, 4, true, 500000, 1000000, "1024", "100" },
        { 3, 4, 4, true, 1000000, 333333, "3072", "300" },
        { 4, 4, 4, true, -1, 1000000, "4096", "400" },
        { 1, 2, 4096, true, -1, 1000000, "1024", "100" },
        { 1, 100000, 1, true, 1000, 1000000, "1024", "100" },
        { 1000, 4, 4, false, -1, 1000000, "262144", "10000" },
        { 0, 4, 4, false, -1, 1000000, "1024", "100" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct limits_node node = {
            .strict_cpu = cases[i].strict,
            .vcores = cases[i].node_vcores,
            .cpus = cases[i].cpus,
            .cpu_percent = 100,
            .soft_percent = 90,
            .pids_max = 99,
        };
        struct resource resource = resource_of(64, cases[i].vcores);
        struct leaf_limits limits = limits_of(&resource, &node);
        struct leaf_setting settings[LEAF_SETTINGS_MAX];

        assert_int_equal(limits.memory_bytes, 64 << 20);
        assert_int_equal(limits.cpu_quota_us, cases[i].quota_us);
        assert_int_equal(limits.cpu_period_us, cases[i].period_us);
        assert_true(leaf_settings(&leaf_v1, LEAF_CPU, &limits, settings) > 0);
        assert_string_equal(settings[0].value, cases[i].shares);
        assert_true(leaf_settings(&leaf_v2, LEAF_CPU, &limits, settings) > 0);
        assert_string_equal(settings[0].value, cases[i].weight);
        assert_int_equal(leaf_settings(&leaf_v2, LEAF_PIDS, &limits, settings), 1);
        assert_string_equal(settings[0].value, "99");
    }
}

static void test_settings(void **state)
{
    struct leaf_limits limits = {
        .memory_bytes = 67108864, .vcores = 1, .cpu_quota_us = 500000, .cpu_period_us = 1000000, .pids_max = 5
    };
    struct leaf_setting settings[LEAF_SETTINGS_MAX];

    (void)state;
    limits.memory_soft_bytes = -1;
    assert_int_equal(leaf_settings(&leaf_v1, LEAF_MEMORY, &limits, settings), 3);
    assert_string_equal(settings[0].file, "memory.limit_in_bytes");
    assert_string_equal(settings[1].file, "memory.memsw.limit_in_bytes");
    assert_string_equal(settings[1].value, "67108864");
    assert_int_equal(leaf_settings(&leaf_v2, LEAF_MEMORY, &limits, settings), 3);
    assert_string_equal(settings[0].file, "memory.max");
    assert_string_equal(settings[1].file, "memory.swap.max");
    assert_string_equal(settings[1].value, "0");
    assert_int_equal(leaf_settings(&leaf_v2, LEAF_CPU, &limits, settings), 2);
    assert_string_equal(settings[1].file, "cpu.max");
    assert_string_equal(settings[1].value, "500000 1000000");
}

/* --- records ----------------------------------------------------------------- */

static void test_kills_beyond_the_limit(void **state)
{
    const int64_t limit = 64 << 20;
    struct container_end record = { .totals.memory_peak_bytes = 64 << 20 };

    (void)state;
    assert_false(exit_record_is_machine_full(&record, limit));
    record.totals.memory_peak_bytes = 60 << 20;
    assert_false(exit_record_is_machine_full(&record, limit));
    assert_true(exit_record_is_machine_full(&record, -1)); /* no limit */
    record.totals.memory_peak_bytes = 10 << 20;
    assert_true(exit_record_is_machine_full(&record, limit));
    record.totals.memory_peak_bytes = 0; /* not known */
    assert_false(exit_record_is_machine_full(&record, limit));
}

static void test_exit_record(void **state)
{
    struct container_end record = { .exit_status = -104,
                                    .started_ms = 1,
                                    .finished_ms = INT64_MAX,
                                    .command_ms = INT64_MAX - 1,
                                    .node_fault = true,
                                    .diagnostics = "two\nlines" };
    struct container_end found = { .exit_status = 0 };
    char text[EXIT_RECORD_SIZE + 1];
    size_t length, end;
    int number = 0;

    (void)state;
#define T(type, member, step) record.totals.member = (type)UINT64_MAX - (type)number++;
    CONTAINER_TOTALS(T)
#undef T
    length = exit_record_format(&record, text);
    text[length] = '\0';
    assert_true(exit_record_parse(text, &found));
    assert_memory_equal(&record, &found, sizeof(record));
    /* A record truncated before its end is invalid; the lines behind it may be missing. */
    end = (size_t)(strstr(text, "\nend\n") + 5 - text);
    assert_in_range(end, 1, length - 1);
    for (size_t i = 0; i < length; i++) {
        char keep = text[i];

        text[i] = '\0';
        assert_true(exit_record_parse(text, &found) == (i >= end));
        text[i] = keep;
    }
    /* A number of a later version is ignored. */
    strcat(text, "cache_peak_bytes 5\n");
    assert_true(exit_record_parse(text, &found));
    assert_memory_equal(&record, &found, sizeof(record));
    /* A record without the end of the command, of an earlier version. */
    *strstr(text, "command_ms") = '\0';
    strcat(text, "diagnostics x\nend\n");
    assert_true(exit_record_parse(text, &found));
    assert_true(found.command_ms == found.finished_ms);
    memset(record.diagnostics, 'x', sizeof(record.diagnostics) - 1);
    text[exit_record_format(&record, text)] = '\0';
    assert_true(exit_record_parse(text, &found));
    assert_string_equal(found.diagnostics, record.diagnostics);
}

static void test_process(void **state)
{
    struct process self = { .pid = 0 }, other;
    char text[PROCESS_TEXT_MAX];
    int fd;

    (void)state;
    assert_int_equal(process_of(getpid(), &self), 0);
    process_format(&self, text);
    assert_true(process_parse(text, &other));
    fd = process_open(&other);
    assert_true(fd >= 0);
    close(fd);
    other.start_ticks++; /* another process has the pid now */
    assert_int_equal(process_open(&other), -ESRCH);
    other = self;
    other.boot_id[0] = 'x'; /* the record is from before a reboot */
    assert_int_equal(process_open(&other), -ESRCH);
    assert_false(process_parse("12 x", &other));
    assert_false(process_parse("", &other));
}

/* A child of this test has a file open under a number that nobody else has it under. */
static void test_process_that_has_a_file(void **state)
{
    struct process holder, child;
    int pair[2], own[2];
    struct stat status;
    int64_t now_ms;
    char byte;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
    assert_int_equal(pipe2(own, O_CLOEXEC), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(pair[1]);
        prctl(PR_SET_NAME, "has-a-file", 0, 0, 0);
        if (dup2(own[0], 77) != 77 || write(own[1], "", 1) != 1)
            _exit(1);
        _exit((int)read(pair[0], &byte, 1)); /* until this test closes the other end */
    }
    assert_int_equal(read(own[0], &byte, 1), 1);
    assert_int_equal(fstat(own[0], &status), 0);
    assert_true(process_find_holder("has-a-file", 77, &status, &holder));
    assert_int_equal(holder.pid, pid);
    assert_false(process_find_holder("has-a-file", 78, &status, &holder));
    assert_false(process_find_holder("has-a", 77, &status, &holder));
    assert_true(process_first_child(getpid(), &child));
    assert_int_equal(child.pid, pid);
    assert_false(process_first_child(pid, &holder));
    now_ms = process_now_ms();
    assert_true(process_start_ms(&child) <= now_ms + 1000 && process_start_ms(&child) >= now_ms - 60000);
    close(pair[1]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_false(process_find_holder("has-a-file", 77, &status, &holder));
    close(pair[0]);
    close(own[0]);
    close(own[1]);
}

static void test_record(void **state)
{
    char directory[] = "/tmp/creel-test-record-XXXXXX";
    scoped_free char *data = NULL;
    struct err err = { .code = 0 };
    size_t size = 0;
    int fd;

    (void)state;
    assert_non_null(mkdtemp(directory));
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(record_write(fd, "r", "old", 3, &err), 0);
    assert_int_equal(record_write(fd, "r", "a\0b", 3, &err), 0);
    assert_int_equal(record_read(fd, "r", &data, &size, &err), 0);
    assert_int_equal(size, 3);
    assert_memory_equal(data, "a\0b", 4);
    assert_int_equal(faccessat(fd, "r.new", F_OK, 0), -1);
    unlinkat(fd, "r", 0);
    assert_int_equal(symlinkat("/etc/passwd", fd, "r"), 0);
    free(data);
    data = NULL;
    assert_int_equal(record_read(fd, "r", &data, &size, &err), -ELOOP);
    unlinkat(fd, "r", 0);
    close(fd);
    assert_int_equal(rmdir(directory), 0);
}

static void test_plan(void **state)
{
    char word[] = "say\nthis=that", name[] = "A=b=c", second[] = "";
    const char *argv[] = { word, second, NULL }, *environment[] = { name, NULL };
    const char *archives[] = { "one", "a b", NULL };
    gid_t groups[] = { 5, 4294967294U };
    struct plan plan = {
        .launch.argv = argv,
        .launch.environment = environment,
        .launch.directory = "/d",
        .launch.umask = "027",
        .launch.nice = -3,
        .archives = archives,
        .unpack_program = "/p/creel-unpack",
        .launch.fetch = "out,a b",
        .pack_program = "/p/creel-pack",
        .results_bytes_max = 1LL << 33,
        .out_path = "/o",
        .err_path = "/e",
        .uid = 4294967294U,
        .gid = 7,
        .groups = groups,
        .group_count = 2,
        .memory_bytes = 1LL << 40,
        .leaf = { .directory = { "/m", "/c", "/p p", NULL }, .version = { 1, 2, 1, 0 } },
    };
    char path[] = "/tmp/creel-test-plan-XXXXXX";
    struct plan found;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(plan_read(fd, &found), -EPROTO);
    assert_int_equal(plan_write(fd, &plan), 0);
    assert_int_equal(plan_read(fd, &found), 0);
    assert_string_equal(found.launch.argv[0], word);
    assert_string_equal(found.launch.argv[1], "");
    assert_null(found.launch.argv[2]);
    assert_string_equal(found.launch.environment[0], name);
    assert_string_equal(found.launch.umask, "027");
    assert_int_equal(found.launch.nice, -3);
    assert_int_equal(found.uid, 4294967294U);
    assert_int_equal(found.group_count, 2);
    assert_int_equal(found.groups[1], 4294967294U);
    assert_string_equal(found.leaf.directory[LEAF_PIDS], "/p p");
    assert_int_equal(found.leaf.version[LEAF_CPU], 2);
    assert_null(found.leaf.directory[LEAF_CPUACCT]);
    assert_string_equal(found.archives[1], "a b");
    assert_null(found.archives[2]);
    assert_string_equal(found.unpack_program, "/p/creel-unpack");
    assert_string_equal(found.launch.fetch, "out,a b");
    assert_string_equal(found.pack_program, "/p/creel-pack");
    assert_int_equal(found.results_bytes_max, 1LL << 33);
    plan_clear(&found);

    /* Archives without the program that unpacks them: not a plan. */
    plan.unpack_program = NULL;
    assert_int_equal(ftruncate(fd, 0), 0);
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(plan_write(fd, &plan), 0);
    assert_int_equal(plan_read(fd, &found), -EPROTO);
    close(fd);
}

/* --- container names and paths ------------------------------------------------ */

static void test_names(void **state)
{
    char **list = paths_split(" /a/ ,/b,, /c ");

    (void)state;
    assert_string_equal(list[0], "/a");
    assert_string_equal(list[1], "/b");
    assert_string_equal(list[2], "/c");
    assert_null(list[3]);
    paths_free_list(list);
    assert_null(paths_split("/a,b"));
    assert_null(paths_split(""));
    assert_true(paths_is_name("container_1_0001_01_000001"));
    assert_false(paths_is_name(".."));
    assert_false(paths_is_name("a/b"));
    assert_false(paths_is_name(NULL));
    assert_true(paths_is_file_name("a file.txt"));
    assert_false(paths_is_file_name("../x"));
    assert_false(paths_is_file_name("x\ny"));
    assert_true(paths_list_has("a, b ,c", "b"));
    assert_false(paths_list_has("ab", "a"));
}

static void test_environment(void **state)
{
    char passed[] = "LANG=C", hidden[] = "SECRET=1", odd[] = "NOTHING";
    char *const from[] = { passed, hidden, odd, NULL };
    struct environment environment = { .entries = NULL };

    (void)state;
    environment_pass(&environment, "LANG,NOTHING", from);
    environment_set(&environment, "A", "1");
    environment_put(&environment, "A=2=3");
    environment_put(&environment, "=x");
    assert_int_equal(environment.count, 2);
    assert_string_equal(environment_get(&environment, "A"), "2=3");
    assert_string_equal(environment_get(&environment, "LANG"), "C");
    assert_null(environment_get(&environment, "SECRET"));
    assert_null(environment.entries[2]);
    environment_clear(&environment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hybrid),
        cmocka_unit_test(test_pure_v1),
        cmocka_unit_test(test_pure_v2),
        cmocka_unit_test(test_each_controller_by_itself),
        cmocka_unit_test(test_nspawn),
        cmocka_unit_test(test_missing_controller),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_exit_record),
        cmocka_unit_test(test_kills_beyond_the_limit),
        cmocka_unit_test(test_process),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_process_that_has_a_file),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
