/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_retry.h - decides whether a task of a job runs again after the end of a container
 *
 * The built-in application master decides with it which tasks run again (client/am/task_step.c), and the
 * resource manager whether a task whose command has ended may run again (rm/master/jobs/task_ends.c). Pure.
 *
 * A task that succeeded never runs again. Each other end counts against one limit:
 *   elsewhere: its container was not started, for a reason that other nodes may not have
 *   lost:      the end is not the fault of the task. A preemption counts against no limit
 *   failures:  all others
 * With JobSpec.no_requeue only a task whose command was certainly not started runs again.
 */
#ifndef CREEL_TASK_RETRY_H
#define CREEL_TASK_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#define TASK_ELSEWHERE_MAX 3 /* starts on other nodes, if each fails for a reason of its node */
#define TASK_LOST_RETRIES 10 /* default of task_limits.lost */

struct task_limits {
    bool no_requeue;
    uint32_t lost;     /* how often a task runs again after ends of the kind lost */
    uint32_t attempts; /* how often a task may fail, the last time included; 0 is 1 */
};

struct task_end {
    int32_t status;  /* CONTAINER_EXIT_... (exit_status.h), or the exit code */
    bool elsewhere;  /* ContainerStatus.retry_elsewhere */
    bool released;   /* the application master released the container, since its start was not confirmed */
    bool unanswered; /* no agent answered the request to start it */
    bool started;    /* the resource manager knows that its command was started */
};

struct task_end_counts { /* ends of one task; all 0 at first */
    uint32_t elsewhere, lost, failures;
};

/* Returns true if STATUS is not the result of a command: its container was lost, preempted or stopped by the
 * resource manager, or its end is unknown. A command that SIGVTALRM ended has the same status as a lost
 * one. */
bool task_status_is_lost(int32_t status);

/* Adds END to COUNTS. Returns true if the task runs again. With counts of 0, as if END were the first end:
 * true if a task runs again unless earlier ends have used up its limits. */
bool task_retry_count(struct task_end_counts *counts, const struct task_limits *limits,
                      const struct task_end *end);

#endif
