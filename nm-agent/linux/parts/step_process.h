/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_process.h - recognizes the processes of the steps of srun
 *
 * srun starts each task of a step with the variable SLURM_STEP_ID (client/slurm/step_environment.c), which
 * the children of the task inherit. The batch script and the other processes of its container do not have
 * it.
 */
#ifndef CREEL_NM_STEP_PROCESS_H
#define CREEL_NM_STEP_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Bytes of the environments of all processes that one signal reads: a user can start many processes with
 * large environments, and the agent waits for none of them longer than some tens of milliseconds. */
#define STEP_PROCESS_BYTES_MAX ((size_t)64 << 20)

/* Returns whether PID was started with the variable SLURM_STEP_ID. *BYTES are still to be read of
 * STEP_PROCESS_BYTES_MAX, and become fewer; at 0 the answer is false. */
bool step_process_is(pid_t pid, size_t *bytes);

#endif
