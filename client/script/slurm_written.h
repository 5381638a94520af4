/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_written.h - what the user wrote for an option of sbatch, for messages
 *
 * The translation knows an option by its long name, "job-name". A script has "-J", "--job-n" or "--job-name":
 * the message about it has what the script has. Pure. Results are in the arena.
 */
#ifndef CREEL_SCRIPT_SLURM_WRITTEN_H
#define CREEL_SCRIPT_SLURM_WRITTEN_H

#include "client/script/directives.h"

/* Returns SPELLED ("-J") with VALUE (NULL: none), of which a long one is cut: "-J alpha",
 * "--job-name=alpha". */
const char *slurm_written(const char *spelled, const char *value, struct arena *arena);
/* Replaces "--NAME" at the beginning of the text of ERR by SPELLED: "--time=x: ..." becomes "-t x: ...". */
void slurm_written_error(struct err *err, const char *name, const char *spelled);
/* The same for the notices of SCRIPT from number FROM on. */
void slurm_written_notices(struct script *script, size_t from, const char *name, const char *spelled);

#endif
