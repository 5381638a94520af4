/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_size.c - computes the size of the container that runs a Slurm script */
#include "client/script/slurm_size.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/text.h"

#define MB ((int64_t)1 << 20)
#define BYTES_MAX ((int64_t)1 << 50)

static int read_count(const char *name, const char *value, int64_t *count, struct err *err)
{
    int64_t number;

    if (!text_parse_int64(value, &number) || number < 1 || number > SLURM_SIZE_MAX)
        return err_set(err, EINVAL, "--%s=%s: expected a number from 1 to %d", name, value, SLURM_SIZE_MAX);
    *count = number;
    return 0;
}

/* Reads "4", or "2-4", of which the smaller number counts. */
static int read_nodes(const char *value, struct slurm_size *size, struct script *script, struct err *err)
{
    const char *dash = strchr(value, '-');
    char *least = arena_strdup(script->arena, value);

    if (dash)
        least[dash - value] = '\0';
    return read_count("nodes", least, &size->nodes, err);
}

static int read_memory(const char *name, const char *value, int64_t *bytes, unsigned line,
                       struct script *script, struct err *err)
{
    int64_t read;

    if (!text_parse_size_bytes(value, MB, &read) || read < 0 || read > BYTES_MAX)
        return err_set(err, EINVAL, "--%s=%s: expected a size, as 500, 2G or 2048M", name, value);
    if (read == 0)
        script_add_notice(script, line, true, "--%s=0: ignored; all memory of a node cannot be requested",
                          name);
    *bytes = read;
    return 0;
}

/* Reads "2", "a100:2" or "a100", which is one GPU. */
static int read_gpus(const char *name, const char *value, int64_t *count, unsigned line,
                     struct script *script, struct err *err)
{
    const char *colon = strrchr(value, ':');
    const char *number = colon ? colon + 1 : value;
    bool has_number = *number >= '0' && *number <= '9';
    int r = has_number ? read_count(name, number, count, err) : 0;

    if (!has_number)
        *count = 1;
    if (r == 0 && (colon || !has_number))
        script_add_notice(script, line, true,
                          "--%s=%s: the type of the GPU is ignored; --label chooses nodes", name, value);
    return r;
}

/* Reads a list of NAME[:TYPE][:COUNT]; only GPUs are supported. */
static int read_gres(const char *value, struct slurm_size *size, unsigned line, struct script *script,
                     struct err *err)
{
    char *rest = arena_strdup(script->arena, value);
    char *word;

    while ((word = text_next_word(&rest)) != NULL) {
        int r;

        if (!strcmp(word, "gpu")) {
            size->gpus_per_node = 1;
        } else if (text_has_prefix(word, "gpu:")) {
            if ((r = read_gpus("gres", word + 4, &size->gpus_per_node, line, script, err)) < 0)
                return r;
        } else if (strcmp(word, "none") != 0) {
            script_add_notice(script, line, true,
                              "--gres=%s: ignored; --resource NAME=N requests other types", word);
        }
    }
    return 0;
}

int slurm_size_read(struct slurm_size *size, const char *name, const char *value, unsigned line,
                    struct script *script, struct err *err)
{
    size->line = line;
    if (!strcmp(name, "nodes")) {
        size->nodes_line = line;
        return read_nodes(value, size, script, err);
    }
    if (!strcmp(name, "ntasks"))
        return read_count(name, value, &size->tasks, err);
    if (!strcmp(name, "ntasks-per-node"))
        return read_count(name, value, &size->tasks_per_node, err);
    if (!strcmp(name, "cpus-per-task"))
        return read_count(name, value, &size->cpus_per_task, err);
    if (!strcmp(name, "mem"))
        return read_memory(name, value, &size->memory_bytes, line, script, err);
    if (!strcmp(name, "mem-per-cpu"))
        return read_memory(name, value, &size->memory_per_cpu_bytes, line, script, err);
    if (!strcmp(name, "gres"))
        return read_gres(value, size, line, script, err);
    return read_gpus(name, value,
                     !strcmp(name, "gpus")            ? &size->gpus
                     : !strcmp(name, "gpus-per-task") ? &size->gpus_per_task
                                                      : &size->gpus_per_node,
                     line, script, err);
}

static void put(struct script *script, unsigned line, const char *word)
{
    const char **words = arena_array0(script->arena, 2, sizeof(*words));

    words[0] = word;
    script_add(script, line, words, 1);
}

static void put_number(struct script *script, unsigned line, const char *option, int64_t number)
{
    if (number > 0)
        put(script, line, arena_printf(script->arena, "--%s%" PRId64, option, number));
}

static int64_t divide_up(int64_t number, int64_t by)
{
    return number / by + (number % by != 0);
}

static int64_t at_least_one(int64_t number)
{
    return number > 0 ? number : 1;
}

static void put_memory(const struct slurm_size *size, int64_t vcores, struct script *script)
{
    int64_t bytes = size->memory_bytes;

    if (bytes == 0 && size->memory_per_cpu_bytes > BYTES_MAX / vcores)
        bytes = BYTES_MAX;
    else if (bytes == 0)
        bytes = size->memory_per_cpu_bytes * vcores;
    if (bytes > 0)
        put(script, size->line, arena_printf(script->arena, "--memory=%" PRId64 "M", divide_up(bytes, MB)));
}

void slurm_size_put(const struct slurm_size *size, struct script *script)
{
    unsigned line = size->line;
    int64_t nodes = at_least_one(size->nodes);
    int64_t tasks = size->tasks ? size->tasks : nodes * at_least_one(size->tasks_per_node);
    int64_t here = size->tasks_per_node && size->nodes ? size->tasks_per_node : divide_up(tasks, nodes);
    int64_t vcores = here * at_least_one(size->cpus_per_task);
    int64_t gpus = size->gpus_per_node   ? size->gpus_per_node
                   : size->gpus_per_task ? size->gpus_per_task * here
                                         : divide_up(size->gpus, nodes);

    if (nodes > 1)
        script_add_notice(script, size->nodes_line, true,
                          "--nodes=%" PRId64 ": the script runs in one container, with "
                          "the part of one node; start the tasks on other nodes with creel run -N",
                          nodes);
    if (size->tasks || size->tasks_per_node || size->cpus_per_task)
        put_number(script, line, "vcores=", vcores);
    put_memory(size, vcores, script);
    put_number(script, line, "gpus=", gpus);
    put_number(script, line, "env=SLURM_NTASKS=", tasks);
    put_number(script, line, "env=SLURM_NPROCS=", tasks);
    put_number(script, line, "env=SLURM_TASKS_PER_NODE=", here);
    put_number(script, line, "env=SLURM_NTASKS_PER_NODE=", size->tasks_per_node);
    put_number(script, line, "env=SLURM_CPUS_PER_TASK=", size->cpus_per_task);
    put_number(script, line, "env=SLURM_CPUS_ON_NODE=", vcores);
    put_number(script, line, "env=SLURM_NNODES=", 1);
    put_number(script, line, "env=SLURM_JOB_NUM_NODES=", 1);
}
