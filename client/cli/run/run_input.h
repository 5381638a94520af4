/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_input.h - standard input of creel run, for the command
 *
 * The standard input of the command is a FIFO in its scratch directory. The command waits until a process
 * opens the FIFO for writing: `creel __write-input` in the container, which is started like a command of
 * `creel container exec -i`. All bytes and the end of the input are transferred, no faster than the command
 * reads. If the command ends earlier, the rest is dropped.
 */
#ifndef CREEL_CLI_RUN_INPUT_H
#define CREEL_CLI_RUN_INPUT_H

#include <sys/types.h>

#include "client/cli/frame/cli.h"
#include "client/cli/submit/submit_options.h"

/* Returns whether standard input is open, and neither a terminal nor /dev/null. */
bool run_input_is_there(void);

/* Set input, input_task, input_all and max_attempts of JOB, by --stdin and by what standard input
 * is. -EINVAL with a sentence. */
int run_input_choose(const struct cli *cli, const struct submit_options *options, struct creel_job *job,
                     struct err *err);

/* Start the process that writes to application ID; -1 after saying why not. */
pid_t run_input_start(struct cli *cli, const struct creel_job *job, const char *id);
/* Ends the process WRITER; -1: no process. */
void run_input_end(pid_t writer);

#endif
