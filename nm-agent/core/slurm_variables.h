/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_variables.h - sets Slurm's environment variables for the command of a job that was written for Slurm
 *
 * A job with script_system "slurm" (creel submit --from slurm) gets, in addition to creel's own variables,
 *
 *     SLURM_JOB_ID, SLURM_JOBID           number of the application: 42, which all creel commands accept
 *     SLURM_JOB_USER
 *     SLURMD_NODENAME, SLURM_NODEID (0)   the host
 *     SLURM_JOB_NODELIST, SLURM_NODELIST  the host too, unless the command is one of several tasks
 *     SLURM_PROCID, SLURM_LOCALID         number of the task, and 0
 *     SLURM_NTASKS, SLURM_NPROCS          number of tasks, if several
 *     SLURM_RESTART_COUNT                 number of earlier attempts, if there were any
 *     SLURM_ARRAY_...                     each CREEL_ARRAY_... of the job
 *
 * The client adds the variables that depend on the submission (SLURM_SUBMIT_DIR, SLURM_CPUS_PER_TASK).
 */
#ifndef CREEL_NM_CORE_SLURM_VARIABLES_H
#define CREEL_NM_CORE_SLURM_VARIABLES_H

#include <stddef.h>

#include "nm-agent/core/launch_place.h"

/* Returns the maximum number of variables that slurm_variables adds for LAUNCH. */
size_t slurm_variables_max(const Creel__LaunchContext *launch);

/* Writes "NAME=value" texts, allocated in ARENA, to ITEMS; returns their number, 0 if LAUNCH is not a Slurm
 * job. A variable that LAUNCH sets itself is not added. */
size_t slurm_variables(const Creel__LaunchContext *launch, const struct launch_place *place,
                       struct arena *arena, const char **items);

#endif
