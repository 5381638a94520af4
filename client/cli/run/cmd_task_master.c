/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_task_master.c - creel __task-master: the built-in AM, in the first container of an application of
 * tasks */
#include <stdio.h>

#include "client/cli/run/cmd_job.h"
#include "client/cli/run/task_run.h"

static int run_master(struct am_environment *environment, int *exit_status, struct err *err)
{
    struct task_run_options options = { .title_prefix = "", .keep_results = true, .each_end = true };
    Creel__JobSpec *job;
    int r = am_environment_job(&job, err);

    if (r < 0)
        return r;
    r = am_environment_lock(environment, false, err);
    if (r == 0)
        r = task_run(environment, job, &options, exit_status, err);
    creel__job_spec__free_unpacked(job, NULL);
    return r;
}

int cmd_task_master(struct cli *cli)
{
    struct am_environment environment;
    struct err err = { 0 };
    int exit_status = EXIT_SELF_FAILED;
    int r = am_environment_read(&environment, &err);

    (void)cli;
    if (r == 0) {
        r = run_master(&environment, &exit_status, &err);
        am_environment_done(&environment);
    }
    if (r < 0) {
        fprintf(stderr, "creel: %s\n", err.text);
        return EXIT_SELF_FAILED;
    }
    return exit_status;
}
