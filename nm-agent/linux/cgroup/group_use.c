/* SPDX-License-Identifier: Apache-2.0 */
/* group_use.c - what all containers of the agent use together: figures of the control group above theirs */
#include "nm-agent/linux/cgroup/group_use.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"

#define STAT_MAX 8192 /* bytes of memory.stat: it has about 2000 */

/* --- texts -------------------------------------------------------------------- */

/* Sets *VALUE to the number after "KEY " at the beginning of a line. Returns false if there is none. */
static bool find_number(const char *text, const char *key, uint64_t *value)
{
    size_t length = strlen(key);

    for (const char *line = text; line != NULL && *line != '\0';) {
        if (strncmp(line, key, length) == 0 && line[length] == ' ' &&
            sscanf(line + length, "%" SCNu64, value) == 1)
            return true;
        line = strchr(line, '\n');
        if (line != NULL)
            line++;
    }
    return false;
}

bool group_use_parse_v1(const char *text, struct group_memory *memory, uint64_t *limit_bytes)
{
    struct group_memory found = { .kernel_bytes = memory->kernel_bytes };
    uint64_t limit;

    if (!find_number(text, "total_rss", &found.anon_bytes) ||
        !find_number(text, "total_cache", &found.file_bytes) ||
        !find_number(text, "hierarchical_memory_limit", &limit))
        return false;
    (void)find_number(text, "total_shmem", &found.shmem_bytes); /* not in old kernels */
    *memory = found;
    *limit_bytes = limit;
    return true;
}

/* Linux has "kernel" since 5.18; before, its parts. */
static uint64_t kernel_bytes(const char *text)
{
    static const char *const parts[] = { "kernel_stack", "pagetables", "percpu", "sock", "slab" };
    uint64_t sum = 0, value;

    if (find_number(text, "kernel", &value))
        return value;
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (find_number(text, parts[i], &value))
            sum += value;
    return sum;
}

bool group_use_parse_v2(const char *text, struct group_memory *memory)
{
    struct group_memory found = { .kernel_bytes = kernel_bytes(text) };

    if (!find_number(text, "anon", &found.anon_bytes) || !find_number(text, "file", &found.file_bytes) ||
        !find_number(text, "shmem", &found.shmem_bytes))
        return false;
    *memory = found;
    return true;
}

/* Sets *RATIO to avg60 of the line that begins with NAME. */
static bool find_average(const char *text, const char *name, double *ratio)
{
    const char *line = strstr(text, name);
    double percent;

    if (line == NULL || (line = strstr(line, "avg60=")) == NULL)
        return false;
    percent = strtod(line + strlen("avg60="), NULL);
    if (!(percent >= 0 && percent <= 100))
        return false;
    *ratio = percent / 100;
    return true;
}

void group_use_parse_pressure(const char *text, struct group_pressure *pressure)
{
    *pressure = (struct group_pressure){ .some = 0 };
    pressure->has_some = find_average(text, "some ", &pressure->some);
    pressure->has_full = find_average(text, "full ", &pressure->full);
}

/* --- files -------------------------------------------------------------------- */

static bool read_file(const char *directory, const char *file, char *text, size_t size)
{
    char path[PATH_MAX];
    scoped_fd int fd = -1;
    ssize_t got;

    if (snprintf(path, sizeof(path), "%s/%s", directory, file) >= (int)sizeof(path))
        return false;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    got = fd < 0 ? -1 : read(fd, text, size - 1);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

static uint64_t machine_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the smallest memory.max of DIRECTORY and of the groups above it. The topmost group has no such
 * file. */
static uint64_t smallest_limit(const char *directory)
{
    scoped_free char *path = mem_strdup(directory);
    uint64_t limit = UINT64_MAX, one;
    char text[64], *slash;

    while (read_file(path, "memory.max", text, sizeof(text))) {
        if (sscanf(text, "%" SCNu64, &one) == 1) /* not "max" */
            limit = least(limit, one);
        slash = strrchr(path, '/');
        if (slash == NULL || slash == path)
            break;
        *slash = '\0';
    }
    return limit;
}

static void read_memory(const struct leaf *group, struct group_use *use)
{
    const char *directory = group->directory[LEAF_MEMORY];
    uint64_t limit = UINT64_MAX;
    char text[STAT_MAX];

    if (directory == NULL || !read_file(directory, "memory.stat", text, sizeof(text)))
        return;
    if (group->version[LEAF_MEMORY] == 2) {
        use->has_memory = group_use_parse_v2(text, &use->memory);
        limit = smallest_limit(directory);
    } else {
        use->memory.kernel_bytes = leaf_read_number(directory, "memory.kmem.usage_in_bytes");
        use->has_memory = group_use_parse_v1(text, &use->memory, &limit);
    }
    use->limit_bytes = least(limit, machine_bytes());
}

static void read_pressure(const struct leaf *group, enum leaf_controller controller, const char *file,
                          struct group_pressure *pressure)
{
    char text[512];

    if (group->directory[controller] != NULL && group->version[controller] == 2 &&
        read_file(group->directory[controller], file, text, sizeof(text)))
        group_use_parse_pressure(text, pressure);
}

void group_use_read(const struct leaf *group, struct group_use *use)
{
    *use = (struct group_use){ .has_memory = false };
    read_memory(group, use);
    use->has_cpu = leaf_cpu_source(group) != LEAF_CONTROLLERS;
    use->cpu_time_us = leaf_cpu_time_us(group);
    read_pressure(group, LEAF_CPU, "cpu.pressure", &use->pressure[PRESSURE_CPU]);
    read_pressure(group, LEAF_MEMORY, "memory.pressure", &use->pressure[PRESSURE_MEMORY]);
    read_pressure(group, LEAF_MEMORY, "io.pressure", &use->pressure[PRESSURE_IO]);
}

const char *group_pressure_name(enum group_pressure_resource resource)
{
    static const char *const names[PRESSURE_RESOURCES] = {
        [PRESSURE_CPU] = "cpu",
        [PRESSURE_MEMORY] = "memory",
        [PRESSURE_IO] = "io",
    };

    return names[resource];
}
