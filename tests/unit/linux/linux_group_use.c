/* SPDX-License-Identifier: Apache-2.0 */
/* linux_group_use.c - test: memory, CPU time and pressure of the control group above all containers */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/group_use.h"

#define MIB ((uint64_t)1 << 20)

static bool is_near(double value, double expected)
{
    return value > expected - 1e-9 && value < expected + 1e-9;
}

/* --- texts of the kernel's files ------------------------------------------------ */

static void memory_of_v1_includes_the_child_groups(void **state)
{
    static const char text[] = "cache 1\nrss 2\nshmem 3\nhierarchical_memory_limit 9223372036854771712\n"
                               "total_cache 400\ntotal_rss 300\ntotal_rss_huge 7\ntotal_shmem 100\n";
    struct group_memory memory = { .kernel_bytes = 50 };
    uint64_t limit = 0;

    (void)state;
    assert_true(group_use_parse_v1(text, &memory, &limit));
    assert_int_equal(memory.anon_bytes, 300);
    assert_int_equal(memory.file_bytes, 400);
    assert_int_equal(memory.shmem_bytes, 100);
    assert_int_equal(memory.kernel_bytes, 50);
    assert_true(limit == 9223372036854771712U);
    assert_false(group_use_parse_v1("cache 1\nrss 2\n", &memory, &limit));
    assert_false(group_use_parse_v1("", &memory, &limit));
}

static void memory_of_v2(void **state)
{
    struct group_memory memory = { .anon_bytes = 0 };

    (void)state;
    assert_true(group_use_parse_v2("anon 300\nfile 400\nkernel 60\nkernel_stack 20\nslab 1\nshmem 100\n"
                                   "anon_thp 9\n",
                                   &memory));
    assert_int_equal(memory.anon_bytes, 300);
    assert_int_equal(memory.file_bytes, 400);
    assert_int_equal(memory.shmem_bytes, 100);
    assert_int_equal(memory.kernel_bytes, 60);
    assert_true(group_use_parse_v2("anon 300\nfile 400\nkernel_stack 20\npercpu 3\nsock 4\nshmem 100\n"
                                   "pagetables 5\nslab 1000\n",
                                   &memory));
    assert_int_equal(memory.kernel_bytes, 1032);
    assert_false(group_use_parse_v2("anon 300\nfile 400\n", &memory));
}

static void pressure_is_the_average_of_a_minute(void **state)
{
    struct group_pressure pressure;

    (void)state;
    group_use_parse_pressure("some avg10=1.00 avg60=12.50 avg300=3.00 total=4\n"
                             "full avg10=0.00 avg60=0.25 avg300=0.00 total=5\n",
                             &pressure);
    assert_true(pressure.has_some && is_near(pressure.some, 0.125));
    assert_true(pressure.has_full && is_near(pressure.full, 0.0025));
    group_use_parse_pressure("some avg10=1.00 avg60=100.00 avg300=3.00 total=4\n", &pressure);
    assert_true(pressure.has_some && is_near(pressure.some, 1));
    assert_false(pressure.has_full);
    group_use_parse_pressure("some avg10=1.00\n", &pressure);
    assert_false(pressure.has_some);
    group_use_parse_pressure("some avg60=x\n", &pressure);
    assert_true(is_near(pressure.some, 0));
    group_use_parse_pressure("some avg60=101\n", &pressure);
    assert_false(pressure.has_some);
}

/* --- a group --------------------------------------------------------------------- */

static void put(const char *directory, const char *file, const char *text)
{
    scoped_free char *path = mem_printf("%s/%s", directory, file);
    FILE *stream = fopen(path, "we");

    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static void figures_of_a_group_of_v2(void **state)
{
    char above[] = "/tmp/creel-test-group-XXXXXX";
    scoped_free char *own = NULL, *command = NULL;
    struct leaf group = { .directory = { NULL } };
    struct group_use use;

    (void)state;
    assert_non_null(mkdtemp(above));
    own = mem_printf("%s/agent", above);
    assert_int_equal(mkdir(own, 0755), 0);
    put(above, "memory.max", "1048576\n");
    put(own, "memory.max", "max\n");
    put(own, "memory.stat", "anon 300\nfile 400\nkernel 60\nshmem 100\n");
    put(own, "cpu.stat", "usage_usec 2500000\nuser_usec 1\n");
    put(own, "cpu.pressure", "some avg10=0.00 avg60=50.00 avg300=0.00 total=4\n");
    for (int i = LEAF_MEMORY; i <= LEAF_PIDS; i++) {
        group.directory[i] = own;
        group.version[i] = 2;
    }
    group_use_read(&group, &use);
    assert_true(use.has_memory && use.has_cpu);
    assert_int_equal(use.memory.anon_bytes, 300);
    assert_int_equal(use.limit_bytes, MIB);
    assert_int_equal(use.cpu_time_us, 2500000);
    assert_true(use.pressure[PRESSURE_CPU].has_some && is_near(use.pressure[PRESSURE_CPU].some, 0.5));
    assert_false(use.pressure[PRESSURE_CPU].has_full);
    assert_false(use.pressure[PRESSURE_MEMORY].has_some);
    assert_false(use.pressure[PRESSURE_IO].has_some);
    put(above, "memory.max", "max\n");
    group_use_read(&group, &use);
    assert_in_range(use.limit_bytes, 16 * MIB, UINT64_MAX - 1); /* the memory of the machine */
    command = mem_printf("rm -r %s", above);
    assert_int_equal(system(command), 0);
}

/* Returns the peak of swap in the files of DIRECTORY, of control groups of VERSION. */
static uint64_t swap_peak(char *directory, int version)
{
    struct leaf group = { .directory = { NULL } };
    struct container_totals totals = { 0 };

    for (int i = LEAF_MEMORY; i <= LEAF_PIDS; i++) {
        group.directory[i] = directory;
        group.version[i] = version;
    }
    leaf_measure(&group, &totals);
    return totals.swap_peak_bytes;
}

static void swap_peak_of_each_kernel(void **state)
{
    char directory[] = "/tmp/creel-test-group-XXXXXX";
    scoped_free char *command = NULL;

    (void)state;
    assert_non_null(mkdtemp(directory));
    assert_int_equal(swap_peak(directory, 2), 0);
    put(directory, "memory.swap.current", "5000\n"); /* before Linux 6.5 */
    assert_int_equal(swap_peak(directory, 2), 5000);
    put(directory, "memory.swap.peak", "7000\n");
    assert_int_equal(swap_peak(directory, 2), 7000);
    put(directory, "memory.stat", "rss 5\ntotal_rss 7\n");
    assert_int_equal(swap_peak(directory, 1), 0); /* swap is not counted */
    put(directory, "memory.stat", "rss 5\nswap 20\ntotal_rss 7\ntotal_swap 300\n");
    assert_int_equal(swap_peak(directory, 1), 300);
    command = mem_printf("rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

static void a_group_that_is_gone_has_no_figures(void **state)
{
    const struct leaf group = { .directory = { [LEAF_MEMORY] = "/nonexistent" },
                                .version = { [LEAF_MEMORY] = 2 } };
    struct group_use use;

    (void)state;
    group_use_read(&group, &use);
    assert_false(use.has_memory);
    assert_false(use.has_cpu);
    for (int i = 0; i < PRESSURE_RESOURCES; i++)
        assert_false(use.pressure[i].has_some || use.pressure[i].has_full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_v1_includes_the_child_groups),
        cmocka_unit_test(memory_of_v2),
        cmocka_unit_test(pressure_is_the_average_of_a_minute),
        cmocka_unit_test(figures_of_a_group_of_v2),
        cmocka_unit_test(swap_peak_of_each_kernel),
        cmocka_unit_test(a_group_that_is_gone_has_no_figures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
