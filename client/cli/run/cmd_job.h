/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_job.h - the commands that run jobs: submit, run, and the hidden task master
 *
 * Both submit and run read submit_option_table; the first argument ends the options.
 */
#ifndef CREEL_CLI_CMD_JOB_H
#define CREEL_CLI_CMD_JOB_H

#include "client/cli/frame/cli.h"
#include "client/cli/submit/submit_options.h"

/* Checks the options of one command. -EINVAL with a sentence. */
typedef int job_check_fn(struct cli *cli, const struct submit_options *options, struct err *err);
/* Sends the job, and returns an exit code. */
typedef int job_send_fn(struct cli *cli, const struct submit_options *options);

/* Reads the command line, and with READ_SCRIPT the directives of a script. Checks the options with CHECK_JOB;
 * then prints the request (--dry-run), tests it (--test-only), or calls SEND. Returns an exit code. */
int job_command(struct cli *cli, bool read_script, job_check_fn *check_job, job_send_fn *send);
/* Submits JOB. The client is connected. Prints why that fails. Returns an exit code. */
int job_submit(struct cli *cli, const struct creel_job *job, char id[CREEL_ID_MAX]);
/* Prints the id of a submitted job on standard output, as data if an output format was requested. */
void job_print_id(const struct cli *cli, const char *id);
/* Prints that APP has a lower priority than ASKED, if it has. */
void job_print_priority(int32_t asked, const struct creel_app *app);
/* Prints which values of the submitted JOB the cluster has reduced, with --quiet, too. A held job has its own
 * values until it is released. */
void job_print_reduced(const struct cli *cli, const struct creel_job *job, const char *id);

/* Prints that no mail is sent about the last job that was submitted, if it has events about which it wants
 * mail. */
void job_print_mail(const struct cli *cli);

/* `creel run`: submits, waits and copies the output; inside a job, runs a step of the job. */
int cmd_run(struct cli *cli);
extern const char run_help[];

/* `creel alloc`, `creel attach`: containers for a shell of this host. */
int cmd_alloc(struct cli *cli), cmd_attach(struct cli *cli);
extern const char alloc_help[], attach_help[];
extern const struct option_spec alloc_options[];

/* `creel __write-input ID TASK`: pass standard input to a job (run_input.h). Not listed. */
int cmd_write_input(struct cli *cli);

/* `creel __task-master`: the first container of an application of tasks. Not listed. */
int cmd_task_master(struct cli *cli);

#endif
