/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c - counts the physical cores of this machine */
#include "nm-agent/linux/parts/machine.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "nm-agent/linux/parts/record.h"

int machine_read_cpuinfo(char **text)
{
    return record_read(AT_FDCWD, "/proc/cpuinfo", text, NULL, NULL);
}

struct core {
    long package, number;
};

struct cores {
    struct core *seen;
    size_t count, capacity;
};

static void add_core(struct cores *cores, struct core core)
{
    for (size_t i = cores->count; i > 0; i--)
        if (cores->seen[i - 1].package == core.package && cores->seen[i - 1].number == core.number)
            return;
    mem_grow(cores->seen, cores->count, cores->capacity);
    cores->seen[cores->count++] = core;
}

/* Parses a line such as "core id\t\t: 3"; returns false if the line does not begin with NAME. */
static bool parse_number(const char *line, const char *name, long *number)
{
    const char *colon = strchr(line, ':');

    if (strncmp(line, name, strlen(name)) != 0 || colon == NULL || strchr(line, '\n') < colon)
        return false;
    *number = strtol(colon + 1, NULL, 10);
    return true;
}

int64_t machine_count_cores(const char *text)
{
    struct cores cores = { .seen = NULL };
    struct core core = { 0, -1 };
    size_t count;

    for (const char *line = text; *line;) {
        const char *stop = strchr(line, '\n');

        if (stop == NULL)
            break;
        /* An empty line ends a processor. "physical id" precedes "core id". */
        if (stop == line)
            core = (struct core){ 0, -1 };
        else if (!parse_number(line, "physical id", &core.package) &&
                 parse_number(line, "core id", &core.number))
            add_core(&cores, core);
        line = stop + 1;
    }
    count = cores.count;
    free(cores.seen);
    return (int64_t)count;
}
