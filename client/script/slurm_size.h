/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_size.h - computes the size of the container that runs a Slurm script
 *
 * sbatch runs the script once, on the first node of the job, with all of the job's processors on that node.
 * So creel runs the script in one container: vcores = tasks x cpus-per-task, memory = mem, or mem-per-cpu x
 * vcores, GPUs as requested. A job of several nodes gets the part of its first node, and a notice: `creel run
 * -N` starts containers for the tasks on other nodes.
 *
 * Pure. Texts are borrowed.
 */
#ifndef CREEL_SCRIPT_SLURM_SIZE_H
#define CREEL_SCRIPT_SLURM_SIZE_H

#include <stdint.h>

#include "client/script/directives.h"

#define SLURM_SIZE_MAX 1000000 /* upper bound of every number */

struct slurm_size {
    int64_t nodes, tasks, tasks_per_node, cpus_per_task; /* 0: not given */
    int64_t gpus, gpus_per_node, gpus_per_task;
    int64_t memory_bytes, memory_per_cpu_bytes;
    unsigned line;       /* line of the last option; 0: none */
    unsigned nodes_line; /* line of --nodes */
};

/* Reads the option NAME with VALUE in LINE. Notices are added to SCRIPT. -EINVAL with a message. */
int slurm_size_read(struct slurm_size *size, const char *name, const char *value, unsigned line,
                    struct script *script, struct err *err);
/* Adds the options of creel submit, and Slurm's variables for the size, to SCRIPT. */
void slurm_size_put(const struct slurm_size *size, struct script *script);

#endif
