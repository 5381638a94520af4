/* SPDX-License-Identifier: Apache-2.0 */
/* step_environment.c - the variables of the tasks of a step */
#include "client/slurm/step_environment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/script/slurm_environment.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

#define NUMBER_MAX 24

static void set_number(const char *name, int64_t number)
{
    char text[NUMBER_MAX];

    snprintf(text, sizeof(text), "%lld", (long long)number);
    setenv(name, text, 1);
}

/* The variables that a task gets regardless of --export: those of the job, and PATH. */
static bool is_kept(const char *variable)
{
    return text_has_prefix(variable, "SLURM") || text_has_prefix(variable, "CREEL_") ||
           text_has_prefix(variable, "PATH=");
}

/* Removes the variables that are not kept. */
static void clear_others(void)
{
    size_t count = 0;
    scoped_free char **before = NULL;

    while (environ[count])
        count++;
    before = mem_dup(environ, (count + 1) * sizeof(*before));
    clearenv();
    for (size_t i = 0; i < count; i++)
        if (is_kept(before[i]))
            putenv(before[i]);
}

/* Sets NAME=VALUE; NAME alone: the value that srun has. */
static void set_exported(const char *word, const char *const *before)
{
    size_t length = strcspn(word, "=");
    scoped_free char *name = mem_strndup(word, length);
    const char *value = word[length] ? word + length + 1 : slurm_environment_value(before, word, length);

    if (length > 0 && value)
        setenv(name, value, 1);
}

static char **copy_environment(void)
{
    size_t count = 0;
    char **copy;

    while (environ[count])
        count++;
    copy = mem_array0(count + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = mem_strdup(environ[i]);
    return copy;
}

static void free_environment(char **copy)
{
    for (size_t i = 0; copy[i]; i++)
        free(copy[i]);
    free(copy);
}

static bool has_all(const char *list)
{
    scoped_free char *copy = mem_strdup(list);
    char *rest = copy, *word;
    bool all = false;

    while ((word = slurm_environment_next(&rest)) != NULL)
        all = all || !strcasecmp(word, "ALL");
    return all;
}

static void apply_export(const char *list)
{
    scoped_free char *words = mem_strdup(list);
    char **before = copy_environment();
    char *rest = words, *word;

    if (!has_all(list))
        clear_others();
    while ((word = slurm_environment_next(&rest)) != NULL)
        if (strcasecmp(word, "ALL") != 0 && strcasecmp(word, "NONE") != 0 && strcasecmp(word, "NIL") != 0)
            set_exported(word, (const char *const *)before);
    free_environment(before);
}

/* SLURM_GTIDS: the numbers of the tasks on this node, comma-separated. */
static void set_task_numbers(uint32_t count)
{
    struct text_builder list = { 0 };
    scoped_free char *text = NULL;

    for (uint32_t i = 0; i < count; i++)
        text_builder_printf(&list, "%s%" PRIu32, i > 0 ? "," : "", i);
    text = text_builder_finish(&list);
    setenv("SLURM_GTIDS", text, 1);
}

static void set_umask(void)
{
    char text[16];
    mode_t mask = umask(0);

    umask(mask);
    snprintf(text, sizeof(text), "%04o", (unsigned)mask);
    setenv("SLURM_UMASK", text, 1);
}

void step_environment_set(const struct srun_options *options, const struct step_place *place, uint32_t count,
                          int64_t vcores)
{
    static const char *const of_count[] = { "SLURM_NTASKS", "SLURM_NPROCS", "SLURM_TASKS_PER_NODE",
                                            "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE" };

    if (options->exported)
        apply_export(options->exported);
    for (size_t i = 0; i < sizeof(of_count) / sizeof(of_count[0]); i++)
        set_number(of_count[i], count);
    set_task_numbers(count);
    set_umask();
    set_number("SLURM_STEP_ID", place->step);
    set_number("SLURM_STEPID", place->step);
    set_number("SLURM_STEP_NUM_NODES", 1);
    set_number("SLURM_NNODES", 1);
    set_number("SLURM_NODEID", 0);
    setenv("SLURM_STEP_NODELIST", place->host, 1);
    if (options->cpus_per_task > 0 || getenv("SLURM_CPUS_PER_TASK") || getenv("SRUN_CPUS_PER_TASK"))
        set_number("SLURM_CPUS_PER_TASK", vcores);
    if (options->name)
        setenv("SLURM_JOB_NAME", options->name, 1);
}

void step_environment_set_task(uint32_t number)
{
    set_number("SLURM_PROCID", number);
    set_number("SLURM_LOCALID", number);
    set_number("SLURM_TASK_PID", getpid());
}
