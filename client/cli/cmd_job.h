/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_job.h - the commands that run tasks, for the table of commands
 *
 * Both read submit_option_table; the first argument ends the options.
 */
#ifndef CREEL_CLI_CMD_JOB_H
#define CREEL_CLI_CMD_JOB_H

#include "client/cli/cli.h"
#include "client/cli/submit_options.h"

/* Read the command line, and with READ_SCRIPT the directives of a script; then print the request, or what
 * would become of it, or SEND it; an exit code. */
int job_command(struct cli *cli, bool read_script,
                int (*send)(struct cli *cli, const struct submit_options *options));
/* Say why a submission failed; an exit code. */
int job_not_submitted(const struct creel_error *error);

/* `creel run`: submit, wait and output together; inside a job, a step of it. */
int cmd_run(struct cli *cli);
extern const char run_help[];

/* `creel __write-input ID TASK`: pass standard input to a job (run_input.h). Not listed. */
int cmd_write_input(struct cli *cli);

/* `creel __task-master`: the first container of an application of tasks. Not listed. */
int cmd_task_master(struct cli *cli);

#endif
