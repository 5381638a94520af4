/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output_pattern.h - expands the % sequences in the name of a command's output file
 *
 *     %j   number of the application        %u   user
 *     %A   job number of the array; the same as %j if the job is no array
 *     %a   index in the array               %N   host
 *     %b   the last digit of that index
 *     %t   number of the task, else 0       %%   a percent sign
 *
 * The index of a job that is no array is 0, or 4294967294 if its script is one of Slurm, as in Slurm.
 * %x, the name of the job, is replaced by the client. Other letters stay as they are; no client sends them
 * (common/base/job/job_field.h).
 */
#ifndef CREEL_NM_CORE_OUTPUT_PATTERN_H
#define CREEL_NM_CORE_OUTPUT_PATTERN_H

#include "nm-agent/core/launch_place.h"

/* Returns PATTERN with its % sequences replaced for a container of LAUNCH, in ARENA. NULL: PATTERN is "", or
 * the name would have more than JOB_PATH_MAX bytes (launch_judge_start refuses such a container). Work and
 * memory are bounded by the lengths of PATTERN and of a path. */
const char *output_pattern_expand(const char *pattern, const Creel__LaunchContext *launch,
                                  const struct launch_place *place, struct arena *arena);

#endif
