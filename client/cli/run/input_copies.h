/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input_copies.h - standard input of creel run --stdin all: the same bytes for every task
 *
 * Each task has a pipe with a copy of the input. One process fills the pipes, and waits for the task that
 * reads slowest. A process for each task, `creel __write-input ID TASK`, passes its pipe on as soon as its
 * container runs. A task that ends before the end of the input is left out.
 */
#ifndef CREEL_CLI_INPUT_COPIES_H
#define CREEL_CLI_INPUT_COPIES_H

#include <sys/types.h>

#include "client/cli/frame/cli.h"

#define INPUT_COPIES_MAX 256 /* tasks: each takes a process and two descriptors here */

/* Starts `creel __write-input ID TASK` for this user and resource manager, with IN as its standard input.
 * Returns its process, or -1 with errno. GROUP: in a process group of its own. */
pid_t input_writer_start(struct cli *cli, const char *id, const char *task, int in, bool group);

/* Passes standard input on to the COUNT tasks of application ID, until all have it or have ended. Returns an
 * exit status. */
int input_copies_run(struct cli *cli, const char *id, uint32_t count);

#endif
