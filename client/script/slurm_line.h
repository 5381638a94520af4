/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_line.h - splits a command line of sbatch or srun into options and the other words
 *
 * Options are those of slurm_options.h, with their prefixes and aliases; the first word that is none, or
 * "--", ends them. Messages are those of getopt_long(3), which Slurm's commands print. Source: sbatch(1)
 * and srun(1) of Slurm 22.05. Pure.
 */
#ifndef CREEL_SCRIPT_SLURM_LINE_H
#define CREEL_SCRIPT_SLURM_LINE_H

#include "client/script/slurm_options.h"
#include "common/base/err.h"

/* Takes OPTION, which the user wrote as SPELLED: "-J", "--job-n". VALUE: NULL if it has none. A result below
 * 0 ends the reading. */
typedef int slurm_line_fn(void *context, const struct slurm_option *option, const char *spelled,
                          const char *value);

/* Calls TAKE for each option of WORDS, which end with NULL. Sets *REST to the words after the options.
 * Returns 0 or the result of TAKE. -EINVAL: an option is unknown, has no value or one too many; ERR has the
 * reason. */
int slurm_line_read(enum slurm_command command, const char *const *words, slurm_line_fn *take, void *context,
                    struct arena *arena, const char *const **rest, struct err *err);

#endif
