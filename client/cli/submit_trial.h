/* SPDX-License-Identifier: Apache-2.0 */
/* submit_trial.h - submit --test-only: a trial submission */
#ifndef CREEL_CLI_SUBMIT_TRIAL_H
#define CREEL_CLI_SUBMIT_TRIAL_H

#include "client/cli/cli.h"

/* Asks the RM whether JOB would be accepted, and prints where and when the job could run. Returns an exit
 * code: 8 if the job could never run. */
int submit_trial_print(struct cli *cli, const struct creel_job *job);

#endif
