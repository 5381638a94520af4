/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm.h - translates the directives of a Slurm script into options of creel submit
 *
 * Each option without a counterpart becomes a notice, which --strict makes an error. An option that changes
 * the meaning of the job (--array, --dependency, --begin, --hold) is an error if creel does not support it.
 * Times are in Slurm's format: a number alone is minutes.
 *
 * Pure. All memory is in the arena of the result.
 */
#ifndef CREEL_SCRIPT_SLURM_H
#define CREEL_SCRIPT_SLURM_H

#include "client/script/directives.h"

/* Returns whether creel submit has this long option. */
typedef bool slurm_known(const char *option, size_t length);

/* FROM has the words after #SBATCH. TO (made by script_init) gets words as "--memory=2048M", and notices.
 * -EINVAL with a message, and the line in *LINE. */
int slurm_translate(const struct script *from, slurm_known *known, struct script *to, unsigned *line,
                    struct err *err);

/* Explains an option of Slurm by its letter: "Slurm's -J, --job-name is --name here"; NULL: Slurm has no such
 * option. TEXT has room for the message. */
#define SLURM_HINT_MAX 160
const char *slurm_letter_hint(char letter, slurm_known *known, char text[SLURM_HINT_MAX]);
/* The same for a long option: LENGTH bytes of NAME. */
const char *slurm_name_hint(const char *name, size_t length, slurm_known *known, char text[SLURM_HINT_MAX]);

#endif
