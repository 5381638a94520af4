/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_options.h - table of sbatch's options and their translation into options of creel
 *
 * Names, letters and arguments are those of sbatch(1) of Slurm 22.05.
 */
#ifndef CREEL_SCRIPT_SLURM_OPTIONS_H
#define CREEL_SCRIPT_SLURM_OPTIONS_H

#include <stddef.h>

enum slurm_argument { SLURM_NO_ARGUMENT, SLURM_ARGUMENT, SLURM_OPTIONAL_ARGUMENT };

enum slurm_action {
    SLURM_IGNORED,    /* notice: creel has nothing similar */
    SLURM_SILENT,     /* ignored without a notice: no effect in creel */
    SLURM_SAME,       /* TARGET with the same value; a notice if creel has no such option */
    SLURM_NEEDED,     /* like SAME, but an error if creel lacks the option, since it changes the job */
    SLURM_LABEL,      /* TARGET with a name; a notice for an expression of several features */
    SLURM_TIME,       /* TARGET with a time: a number alone is minutes */
    SLURM_SIGNAL,     /* TARGET with [R:|B:]SIGNAL[@SECONDS] */
    SLURM_EXPORT,     /* TARGET with ALL, NONE, or a list */
    SLURM_ACCOUNT,    /* becomes the tag account:NAME */
    SLURM_NO_REQUEUE, /* at most one attempt */
    SLURM_SIZE,       /* part of the job's size: slurm_size.h */
};

struct slurm_option {
    char letter; /* 0: none */
    const char *name;
    enum slurm_argument argument;
    enum slurm_action action;
    const char *target; /* long option of creel submit; for an ignored option advice to the user;
                           may be NULL */
};

/* Returns the row of a long option (LENGTH bytes of NAME), or of a letter; NULL: not an option of sbatch. */
const struct slurm_option *slurm_option_by_name(const char *name, size_t length);
const struct slurm_option *slurm_option_by_letter(char letter);

#endif
