/* SPDX-License-Identifier: Apache-2.0 */
/* finish.c - waits for the end of a command and of the processes that it left, and ends them in time */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/monotonic.h"
#include "common/base/text_print.h"
#include "nm-agent/linux/cgroup/term_note.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/shim/cutoff.h"
#include "nm-agent/linux/shim/grace.h"
#include "nm-agent/linux/shim/shim.h"

#define KILLED (128 + SIGKILL)
#define MIB (1024.0 * 1024)
#define PAUSE_MIN_US 500
#define PAUSE_MAX_US 100000

int finish_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void record_add(struct container_end *record, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vprint_more(record->diagnostics, sizeof(record->diagnostics), format, args);
    va_end(args);
}

/* Returns the memory limit of the container, which may have been resized since it was started. */
static int64_t memory_limit(const struct plan *plan)
{
    const struct leaf_backend *backend = leaf_backend_of(plan->leaf.version[LEAF_MEMORY]);
    uint64_t bytes = leaf_read_number(plan->leaf.directory[LEAF_MEMORY], backend->memory_limit);

    return plan->memory_bytes > 0 && bytes > 0 && bytes <= INT64_MAX ? (int64_t)bytes : plan->memory_bytes;
}

static void explain_memory(const struct plan *plan, struct container_end *record)
{
    char peak[64] = "";
    int64_t limit_bytes = memory_limit(plan);
    double limit = (double)limit_bytes / MIB;

    if (record->totals.memory_peak_bytes > 0)
        snprintf(peak, sizeof(peak), " (peak %.1f MiB)", (double)record->totals.memory_peak_bytes / MIB);
    if (exit_record_is_machine_full(record, limit_bytes)) {
        text_print(record->diagnostics, sizeof(record->diagnostics),
                   "The kernel killed a process of it because the machine ran out of memory, not "
                   "for a limit of its own%s",
                   peak);
        return;
    }
    if (record->exit_status == KILLED) {
        record->exit_status = CONTAINER_EXIT_PHYSICAL;
        text_print(record->diagnostics, sizeof(record->diagnostics),
                   "Killed by the kernel: memory limit %.0f MiB reached%s; raise --memory", limit, peak);
        return;
    }
    /* cgroup v1 kills one process, and the command may end before the agent has ended the container. */
    if (plan->memory_kills_container && plan->memory_bytes > 0)
        record->exit_status = CONTAINER_EXIT_PHYSICAL;
    text_print(record->diagnostics, sizeof(record->diagnostics),
               "The kernel killed a process of it: memory limit %.0f MiB reached%s; raise --memory", limit,
               peak);
}

/* Sets the diagnostics if the keeper was stopped: a container that ends after that did not fail by itself. */
static void explain_keeper(const struct plan *plan, struct container_end *record)
{
    if (record->exit_status == 0 || !state_keeper_is_stopped(plan))
        return;
    text_print(record->diagnostics, sizeof(record->diagnostics),
               "Ended with all containers of this host: creel-keeper.service was stopped "
               "(exit status %d)",
               record->exit_status);
    record->exit_status = CONTAINER_EXIT_ABORTED;
}

static void explain_cutoff(const struct plan *plan, struct container_end *record)
{
    text_print(record->diagnostics, sizeof(record->diagnostics),
               "Ended on its host, which had no contact with the resource manager for %.1f s (on-disconnect: "
               "stop-after; exit status %d)",
               (double)plan->launch.stop_after_ms / 1000, record->exit_status);
    record->exit_status = CONTAINER_EXIT_ABORTED;
}

/* --- waiting --------------------------------------------------------------- */

struct watch {
    const struct plan *plan;
    pid_t command;
    int status; /* of the command, as exit status */
    bool command_over;
    bool childless;   /* no child is left, not even an adopted one */
    sigset_t signals; /* blocked while the shim waits */
    int64_t pause_us; /* between two looks at the processes, which cgroup v1 does not report */
    int64_t stuck_ms; /* monotonic; time to note that killed processes do not end; 0: not killed */
    struct cutoff cutoff;
};

/* Orphans of the container become children of the shim: reaps them, too. */
static void reap(struct watch *watch)
{
    int status;
    pid_t ended;

    while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
        if (ended == watch->command) {
            watch->command_over = true;
            watch->status = finish_status(status);
        }
    watch->childless = ended < 0 && errno == ECHILD;
    if (watch->childless && !watch->command_over) {
        watch->command_over = true;
        watch->status = CONTAINER_EXIT_LOST;
    }
}

/* A process that left the group, or whose group was removed, is a descendant of the shim. */
static bool is_empty(const struct watch *watch)
{
    return watch->childless && leaf_signal(&watch->plan->leaf, 0) == 0;
}

static void kill_all(struct watch *watch, int64_t now_ms)
{
    if (leaf_kill(&watch->plan->leaf) <= 0 && !watch->childless)
        process_kill_below(getpid());
    if (watch->stuck_ms == 0)
        watch->stuck_ms = now_ms + STOP_ORDER_STUCK_MS;
    if (now_ms < watch->stuck_ms)
        return;
    state_note_stuck(SHIM_FD_STATE);
    watch->stuck_ms = GRACE_NEVER;
}

/* Sleeps until a child ends, the agent changes the order, or UNTIL_MS. While other processes than the command
 * are awaited, or do not end, the pauses are short, and grow. */
static void sleep_until(struct watch *watch, bool polls, int64_t until_ms)
{
    int64_t left_us = cutoff_limit_wait(&watch->cutoff, grace_wait_ms(until_ms, monotonic_ms())) * 1000;
    struct timespec timeout;

    if (polls && watch->pause_us < left_us) {
        left_us = watch->pause_us;
        watch->pause_us = watch->pause_us * 2 < PAUSE_MAX_US ? watch->pause_us * 2 : PAUSE_MAX_US;
    }
    timeout = (struct timespec){ .tv_sec = left_us / 1000000, .tv_nsec = left_us % 1000000 * 1000 };
    sigtimedwait(&watch->signals, NULL, &timeout);
}

static void look(struct watch *watch, struct grace_view *view)
{
    reap(watch);
    *view = (struct grace_view){
        .now_ms = monotonic_ms(),
        .command_over = watch->command_over,
        .empty = watch->command_over && is_empty(watch),
        .kill_delay_ms = watch->plan->kill_delay_ms,
    };
    if (view->command_over && !view->empty)
        view->terminated = state_is_terminated(SHIM_FD_STATE) || state_keeper_is_stopped(watch->plan);
    state_read_order(SHIM_FD_STATE, &view->order);
    cutoff_look(&watch->cutoff, &view->cutoff_term_ms, &view->cutoff_kill_ms);
}

/* The command has ended, and other processes have not: the agent that started the shim gets a report, and
 * later agents find the file. */
static void report_command_end(const struct watch *watch, int64_t command_ms)
{
    struct command_end end = { .command_ms = command_ms, .status = watch->status };

    state_note_command_end(SHIM_FD_STATE, &end);
    while (write(SHIM_FD_REPORT, &end, sizeof(end)) < 0 && errno == EINTR)
        ;
}

/* Returns true if the command has ended by itself, and other processes have not. After a stop, the exit
 * record decides. */
static bool is_own_end(const struct watch *watch, const struct grace *grace, const struct grace_view *view)
{
    return view->command_over && !view->empty && view->order.kill_at_ms == 0 && !grace->cut_off &&
           watch->status != CONTAINER_EXIT_LOST && leaf_oom_kills(&watch->plan->leaf) == 0 &&
           !state_keeper_is_stopped(watch->plan);
}

/* Waits until the container has no process any more. Sends SIGTERM and SIGKILL as grace_next decides. */
static void wait_for_end(struct watch *watch, struct grace *grace, struct container_end *record)
{
    bool reported = false;

    for (;;) {
        struct grace_view view;
        int64_t until_ms = 0;
        enum grace_action action;

        look(watch, &view);
        if (view.command_over && record->command_ms == 0)
            record->command_ms = process_now_ms();
        if (!reported && is_own_end(watch, grace, &view)) {
            report_command_end(watch, record->command_ms);
            reported = true;
        }
        action = grace_next(grace, &view, &until_ms);
        if (action == GRACE_OVER)
            return;
        if (action == GRACE_TERM) {
            term_note_container(&watch->plan->leaf, SHIM_FD_STATE);
            state_note_terminated(SHIM_FD_STATE);
            continue;
        }
        if (action == GRACE_KILL)
            kill_all(watch, view.now_ms);
        sleep_until(watch, action == GRACE_KILL || view.command_over,
                    action == GRACE_KILL ? GRACE_NEVER : until_ms);
    }
}

void finish_wait(const struct plan *plan, pid_t pid, struct container_end *record)
{
    struct watch watch = { .plan = plan, .command = pid, .pause_us = PAUSE_MIN_US };
    struct grace grace = { .kill_at_ms = 0 };
    sigset_t before;

    sigemptyset(&watch.signals);
    sigaddset(&watch.signals, SIGCHLD);
    sigaddset(&watch.signals, STOP_ORDER_CHANGED);
    sigprocmask(SIG_BLOCK, &watch.signals, &before);
    cutoff_open(&watch.cutoff, plan);
    wait_for_end(&watch, &grace, record);
    cutoff_close(&watch.cutoff);
    sigprocmask(SIG_SETMASK, &before, NULL);
    record->exit_status = watch.status;
    /* The container ends with its last process, however long before the command has ended. */
    record->finished_ms = process_now_ms();
    leaf_measure(&plan->leaf, &record->totals);
    /* The counts of a process are added to the parent that reaps it, in the end to the shim. The shim's own
     * I/O is included, and small. */
    process_read_io(getpid(), &record->totals.read_bytes, &record->totals.written_bytes);
    /* A shell whose child was killed for memory also ends with 137. */
    if (grace.cut_off)
        explain_cutoff(plan, record);
    else if (leaf_oom_kills(&plan->leaf) > 0)
        explain_memory(plan, record);
    else
        explain_keeper(plan, record);
}
