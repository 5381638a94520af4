/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_size.h - computes the size of the container that runs a Slurm script
 *
 * sbatch runs the script once, on the first node of the job, with all of the job's processors on that node.
 * So creel runs the script in one container: vcores = tasks x cpus-per-task, or cpus-per-gpu x GPUs if that
 * is more; memory = mem, mem-per-cpu x vcores, or mem-per-gpu x GPUs; GPUs as requested. A job of several
 * nodes gets the part of its first node, and a notice: `creel run -N` starts containers for the tasks on
 * other nodes.
 *
 * Pure. Texts are borrowed.
 */
#ifndef CREEL_SCRIPT_SLURM_SIZE_H
#define CREEL_SCRIPT_SLURM_SIZE_H

#include <stdint.h>

#include "client/script/directives.h"

#define SLURM_SIZE_MAX 1000000 /* upper bound of every number */

/* The options for memory: one of them may be given. */
enum slurm_memory { SLURM_MEM, SLURM_MEM_PER_CPU, SLURM_MEM_PER_GPU, SLURM_MEMORIES };

struct slurm_size {
    int64_t nodes, tasks, tasks_per_node, tasks_per_gpu, cpus_per_task, cpus_per_gpu; /* 0: not given */
    int64_t gpus, gpus_per_node, gpus_per_task;
    int64_t memory_bytes[SLURM_MEMORIES];
    bool memory_given[SLURM_MEMORIES];   /* also as 0 */
    bool replaces_memory, replaces_cpus; /* the next such option replaces those of an earlier source */
    unsigned line;                       /* line of the last option; 0: none */
    unsigned nodes_line;                 /* line of --nodes */
    const char *origin, *nodes_origin;   /* struct script_directive of both */
    /* the last option for each, as in struct script_directive; NULL: none */
    const char *vcores_written, *memory_written, *gpus_written;
};

/* Reads the option NAME with VALUE in LINE. Notices are added to SCRIPT. -EINVAL with a message. */
int slurm_size_read(struct slurm_size *size, const char *name, const char *value, unsigned line,
                    struct script *script, struct err *err);
/* Judges what a source gave: the script, the environment or the command line. -EINVAL: options that exclude
 * each other. Options of the next source replace those that they exclude. */
int slurm_size_end_source(struct slurm_size *size, struct err *err);
/* Returns A times B, at most 2^50; neither is negative. */
int64_t slurm_size_times(int64_t a, int64_t b);
/* Adds the options of creel submit, and Slurm's variables for the size, to SCRIPT. */
void slurm_size_put(const struct slurm_size *size, struct script *script);

#endif
