/* SPDX-License-Identifier: Apache-2.0 */
/* submit_trial.h - submit --test-only: what would become of a job */
#ifndef CREEL_CLI_SUBMIT_TRIAL_H
#define CREEL_CLI_SUBMIT_TRIAL_H

#include "client/cli/cli.h"

/* Ask the RM whether JOB would be taken, and print where and when it could run. Returns an exit code:
 * 8 if it never could. */
int submit_trial_print(struct cli *cli, const struct creel_job *job);

#endif
