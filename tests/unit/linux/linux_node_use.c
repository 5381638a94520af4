/* SPDX-License-Identifier: Apache-2.0 */
/* linux_node_use.c - test: memory and processors in use on the whole node */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nm-agent/linux/state/node_use.h"

static void the_first_line_of_stat_counts(void **state)
{
    uint64_t busy = 0;

    (void)state;
    assert_true(node_use_parse_stat("cpu  100 20 30 4000 50 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n", &busy));
    assert_int_equal(busy, 163);
    assert_true(node_use_parse_stat("cpu  1 2 3 4 5 6 7\n", &busy));
    assert_int_equal(busy, 19);
    assert_false(node_use_parse_stat("cpu  1 2 3\n", &busy));
    assert_false(node_use_parse_stat("", &busy));
    assert_false(node_use_parse_stat("intr 1 2 3 4 5 6 7 8", &busy));
}

static void available_memory_is_not_in_use(void **state)
{
    uint64_t bytes = 0;

    (void)state;
    assert_true(
        node_use_parse_meminfo("MemTotal:       1000 kB\nMemFree:  1 kB\nMemAvailable:    400 kB\n", &bytes));
    assert_int_equal(bytes, 600 * 1024);
    assert_false(node_use_parse_meminfo("MemTotal:       1000 kB\nMemFree:  1 kB\n", &bytes));
    assert_false(node_use_parse_meminfo("MemTotal: 1 kB\nMemAvailable: 2 kB\n", &bytes));
    assert_false(node_use_parse_meminfo("xMemTotal: 3 kB\nMemAvailable: 2 kB\n", &bytes));
}

static void this_machine_is_measured(void **state)
{
    struct node_use_meter meter = { .measured_ms = 0 };
    struct node_use use = node_use_measure(&meter, 1000);

    (void)state;
    assert_true(use.memory_bytes > 0);
    assert_int_equal(use.cpu_millicores, 0); /* there is nothing to compare with yet */
    assert_int_equal(meter.measured_ms, 1000);
    meter.busy_ticks = 0;
    use = node_use_measure(&meter, 1000000);
    assert_true(use.cpu_millicores > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_of_stat_counts),
        cmocka_unit_test(available_memory_is_not_in_use),
        cmocka_unit_test(this_machine_is_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
