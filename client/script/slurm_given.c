/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_given.c - the variables of a job that have the value of an option of sbatch as it was given */
#include "client/script/slurm_given.h"

#include <string.h>

static const struct {
    const char *option, *variable;
} table[] = {
    { "account", "SLURM_JOB_ACCOUNT" },
    { "dependency", "SLURM_JOB_DEPENDENCY" },
    { "distribution", "SLURM_DISTRIBUTION" },
    { "gpu-bind", "SLURM_GPU_BIND" },
    { "gpu-freq", "SLURM_GPU_FREQ" },
    { "gpus", "SLURM_GPUS" },
    { "gpus-per-node", "SLURM_GPUS_PER_NODE" },
    { "gpus-per-socket", "SLURM_GPUS_PER_SOCKET" },
    { "gpus-per-task", "SLURM_GPUS_PER_TASK" },
    { "ntasks-per-core", "SLURM_NTASKS_PER_CORE" },
    { "ntasks-per-socket", "SLURM_NTASKS_PER_SOCKET" },
    { "overcommit", "SLURM_OVERCOMMIT" },
    { "qos", "SLURM_JOB_QOS" },
    { "threads-per-core", "SLURM_THREADS_PER_CORE" },
};
#define ROWS (sizeof(table) / sizeof(table[0]))
_Static_assert(ROWS <= SLURM_GIVEN_MAX, "each row has a value");

void slurm_given_note(struct slurm_given *given, const char *name, const char *value, unsigned line,
                      const char *origin)
{
    for (size_t i = 0; i < ROWS; i++)
        if (!strcmp(table[i].option, name)) {
            given->of[i].value = value ? value : "1";
            given->of[i].line = line;
            given->of[i].origin = origin;
        }
}

void slurm_given_put(const struct slurm_given *given, struct script *script)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (!given->of[i].value || !*given->of[i].value)
            continue;
        script->origin = given->of[i].origin;
        script_add_word(script, given->of[i].line,
                        arena_printf(script->arena, "--env=%s=%s", table[i].variable, given->of[i].value));
    }
    script->origin = NULL;
}
