/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_v1.c - file names and operations of cgroup v1
 *
 * v1 has no "kill all": pids.max=0 prevents every further fork, even while the group has more processes than
 * that. So repeated rounds of SIGKILL terminate however fast a container forks; a freezer is not needed.
 */
#include "nm-agent/linux/cgroup/cgroup_leaf.h"

static size_t memory_settings(const struct leaf_limits *limits, struct leaf_setting out[LEAF_SETTINGS_MAX])
{
    size_t count = 0;

    /* The limit of memory plus swap must never be below the memory limit: set memory first. Without swap
     * accounting the kernel has no file for the sum (memory.memsw.limit_in_bytes), so that setting is
     * optional; then only swappiness keeps a container from swapping. */
    leaf_put(&out[count++], "memory.limit_in_bytes", limits->memory_bytes, false);
    if (limits->memory_bytes < 0)
        return count;
    if (limits->swappiness == 0)
        leaf_put(&out[count++], "memory.memsw.limit_in_bytes", limits->memory_bytes, true);
    if (limits->memory_soft_bytes >= 0)
        leaf_put(&out[count++], "memory.soft_limit_in_bytes", limits->memory_soft_bytes, true);
    leaf_put(&out[count++], "memory.swappiness", limits->swappiness, true);
    return count;
}

static size_t cpu_settings(const struct leaf_limits *limits, struct leaf_setting out[LEAF_SETTINGS_MAX])
{
    leaf_put(&out[0], "cpu.shares", limits->vcores > 256 ? 262144 : 1024 * limits->vcores, false);
    if (limits->cpu_quota_us < 0)
        return 1;
    leaf_put(&out[1], "cpu.cfs_period_us", limits->cpu_period_us, true);
    leaf_put(&out[2], "cpu.cfs_quota_us", limits->cpu_quota_us, true);
    return 3;
}

static uint64_t oom_kills(const char *directory)
{
    return leaf_read_keyed(directory, "memory.oom_control", "oom_kill");
}

/* No file has the maximum of swap alone: memory.memsw.max_usage_in_bytes and memory.max_usage_in_bytes may be
 * of different times, and the difference of two present values is not 0 while memory grows. The highest
 * sample counts. */
static void measure_memory(const char *directory, struct container_totals *totals)
{
    totals->swap_peak_bytes = leaf_read_keyed(directory, "memory.stat", "total_swap");
    totals->memory_peak_bytes = leaf_read_number(directory, "memory.max_usage_in_bytes");
}

static uint64_t cpu_time_us(const char *directory)
{
    return leaf_read_number(directory, "cpuacct.usage") / 1000;
}

static int kill_all(const char *directory)
{
    /* A group without processes needs no fork limit. */
    if (leaf_signal_directory(directory, 0) == 0)
        return 0;
    return leaf_kill_by_signal(directory);
}

const struct leaf_backend leaf_v1 = {
    .memory_current = "memory.usage_in_bytes",
    .memory_limit = "memory.limit_in_bytes",
    .memory_sum = "memory.memsw.limit_in_bytes",
    .cpu_time = "cpuacct.usage",
    .cpu_time_unit_ns = 1,
    .cpu_unlimited = { .file = "cpu.cfs_quota_us", .value = "-1", .optional = true },
    .memory_settings = memory_settings,
    .cpu_settings = cpu_settings,
    .measure_memory = measure_memory,
    .oom_kills = oom_kills,
    .cpu_time_us = cpu_time_us,
    .kill = kill_all,
};
