/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_given.h - the variables of a job that have the value of an option of sbatch as it was given
 *
 * SLURM_JOB_ACCOUNT has the value of --account; if the option is repeated, the last one. Source: sbatch(1) of
 * Slurm 22.05, OUTPUT ENVIRONMENT VARIABLES. Pure.
 */
#ifndef CREEL_SCRIPT_SLURM_GIVEN_H
#define CREEL_SCRIPT_SLURM_GIVEN_H

#include "client/script/directives.h"

#define SLURM_GIVEN_MAX 16

struct slurm_given { /* all zero: none */
    struct {
        const char *value; /* NULL: not given */
        unsigned line;
        const char *origin;
    } of[SLURM_GIVEN_MAX];
};

/* Notes VALUE (NULL: an option without one) of the option NAME, given at LINE, if it has a variable. */
void slurm_given_note(struct slurm_given *given, const char *name, const char *value, unsigned line,
                      const char *origin);
/* Adds the variables to SCRIPT, as --env. */
void slurm_given_put(const struct slurm_given *given, struct script *script);

#endif
