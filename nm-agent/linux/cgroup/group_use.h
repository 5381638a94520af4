/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group_use.h - what all containers of the agent use together: figures of the control group above theirs
 *
 * The kernel adds up memory and CPU time over a group and its child groups, removed ones included. Pressure
 * (PSI) is the share of time in which a task waited for a resource: the kernel measures it for groups of
 * cgroup v2 alone.
 */
#ifndef CREEL_NM_GROUP_USE_H
#define CREEL_NM_GROUP_USE_H

#include <stdbool.h>
#include <stdint.h>

#include "nm-agent/linux/cgroup/cgroup_leaf.h"

enum group_pressure_resource { PRESSURE_CPU, PRESSURE_MEMORY, PRESSURE_IO, PRESSURE_RESOURCES };

struct group_pressure {
    bool has_some, has_full; /* false: the kernel does not measure it */
    double some, full;       /* 0 to 1, over the last minute: at least one task waited; all tasks waited */
};

struct group_memory {
    uint64_t anon_bytes, file_bytes; /* FILE_BYTES includes SHMEM_BYTES */
    uint64_t shmem_bytes, kernel_bytes;
};

struct group_use {
    bool has_memory, has_cpu; /* false: the files could not be read */
    struct group_memory memory;
    uint64_t limit_bytes; /* smallest memory limit of the group and of those above it, or the memory of the
                             machine */
    uint64_t cpu_time_us;
    struct group_pressure pressure[PRESSURE_RESOURCES];
};

/* Reads the figures of GROUP, whose directories are those of the group above all containers. */
void group_use_read(const struct leaf *group, struct group_use *use);

const char *group_pressure_name(enum group_pressure_resource resource); /* "cpu", "memory", "io" */

/* --- texts of the kernel's files ------------------------------------------------ */

/* Read TEXT, the content of memory.stat of cgroup v1 or v2. Return false if a figure is missing. On v1,
 * KERNEL_BYTES is in a file of its own; LIMIT_BYTES is the smallest limit of the group and those above it.
 * Declared for tests. */
bool group_use_parse_v1(const char *text, struct group_memory *memory, uint64_t *limit_bytes);
bool group_use_parse_v2(const char *text, struct group_memory *memory);
/* Reads TEXT, the content of cpu.pressure, memory.pressure or io.pressure. Declared for tests. */
void group_use_parse_pressure(const char *text, struct group_pressure *pressure);

#endif
