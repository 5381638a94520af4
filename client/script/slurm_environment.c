/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_environment.c - the variables of the environment from which sbatch takes options */
#include "client/script/slurm_environment.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"

static const struct {
    const char *variable, *option;
} table[] = {
    { "SBATCH_ACCOUNT", "account" },
    { "SBATCH_ACCTG_FREQ", "acctg-freq" },
    { "SBATCH_ARRAY_INX", "array" },
    { "SBATCH_BATCH", "batch" },
    { "SLURM_CLUSTERS", "clusters" },
    { "SBATCH_CLUSTERS", "clusters" },
    { "SBATCH_CONSTRAINT", "constraint" },
    { "SBATCH_CONTAINER", "container" },
    { "SBATCH_CORE_SPEC", "core-spec" },
    { "SBATCH_CPUS_PER_GPU", "cpus-per-gpu" },
    { "SBATCH_DELAY_BOOT", "delay-boot" },
    { "SBATCH_DISTRIBUTION", "distribution" },
    { "SBATCH_ERROR", "error" },
    { "SBATCH_EXCLUSIVE", "exclusive" },
    { "SBATCH_EXPORT", "export" },
    { "SBATCH_GET_USER_ENV", "get-user-env" },
    { "SBATCH_GPU_BIND", "gpu-bind" },
    { "SBATCH_GPU_FREQ", "gpu-freq" },
    { "SBATCH_GPUS", "gpus" },
    { "SBATCH_GPUS_PER_NODE", "gpus-per-node" },
    { "SBATCH_GPUS_PER_TASK", "gpus-per-task" },
    { "SBATCH_GRES", "gres" },
    { "SBATCH_GRES_FLAGS", "gres-flags" },
    { "SLURM_HINT", "hint" },
    { "SBATCH_HINT", "hint" },
    { "SBATCH_IGNORE_PBS", "ignore-pbs" },
    { "SBATCH_INPUT", "input" },
    { "SBATCH_JOB_NAME", "job-name" },
    { "SBATCH_MEM_BIND", "mem-bind" },
    { "SBATCH_MEM_PER_CPU", "mem-per-cpu" },
    { "SBATCH_MEM_PER_GPU", "mem-per-gpu" },
    { "SBATCH_MEM_PER_NODE", "mem" },
    { "SBATCH_NETWORK", "network" },
    { "SBATCH_NO_KILL", "no-kill" },
    { "SBATCH_NO_REQUEUE", "no-requeue" },
    { "SBATCH_OPEN_MODE", "open-mode" },
    { "SBATCH_OUTPUT", "output" },
    { "SBATCH_OVERCOMMIT", "overcommit" },
    { "SBATCH_PARTITION", "partition" },
    { "SBATCH_POWER", "power" },
    { "SBATCH_PROFILE", "profile" },
    { "SBATCH_QOS", "qos" },
    { "SBATCH_REQ_SWITCH", "switches" },
    { "SBATCH_REQUEUE", "requeue" },
    { "SBATCH_RESERVATION", "reservation" },
    { "SBATCH_SIGNAL", "signal" },
    { "SBATCH_SPREAD_JOB", "spread-job" },
    { "SBATCH_THREAD_SPEC", "thread-spec" },
    { "SBATCH_THREADS_PER_CORE", "threads-per-core" },
    { "SBATCH_TIMELIMIT", "time" },
    { "SBATCH_USE_MIN_NODES", "use-min-nodes" },
    { "SBATCH_WAIT", "wait" },
    { "SBATCH_WAIT_ALL_NODES", "wait-all-nodes" },
    { "SBATCH_WCKEY", "wckey" },
};
#define ROWS (sizeof(table) / sizeof(table[0]))

const char *slurm_environment_option(size_t index, const char **variable)
{
    if (index >= ROWS)
        return NULL;
    *variable = table[index].variable;
    return table[index].option;
}

const char *slurm_environment_value(const char *const *environ, const char *name, size_t length)
{
    const char *value = NULL;

    for (size_t i = 0; environ != NULL && environ[i] != NULL && value == NULL; i++)
        if (strncmp(environ[i], name, length) == 0 && environ[i][length] == '=')
            value = environ[i] + length + 1;
    return value;
}

static bool is_true(const char *value)
{
    char *end;

    return *value == '\0' || !strcasecmp(value, "yes") || (strtol(value, &end, 10) != 0 && *end == '\0');
}

/* Returns whether an empty value is judged as any other; else it is none, as an empty name. */
static bool judges_empty(const struct slurm_option *option)
{
    switch (option->action) {
    case SLURM_TIME:
    case SLURM_ARRAY:
    case SLURM_OPEN_MODE:
    case SLURM_QUEUE:
    case SLURM_SIGNAL:
        return true;
    case SLURM_SIZE: /* those of GPUs and other resources are lists of names */
        return !text_equal(option->target, "gpus") && !text_equal(option->target, "resource");
    default:
        return false;
    }
}

bool slurm_environment_gives(const struct slurm_option *option, const char **value)
{
    bool given = *value && (**value != '\0' || judges_empty(option));

    if (option->argument == SLURM_NO_ARGUMENT) {
        given = *value && is_true(*value);
        *value = NULL;
    } else if (option->argument == SLURM_OPTIONAL_ARGUMENT && *value && **value == '\0') {
        given = true;
        *value = NULL;
    }
    return given;
}

bool slurm_environment_is_of_job(const char *name, size_t length)
{
    static const char *const prefixes[] = { "SLURM_", "SLURMD_", "SLURMSTEPD_", "SBATCH_CPU_BIND",
                                            "SBATCH_MEM_BIND_" };
    static const char *const of_user[] = {
        "SLURM_CONF",    "SLURM_TIME_FORMAT",   "SLURM_CLUSTERS",   "SLURM_HINT",       "SLURM_OVERLAP",
        "SLURM_EXACT",   "SLURM_KILL_BAD_EXIT", "SLURM_MPI_TYPE",   "SLURM_WAIT",       "SLURM_UNBUFFEREDIO",
        "SLURM_LABELIO", "SLURM_STDINMODE",     "SLURM_STDOUTMODE", "SLURM_STDERRMODE",
    };

    for (size_t i = 0; i < sizeof(of_user) / sizeof(of_user[0]); i++)
        if (strlen(of_user[i]) == length && strncmp(of_user[i], name, length) == 0)
            return false;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (length >= strlen(prefixes[i]) && strncmp(prefixes[i], name, strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* Returns WORD, which ends before END, without the quotes around it. */
static char *strip_quotes(char *word, char *end)
{
    if (end - word < 2 || (*word != '"' && *word != '\'') || end[-1] != *word)
        return word;
    end[-1] = '\0';
    return word + 1;
}

char *slurm_environment_next(char **rest)
{
    char *word = *rest, *at = word, quote = '\0';

    if (*word == '\0')
        return NULL;
    for (; *at != '\0' && (quote || *at != ','); at++)
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? '\0' : *at;
    *rest = *at != '\0' ? at + 1 : at;
    *at = '\0';
    return strip_quotes(word, at);
}
