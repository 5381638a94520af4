/* SPDX-License-Identifier: Apache-2.0 */
/* finish.c - the end of a command, and of everything it left behind */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nm-agent/linux/process.h"
#include "nm-agent/linux/shim/shim.h"

#define KILLED (128 + SIGKILL)
#define MIB (1024.0 * 1024)

static int wait_for(pid_t pid)
{
    int status;
    pid_t ended;

    /* Orphans of the container are ours too: reap them on the way. */
    do
        ended = waitpid(-1, &status, 0);
    while (ended != pid && (ended > 0 || errno == EINTR));
    if (ended != pid)
        return EXIT_LOST;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Kill until the cgroup is empty and every orphan reaped. There is nothing to
 * wait for on v1, hence the pauses, growing. */
static void kill_rest(const struct leaf *leaf)
{
    struct timespec pause = { .tv_nsec = 500000 };
    int left;

    for (;;) {
        left = leaf_kill(leaf);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (left == 0)
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
    if (record->status == KILLED) {
        record->status = EXIT_MEMORY;
        snprintf(record->diagnostics, sizeof(record->diagnostics),
                 "Killed by the kernel: memory limit %.0f MiB reached%s; raise --memory", limit,
                 peak);
        return;
    }
    snprintf(record->diagnostics, sizeof(record->diagnostics),
             "The kernel killed a process of it: memory limit %.0f MiB reached%s; raise --memory",
             limit, peak);
}

/* Whoever ends all containers of a host takes this file away before: what fails after that was
 * not its own doing. */
static void explain_keeper(const struct plan *plan, struct exit_record *record)
{
    if (plan->keeper_file == NULL || record->status == 0 || access(plan->keeper_file, F_OK) == 0)
        return;
    snprintf(record->diagnostics, sizeof(record->diagnostics),
             "Ended with all containers of this host: creel-keeper.service was stopped "
             "(exit status %d)", record->status);
    record->status = EXIT_ABORTED;
}

void finish_wait(const struct plan *plan, pid_t pid, struct exit_record *record)
{
    record->status = wait_for(pid);
    record->finished_ms = process_now_ms();
    kill_rest(&plan->leaf);
    record->memory_peak_bytes = leaf_memory_peak(&plan->leaf);
    record->cpu_time_us = leaf_cpu_time_us(&plan->leaf);
    /* A shell whose child was the victim ends with 137 as well. */
    if (leaf_oom_kills(&plan->leaf) > 0)
        explain_memory(plan, record);
    else
        explain_keeper(plan, record);
}
