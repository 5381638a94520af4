/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_run.h - the built-in application master as a process
 *
 * The core (client/master), its channels, its deadlines, signals, and what it
 * prints on stderr; with COPY_OUTPUT also the tasks' output. Used by the
 * first container of an application of tasks and by a step of `creel run`.
 */
#ifndef CREEL_CLI_TASK_RUN_H
#define CREEL_CLI_TASK_RUN_H

#include <stdbool.h>

#include "client/libcreel/am.h"
#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

struct task_run_options {
    const char *title_prefix;
    bool job_files;                     /* tasks get the files of the whole job */
    bool copy_output;                   /* of all tasks, to stdout and stderr, whole lines */
    bool labels;                        /* "[c03] " before them */
    bool each_end;                      /* a line for each task's end, not only for failures */
    bool term_is_final;                 /* SIGTERM stops the tasks, and that is the result. Else it ends this
                                           process alone, as an order to a container does: its
                                           host goes down, and another attempt goes on */
    bool quiet;                         /* nothing but output */
};

/* Run JOB's tasks to their end. 0: *EXIT_STATUS is the result (0 to 255). */
int task_run(const struct am_environment *environment, const Creel__JobSpec *job,
             const struct task_run_options *options, int *exit_status, struct err *err);

#endif
