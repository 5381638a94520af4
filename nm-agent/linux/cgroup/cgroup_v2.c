/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_v2.c - file names and operations of cgroup v2 */
#include "nm-agent/linux/cgroup/cgroup_leaf.h"

#include <inttypes.h>
#include <stdio.h>

static size_t memory_settings(const struct leaf_limits *limits, struct leaf_setting out[LEAF_SETTINGS_MAX])
{
    static const struct leaf_setting unlimited = { .file = "memory.max", .value = "max" };
    size_t count = 0;

    if (limits->memory_bytes < 0) {
        out[0] = unlimited;
        return 1;
    }
    leaf_put(&out[count++], "memory.max", limits->memory_bytes, false);
    if (limits->swappiness == 0)
        leaf_put(&out[count++], "memory.swap.max", 0, true);
    if (limits->memory_soft_bytes >= 0)
        leaf_put(&out[count++], "memory.low", limits->memory_soft_bytes, true);
    leaf_put(&out[count++], "memory.oom.group", limits->memory_kills_all, true);
    return count;
}

static size_t cpu_settings(const struct leaf_limits *limits, struct leaf_setting out[LEAF_SETTINGS_MAX])
{
    leaf_put(&out[0], "cpu.weight", limits->vcores > 100 ? 10000 : 100 * limits->vcores, false);
    if (limits->cpu_quota_us < 0)
        return 1;
    leaf_put(&out[1], "cpu.max", 0, true);
    snprintf(out[1].value, sizeof(out[1].value), "%" PRId64 " %" PRId64, limits->cpu_quota_us,
             limits->cpu_period_us);
    return 2;
}

static uint64_t oom_kills(const char *directory)
{
    return leaf_read_keyed(directory, "memory.events", "oom_kill");
}

/* memory.swap.peak exists since Linux 6.5. */
static void measure_memory(const char *directory, struct container_totals *totals)
{
    totals->swap_peak_bytes = leaf_read_number(directory, "memory.swap.peak");
    if (totals->swap_peak_bytes == 0)
        totals->swap_peak_bytes = leaf_read_number(directory, "memory.swap.current");
    totals->memory_peak_bytes = leaf_read_number(directory, "memory.peak");
}

static uint64_t cpu_time_us(const char *directory)
{
    return leaf_read_keyed(directory, "cpu.stat", "usage_usec");
}

static int kill_all(const char *directory)
{
    int alive = leaf_signal_directory(directory, 0);

    /* cgroup.kill exists since Linux 5.14; older kernels: as on v1. */
    if (leaf_write(directory, "cgroup.kill", "1") == 0)
        return alive;
    return leaf_kill_by_signal(directory);
}

const struct leaf_backend leaf_v2 = {
    .memory_current = "memory.current",
    .memory_limit = "memory.max",
    .cpu_time = "cpu.stat",
    .cpu_time_unit_ns = 1000,
    .cpu_unlimited = { .file = "cpu.max", .value = "max", .optional = true },
    .memory_settings = memory_settings,
    .cpu_settings = cpu_settings,
    .measure_memory = measure_memory,
    .oom_kills = oom_kills,
    .cpu_time_us = cpu_time_us,
    .kill = kill_all,
};
