/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_variables.h - Slurm's variables for the command of a job that was written for Slurm
 *
 * A job with script_system "slurm" (creel submit --from slurm) finds, beside creel's own variables,
 *
 *     SLURM_JOB_ID, SLURM_JOBID           the number of the application: 42, which every creel command takes
 *     SLURM_JOB_USER
 *     SLURMD_NODENAME, SLURM_NODEID (0)   the host
 *     SLURM_JOB_NODELIST, SLURM_NODELIST  the host too, unless it is one of several tasks
 *     SLURM_PROCID, SLURM_LOCALID         number of the task, and 0
 *     SLURM_NTASKS, SLURM_NPROCS          with several tasks: how many
 *     SLURM_ARRAY_...                     each CREEL_ARRAY_... of the job
 *
 * The client adds those that depend on the submission (SLURM_SUBMIT_DIR, SLURM_CPUS_PER_TASK).
 */
#ifndef CREEL_NM_CORE_SLURM_VARIABLES_H
#define CREEL_NM_CORE_SLURM_VARIABLES_H

#include <stddef.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

/* The most that are added for LAUNCH. */
size_t slurm_variables_max(const Creel__LaunchContext *launch);

struct slurm_place {
    const char *app_id, *user, *host;
};

/* Write "NAME=value" texts of ARENA to ITEMS; returns how many. None if LAUNCH is not a job of Slurm's. A
 * variable that LAUNCH has itself is left alone. */
size_t slurm_variables(const Creel__LaunchContext *launch, const struct slurm_place *place,
                       struct arena *arena, const char **items);

#endif
