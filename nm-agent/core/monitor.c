/* SPDX-License-Identifier: Apache-2.0 */
/* monitor.c - finds containers that exceed a memory, log or disk limit that the kernel does not enforce */
#include "nm-agent/core/monitor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/job/exit_status.h"

#define MIB (1024.0 * 1024)
#define SHOWN_MAX 5 /* processes named in the diagnostics */
#define COMMAND_SHOWN_MAX 100
#define LINE_MAX_BYTES 180

struct sum {
    uint64_t all, aged; /* AGED: sum over processes that existed at the previous check */
};

struct sums {
    struct sum physical, virtual;
};

/* The checks, in this order; the first violation is reported. */
static const struct rule {
    enum monitor_verdict verdict;
    int exit_status;
    const char *name;
} rules_in_order[] = {
    { MONITOR_OVER_VIRTUAL, CONTAINER_EXIT_VIRTUAL, "virtual" },
    { MONITOR_OVER_PHYSICAL, CONTAINER_EXIT_PHYSICAL, "physical" },
};

static void add(struct sum *sum, uint64_t bytes, bool aged)
{
    sum->all += bytes;
    sum->aged += aged ? bytes : 0;
}

static struct sums add_up(const struct monitor_process *processes, size_t count)
{
    struct sums sums = { .physical = { 0, 0 } };

    for (size_t i = 0; i < count; i++) {
        bool aged = processes[i].age > 1;

        add(&sums.physical, processes[i].physical_bytes, aged);
        add(&sums.virtual, processes[i].virtual_bytes, aged);
    }
    return sums;
}

static bool is_over(const struct sum *sum, uint64_t limit)
{
    return sum->all / 2 > limit || (sum->all / 2 == limit && sum->all % 2 != 0) || sum->aged > limit;
}

static uint64_t times(float ratio, uint64_t bytes)
{
    float product = ratio * (float)bytes;

    return product >= (float)UINT64_MAX ? UINT64_MAX : (uint64_t)product;
}

static uint64_t bytes_of(int64_t memory_mb)
{
    uint64_t mb = memory_mb > 0 ? (uint64_t)memory_mb : 0;

    return mb > UINT64_MAX >> 20 ? UINT64_MAX : mb << 20;
}

static bool is_broken(const struct monitor_rules *rules, const struct monitor_finding *finding,
                      const struct sums *sums, enum monitor_verdict verdict)
{
    if (verdict == MONITOR_OVER_VIRTUAL)
        return rules->virtual && is_over(&sums->virtual, finding->virtual_limit_bytes);
    return rules->physical && is_over(&sums->physical, finding->physical_limit_bytes);
}

struct monitor_finding monitor_judge(const struct monitor_rules *rules, int64_t memory_mb, uint32_t check,
                                     const struct monitor_process *processes, size_t count)
{
    struct sums sums = add_up(processes, count);
    struct monitor_finding finding = {
        .physical_bytes = sums.physical.all,
        .virtual_bytes = sums.virtual.all,
        .physical_limit_bytes = bytes_of(memory_mb),
    };

    /* YARN computes this with a float, so large limits are inexact by some bytes. */
    finding.virtual_limit_bytes = times((float)rules->ratio, finding.physical_limit_bytes);
    if (check <= 1)
        return finding;
    for (size_t i = 0; i < sizeof(rules_in_order) / sizeof(*rules_in_order); i++) {
        if (is_broken(rules, &finding, &sums, rules_in_order[i].verdict)) {
            finding.verdict = rules_in_order[i].verdict;
            break;
        }
    }
    return finding;
}

static const struct rule *rule_of(enum monitor_verdict verdict)
{
    for (size_t i = 0; i < sizeof(rules_in_order) / sizeof(*rules_in_order); i++)
        if (rules_in_order[i].verdict == verdict)
            return &rules_in_order[i];
    return NULL;
}

int monitor_exit_status(enum monitor_verdict verdict)
{
    const struct rule *rule = rule_of(verdict);

    return rule ? rule->exit_status : 0;
}

/* --- diagnostics ------------------------------------------------------------- */

static double mib(uint64_t bytes)
{
    return (double)bytes / MIB;
}

/* Returns the index of the process with the largest usage that is not in SHOWN (SHOWN_COUNT indexes); COUNT
 * if there is none. */
static size_t find_largest(const struct monitor_process *processes, size_t count,
                           enum monitor_verdict verdict, const size_t *shown, size_t shown_count)
{
    size_t best = count;
    uint64_t most = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t bytes =
            verdict == MONITOR_OVER_VIRTUAL ? processes[i].virtual_bytes : processes[i].physical_bytes;
        bool done = false;

        for (size_t k = 0; k < shown_count; k++)
            done = done || shown[k] == i;
        if (done || (best < count && bytes <= most))
            continue;
        best = i;
        most = bytes;
    }
    return best;
}

static size_t put_process(char *text, size_t room, const struct monitor_process *process,
                          monitor_command_fn *command)
{
    char line[COMMAND_SHOWN_MAX] = "";
    int length;

    command(process->pid, line, sizeof(line));
    length =
        snprintf(text, room, "\n  pid %d: RSS %.1f MiB, VSZ %.1f MiB: %s", process->pid,
                 mib(process->physical_bytes), mib(process->virtual_bytes), *line ? line : "(it has ended)");
    return length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

char *monitor_explain(const struct monitor_rules *rules, const struct monitor_finding *finding,
                      const struct monitor_process *processes, size_t count, monitor_command_fn *command,
                      char text[MONITOR_TEXT_MAX])
{
    const struct rule *rule = rule_of(finding->verdict);
    size_t shown[SHOWN_MAX], shown_count = 0, at;

    at = (size_t)snprintf(text, MONITOR_TEXT_MAX,
                          "Over its limit of %s memory: %.1f MiB of %.1f MiB physical, %.1f MiB of "
                          "%.1f MiB virtual (%.4g times the physical limit); raise --memory. "
                          "Processes (%zu):",
                          rule ? rule->name : "no", mib(finding->physical_bytes),
                          mib(finding->physical_limit_bytes), mib(finding->virtual_bytes),
                          mib(finding->virtual_limit_bytes), rules->ratio, count);
    while (shown_count < SHOWN_MAX && shown_count < count && at + LINE_MAX_BYTES < MONITOR_TEXT_MAX) {
        size_t i = find_largest(processes, count, finding->verdict, shown, shown_count);

        shown[shown_count++] = i;
        at += put_process(text + at, MONITOR_TEXT_MAX - at, &processes[i], command);
    }
    if (shown_count < count)
        snprintf(text + at, MONITOR_TEXT_MAX - at, "\n  and %zu smaller ones", count - shown_count);
    return text;
}

/* --- logs ---------------------------------------------------------------------- */

bool monitor_judge_logs(const uint64_t *directory_bytes, size_t count, uint64_t directory_max_bytes,
                        uint64_t total_max_bytes, char text[MONITOR_TEXT_MAX])
{
    uint64_t total = 0, largest = 0;

    for (size_t i = 0; i < count; i++) {
        total += directory_bytes[i];
        largest = directory_bytes[i] > largest ? directory_bytes[i] : largest;
    }
    if (largest > directory_max_bytes) {
        snprintf(text, MONITOR_TEXT_MAX,
                 "Its logs are too large: %.1f MiB in one directory, at "
                 "most %.1f MiB are allowed (yarn.nodemanager.container-log-monitor."
                 "dir-size-limit-bytes)",
                 mib(largest), mib(directory_max_bytes));
        return true;
    }
    if (total > total_max_bytes) {
        snprintf(text, MONITOR_TEXT_MAX,
                 "Its logs are too large: %.1f MiB, at most %.1f MiB are "
                 "allowed (yarn.nodemanager.container-log-monitor.total-size-limit-bytes)",
                 mib(total), mib(total_max_bytes));
        return true;
    }
    return false;
}

bool monitor_judge_disk(uint64_t bytes, bool too_deep, uint64_t max_bytes, char text[MONITOR_TEXT_MAX])
{
    if (bytes > max_bytes) {
        snprintf(text, MONITOR_TEXT_MAX,
                 "Its working directory is too large: %.1f MiB, at most %.1f MiB "
                 "are allowed (creel.container.disk-limit-mb)",
                 mib(bytes), mib(max_bytes));
        return true;
    }
    if (too_deep)
        snprintf(text, MONITOR_TEXT_MAX,
                 "The directories in its working directory are nested too deeply "
                 "to be measured, which creel.container.disk-limit-mb requires");
    return too_deep;
}
