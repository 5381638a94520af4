/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_terminal.h - creel run -it: the command of a job on this terminal
 *
 * The first process of the container reads its standard input, which is a FIFO (run_input.h), and ends with
 * the status that it finds there. The command itself is started inside the container by the code of `creel
 * container exec -it`, by a shell that has the FIFO open and writes the command's status to it. So the job
 * ends with the command, and also if this process or its connection is gone.
 */
#ifndef CREEL_CLI_RUN_TERMINAL_H
#define CREEL_CLI_RUN_TERMINAL_H

#include "client/cli/frame/cli.h"
#include "client/cli/submit/submit_options.h"

/* All of it; an exit code: the command's, or one of enum cli_exit. */
int run_terminal(struct cli *cli, const struct submit_options *options);

#endif
