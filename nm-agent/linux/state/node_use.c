/* SPDX-License-Identifier: Apache-2.0 */
/* node_use.c - memory and processors that are in use on the whole node */
#include "nm-agent/linux/state/node_use.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"

#define BEGINNING 4096 /* bytes read of each file; its figures are at the beginning */

bool node_use_parse_stat(const char *text, uint64_t *busy_ticks)
{
    uint64_t user, nice, system, idle, wait, irq, softirq, steal = 0;

    /* User time includes guest time. During steal time, the host ran other virtual machines. */
    if (sscanf(text,
               "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64,
               &user, &nice, &system, &idle, &wait, &irq, &softirq, &steal) < 7)
        return false;
    *busy_ticks = user + nice + system + irq + softirq;
    return true;
}

/* Finds a line "NAME:   NUMBER kB". */
static bool find_kib(const char *text, const char *name, uint64_t *kib)
{
    const char *line = strstr(text, name);

    return line != NULL && (line == text || line[-1] == '\n') &&
           sscanf(line + strlen(name), " %" SCNu64, kib) == 1;
}

bool node_use_parse_meminfo(const char *text, uint64_t *bytes)
{
    uint64_t total, available;

    if (!find_kib(text, "MemTotal:", &total) || !find_kib(text, "MemAvailable:", &available) ||
        available > total)
        return false;
    *bytes = (total - available) << 10;
    return true;
}

static bool read_beginning(const char *path, char text[BEGINNING])
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, BEGINNING - 1);

    if (got <= 0)
        return false;
    text[got] = '\0';
    return true;
}

struct node_use node_use_measure(struct node_use_meter *meter, int64_t now_ms)
{
    struct node_use use = { .memory_bytes = 0 };
    uint64_t busy_ticks, ticks_a_second = (uint64_t)sysconf(_SC_CLK_TCK);
    int64_t passed_ms = now_ms - meter->measured_ms;
    char text[BEGINNING];

    if (read_beginning("/proc/meminfo", text) && !node_use_parse_meminfo(text, &use.memory_bytes))
        use.memory_bytes = 0;
    if (!read_beginning("/proc/stat", text) || !node_use_parse_stat(text, &busy_ticks))
        return use;
    if (meter->measured_ms > 0 && passed_ms > 0 && busy_ticks >= meter->busy_ticks)
        use.cpu_millicores =
            (uint32_t)((busy_ticks - meter->busy_ticks) * 1000000 / ticks_a_second / (uint64_t)passed_ms);
    *meter = (struct node_use_meter){ busy_ticks, now_ms };
    return use;
}
