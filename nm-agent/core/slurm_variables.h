/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_variables.h - sets Slurm's environment variables for the command of a job that was written for Slurm
 *
 * A job with script_system "slurm" (creel submit --from slurm) gets, in addition to creel's own variables,
 *
 *     SLURM_JOB_ID, SLURM_JOBID           number of the application: 42, which all creel commands accept
 *     SLURM_JOB_USER
 *     SLURM_CLUSTER_NAME                  yarn.resourcemanager.cluster-id
 *     ENVIRONMENT                         BATCH
 *     SLURMD_NODENAME, SLURM_NODEID (0)   the host
 *     HOSTNAME                            the host, too
 *     SLURM_JOB_NODELIST, SLURM_NODELIST  the host too, unless the command is one of several tasks
 *     SLURM_TOPOLOGY_ADDR, SLURM_TOPOLOGY_ADDR_PATTERN, SLURM_NODE_ALIASES
 *                                         the host, "node" and "(null)", as without a topology
 *     SLURM_PROCID, SLURM_LOCALID         number of the task, and 0
 *     SLURM_GTIDS                         number of the task
 *     SLURM_JOB_CPUS_PER_NODE             SLURM_CPUS_ON_NODE of the script, else the vcores of the container
 *     SLURM_NTASKS, SLURM_NPROCS          number of tasks, if several
 *     SLURM_MEM_PER_NODE                  memory of the container in MiB, if the script has --mem
 *     SLURM_OPEN_MODE                     "a" or "t", if the job has an open mode
 *     SLURM_RESTART_COUNT                 number of earlier attempts, if there were any
 *     SLURM_ARRAY_...                     each CREEL_ARRAY_... of the job
 *
 * The client adds the variables that depend on the submission (SLURM_SUBMIT_DIR, SLURM_CPUS_PER_TASK), and
 * nm-agent/linux/runtime/launch.c those that depend on the user's account (SLURM_JOB_UID, SLURM_JOB_GID). The
 * shim
 * sets SLURM_TASK_PID.
 */
#ifndef CREEL_NM_CORE_SLURM_VARIABLES_H
#define CREEL_NM_CORE_SLURM_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "nm-agent/core/launch_place.h"

/* Returns whether NAME is one of the variables that identify the job (SLURM_JOB_ID, SLURM_ARRAY_...), or that
 * the agent knows better: those of LAUNCH, which may come from the job of the submitter, are not used. False
 * if LAUNCH is not a Slurm job. */
bool slurm_variables_identify(const Creel__LaunchContext *launch, const char *name);

/* Returns the maximum number of variables that slurm_variables adds for LAUNCH. */
size_t slurm_variables_max(const Creel__LaunchContext *launch);

/* Writes "NAME=value" texts, allocated in ARENA, to ITEMS; returns their number, 0 if LAUNCH is not a Slurm
 * job. A variable that LAUNCH sets itself is not added, unless it identifies the job. */
size_t slurm_variables(const Creel__LaunchContext *launch, const struct launch_place *place,
                       struct arena *arena, const char **items);

#endif
