/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_options.c - table of sbatch's options and their translation into options of creel */
#include "client/script/slurm_options.h"

#include <string.h>

#define NONE SLURM_NO_ARGUMENT
#define ONE SLURM_ARGUMENT
#define MAYBE SLURM_OPTIONAL_ARGUMENT

static const struct slurm_option table[] = {
    { 'A', "account", ONE, SLURM_ACCOUNT, "tag" },
    { 0, "acctg-freq", ONE, SLURM_IGNORED, NULL },
    { 'a', "array", ONE, SLURM_NEEDED, "array" },
    { 0, "batch", ONE, SLURM_IGNORED, NULL },
    { 0, "bb", ONE, SLURM_IGNORED, NULL },
    { 0, "bbf", ONE, SLURM_IGNORED, NULL },
    { 'b', "begin", ONE, SLURM_NEEDED, "begin" },
    { 'D', "chdir", ONE, SLURM_SAME, "chdir" },
    { 0, "cluster-constraint", ONE, SLURM_IGNORED, NULL },
    { 'M', "clusters", ONE, SLURM_IGNORED, "--rm chooses the cluster" },
    { 0, "comment", ONE, SLURM_IGNORED, NULL },
    { 'C', "constraint", ONE, SLURM_LABEL, "label" },
    { 0, "container", ONE, SLURM_IGNORED, NULL },
    { 0, "contiguous", NONE, SLURM_IGNORED, NULL },
    { 'S', "core-spec", ONE, SLURM_IGNORED, NULL },
    { 0, "cores-per-socket", ONE, SLURM_IGNORED, NULL },
    { 0, "cpu-freq", ONE, SLURM_IGNORED, NULL },
    { 0, "cpus-per-gpu", ONE, SLURM_IGNORED, NULL },
    { 'c', "cpus-per-task", ONE, SLURM_SIZE, "vcores" },
    { 0, "deadline", ONE, SLURM_SAME, "deadline" },
    { 0, "delay-boot", ONE, SLURM_IGNORED, NULL },
    { 'd', "dependency", ONE, SLURM_NEEDED, "depends-on" },
    { 'm', "distribution", ONE, SLURM_IGNORED, NULL },
    { 'e', "error", ONE, SLURM_SAME, "err" },
    { 'x', "exclude", ONE, SLURM_SAME, "exclude" },
    { 0, "exclusive", MAYBE, SLURM_IGNORED, NULL },
    { 0, "export", ONE, SLURM_EXPORT, "env" },
    { 0, "export-file", ONE, SLURM_IGNORED, NULL },
    { 0, "extra-node-info", ONE, SLURM_IGNORED, NULL },
    { 0, "get-user-env", MAYBE, SLURM_IGNORED, NULL },
    { 0, "gid", ONE, SLURM_IGNORED, NULL },
    { 0, "gpu-bind", ONE, SLURM_IGNORED, NULL },
    { 0, "gpu-freq", ONE, SLURM_IGNORED, NULL },
    { 'G', "gpus", ONE, SLURM_SIZE, "gpus" },
    { 0, "gpus-per-node", ONE, SLURM_SIZE, "gpus" },
    { 0, "gpus-per-socket", ONE, SLURM_IGNORED, NULL },
    { 0, "gpus-per-task", ONE, SLURM_SIZE, "gpus" },
    { 0, "gres", ONE, SLURM_SIZE, "resource" },
    { 0, "gres-flags", ONE, SLURM_IGNORED, NULL },
    { 0, "hint", ONE, SLURM_IGNORED, NULL },
    { 'H', "hold", NONE, SLURM_NEEDED, "hold" },
    { 0, "ignore-pbs", NONE, SLURM_SILENT, NULL },
    { 'i', "input", ONE, SLURM_IGNORED, "redirect it in the script" },
    { 'J', "job-name", ONE, SLURM_SAME, "name" },
    { 0, "kill-on-invalid-dep", ONE, SLURM_IGNORED, NULL },
    { 'L', "licenses", ONE, SLURM_IGNORED, NULL },
    { 0, "mail-type", ONE, SLURM_IGNORED, NULL },
    { 0, "mail-user", ONE, SLURM_IGNORED, NULL },
    { 0, "mcs-label", ONE, SLURM_IGNORED, NULL },
    { 0, "mem", ONE, SLURM_SIZE, "memory" },
    { 0, "mem-bind", ONE, SLURM_IGNORED, NULL },
    { 0, "mem-per-cpu", ONE, SLURM_SIZE, "memory" },
    { 0, "mem-per-gpu", ONE, SLURM_IGNORED, NULL },
    { 0, "mincpus", ONE, SLURM_IGNORED, NULL },
    { 0, "network", ONE, SLURM_IGNORED, NULL },
    { 0, "nice", MAYBE, SLURM_IGNORED, "--nice of creel is another: the nice value of the process" },
    { 'k', "no-kill", MAYBE, SLURM_IGNORED, NULL },
    { 0, "no-requeue", NONE, SLURM_NO_REQUEUE, "max-attempts" },
    { 'F', "nodefile", ONE, SLURM_IGNORED, NULL },
    { 'w', "nodelist", ONE, SLURM_SAME, "nodes" },
    { 'N', "nodes", ONE, SLURM_SIZE, NULL },
    { 'n', "ntasks", ONE, SLURM_SIZE, "vcores" },
    { 0, "ntasks-per-core", ONE, SLURM_IGNORED, NULL },
    { 0, "ntasks-per-gpu", ONE, SLURM_IGNORED, NULL },
    { 0, "ntasks-per-node", ONE, SLURM_SIZE, "vcores" },
    { 0, "ntasks-per-socket", ONE, SLURM_IGNORED, NULL },
    { 0, "open-mode", ONE, SLURM_SAME, "open-mode" },
    { 'o', "output", ONE, SLURM_SAME, "out" },
    { 'O', "overcommit", NONE, SLURM_IGNORED, NULL },
    { 's', "oversubscribe", NONE, SLURM_IGNORED, NULL },
    { 0, "parsable", NONE, SLURM_SAME, "id" },
    { 'p', "partition", ONE, SLURM_SAME, "queue" },
    { 0, "power", ONE, SLURM_IGNORED, NULL },
    { 0, "priority", ONE, SLURM_SAME, "priority" },
    { 0, "profile", ONE, SLURM_IGNORED, NULL },
    { 0, "propagate", MAYBE, SLURM_IGNORED, NULL },
    { 'q', "qos", ONE, SLURM_IGNORED, NULL },
    { 'Q', "quiet", NONE, SLURM_SILENT, NULL },
    { 0, "reboot", NONE, SLURM_IGNORED, NULL },
    { 0, "requeue", NONE, SLURM_SILENT, NULL }, /* default in creel: an attempt lost with its node */
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
    { 0, "uid", ONE, SLURM_IGNORED, "--as submits for another user" },
    { 0, "use-min-nodes", NONE, SLURM_IGNORED, NULL },
    { 'v', "verbose", NONE, SLURM_SILENT, NULL },
    { 'W', "wait", NONE, SLURM_SAME, "wait" },
    { 0, "wait-all-nodes", ONE, SLURM_SILENT, NULL },
    { 0, "wckey", ONE, SLURM_IGNORED, NULL },
};
#define ROWS (sizeof(table) / sizeof(table[0]))

const struct slurm_option *slurm_option_by_name(const char *name, size_t length)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(table[i].name) == length && !strncmp(table[i].name, name, length))
            return &table[i];
    return NULL;
}

const struct slurm_option *slurm_option_by_letter(char letter)
{
    for (size_t i = 0; letter != '\0' && i < ROWS; i++)
        if (table[i].letter == letter)
            return &table[i];
    return NULL;
}
