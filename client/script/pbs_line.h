/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pbs_line.h - lines of #PBS in a script of Slurm, as options of sbatch
 *
 * sbatch applies some options of qsub, before its own directives, which take precedence. Those whose meaning
 * creel keeps exactly are translated: -A -e -h -J -j oe -M -m -N -o -q -r -t -V, and of -l nodes=N[:ppn=M],
 * walltime (with a colon) and mem. Pure.
 */
#ifndef CREEL_SCRIPT_PBS_LINE_H
#define CREEL_SCRIPT_PBS_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"

#define PBS_MARKER "#PBS"

struct pbs_line {
    const char *const *words; /* options of sbatch; ends with NULL */
    size_t count;
    const char
        *others; /* the options that are not translated, as they are: "-l feature=x -W y"; NULL: none */
};

/* Translates TEXT, LENGTH bytes behind "#PBS". Texts of RET are in ARENA. */
void pbs_line_read(const char *text, size_t length, struct arena *arena, struct pbs_line *ret);
/* Returns whether sbatch reads no lines of #PBS, by --ignore-pbs in COMMAND_LINE or SBATCH_IGNORE_PBS in
 * VARIABLES. Both end with NULL, and may be NULL. */
bool pbs_line_is_ignored(const char *const *command_line, const char *const *variables);

#endif
