/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_use.h - memory and processors that are in use on the whole node, by all of its processes
 *
 * Read from /proc/meminfo and /proc/stat (proc(5)). Memory that the kernel could free is not in use.
 */
#ifndef CREEL_NM_LINUX_NODE_USE_H
#define CREEL_NM_LINUX_NODE_USE_H

#include <stdbool.h>
#include <stdint.h>

struct node_use_meter { /* zero before the first measurement */
    uint64_t busy_ticks;
    int64_t measured_ms; /* monotonic; 0: never */
};

struct node_use {
    uint64_t memory_bytes;   /* 0: not known */
    uint32_t cpu_millicores; /* mean since the last measurement; 0 in the first one */
};

/* Measures the node; NOW_MS is monotonic. */
struct node_use node_use_measure(struct node_use_meter *meter, int64_t now_ms);

/* Read TEXT, the content of /proc/stat or /proc/meminfo. Set *BUSY_TICKS to the time in which processors were
 * not idle, *BYTES to the memory in use. Return false if TEXT lacks the figures. Declared for tests. */
bool node_use_parse_stat(const char *text, uint64_t *busy_ticks);
bool node_use_parse_meminfo(const char *text, uint64_t *bytes);

#endif
