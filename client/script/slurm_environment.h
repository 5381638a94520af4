/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_environment.h - the variables of the environment from which sbatch takes options
 *
 * sbatch(1) of Slurm 22.05, INPUT ENVIRONMENT VARIABLES. They come after the directives of a script and
 * before the command line. Pure.
 */
#ifndef CREEL_SCRIPT_SLURM_ENVIRONMENT_H
#define CREEL_SCRIPT_SLURM_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "client/script/slurm_options.h"

/* Returns the option of the variable at INDEX, its name in *VARIABLE; NULL: INDEX is behind the last one. */
const char *slurm_environment_option(size_t index, const char **variable);

/* Returns the value of NAME (LENGTH bytes) in ENVIRON, which ends with NULL; NULL: not set. */
const char *slurm_environment_value(const char *const *environ, const char *name, size_t length);

/* Returns whether *VALUE (NULL: not set) of a variable gives OPTION, and sets *VALUE to its argument, if any.
 * An option without argument is given by an empty value, "yes" or a number other than 0. */
bool slurm_environment_gives(const struct slurm_option *option, const char **value);

/* Returns the next word of the value of --export, as ALL,A="x,y": a comma within quotes separates nothing,
 * and quotes around a whole word, as 'A=x,y', are none of it. NULL at the end. Changes the text. */
char *slurm_environment_next(char **rest);

/* Returns whether NAME (LENGTH bytes) is a variable that Slurm sets for a job: one of another job must not
 * reach a new one. Settings of a user (SLURM_CONF) are none. */
bool slurm_environment_is_of_job(const char *name, size_t length);

#endif
