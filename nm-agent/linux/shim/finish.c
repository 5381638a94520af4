/* SPDX-License-Identifier: Apache-2.0 */
/* finish.c - waits for the end of a command, and kills all processes that it left */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nm-agent/linux/process.h"
#include "nm-agent/linux/shim/shim.h"

#define KILLED (128 + SIGKILL)
#define MIB (1024.0 * 1024)

int finish_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void record_add(struct exit_record *record, const char *format, ...)
{
    size_t used = strlen(record->diagnostics);
    va_list args;

    if (used > 0 && used + 2 < sizeof(record->diagnostics)) {
        memcpy(record->diagnostics + used, "; ", 3);
        used += 2;
    }
    va_start(args, format);
    vsnprintf(record->diagnostics + used, sizeof(record->diagnostics) - used, format, args);
    va_end(args);
}

static int wait_for(pid_t pid)
{
    int status;
    pid_t ended;

    /* Orphans of the container become children of the shim: reap them, too. */
    do
        ended = waitpid(-1, &status, 0);
    while (ended != pid && (ended > 0 || errno == EINTR));
    return ended == pid ? finish_status(status) : CONTAINER_EXIT_LOST;
}

/* Kills until the cgroup is empty and every orphan is reaped. v1 has no event to wait for, hence the growing
 * pauses. */
static void kill_rest(const struct leaf *leaf)
{
    struct timespec pause = { .tv_nsec = 500000 };
    pid_t reaped;
    int left;

    for (;;) {
        left = leaf_kill(leaf);
        while ((reaped = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        /* A process that left the group, or whose group was removed, is a child of this process now. */
        if (left <= 0 && reaped == 0)
            left = process_kill_below(getpid());
        if (left <= 0)
            return;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 100000000)
            pause.tv_nsec *= 2;
    }
}

static void explain_memory(const struct plan *plan, struct exit_record *record)
{
    char peak[64] = "";
    double limit = (double)plan->memory_bytes / MIB;

    if (record->memory_peak_bytes > 0)
        snprintf(peak, sizeof(peak), " (peak %.1f MiB)", (double)record->memory_peak_bytes / MIB);
    if (exit_record_is_machine_full(record, plan->memory_bytes)) {
        snprintf(record->diagnostics, sizeof(record->diagnostics),
                 "The kernel killed a process of it because the machine ran out of memory, not "
                 "for a limit of its own%s",
                 peak);
        return;
    }
    if (record->status == KILLED) {
        record->status = CONTAINER_EXIT_PHYSICAL;
        snprintf(record->diagnostics, sizeof(record->diagnostics),
                 "Killed by the kernel: memory limit %.0f MiB reached%s; raise --memory", limit, peak);
        return;
    }
    snprintf(record->diagnostics, sizeof(record->diagnostics),
             "The kernel killed a process of it: memory limit %.0f MiB reached%s; raise --memory", limit,
             peak);
}

/* Sets the diagnostics if the keeper was stopped. The keeper removes this file before it ends all containers
 * of the host: a container that ends after that did not fail by itself. */
static void explain_keeper(const struct plan *plan, struct exit_record *record)
{
    if (plan->keeper_file == NULL || record->status == 0 || access(plan->keeper_file, F_OK) == 0)
        return;
    snprintf(record->diagnostics, sizeof(record->diagnostics),
             "Ended with all containers of this host: creel-keeper.service was stopped "
             "(exit status %d)",
             record->status);
    record->status = CONTAINER_EXIT_ABORTED;
}

static void explain_cutoff(const struct plan *plan, struct exit_record *record)
{
    snprintf(record->diagnostics, sizeof(record->diagnostics),
             "Ended on its host, which had no contact with the resource manager for %.1f s (on-disconnect: "
             "stop-after; exit status %d)",
             (double)plan->launch.stop_after_ms / 1000, record->status);
    record->status = CONTAINER_EXIT_ABORTED;
}

void finish_wait(const struct plan *plan, pid_t pid, struct exit_record *record)
{
    bool cut_off = plan->contact_file != NULL && cutoff_wait(plan, pid);

    record->status = wait_for(pid);
    record->finished_ms = process_now_ms();
    kill_rest(&plan->leaf);
    record->memory_peak_bytes = leaf_memory_peak(&plan->leaf);
    record->cpu_time_us = leaf_cpu_time_us(&plan->leaf);
    record->pids_peak = leaf_pids_peak(&plan->leaf);
    /* The counts of a process are added to the parent that reaps it, in the end to the shim. The shim's own
     * I/O is included, and small. */
    process_read_io(getpid(), &record->read_bytes, &record->written_bytes);
    /* A shell whose child was killed for memory also ends with 137. */
    if (cut_off)
        explain_cutoff(plan, record);
    else if (leaf_oom_kills(&plan->leaf) > 0)
        explain_memory(plan, record);
    else
        explain_keeper(plan, record);
}
