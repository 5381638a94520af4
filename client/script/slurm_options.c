/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_options.c - tables of the options of sbatch and srun, their translation into options of creel, and
 * hints about them */
#include "client/script/slurm_options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "client/script/slurm.h"
#include "common/base/text_builder.h"

#define NONE SLURM_NO_ARGUMENT
#define ONE SLURM_ARGUMENT
#define MAYBE SLURM_OPTIONAL_ARGUMENT

static const struct slurm_option table[] = {
    { 'A', "account", ONE, SLURM_ACCOUNT, "tag" },
    { 0, "acctg-freq", ONE, SLURM_IGNORED, NULL },
    { 'a', "array", ONE, SLURM_ARRAY, "array" },
    { 0, "batch", ONE, SLURM_IGNORED, NULL },
    { 0, "bb", ONE, SLURM_IGNORED, NULL },
    { 0, "bbf", ONE, SLURM_IGNORED, NULL },
    { 'b', "begin", ONE, SLURM_MOMENT, "begin" },
    { 'D', "chdir", ONE, SLURM_SAME, "chdir" },
    { 0, "cluster-constraint", ONE, SLURM_IGNORED, NULL },
    { 'M', "clusters", ONE, SLURM_CLUSTERS, NULL },
    { 0, "comment", ONE, SLURM_IGNORED, NULL },
    { 'C', "constraint", ONE, SLURM_LABEL, "label" },
    { 0, "container", ONE, SLURM_IGNORED, NULL },
    { 0, "contiguous", NONE, SLURM_IGNORED, NULL },
    { 'S', "core-spec", ONE, SLURM_IGNORED, NULL },
    { 0, "cores-per-socket", ONE, SLURM_IGNORED, NULL },
    { 0, "cpu-freq", ONE, SLURM_IGNORED, NULL },
    { 0, "cpus-per-gpu", ONE, SLURM_SIZE, "vcores" },
    { 'c', "cpus-per-task", ONE, SLURM_SIZE, "vcores" },
    { 0, "deadline", ONE, SLURM_MOMENT, "deadline" },
    { 0, "delay-boot", ONE, SLURM_IGNORED, NULL },
    { 'd', "dependency", ONE, SLURM_DEPENDENCY, "depends-on" },
    { 'm', "distribution", ONE, SLURM_IGNORED, NULL },
    { 'e', "error", ONE, SLURM_PATTERN, "err" },
    { 'x', "exclude", ONE, SLURM_IGNORED,
      "the scheduler chooses the node; --constraint names a label of nodes" },
    { 0, "exclusive", MAYBE, SLURM_IGNORED,
      "other jobs may run on the node; request its memory and vcores to have it alone" },
    { 0, "export", ONE, SLURM_EXPORT, "env" },
    { 0, "export-file", ONE, SLURM_REFUSED,
      "the job would have other variables: --export=NAME=VALUE,... gives them" },
    { 'B', "extra-node-info", ONE, SLURM_IGNORED, NULL },
    { 0, "get-user-env", MAYBE, SLURM_LOGIN, NULL },
    { 0, "gid", ONE, SLURM_IGNORED, NULL },
    { 0, "gpu-bind", ONE, SLURM_IGNORED, NULL },
    { 0, "gpu-freq", ONE, SLURM_IGNORED, NULL },
    { 'G', "gpus", ONE, SLURM_SIZE, "gpus" },
    { 0, "gpus-per-node", ONE, SLURM_SIZE, "gpus" },
    { 0, "gpus-per-socket", ONE, SLURM_IGNORED, NULL },
    { 0, "gpus-per-task", ONE, SLURM_SIZE, "gpus" },
    { 0, "gres", ONE, SLURM_SIZE, "resource" },
    { 0, "gres-flags", ONE, SLURM_IGNORED, NULL },
    { 'h', "help", NONE, SLURM_SILENT, NULL },
    { 0, "hint", ONE, SLURM_IGNORED, NULL },
    { 'H', "hold", NONE, SLURM_NEEDED, "hold" },
    { 0, "ignore-pbs", NONE, SLURM_SILENT, NULL },
    { 'i', "input", ONE, SLURM_PATTERN, "in" },
    { 'J', "job-name", ONE, SLURM_SAME, "name" },
    { 0, "kill-on-invalid-dep", ONE, SLURM_NEVER_MET, NULL },
    { 'L', "licenses", ONE, SLURM_IGNORED, NULL },
    { 0, "mail-type", ONE, SLURM_MAIL_TYPE, "mail-type" },
    { 0, "mail-user", ONE, SLURM_MAIL_USER, "mail-user" },
    { 0, "mcs-label", ONE, SLURM_IGNORED, NULL },
    { 0, "mem", ONE, SLURM_SIZE, "memory" },
    { 0, "mem-bind", ONE, SLURM_IGNORED, NULL },
    { 0, "mem-per-cpu", ONE, SLURM_SIZE, "memory" },
    { 0, "mem-per-gpu", ONE, SLURM_SIZE, "memory" },
    { 0, "mincpus", ONE, SLURM_IGNORED, NULL },
    { 0, "network", ONE, SLURM_IGNORED, NULL },
    { 0, "nice", MAYBE, SLURM_IGNORED, "--nice of creel is another: the nice value of the process" },
    { 'k', "no-kill", MAYBE, SLURM_IGNORED, NULL },
    { 0, "no-requeue", NONE, SLURM_NO_REQUEUE, "no-requeue" },
    { 'F', "nodefile", ONE, SLURM_IGNORED, NULL },
    { 'w', "nodelist", ONE, SLURM_IGNORED,
      "the scheduler chooses the node; --constraint names a label of nodes" },
    { 'N', "nodes", ONE, SLURM_SIZE, NULL },
    { 'n', "ntasks", ONE, SLURM_SIZE, "vcores" },
    { 0, "ntasks-per-core", ONE, SLURM_IGNORED, NULL },
    { 0, "ntasks-per-gpu", ONE, SLURM_SIZE, "vcores" },
    { 0, "ntasks-per-node", ONE, SLURM_SIZE, "vcores" },
    { 0, "ntasks-per-socket", ONE, SLURM_IGNORED, NULL },
    { 0, "open-mode", ONE, SLURM_OPEN_MODE, "open-mode" },
    { 'o', "output", ONE, SLURM_PATTERN, "out" },
    { 'O', "overcommit", NONE, SLURM_IGNORED, NULL },
    { 's', "oversubscribe", NONE, SLURM_IGNORED, NULL },
    { 0, "parsable", NONE, SLURM_SAME, "id" },
    { 'p', "partition", ONE, SLURM_QUEUE, "queue" },
    { 0, "power", ONE, SLURM_IGNORED, NULL },
    { 0, "prefer", ONE, SLURM_IGNORED, NULL },
    { 0, "priority", ONE, SLURM_SAME, "priority" },
    { 0, "profile", ONE, SLURM_IGNORED, NULL },
    { 0, "propagate", MAYBE, SLURM_SAME, "propagate" },
    { 'q', "qos", ONE, SLURM_IGNORED, NULL },
    { 'Q', "quiet", NONE, SLURM_SILENT, NULL },
    { 0, "reboot", NONE, SLURM_IGNORED, NULL },
    { 0, "requeue", NONE, SLURM_REQUEUE, "no-requeue" }, /* default in creel */
    { 0, "reservation", ONE, SLURM_IGNORED, NULL },
    { 0, "signal", ONE, SLURM_SIGNAL, "signal" },
    { 0, "sockets-per-node", ONE, SLURM_IGNORED, NULL },
    { 0, "spread-job", NONE, SLURM_IGNORED, NULL },
    { 0, "switches", ONE, SLURM_IGNORED, NULL },
    { 0, "test-only", NONE, SLURM_SAME, "test-only" },
    { 0, "thread-spec", ONE, SLURM_IGNORED, NULL },
    { 0, "threads-per-core", ONE, SLURM_IGNORED, NULL },
    { 't', "time", ONE, SLURM_TIME, "time" },
    { 0, "time-min", ONE, SLURM_IGNORED, NULL },
    { 0, "tmp", ONE, SLURM_IGNORED, NULL },
    { 0, "uid", ONE, SLURM_REFUSED, "creel --as USER submits for another user" },
    { 0, "use-min-nodes", NONE, SLURM_IGNORED, NULL },
    { 0, "usage", NONE, SLURM_SILENT, NULL },
    { 'v', "verbose", NONE, SLURM_SILENT, NULL },
    { 'V', "version", NONE, SLURM_SILENT, NULL },
    { 'W', "wait", NONE, SLURM_SAME, "wait" },
    { 0, "wait-all-nodes", ONE, SLURM_SILENT, NULL },
    { 0, "wckey", ONE, SLURM_IGNORED, NULL },
    { 0, "wrap", ONE, SLURM_IGNORED, "the script is the command" },
};
#define ROWS (sizeof(table) / sizeof(table[0]))

/* What srun has beside the options of the table, or instead of them. */
static const struct slurm_option step_table[] = {
    { 0, "accel-bind", ONE, SLURM_IGNORED, NULL },
    { 0, "bcast", MAYBE, SLURM_IGNORED, NULL },
    { 0, "compress", MAYBE, SLURM_IGNORED, NULL },
    { 0, "cpu-bind", ONE, SLURM_IGNORED, NULL },
    { 'X', "disable-status", NONE, SLURM_SILENT, NULL },
    { 0, "epilog", ONE, SLURM_IGNORED, NULL },
    { 0, "exact", NONE, SLURM_SILENT, NULL },
    { 0, "het-group", ONE, SLURM_NEEDED, NULL },
    { 'I', "immediate", MAYBE, SLURM_IGNORED, NULL },
    { 0, "interactive", NONE, SLURM_IGNORED, NULL },
    { 0, "jobid", ONE, SLURM_NEEDED, NULL },
    { 'K', "kill-on-bad-exit", MAYBE, SLURM_SAME, NULL },
    { 'l', "label", NONE, SLURM_SAME, NULL },
    { 0, "max-exit-timeout", ONE, SLURM_IGNORED, NULL },
    { 0, "max-launch-time", ONE, SLURM_IGNORED, NULL },
    { 0, "mpi", ONE, SLURM_NEEDED, NULL },
    { 0, "msg-timeout", ONE, SLURM_IGNORED, NULL },
    { 0, "multi-prog", NONE, SLURM_NEEDED, NULL },
    { 'Z', "no-allocate", NONE, SLURM_NEEDED, NULL },
    { 0, "overlap", NONE, SLURM_SAME, NULL },
    { 'E', "preserve-env", NONE, SLURM_IGNORED, NULL },
    { 0, "prolog", ONE, SLURM_IGNORED, NULL },
    { 0, "pty", NONE, SLURM_SAME, NULL },
    { 0, "quit-on-interrupt", NONE, SLURM_IGNORED, NULL },
    { 'r', "relative", ONE, SLURM_IGNORED, NULL },
    { 0, "resv-ports", MAYBE, SLURM_IGNORED, NULL },
    { 0, "send-libs", MAYBE, SLURM_IGNORED, NULL },
    { 0, "slurmd-debug", ONE, SLURM_IGNORED, NULL },
    { 0, "task-epilog", ONE, SLURM_IGNORED, NULL },
    { 0, "task-prolog", ONE, SLURM_IGNORED, NULL },
    { 'T', "threads", ONE, SLURM_IGNORED, NULL },
    { 'u', "unbuffered", NONE, SLURM_SAME, NULL },
    { 'W', "wait", ONE, SLURM_SAME, NULL },
    { 0, "whole", NONE, SLURM_IGNORED, NULL },
    { 0, "x11", MAYBE, SLURM_IGNORED, NULL },
};
#define STEP_ROWS (sizeof(step_table) / sizeof(step_table[0]))

/* Options of the table that srun has not. */
static const char *const batch_only[] = { "array",          "batch",      "export-file",
                                          "get-user-env",   "ignore-pbs", "kill-on-invalid-dep",
                                          "no-requeue",     "parsable",   "requeue",
                                          "wait-all-nodes", "wrap" };

static const struct {
    const char *name, *of;
} aliases[] = {
    { "cluster", "clusters" },
    { "cpu_bind", "cpu-bind" },
    { "mem_bind", "mem-bind" },
    { "ntasks-per-tres", "ntasks-per-gpu" },
    { "tasks-per-node", "ntasks-per-node" },
};
#define ALIASES (sizeof(aliases) / sizeof(aliases[0]))

static bool is_of(enum slurm_command command, const struct slurm_option *row)
{
    for (size_t i = 0; command == SLURM_SRUN && i < sizeof(batch_only) / sizeof(batch_only[0]); i++)
        if (!strcmp(row->name, batch_only[i]))
            return false;
    return true;
}

/* Returns the row at INDEX of those that COMMAND has; NULL: behind the last one. */
static const struct slurm_option *row_at(enum slurm_command command, size_t index)
{
    size_t own = command == SLURM_SRUN ? STEP_ROWS : 0;

    if (index < own)
        return &step_table[index];
    return index - own < ROWS ? &table[index - own] : NULL;
}

static const struct slurm_option *find(enum slurm_command command, const char *name, size_t length)
{
    const struct slurm_option *row;

    for (size_t i = 0; (row = row_at(command, i)) != NULL; i++)
        if (strlen(row->name) == length && !strncmp(row->name, name, length) && is_of(command, row))
            return row;
    return NULL;
}

const struct slurm_option *slurm_option_by_name(enum slurm_command command, const char *name, size_t length)
{
    const struct slurm_option *row = find(command, name, length);

    for (size_t i = 0; row == NULL && i < ALIASES; i++)
        if (strlen(aliases[i].name) == length && !strncmp(aliases[i].name, name, length))
            row = find(command, aliases[i].of, strlen(aliases[i].of));
    return row;
}

/* The options that begin with a prefix. */
struct matches {
    struct text_builder names; /* "--mem-per-cpu, --mem-per-gpu" */
    const struct slurm_option *last;
    size_t count;
};

static void add_match(struct matches *matches, const struct slurm_option *row, const char *name)
{
    text_builder_separate(&matches->names, ", ");
    text_builder_printf(&matches->names, "--%s", name);
    matches->last = row;
    matches->count++;
}

const struct slurm_option *slurm_option_by_prefix(enum slurm_command command, const char *name, size_t length,
                                                  struct arena *arena, const char **candidates)
{
    const struct slurm_option *row = slurm_option_by_name(command, name, length);
    struct matches matches = { .names = TEXT_BUILDER_IN(arena) };

    *candidates = NULL;
    if (row || length == 0)
        return row;
    for (size_t i = 0; (row = row_at(command, i)) != NULL; i++)
        if (!strncmp(row->name, name, length) && find(command, row->name, strlen(row->name)) == row)
            add_match(&matches, row, row->name);
    for (size_t i = 0; i < ALIASES; i++) {
        row = find(command, aliases[i].of, strlen(aliases[i].of));
        if (row && !strncmp(aliases[i].name, name, length))
            add_match(&matches, row, aliases[i].name);
    }
    if (matches.count > 1)
        *candidates = text_builder_finish(&matches.names);
    return matches.count == 1 ? matches.last : NULL;
}

const struct slurm_option *slurm_option_by_letter(enum slurm_command command, char letter)
{
    const struct slurm_option *row;

    for (size_t i = 0; letter != '\0' && (row = row_at(command, i)) != NULL; i++)
        if (row->letter == letter && is_of(command, row))
            return row;
    return NULL;
}

/* --- hints ------------------------------------------------------------------ */

static const char *hint(const struct slurm_option *option, slurm_known *known, char text[SLURM_HINT_MAX])
{
    char letter[] = { '-', '\0', ',', ' ', '\0' };

    if (!option)
        return NULL;
    letter[1] = option->letter;
    if (option->action == SLURM_IGNORED || option->action == SLURM_REFUSED || !option->target ||
        !known(option->target, strlen(option->target)))
        snprintf(text, SLURM_HINT_MAX, "Slurm's %s--%s has no counterpart here", option->letter ? letter : "",
                 option->name);
    else
        snprintf(text, SLURM_HINT_MAX, "Slurm's %s--%s is --%s here", option->letter ? letter : "",
                 option->name, option->target);
    return text;
}

const char *slurm_letter_hint(char letter, slurm_known *known, char text[SLURM_HINT_MAX])
{
    return hint(slurm_option_by_letter(SLURM_SBATCH, letter), known, text);
}

const char *slurm_name_hint(const char *name, size_t length, slurm_known *known, char text[SLURM_HINT_MAX])
{
    return hint(slurm_option_by_name(SLURM_SBATCH, name, length), known, text);
}
