/* SPDX-License-Identifier: Apache-2.0 */
/*
 * monitor.h - which containers exceed a limit of memory that no kernel enforces (yarn-behaviour 13.2)
 *
 * Pure: what the processes of a container take comes in, a verdict comes out. A fork doubles for a
 * moment what a process takes without its taking anything; so a container is
 * over a limit only with more than twice as much, or with more in processes that were
 * there at the last look already.
 *
 * Differs: YARN follows parents and sessions from the first process; here the processes are those
 * of the control group, which no process leaves.
 */
#ifndef CREEL_NM_MONITOR_H
#define CREEL_NM_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct monitor_rules {
    bool physical, virtual;             /* what is checked */
    double ratio;                       /* virtual memory for each byte of physical */
};

struct monitor_process {
    int pid;
    uint32_t age;                       /* in looks: 1 when it is seen first */
    uint64_t physical_bytes, virtual_bytes;
};

enum monitor_verdict { MONITOR_WITHIN, MONITOR_OVER_VIRTUAL, MONITOR_OVER_PHYSICAL };

struct monitor_finding {
    enum monitor_verdict verdict;
    uint64_t physical_bytes, virtual_bytes;         /* of all processes */
    uint64_t physical_limit, virtual_limit;
};

/* LOOK counts the looks at this container, from 1: the first one only learns. */
struct monitor_finding monitor_judge(const struct monitor_rules *rules, int64_t memory_mb,
                                     uint32_t look, const struct monitor_process *processes,
                                     size_t count);

int monitor_exit_status(enum monitor_verdict verdict);

/* What a user sees: limit, usage, ratio, and the largest processes. COMMAND gives the command
 * line of a pid in TEXT, "" if it is gone. Returns TEXT. */
#define MONITOR_TEXT_MAX 960
typedef void monitor_command_fn(int pid, char *text, size_t size);
char *monitor_explain(const struct monitor_rules *rules, const struct monitor_finding *finding,
                      const struct monitor_process *processes, size_t count,
                      monitor_command_fn *command, char text[MONITOR_TEXT_MAX]);

/* The same for logs of a container, one directory in each of COUNT places; false: within both
 * limits. TEXT names the one that is exceeded. */
bool monitor_judge_logs(const uint64_t *directory_bytes, size_t count, uint64_t directory_max,
                        uint64_t total_max, char text[MONITOR_TEXT_MAX]);

/* The same for a container's working directory. TOO_DEEP: not all of it could be measured, which counts as
 * too much. */
bool monitor_judge_disk(uint64_t bytes, bool too_deep, uint64_t max_bytes, char text[MONITOR_TEXT_MAX]);

#endif
