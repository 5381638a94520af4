/* SPDX-License-Identifier: Apache-2.0 */
/* linux_limits.c - test: resource limits of containers, and measurement of their usage; needs root */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/cgroup.h"
#include "nm-agent/linux/cgroup/limits.h"
#include "nm-agent/linux/parts/machine.h"
#include "nm-agent/linux/parts/record.h"
#include "tests/unit/linux/linux_fixture.h"

#define ID "container_1700000000000_0001_01_000001"

static bool has_spoken(struct fixture *fixture)
{
    struct err err;
    uint64_t size = 0;
    size_t got = 0;
    char byte;

    return runtime_read_log(fixture->runtime, ID, "stdout", 0, &byte, 1, &got, &size, &err) == 0 && size > 0;
}

/* No event signals the awaited condition, so the tests poll. */
static void pause_shortly(void)
{
    const struct timespec pause = { .tv_nsec = 5000000 };

    nanosleep(&pause, NULL);
}

static void start(struct fixture *fixture, const char *script)
{
    struct launch plan = fixture_plan(ID, SHELL(script));

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID, RUNTIME_RUNNING);
    fixture_until(fixture, has_spoken);
}

static struct runtime_event stop(struct fixture *fixture)
{
    struct runtime_event event;

    runtime_stop(fixture->runtime, ID);
    event = fixture_wait(fixture, ID, RUNTIME_EXITED);
    runtime_cleanup(fixture->runtime, ID);
    return event;
}

/* Creates the runtime again with the configuration that the test has changed. */
static void remake(struct fixture *fixture)
{
    fixture_restart(fixture);
}

/* --- computed limits ----------------------------------------------------------- */

static void test_cores(void **state)
{
    static const struct {
        const char *text;
        int64_t cores;
    } cases[] = {
        { "", 0 },
        { "processor\t: 0\nBogoMIPS\t: 50.0\n\nprocessor\t: 1\n\n", 0 },
        { "processor\t: 0\nphysical id\t: 0\ncore id\t\t: 0\n\n"
          "processor\t: 1\nphysical id\t: 0\ncore id\t\t: 1\n\n",
          2 },
        { "processor\t: 0\nphysical id\t: 0\ncore id\t\t: 0\n\n"
          "processor\t: 1\nphysical id\t: 0\ncore id\t\t: 0\n\n"
          "processor\t: 2\nphysical id\t: 1\ncore id\t\t: 0\n\n"
          "processor\t: 3\nphysical id\t: 1\ncore id\t\t: 0\n\n",
          2 },
        { "core id", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(machine_count_cores(cases[i].text), cases[i].cores);
}

static void test_quota_of_all(void **state)
{
    static const struct {
        int64_t cpus, percent, quota_us, period_us;
    } cases[] = {
        { 4, 100, -1, 1000000 }, /* all CPUs */
        { 4, 50, 1000000, 500000 }, { 4, 75, 1000000, 333333 }, { 1, 50, 500000, 1000000 },
        { 1, 1, 10000, 1000000 },   { 3, 50, 1000000, 666666 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct limits_node node = { .cpus = cases[i].cpus, .cpu_percent = cases[i].percent };
        struct limits_quota quota = limits_of_tree(&node);

        assert_int_equal(quota.quota_us, cases[i].quota_us);
        assert_int_equal(quota.period_us, cases[i].period_us);
    }
}

static void find_setting(const struct leaf_setting *settings, size_t count, const char *file,
                         const char *value)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(settings[i].file, file) != 0)
            continue;
        assert_non_null(value);
        assert_string_equal(settings[i].value, value);
        return;
    }
    assert_null(value);
}

static void test_memory_settings(void **state)
{
    static const struct {
        bool unlimited;
        int64_t swappiness;
        const char *hard, *sum, *soft, *wish, *v2_hard, *v2_swap, *v2_low;
    } cases[] = {
        { false, 0, "67108864", "67108864", "59768832", "0", "67108864", "0", "59768832" },
        { false, 60, "67108864", NULL, "59768832", "60", "67108864", NULL, "59768832" },
        { true, 60, "-1", NULL, NULL, NULL, "max", NULL, NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct limits_node node = {
            .cpus = 1,
            .cpu_percent = 100,
            .soft_percent = 90,
            .memory_unlimited = cases[i].unlimited,
            .swappiness = cases[i].swappiness,
        };
        struct resource resource = resource_of(64, 1);
        struct leaf_limits limits = limits_of(&resource, &node);
        struct leaf_setting settings[LEAF_SETTINGS_MAX];
        size_t count = leaf_settings(&leaf_v1, LEAF_MEMORY, &limits, settings);

        find_setting(settings, count, "memory.limit_in_bytes", cases[i].hard);
        find_setting(settings, count, "memory.memsw.limit_in_bytes", cases[i].sum);
        find_setting(settings, count, "memory.soft_limit_in_bytes", cases[i].soft);
        find_setting(settings, count, "memory.swappiness", cases[i].wish);
        /* Without swap accounting the kernel has no memory+swap limit file, so this setting is optional. */
        for (size_t k = 0; k < count; k++)
            assert_int_equal(settings[k].optional, strcmp(settings[k].file, "memory.limit_in_bytes") != 0);
        count = leaf_settings(&leaf_v2, LEAF_MEMORY, &limits, settings);
        find_setting(settings, count, "memory.max", cases[i].v2_hard);
        find_setting(settings, count, "memory.swap.max", cases[i].v2_swap);
        find_setting(settings, count, "memory.low", cases[i].v2_low);
    }
}

/* --- on this machine -------------------------------------------------------------- */

/* Reads FILE in the container's group or (ABOVE) the instance's group. NULL: it does not exist. */
static char *group_file(struct fixture *fixture, bool above, const char *file)
{
    scoped_free char *group = fixture_group(fixture, ID, above, file);
    scoped_free char *path = group ? mem_printf("%s/%s", group, file) : NULL;
    char *found = NULL;

    if (path != NULL)
        assert_int_equal(record_read(AT_FDCWD, path, &found, NULL, NULL), 0);
    return found;
}

static void assert_group_file(struct fixture *fixture, bool above, const char *v1, const char *v2,
                              const char *v1_value, const char *v2_value)
{
    scoped_free char *old = group_file(fixture, above, v1);
    scoped_free char *new = old ? NULL : group_file(fixture, above, v2);

    if (old != NULL)
        assert_string_equal(old, v1_value);
    else if (new != NULL)
        assert_string_equal(new, v2_value);
}

static void test_files(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *half = NULL, *new_half = NULL;
    int64_t half_us = 1000000 / (sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1 : 2);

    fixture->config.cpu_percent = 50;
    fixture->config.soft_limit_percent = 50;
    fixture->config.open_files_max = 500;
    remake(fixture);
    start(fixture, "ulimit -Hn; sleep 1000");
    half = mem_printf("%lld\n", (long long)half_us);
    new_half =
        mem_printf("%lld %lld\n", (long long)half_us, (long long)(2000000 / sysconf(_SC_NPROCESSORS_ONLN)));
    assert_group_file(fixture, true, "cpu.cfs_quota_us", "cpu.max", half, new_half);
    assert_group_file(fixture, false, "memory.limit_in_bytes", "memory.max", "67108864\n", "67108864\n");
    assert_group_file(fixture, false, "memory.soft_limit_in_bytes", "memory.low", "33554432\n", "33554432\n");
    assert_group_file(fixture, false, "memory.memsw.limit_in_bytes", "memory.swap.max", "67108864\n", "0\n");
    scoped_free char *out = fixture_log(fixture, ID, "stdout");

    assert_string_equal(out, "500\n");
    /* The next agent has no such limit, and removes the limit of this agent. */
    fixture->config.cpu_percent = 100;
    remake(fixture);
    assert_group_file(fixture, true, "cpu.cfs_quota_us", "cpu.max", "-1\n", "max 1000000\n");
}

/* Called for a container of an earlier agent, which the test then ends. */
static void found(void *context, const struct runtime_found *it)
{
    (void)context;
    (void)it;
}

static void test_files_and_end(void **state)
{
    struct fixture *fixture = *state;
    struct err err;

    test_files(state);
    assert_int_equal(runtime_recover(fixture->runtime, found, NULL, &err), 0);
    stop(fixture);
}

/* --- measurement ------------------------------------------------------------------ */

struct seen {
    struct runtime_sample look;
    struct runtime_process processes[8];
    size_t count;
};

static void see(void *context, const struct runtime_sample *look)
{
    struct seen *seen = context;

    seen->count++;
    seen->look = *look;
    assert_true(look->process_count <= 8);
    for (size_t i = 0; i < look->process_count; i++)
        seen->processes[i] = look->processes[i];
}

static const struct runtime_process *largest(const struct seen *seen)
{
    size_t best = 0;

    for (size_t i = 1; i < seen->look.process_count; i++)
        if (seen->processes[i].physical_bytes > seen->processes[best].physical_bytes)
            best = i;
    return &seen->processes[best];
}

static void test_processes(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { .count = 0 };
    char command[200];

    start(fixture, "x=$(head -c 20000000 /dev/zero | tr '\\0' x); sleep 1000 & echo ready; "
                   "read line; sleep 1000");
    for (uint32_t i = 1; i <= 3; i++) {
        runtime_sample(fixture->runtime, RUNTIME_SAMPLE_PROCESSES, see, &seen);
        assert_int_equal(seen.look.number, i);
        assert_true(seen.look.process_count >= 2);
        assert_in_range(largest(&seen)->physical_bytes, 20000000, 200 << 20);
        assert_true(largest(&seen)->virtual_bytes >= largest(&seen)->physical_bytes);
        assert_int_equal(largest(&seen)->age, i);
    }
    assert_int_equal(seen.count, 3);
    assert_true(seen.look.pids >= 2);
    runtime_command_line(largest(&seen)->pid, command, sizeof(command));
    assert_non_null(strstr(command, "/bin/sh -c x="));
    /* With MAPPINGS, read-only mappings do not count and shared pages are divided between processes: never
     * more than RSS. */
    uint64_t plain = largest(&seen)->physical_bytes;

    runtime_sample(fixture->runtime, RUNTIME_SAMPLE_MAPPINGS, see, &seen);
    assert_in_range(largest(&seen)->physical_bytes, 9000000, plain + (1 << 20));
    kill(largest(&seen)->pid, SIGKILL);
    fixture_wait(fixture, ID, RUNTIME_EXITED);
    seen.count = 0;
    runtime_sample(fixture->runtime, RUNTIME_SAMPLE_PROCESSES, see, &seen);
    assert_int_equal(seen.count, 0);
    runtime_command_line(0x7ffffff, command, sizeof(command));
    assert_string_equal(command, "");
    runtime_cleanup(fixture->runtime, ID);
}

static void count_samples(void *context, const struct runtime_sample *look)
{
    *(size_t *)context += 1;
    assert_true(look->process_count >= (look->number > 0));
}

static int64_t cpu_time_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Measuring a thousand containers each second must take less than a hundredth of a core: ten microseconds
 * each. The bound here is larger because of sanitizers. */
static void test_checks_are_cheap(void **state)
{
    enum { COUNT = 60, SWEEPS = 20 };
    static const enum runtime_sample_depth at[] = { RUNTIME_SAMPLE_FIGURES, RUNTIME_SAMPLE_PROCESSES };
    struct fixture *fixture = *state;

    for (int i = 0; i < COUNT; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06d", i + 1);
        struct launch plan = fixture_plan(id, SHELL("exec sleep 1000"));

        fixture_launch(fixture, &plan);
        fixture_wait(fixture, id, RUNTIME_RUNNING);
    }
    for (size_t k = 0; k < 2; k++) {
        int64_t best_ns = INT64_MAX;

        for (int i = 0; i < SWEEPS; i++) {
            int64_t began_ns = cpu_time_ns(), took_ns;
            size_t count = 0;

            runtime_sample(fixture->runtime, at[k], count_samples, &count);
            took_ns = cpu_time_ns() - began_ns;
            assert_int_equal(count, COUNT);
            best_ns = took_ns < best_ns ? took_ns : best_ns;
        }
        print_message("a look at %s: %.2f us\n", k == 0 ? "figures" : "processes, too",
                      (double)best_ns / 1000 / COUNT);
        assert_in_range(best_ns / COUNT, 1, 30000);
    }
    for (int i = 0; i < COUNT; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06d", i + 1);

        runtime_stop(fixture->runtime, id);
        fixture_wait(fixture, id, RUNTIME_EXITED);
        runtime_cleanup(fixture->runtime, id);
    }
}

static void add_bytes(void *context, const char *id, uint64_t bytes)
{
    assert_string_equal(id, ID);
    *(uint64_t *)context += bytes;
}

static void test_logs(void **state)
{
    struct fixture *fixture = *state;
    uint64_t bytes = 0;

    start(fixture, "head -c 500000 /dev/zero; mkdir \"$LOG_DIRS/more\"; "
                   "head -c 500000 /dev/zero >\"$LOG_DIRS/more/file\"; "
                   "ln -s / \"$LOG_DIRS/trap\"; echo ready >&2; sleep 1000");
    for (int i = 0; i < 2000 && bytes < 1000000; i++) {
        bytes = 0;
        runtime_measure_logs(fixture->runtime, add_bytes, &bytes);
        pause_shortly();
    }
    assert_in_range(bytes, 1000000, 1200000);
    stop(fixture);
}

/* --- a removed cgroup ------------------------------------------------------------- */

/* Moves all processes of the group to its parent, and removes the group. */
static void remove_group(const char *directory)
{
    scoped_free char *members = mem_printf("%s/cgroup.procs", directory);
    scoped_free char *above = mem_printf("%s/../cgroup.procs", directory);
    scoped_free char *pids = NULL;
    char *save = NULL;

    if (record_read(AT_FDCWD, members, &pids, NULL, NULL) != 0)
        return;
    for (char *pid = strtok_r(pids, "\n", &save); pid; pid = strtok_r(NULL, "\n", &save)) {
        FILE *stream = fopen(above, "we");

        assert_non_null(stream);
        fputs(pid, stream);
        fclose(stream);
    }
    rmdir(directory);
}

static void test_group_is_taken_away(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *path = mem_printf("%s/containers/" ID "/meta", fixture->state);
    scoped_free char *script = mem_printf("trap '' TERM; sleep 97%d & (setsid sleep 97%d &) ; "
                                          "echo ready; sleep 97%d",
                                          getpid(), getpid(), getpid());
    scoped_free char *mark = mem_printf("97%d", getpid()), *text = NULL;
    struct seen seen = { .count = 0 };
    char *save = NULL;
    static struct detect detect;

    if (detect_here(&detect, NULL) != 0 || detect.controller[LEAF_MEMORY].version != 1)
        skip(); /* cgroup v2: inner groups cannot have processes */
    start(fixture, script);
    assert_int_equal(record_read(AT_FDCWD, path, &text, NULL, NULL), 0);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (strncmp(line, "cgroup ", 7) == 0)
            remove_group(strchr(line, '/'));
    assert_int_equal(fixture_groups(fixture), 0);
    runtime_sample(fixture->runtime, RUNTIME_SAMPLE_PROCESSES, see, &seen);
    assert_true(seen.look.group_gone);
    assert_int_equal(stop(fixture).end.exit_status, 137);
    assert_int_equal(fixture_processes(mark), 0);
}

/* --- commands that cannot run --------------------------------------------------------- */

static void test_directory_as_command(void **state)
{
    static const char *const argv[] = { "/etc", NULL };
    struct launch plan = fixture_plan(ID, argv);
    struct runtime_event event = fixture_run(*state, &plan);

    assert_int_equal(event.end.exit_status, 126);
    assert_string_equal(event.end.diagnostics, "cannot run \"/etc\": it is a directory");
}

static void test_environment_is_too_long(void **state)
{
    enum { COUNT = 40, SIZE = 100000 };
    struct launch plan = fixture_plan(ID, SHELL("true"));
    const char *environment[COUNT + 1] = { NULL }, *held;
    scoped_free char *text = mem_alloc0(SIZE + 10);
    struct runtime_event event;

    memset(text, 'v', SIZE);
    memcpy(text, "V=", 2);
    plan.environment = environment;
    for (size_t i = 0; i < COUNT; i++) {
        char *entry = mem_strdup(text);

        entry[0] = (char)('A' + i % 26);
        entry[1] = (char)('A' + i / 26);
        entry[2] = '=';
        environment[i] = entry;
    }
    /* One megabyte of environment is accepted, four are not: the kernel decides. */
    held = environment[10];
    environment[10] = NULL;
    assert_int_equal(fixture_run(*state, &plan).end.exit_status, 0);
    environment[10] = held;
    plan.container_id = "container_1700000000000_0001_01_000002";
    event = fixture_run(*state, &plan);
    assert_int_equal(event.end.exit_status, 126);
    assert_non_null(strstr(event.end.diagnostics, "arguments and environment are longer"));
    for (size_t i = 0; i < COUNT; i++)
        free((void *)(uintptr_t)environment[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        cmocka_unit_test(test_cores),
        cmocka_unit_test(test_quota_of_all),
        cmocka_unit_test(test_memory_settings),
        CASE(test_files_and_end),
        CASE(test_processes),
        CASE(test_checks_are_cheap),
        CASE(test_logs),
        CASE(test_group_is_taken_away),
        CASE(test_directory_as_command),
        CASE(test_environment_is_too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
