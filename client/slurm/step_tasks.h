/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_tasks.h - runs the tasks of a step as processes, and copies their output
 *
 * Each task has a process group of its own, which ends with it, unless standard input is a terminal. A signal
 * that srun gets is passed on, except one of the agent, which has reached the tasks too: step_sender.h.
 */
#ifndef CREEL_CLIENT_SLURM_STEP_TASKS_H
#define CREEL_CLIENT_SLURM_STEP_TASKS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "client/slurm/step_files.h"
#include "common/base/err.h"

struct step_run {
    uint32_t count;
    const struct step_descriptors *descriptors; /* one for each task */
    const char *const *command;                 /* ends with NULL */
    const char *host;                           /* for messages */
    const sigset_t *mask;                       /* signals that a task blocks */
    const struct rlimit *descriptor_limit;      /* of a task */
    int64_t limit_ms;                           /* of the step; 0: none */
    int64_t wait_ms;                            /* of the others after the end of the first task; 0: none */
    bool label, unbuffered, kill_on_bad_exit, quiet;
    bool input_copies; /* each task has its own pipe as input, which is closed here after its start */
    /* Called in the process of a task, before its command. */
    void (*prepare)(uint32_t number);
};

/* Blocks the signals that a step may get while it waits. Sets *BEFORE to the signals that were blocked. */
void step_tasks_block_signals(sigset_t *before);

/* Raises the limit of open descriptors as far as allowed, for pipes of many tasks. Sets *BEFORE to the limit
 * before. */
void step_tasks_raise_limit(struct rlimit *before);

/* Runs the step. Sets *EXIT_STATUS to the highest exit status, 128+N for signal N. -errno: a task could not
 * be started, or the tasks cannot be waited for; all are ended. */
int step_tasks_run(const struct step_run *run, int *exit_status, struct err *err);

#endif
