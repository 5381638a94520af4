/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm.h - from the directives of a Slurm script to options of creel submit
 *
 * Each option that has no counterpart becomes a notice, which --strict makes an error. An option without
 * which the job would be another one (--array, --dependency, --begin, --hold) is an error if creel does not
 * have it. Times are Slurm's: a number alone is minutes.
 *
 * Pure. All memory is of the arena of the result.
 */
#ifndef CREEL_SCRIPT_SLURM_H
#define CREEL_SCRIPT_SLURM_H

#include "client/script/directives.h"

/* Does creel submit have this long option? */
typedef bool slurm_known(const char *option, size_t length);

/* FROM has the words behind #SBATCH; TO (made by script_init) gets words as "--memory=2048M", and notices.
 * -EINVAL with a sentence, and the line in *LINE. */
int slurm_translate(const struct script *from, slurm_known *known, struct script *to, unsigned *line,
                    struct err *err);

/* What Slurm's letter is here: "Slurm's -J, --job-name is --name here"; NULL: it has none. TEXT has room
 * for the sentence. */
#define SLURM_HINT_MAX 160
const char *slurm_letter_hint(char letter, slurm_known *known, char text[SLURM_HINT_MAX]);

#endif
