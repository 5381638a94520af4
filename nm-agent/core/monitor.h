/* SPDX-License-Identifier: Apache-2.0 */
/*
 * monitor.h - finds containers that exceed a memory, log or disk limit that the kernel does not enforce
 * (yarn-behaviour 13.2)
 *
 * Pure: the input is the memory of the container's processes, the output a verdict. Just after a fork the
 * memory of a process is counted twice although no memory was allocated. So a container is over a limit only
 * if it uses more than twice the limit, or if processes that existed at the previous check already use more
 * than the limit.
 *
 * Differs: YARN follows parents and sessions from the first process; here the processes are those of the
 * control group, which no process leaves.
 */
#ifndef CREEL_NM_MONITOR_H
#define CREEL_NM_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct monitor_rules {
    bool physical, virtual; /* kinds of memory that are checked */
    double ratio;           /* allowed virtual memory for each byte of physical memory */
};

struct monitor_process {
    int pid;
    uint32_t age; /* number of checks that found the process, this one included */
    uint64_t physical_bytes, virtual_bytes;
};

enum monitor_verdict { MONITOR_WITHIN, MONITOR_OVER_VIRTUAL, MONITOR_OVER_PHYSICAL };

struct monitor_finding {
    enum monitor_verdict verdict;
    uint64_t physical_bytes, virtual_bytes; /* sums of all processes */
    uint64_t physical_limit_bytes, virtual_limit_bytes;
};

/* Checks the memory of a container. CHECK is the number of this check, counted from 1; the first check only
 * records processes. */
struct monitor_finding monitor_judge(const struct monitor_rules *rules, int64_t memory_mb, uint32_t check,
                                     const struct monitor_process *processes, size_t count);

int monitor_exit_status(enum monitor_verdict verdict);

/* Writes the diagnostics for the user: limit, usage, ratio, and the largest processes. COMMAND writes the
 * command line of a pid to TEXT, "" if the process has ended. Returns TEXT. */
#define MONITOR_TEXT_MAX 960
typedef void monitor_command_fn(int pid, char *text, size_t size);
char *monitor_explain(const struct monitor_rules *rules, const struct monitor_finding *finding,
                      const struct monitor_process *processes, size_t count, monitor_command_fn *command,
                      char text[MONITOR_TEXT_MAX]);

/* Checks the size of a container's logs, which have one directory on each of COUNT disks. Returns false if
 * both limits are met; else TEXT names the exceeded limit. */
bool monitor_judge_logs(const uint64_t *directory_bytes, size_t count, uint64_t directory_max_bytes,
                        uint64_t total_max_bytes, char text[MONITOR_TEXT_MAX]);

/* Checks the size of a container's working directory. TOO_DEEP: the directory could not be measured
 * completely, which counts as exceeding the limit. */
bool monitor_judge_disk(uint64_t bytes, bool too_deep, uint64_t max_bytes, char text[MONITOR_TEXT_MAX]);

#endif
