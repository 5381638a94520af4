/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_place.h - where a job of Slurm goes: the partitions and the clusters that sbatch and the other
 * commands take as lists
 *
 * Pure. Results are in the arena.
 */
#ifndef CREEL_SCRIPT_SLURM_PLACE_H
#define CREEL_SCRIPT_SLURM_PLACE_H

#include "client/script/slurm.h"

/* Returns the queue for the list of partitions VALUE of the option NAME: a job has one, the first that
 * exists. The others are named in a notice of TO for LINE. NULL: the list is empty. */
const char *slurm_place_queue(const struct slurm_setting *setting, const char *name, const char *value,
                              struct script *to, unsigned line);

/* Returns the first of the clusters NAMES that is neither OWN nor "all"; NULL: there is none. */
const char *slurm_place_foreign(const char *names, const char *own, struct arena *arena);
/* The end of the message about a foreign cluster: the foreign one and the own one. */
#define SLURM_PLACE_FOREIGN "'%s' is not the name of this cluster, which is '%s'; CREEL_RM chooses another"
/* Judges the clusters NAMES, which the user wrote as WRITTEN, for the message. -EINVAL: the job would go to
 * another cluster than this one. */
int slurm_place_judge(const struct slurm_setting *setting, const char *names, const char *written,
                      struct arena *arena, struct err *err);

#endif
