/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output_pattern.h - the name of the file that a command writes its output to
 *
 *     %j   number of the application        %u   user
 *     %A   number of the array's job, else as %j
 *     %a   index in the array, else 0       %N   host
 *     %t   number of the task, else 0       %%   a percent sign
 *
 * %x, the name of the job, is replaced by the client. Other letters stay as they are; no client sends them
 * (common/base/job_field.h).
 */
#ifndef CREEL_NM_CORE_OUTPUT_PATTERN_H
#define CREEL_NM_CORE_OUTPUT_PATTERN_H

#include "nm-agent/core/launch_place.h"

/* PATTERN for a container of LAUNCH; NULL if PATTERN is "". Memory is of ARENA. */
const char *output_pattern_expand(const char *pattern, const Creel__LaunchContext *launch,
                                  const struct launch_place *place, struct arena *arena);

#endif
