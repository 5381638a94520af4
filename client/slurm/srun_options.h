/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srun_options.h - reads the command line of srun by the tables of client/script/slurm_options.h, and the
 * variables that srun reads (srun(1) of Slurm 22.05, INPUT ENVIRONMENT VARIABLES)
 */
#ifndef CREEL_CLIENT_SLURM_SRUN_OPTIONS_H
#define CREEL_CLIENT_SLURM_SRUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/err.h"

#define SRUN_TASKS_MAX 10000

struct srun_options {
    int64_t tasks, tasks_per_node, cpus_per_task; /* 0: not given */
    int64_t memory_bytes, memory_per_cpu_bytes;   /* 0: not given, or all of the job's */
    int64_t gpus, gpus_per_node, gpus_per_task;   /* 0: not given */
    int64_t limit_s;                              /* of the step; 0: none */
    int64_t wait_s;                               /* from the end of the first task to that of all; 0: any */
    bool overlap, overcommit, label, unbuffered, terminal, kill_on_bad_exit, append, quiet, verbose;
    bool test_only; /* prints the size of the step, and starts nothing */
    bool help, version, mpi_list;
    const char *mpi; /* of --mpi, a library for several tasks, which creel does not have; NULL: none */
    const char *name, *directory, *exported, *input, *output, *error; /* NULL: not given */
    const char *ignored;        /* options without effect: "--cpu-bind, --distribution"; "": none */
    const char *const *command; /* ends with NULL */
};

/* Sets OPTIONS from the environment and from ARGUMENTS, which ends with NULL. Texts are borrowed, or in
 * ARENA. -EINVAL with a sentence: srun of Slurm refuses it, or a step of creel cannot do it. */
int srun_options_read(const char *const *arguments, struct srun_options *options, struct arena *arena,
                      struct err *err);

#endif
