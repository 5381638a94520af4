/* SPDX-License-Identifier: Apache-2.0 */
/* output_pattern.c - expands the % sequences in the name of a command's output file */
#include "nm-agent/core/output_pattern.h"

#include <string.h>

#include "common/base/job/job_field.h"
#include "common/base/text.h"

static const char *or_else(const char *value, const char *otherwise)
{
    return value ? value : otherwise;
}

/* Found once for a pattern, since a launch may have thousands of variables. */
static struct job_pattern_values find_values(const Creel__LaunchContext *launch,
                                             const struct launch_place *place, struct arena *arena)
{
    /* What Slurm writes for a job that is no array. */
    const char *none = text_equal(launch->script_system, "slurm") ? JOB_SLURM_NO_VAL : "0";
    const char *index = or_else(launch_variable(launch, "CREEL_ARRAY_TASK_ID"), none);
    const char *array = or_else(launch_variable(launch, "CREEL_ARRAY_JOB_ID"), place->app_id);

    return (struct job_pattern_values){ .of = {
                                            ['j'] = launch_app_number(arena, place->app_id),
                                            ['A'] = launch_app_number(arena, array),
                                            ['a'] = index,
                                            ['b'] = *index ? index + strlen(index) - 1 : "0",
                                            ['t'] = or_else(launch_variable(launch, "CREEL_TASK_INDEX"), "0"),
                                            ['u'] = place->user,
                                            ['N'] = place->host,
                                            ['%'] = "%",
                                        } };
}

const char *output_pattern_expand(const char *pattern, const Creel__LaunchContext *launch,
                                  const struct launch_place *place, struct arena *arena)
{
    struct job_pattern_values values;

    if (*pattern == '\0')
        return NULL;
    values = find_values(launch, place, arena);
    return job_field_pattern_expand(pattern, &values, arena);
}
