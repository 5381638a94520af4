/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input_pipes.h - copies of standard input, one pipe for each task
 *
 * A process reads standard input and writes all of it to each pipe, at the pace of the slowest reader. A pipe
 * whose read ends are all closed is left out.
 */
#ifndef CREEL_CLI_INPUT_PIPES_H
#define CREEL_CLI_INPUT_PIPES_H

#include <stdint.h>
#include <sys/types.h>

/* Sets READ_ENDS to the read ends of COUNT pipes, close-on-exec and owned by the caller, and starts the
 * process that fills them, with SIGTERM unblocked. It ends with this process. Returns the process, or -errno
 * without any pipe. */
pid_t input_pipes_start(int *read_ends, uint32_t count);
/* Ends the process FILLER; 0 or less: no process. */
void input_pipes_end(pid_t filler);

#endif
