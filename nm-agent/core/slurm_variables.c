/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_variables.c - sets Slurm's environment variables for the command of a job that was written for
 * Slurm */
#include "nm-agent/core/slurm_variables.h"

#include <string.h>

#include "common/base/text.h"

#define FIXED 12
#define ARRAY_PREFIX "CREEL_ARRAY_"

size_t slurm_variables_max(const Creel__LaunchContext *launch)
{
    return FIXED + launch->n_environment;
}

size_t slurm_variables(const Creel__LaunchContext *launch, const struct launch_place *place,
                       struct arena *arena, const char **items)
{
    const char *index = launch_variable(launch, "CREEL_TASK_INDEX");
    const char *tasks = launch_variable(launch, "CREEL_TASK_COUNT");
    const char *number = launch_app_number(arena, place->app_id);
    const struct {
        const char *name, *value;
    } fixed[FIXED] = {
        { "SLURM_JOB_ID", number },
        { "SLURM_JOBID", number },
        { "SLURM_JOB_USER", place->user },
        { "SLURMD_NODENAME", place->host },
        { "SLURM_NODEID", "0" },
        { "SLURM_JOB_NODELIST", tasks ? NULL : place->host },
        { "SLURM_NODELIST", tasks ? NULL : place->host },
        { "SLURM_PROCID", index ? index : "0" },
        { "SLURM_LOCALID", "0" },
        { "SLURM_RESTART_COUNT", place->attempt > 1 ? arena_printf(arena, "%u", place->attempt - 1) : NULL },
    };
    size_t count = 0;

    if (strcmp(launch->script_system, "slurm") != 0)
        return 0;
    for (size_t i = 0; i < FIXED && fixed[i].name != NULL; i++)
        if (fixed[i].value != NULL && launch_variable(launch, fixed[i].name) == NULL)
            items[count++] = arena_printf(arena, "%s=%s", fixed[i].name, fixed[i].value);
    if (tasks != NULL) {
        items[count++] = arena_printf(arena, "SLURM_NTASKS=%s", tasks);
        items[count++] = arena_printf(arena, "SLURM_NPROCS=%s", tasks);
    }
    for (size_t i = 0; i < launch->n_environment; i++) {
        const Creel__Variable *variable = launch->environment[i];

        if (text_has_prefix(variable->name, ARRAY_PREFIX))
            items[count++] = arena_printf(arena, "SLURM_ARRAY_%s=%s", variable->name + strlen(ARRAY_PREFIX),
                                          launch_app_number(arena, variable->value));
    }
    return count;
}
