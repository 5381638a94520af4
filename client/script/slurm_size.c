/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_size.c - computes the size of the container that runs a Slurm script */
#include "client/script/slurm_size.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "client/script/slurm_value.h"
#include "common/base/text.h"

#define MB ((int64_t)1 << 20)
#define BYTES_MAX ((int64_t)1 << 50)

static int read_number(const char *name, const char *value, int64_t least, int64_t *count, struct err *err)
{
    int64_t number;

    if (!text_parse_int64(value, &number) || number < least || number > SLURM_SIZE_MAX)
        return err_set(err, EINVAL, "--%s=%s: expected a number from %d to %d", name, value, (int)least,
                       SLURM_SIZE_MAX);
    *count = number;
    return 0;
}

static int read_count(const char *name, const char *value, int64_t *count, struct err *err)
{
    return read_number(name, value, 1, count, err);
}

/* Reads "4" or "1k", which is 1024, of LENGTH bytes. */
static bool read_thousands(const char *text, size_t length, int64_t *number)
{
    char digits[16];
    int64_t unit = 1;

    if (length > 0 && (text[length - 1] == 'k' || text[length - 1] == 'K'))
        unit = 1024;
    length -= unit > 1;
    if (length == 0 || length >= sizeof(digits))
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (!text_parse_int64(digits, number) || *number < 0 || *number > SLURM_SIZE_MAX / unit)
        return false;
    *number *= unit;
    return true;
}

/* Reads "4", or "2-4", of which the smaller number counts. 0 is as if it were not given. */
static int read_nodes(const char *value, struct slurm_size *size, struct err *err)
{
    const char *dash = strchr(value, '-');
    int64_t least, most = SLURM_SIZE_MAX;

    if (!read_thousands(value, dash ? (size_t)(dash - value) : strlen(value), &least) ||
        (dash && !read_thousands(dash + 1, strlen(dash + 1), &most)) || most < least)
        return err_set(err, EINVAL, "--nodes=%s: expected a number, as 4 or 2-4", value);
    size->nodes = least;
    return 0;
}

static int read_memory(struct slurm_size *size, enum slurm_memory option, const char *name, const char *value,
                       unsigned line, struct script *script, struct err *err)
{
    int64_t read;

    if (!slurm_memory_read(value, &read))
        return err_set(err, EINVAL, "--%s=%s: expected a size, as 500 (MiB), 2G or 2048M", name, value);
    if (read > BYTES_MAX)
        return err_set(err, EINVAL, "--%s=%s: is too large; at most %" PRId64 "T can be requested", name,
                       value, BYTES_MAX >> 40);
    if (read == 0)
        script_add_notice(script, line, true, "--%s=0: ignored; all memory of a node cannot be requested",
                          name);
    for (int i = 0; size->replaces_memory && i < SLURM_MEMORIES; i++) {
        size->memory_given[i] = false;
        size->memory_bytes[i] = 0;
    }
    size->replaces_memory = false;
    size->memory_given[option] = true;
    size->memory_bytes[option] = read;
    return 0;
}

/* Reads "2", "a100:2" or "a100", which is one GPU, and adds it to COUNT. SHOWN is the word of the user. */
static int read_gpu(const char *name, const char *shown, const char *value, int64_t *count, unsigned line,
                    struct script *script, struct err *err)
{
    const char *colon = strrchr(value, ':');
    const char *number = colon ? colon + 1 : value;
    bool has_number = *number >= '0' && *number <= '9';
    int64_t more = 1;
    int r = has_number ? read_number(name, number, 0, &more, err) : 0;

    if (r == 0 && (colon || !has_number))
        script_add_notice(script, line, true,
                          "--%s=%s: the type of the GPU is ignored; --constraint chooses nodes by a label",
                          name, shown);
    *count += more;
    return r;
}

/* Reads a list of [TYPE:]COUNT. */
static int read_gpus(const char *name, const char *value, int64_t *count, unsigned line,
                     struct script *script, struct err *err)
{
    char *rest = arena_strdup(script->arena, value), *word;
    int r = 0;

    *count = 0;
    while (r == 0 && (word = text_next_word(&rest)) != NULL)
        r = read_gpu(name, word, word, count, line, script, err);
    return r;
}

/* Reads a list of NAME[:TYPE][:COUNT]; only GPUs are supported. */
static int read_gres(const char *value, struct slurm_size *size, unsigned line, struct script *script,
                     struct err *err)
{
    char *rest = arena_strdup(script->arena, value);
    char *word;

    size->gpus_per_node = 0;
    while ((word = text_next_word(&rest)) != NULL) {
        const char *shown = word;
        int r;

        if (text_has_prefix(word, "gres:"))
            word += strlen("gres:");
        if (!strcmp(word, "gpu")) {
            size->gpus_per_node += 1;
        } else if (text_has_prefix(word, "gpu:")) {
            if ((r = read_gpu("gres", shown, word + 4, &size->gpus_per_node, line, script, err)) < 0)
                return r;
        } else if (strcasecmp(word, "none") != 0) {
            script_add_notice(script, line, true,
                              "--gres=%s: ignored; creel submit --resource NAME=N requests other types",
                              word);
        }
    }
    return 0;
}

static int read_cpus(struct slurm_size *size, bool per_gpu, const char *name, const char *value,
                     struct err *err)
{
    if (size->replaces_cpus)
        size->cpus_per_task = size->cpus_per_gpu = 0;
    size->replaces_cpus = false;
    return read_count(name, value, per_gpu ? &size->cpus_per_gpu : &size->cpus_per_task, err);
}

int slurm_size_read(struct slurm_size *size, const char *name, const char *value, unsigned line,
                    struct script *script, struct err *err)
{
    size->line = line;
    size->origin = script->origin;
    *(text_has_prefix(name, "mem")                            ? &size->memory_written
      : text_has_prefix(name, "gpu") || !strcmp(name, "gres") ? &size->gpus_written
                                                              : &size->vcores_written) = script->written;
    if (!strcmp(name, "nodes")) {
        size->nodes_line = line;
        size->nodes_origin = script->origin;
        return read_nodes(value, size, err);
    }
    if (!strcmp(name, "ntasks"))
        return read_count(name, value, &size->tasks, err);
    if (!strcmp(name, "ntasks-per-node"))
        return read_count(name, value, &size->tasks_per_node, err);
    if (!strcmp(name, "ntasks-per-gpu"))
        return read_count(name, value, &size->tasks_per_gpu, err);
    if (!strcmp(name, "cpus-per-task") || !strcmp(name, "cpus-per-gpu"))
        return read_cpus(size, !strcmp(name, "cpus-per-gpu"), name, value, err);
    if (!strcmp(name, "mem"))
        return read_memory(size, SLURM_MEM, name, value, line, script, err);
    if (!strcmp(name, "mem-per-cpu"))
        return read_memory(size, SLURM_MEM_PER_CPU, name, value, line, script, err);
    if (!strcmp(name, "mem-per-gpu"))
        return read_memory(size, SLURM_MEM_PER_GPU, name, value, line, script, err);
    if (!strcmp(name, "gres"))
        return read_gres(value, size, line, script, err);
    return read_gpus(name, value,
                     !strcmp(name, "gpus")            ? &size->gpus
                     : !strcmp(name, "gpus-per-task") ? &size->gpus_per_task
                                                      : &size->gpus_per_node,
                     line, script, err);
}

int slurm_size_end_source(struct slurm_size *size, struct err *err)
{
    int memories = 0;

    size->replaces_memory = size->replaces_cpus = true;
    for (int i = 0; i < SLURM_MEMORIES; i++)
        memories += size->memory_given[i];
    if (memories > 1)
        return err_set(err, EINVAL, "--mem, --mem-per-cpu and --mem-per-gpu: give one of them");
    if (size->cpus_per_task > 0 && size->cpus_per_gpu > 0)
        return err_set(err, EINVAL, "--cpus-per-task and --cpus-per-gpu: give one of them");
    return 0;
}

static void put_number(struct script *script, unsigned line, const char *option, int64_t number)
{
    if (number > 0)
        script_add_word(script, line, arena_printf(script->arena, "--%s%" PRId64, option, number));
}

static int64_t divide_up(int64_t number, int64_t by)
{
    return number / by + (number % by != 0);
}

static int64_t at_least_one(int64_t number)
{
    return number > 0 ? number : 1;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t slurm_size_times(int64_t a, int64_t b)
{
    return b > 0 && a > BYTES_MAX / b ? BYTES_MAX : a * b;
}

/* What one node of the job has. */
struct share {
    int64_t nodes, all_tasks, tasks, vcores, gpus;
};

static struct share share_of(const struct slurm_size *size)
{
    struct share share = { .nodes = at_least_one(size->nodes) };
    int64_t tasks = size->tasks;

    if (tasks == 0 && size->tasks_per_gpu > 0)
        tasks = slurm_size_times(
            size->tasks_per_gpu,
            at_least_one(size->gpus ? size->gpus : slurm_size_times(size->gpus_per_node, share.nodes)));
    if (tasks == 0 && size->tasks_per_node == 0 && size->gpus > 0 && size->gpus_per_task > 0)
        tasks = at_least_one(size->gpus / size->gpus_per_task);
    share.all_tasks = tasks ? tasks : slurm_size_times(share.nodes, at_least_one(size->tasks_per_node));
    share.tasks =
        size->tasks_per_node && size->nodes ? size->tasks_per_node : divide_up(share.all_tasks, share.nodes);
    if (size->gpus_per_node)
        share.gpus = size->gpus_per_node;
    else if (size->gpus_per_task)
        share.gpus = slurm_size_times(size->gpus_per_task, share.tasks);
    else if (size->gpus)
        share.gpus = divide_up(size->gpus, share.nodes);
    else if (size->tasks_per_gpu)
        share.gpus = divide_up(share.tasks, size->tasks_per_gpu);
    share.vcores = larger(slurm_size_times(share.tasks, at_least_one(size->cpus_per_task)),
                          slurm_size_times(size->cpus_per_gpu, share.gpus));
    return share;
}

static void put_memory(const struct slurm_size *size, const struct share *share, struct script *script)
{
    int64_t bytes = size->memory_bytes[SLURM_MEM];

    if (bytes == 0)
        bytes = slurm_size_times(size->memory_bytes[SLURM_MEM_PER_CPU], share->vcores);
    if (bytes == 0)
        bytes = slurm_size_times(size->memory_bytes[SLURM_MEM_PER_GPU], share->gpus);
    if (size->memory_bytes[SLURM_MEM_PER_GPU] > 0 && share->gpus == 0)
        script_add_notice(script, size->line, true, "--mem-per-gpu: ignored; no GPU is requested");
    if (bytes > 0)
        script_add_word(script, size->line,
                        arena_printf(script->arena, "--memory=%" PRId64 "M", divide_up(bytes, MB)));
}

/* Adds Slurm's variables. They are those of what the container has: a step of SLURM_NTASKS tasks fits in it.
 * Those of memory are in MiB. */
static void put_variables(const struct slurm_size *size, const struct share *share, struct script *script)
{
    static const char *const memories[SLURM_MEMORIES] = {
        "env=SLURM_MEM_PER_NODE=",
        "env=SLURM_MEM_PER_CPU=",
        "env=SLURM_MEM_PER_GPU=",
    };
    unsigned line = size->line;

    put_number(script, line, "env=SLURM_NTASKS=", share->tasks);
    put_number(script, line, "env=SLURM_NPROCS=", share->tasks);
    put_number(script, line, "env=SLURM_TASKS_PER_NODE=", share->tasks);
    put_number(script, line, "env=SLURM_NTASKS_PER_NODE=", size->tasks_per_node);
    put_number(script, line, "env=SLURM_NTASKS_PER_GPU=", size->tasks_per_gpu);
    put_number(script, line, "env=SLURM_CPUS_PER_TASK=", size->cpus_per_task);
    put_number(script, line, "env=SLURM_CPUS_PER_GPU=", size->cpus_per_gpu);
    put_number(script, line, "env=SLURM_CPUS_ON_NODE=", share->vcores);
    put_number(script, line, "env=SLURM_GPUS_ON_NODE=", share->gpus);
    for (int i = 0; i < SLURM_MEMORIES; i++)
        put_number(script, line, memories[i], divide_up(size->memory_bytes[i], MB));
    put_number(script, line, "env=SLURM_NNODES=", 1);
    put_number(script, line, "env=SLURM_JOB_NUM_NODES=", 1);
}

void slurm_size_put(const struct slurm_size *size, struct script *script)
{
    struct share share = share_of(size);

    script->origin = size->nodes_origin;
    if (share.nodes > 1)
        script_add_notice(script, size->nodes_line, true,
                          "--nodes=%" PRId64
                          ": the script runs in one container, with the part of one node, and "
                          "SLURM_NTASKS is %" PRId64 " of %" PRId64 "; start the tasks on other nodes with "
                          "creel run -N",
                          share.nodes, share.tasks, share.all_tasks);
    script->origin = size->origin;
    if (size->cpus_per_gpu > 0 && share.gpus == 0)
        script_add_notice(script, size->line, true, "--cpus-per-gpu: ignored; no GPU is requested");
    script->written = size->vcores_written;
    if (script->written && share.vcores > SLURM_SIZE_MAX) /* an error, about the product */
        script->written = arena_printf(script->arena, "%s: %" PRId64 " vcores for all tasks together",
                                       size->vcores_written, share.vcores);
    if (size->tasks || size->tasks_per_node || size->cpus_per_task || size->tasks_per_gpu ||
        (size->cpus_per_gpu && share.gpus))
        put_number(script, size->line, "vcores=", share.vcores);
    script->written = size->memory_written;
    put_memory(size, &share, script);
    script->written = size->gpus_written;
    put_number(script, size->line, "gpus=", share.gpus);
    script->written = NULL;
    put_variables(size, &share, script);
    script->origin = NULL;
}
