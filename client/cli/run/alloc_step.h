/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_step.h - `creel run` in the shell of an allocation: runs a command in containers of the allocation
 *
 * The containers exist; the command is run in them as by `creel container exec`. One task runs in this
 * process. Of several, each has a process `creel container exec` here, whose output is copied line by line.
 */
#ifndef CREEL_CLI_ALLOC_STEP_H
#define CREEL_CLI_ALLOC_STEP_H

#include "client/cli/frame/cli.h"
#include "client/cli/submit/submit_options.h"

/* Returns whether this process is in the shell of creel alloc or creel attach. */
bool alloc_step_is_there(void);
/* Checks the options of a step. -EINVAL with a sentence. */
int alloc_step_check(struct cli *cli, const struct submit_options *options, struct err *err);
/* Runs the step. Returns the exit code: the highest of the tasks, or one of enum cli_exit. */
int alloc_step(struct cli *cli, const struct submit_options *options);

#endif
