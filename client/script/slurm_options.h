/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_options.h - the options of sbatch, and what each is in creel: a table
 *
 * Names, letters and arguments are those of sbatch(1) of Slurm 22.05.
 */
#ifndef CREEL_SCRIPT_SLURM_OPTIONS_H
#define CREEL_SCRIPT_SLURM_OPTIONS_H

#include <stddef.h>

enum slurm_argument { SLURM_NO_ARGUMENT, SLURM_ARGUMENT, SLURM_OPTIONAL_ARGUMENT };

enum slurm_action {
    SLURM_IGNORED,              /* named, since creel has nothing like it */
    SLURM_SILENT,               /* not named: it changes nothing here */
    SLURM_SAME,                 /* TARGET with the same value; named if there is no such option */
    SLURM_NEEDED,               /* the same, but an error if there is no such option: it changes the job */
    SLURM_TIME,                 /* TARGET with a time: a number alone is minutes */
    SLURM_SIGNAL,               /* TARGET with [R:|B:]SIGNAL[@SECONDS] */
    SLURM_EXPORT,               /* TARGET with ALL, NONE, or a list */
    SLURM_ACCOUNT,              /* tag account:NAME */
    SLURM_NO_REQUEUE,           /* one attempt */
    SLURM_SIZE,                 /* part of the size of the job: slurm_size.h */
};

struct slurm_option {
    char letter;                /* 0: none */
    const char *name;
    enum slurm_argument argument;
    enum slurm_action action;
    const char *target;         /* long option of creel submit; of an ignored one what to do; may be NULL */
};

/* The row of a long option (LENGTH bytes of NAME), or of a letter; NULL: sbatch has none. */
const struct slurm_option *slurm_option_by_name(const char *name, size_t length);
const struct slurm_option *slurm_option_by_letter(char letter);

#endif
