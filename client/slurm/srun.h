/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srun.h - `srun` in a job of a Slurm script: a step
 *
 * The tasks of a step are processes in the container of the job, which has the vcores and the memory of the
 * whole job on its node. That is where srun of Slurm starts them too: it allocates nothing inside a job.
 * Steps share the container as step_room.h describes.
 */
#ifndef CREEL_CLIENT_SLURM_SRUN_H
#define CREEL_CLIENT_SLURM_SRUN_H

/* Runs the command line ARGUMENTS, which ends with NULL. Returns an exit status: the highest of the tasks,
 * 128+N for signal N, or 1 if there is no step. */
int srun_main(const char *const *arguments);

#endif
