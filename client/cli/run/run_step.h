/* SPDX-License-Identifier: Apache-2.0 */
/* run_step.h - `creel run` inside a job: runs the tasks in containers of that job */
#ifndef CREEL_CLI_RUN_STEP_H
#define CREEL_CLI_RUN_STEP_H

#include "client/cli/frame/cli.h"
#include "client/cli/submit/submit_options.h"

/* Acts as the application master until all tasks have ended. Steps of one job run one after the other: a
 * second one waits. The command is not changed or sent along. */
int run_step(struct cli *cli, const struct submit_options *options);

#endif
