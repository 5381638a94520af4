/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_run.h - runs the built-in application master as a process
 *
 * Connects the core (client/am) with channels, timers and signals, prints its messages on stderr and,
 * with COPY_OUTPUT, the tasks' output. Used by the first container of an application of tasks and by a step
 * of `creel run`.
 */
#ifndef CREEL_CLI_TASK_RUN_H
#define CREEL_CLI_TASK_RUN_H

#include <stdbool.h>

#include "client/libcreel/am.h"
#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

struct task_run_options {
    const char *title_prefix;
    bool job_files;     /* tasks get the files of the whole job */
    bool keep_results;  /* tasks that ended in one attempt do not run in the next one */
    bool copy_output;   /* copies all tasks' output to stdout and stderr, in whole lines */
    bool labels;        /* begins each line of output with "[c03] " */
    bool each_end;      /* prints a line for each task's end, not only for failures */
    bool term_is_final; /* SIGTERM stops the tasks, and the application ends. Else SIGTERM
                           only ends this process, as when its container is stopped: the
                           host shuts down, and another attempt continues */
    bool quiet;         /* prints nothing but output */
};

/* Runs JOB's tasks until all have ended. Returns 0 with the result (0 to 255) in *EXIT_STATUS. */
int task_run(const struct am_environment *environment, const Creel__JobSpec *job,
             const struct task_run_options *options, int *exit_status, struct err *err);

#endif
