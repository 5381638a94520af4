/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_variables.c - sets Slurm's environment variables for the command of a job that was written for
 * Slurm */
#include "nm-agent/core/slurm_variables.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/text.h"

#define FIXED 23 /* with SLURM_NTASKS and SLURM_NPROCS */
#define ARRAY_PREFIX "CREEL_ARRAY_"

bool slurm_variables_identify(const Creel__LaunchContext *launch, const char *name)
{
    static const char *const names[] = { "SLURM_JOB_ID",       "SLURM_JOBID",         "SLURM_JOB_USER",
                                         "SLURMD_NODENAME",    "SLURM_RESTART_COUNT", "SLURM_MEM_PER_NODE",
                                         "SLURM_CLUSTER_NAME", "SLURM_JOB_UID",       "SLURM_JOB_GID",
                                         "SLURM_TASK_PID",     "SLURM_TOPOLOGY_ADDR", "CREEL_MEMORY_MB" };

    if (strcmp(launch->script_system, "slurm") != 0)
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return text_has_prefix(name, "SLURM_ARRAY_");
}

size_t slurm_variables_max(const Creel__LaunchContext *launch)
{
    return FIXED + launch->n_environment;
}

size_t slurm_variables(const Creel__LaunchContext *launch, const struct launch_place *place,
                       struct arena *arena, const char **items)
{
    const char *index = launch_variable(launch, "CREEL_TASK_INDEX");
    const char *tasks = launch_variable(launch, "CREEL_TASK_COUNT");
    const char *cpus = launch_variable(launch, "SLURM_CPUS_ON_NODE");
    const char *number = launch_app_number(arena, place->app_id);
    const struct {
        const char *name, *value;
    } fixed[FIXED] = {
        { "SLURM_JOB_ID", number },
        { "SLURM_JOBID", number },
        { "SLURM_JOB_USER", place->user },
        { "SLURM_CLUSTER_NAME", place->cluster },
        { "ENVIRONMENT", "BATCH" },
        { "SLURMD_NODENAME", place->host },
        { "HOSTNAME", place->host },
        { "SLURM_NODEID", "0" },
        { "SLURM_JOB_NODELIST", tasks ? NULL : place->host },
        { "SLURM_NODELIST", tasks ? NULL : place->host },
        { "SLURM_PROCID", index ? index : "0" },
        { "SLURM_LOCALID", "0" },
        { "SLURM_GTIDS", index ? index : "0" },
        { "SLURM_NODE_ALIASES", "(null)" },
        { "SLURM_TOPOLOGY_ADDR", place->host },
        { "SLURM_TOPOLOGY_ADDR_PATTERN", "node" },
        { "SLURM_JOB_CPUS_PER_NODE", cpus ? cpus : arena_printf(arena, "%" PRId64, place->vcores) },
        { "SLURM_MEM_PER_NODE", launch_variable(launch, "SLURM_MEM_PER_NODE")
                                    ? arena_printf(arena, "%" PRId64, place->memory_mb)
                                    : NULL },
        { "CREEL_MEMORY_MB", arena_printf(arena, "%" PRId64, place->memory_mb) },
        { "SLURM_OPEN_MODE", *launch->open_mode ? arena_printf(arena, "%c", *launch->open_mode) : NULL },
        { "SLURM_RESTART_COUNT", place->attempt > 1 ? arena_printf(arena, "%u", place->attempt - 1) : NULL },
    };
    size_t count = 0;

    if (strcmp(launch->script_system, "slurm") != 0)
        return 0;
    for (size_t i = 0; i < FIXED && fixed[i].name != NULL; i++)
        if (fixed[i].value != NULL && (slurm_variables_identify(launch, fixed[i].name) ||
                                       launch_variable(launch, fixed[i].name) == NULL))
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
