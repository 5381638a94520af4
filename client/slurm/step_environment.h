/* SPDX-License-Identifier: Apache-2.0 */
/* step_environment.h - the variables of the tasks of a step */
#ifndef CREEL_CLIENT_SLURM_STEP_ENVIRONMENT_H
#define CREEL_CLIENT_SLURM_STEP_ENVIRONMENT_H

#include "client/slurm/srun_options.h"
#include "client/slurm/step_files.h"

/* Changes the environment of this process to that of the step: --export, and the variables that all tasks
 * have. COUNT: the number of tasks; VCORES: of each. */
void step_environment_set(const struct srun_options *options, const struct step_place *place, uint32_t count,
                          int64_t vcores);
/* Adds the variables of task NUMBER, in the process of the task. */
void step_environment_set_task(uint32_t number);

#endif
