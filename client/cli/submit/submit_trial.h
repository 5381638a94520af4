/* SPDX-License-Identifier: Apache-2.0 */
/* submit_trial.h - submit --dry-run and --test-only: print a job, or where it could run, and submit
 * nothing */
#ifndef CREEL_CLI_SUBMIT_TRIAL_H
#define CREEL_CLI_SUBMIT_TRIAL_H

#include "client/cli/frame/cli.h"

/* --test-only. Asks the RM whether JOB would be accepted, and prints where and when the job could run.
 * Returns an exit code: 8 if the job could never run. */
int submit_trial_print(struct cli *cli, const struct creel_job *job);

/* --dry-run. Prints {"apiVersion", "kind": "JobList", "items": [...]} with the files' sizes and hashes.
 * GIVEN are the files of JOB with the sources that the user named. A job that a submission would refuse
 * is refused with the same message: by creel_submit_check before it is printed, by the resource manager,
 * if it can be reached, behind that. Returns an exit code. */
int submit_json_print(struct cli *cli, const struct creel_job *job, const struct creel_file *given);

#endif
