/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_export.h - the variables that --export of sbatch sends. Pure; texts are in the script's arena. */
#ifndef CREEL_SCRIPT_SLURM_EXPORT_H
#define CREEL_SCRIPT_SLURM_EXPORT_H

#include "client/script/directives.h"

/* Adds the variables of --export=EXPORTED to TO, with their values in ENVIRON. Returns whether the job has
 * the environment of a login: NONE, and a list without ALL. */
bool slurm_export_put(struct script *to, unsigned line, const char *const *environ, const char *exported);

#endif
