/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sbatch_line.h - splits the command line of sbatch into options and the script
 *
 * Options are those of slurm_options.h, with their prefixes and aliases; the first word that is none ends
 * them. Source: sbatch(1) of Slurm 22.05. Pure.
 */
#ifndef CREEL_SCRIPT_SBATCH_LINE_H
#define CREEL_SCRIPT_SBATCH_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/err.h"

struct sbatch_line {
    const char *const *options; /* to be translated, each as "--NAME" or "--NAME=VALUE"; ends with NULL */
    const char *const *script;  /* the script and its arguments, borrowed; ends with NULL */
    const char *wrap;           /* a command instead of a script; NULL: none */
    bool help, parsable, quiet, test_only, version, wait;
};

/* Reads WORDS, which end with NULL. -EINVAL: an option is unknown or has no value. */
int sbatch_line_read(const char *const *words, struct arena *arena, struct sbatch_line *line,
                     struct err *err);

#endif
