/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_value.h - rewrites values of sbatch's options into the form of creel's
 *
 * Each function judges its value by the rules of sbatch of Slurm 22.05, and returns it as creel submit takes
 * it, in ARENA. Pure.
 */
#ifndef CREEL_SCRIPT_SLURM_VALUE_H
#define CREEL_SCRIPT_SLURM_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"

#define SLURM_SIGNAL_AHEAD_S_MAX 65535

struct slurm_signal {
    int number;      /* as of this host */
    int64_t ahead_s; /* before the time limit */
    bool shell;      /* B: the first process alone gets it; else all others */
    bool overlaps;   /* R: the job may run into a reservation */
};

/* Reads [{R|B}:]SIGNAL[@SECONDS]; SIGNAL is a name, with or without SIG, or a number. Returns false if sbatch
 * would refuse TEXT. */
bool slurm_signal_read(const char *text, struct slurm_signal *signal);
/* Returns creel's name of a signal; NULL: creel does not send it ahead of a limit. */
const char *slurm_signal_name(int number);

/* Returns the name of an output file: sequences that creel and sbatch have keep their meaning, %J is %j, %s
 * is "batch", %n is 0; unknown sequences and text behind a backslash stay as they are. */
const char *slurm_pattern(const char *text, struct arena *arena);

/* Returns the indexes of an array, ascending and each once, with %N at the end. NULL: sbatch would refuse
 * TEXT. */
const char *slurm_array(const char *text, struct arena *arena);

struct slurm_dependency_found {
    bool delayed;      /* a delay, as after:42+5, which is left out */
    uint32_t too_many; /* number of tasks of a range that has more than a job may depend on; 0: none has */
};

/* Returns dependencies with the words of sbatch in lower case: "232" is afterany:232, "42_*" is 42, and
 * afterburstbuffer is afterany, since creel has no burst buffers. NULL: sbatch would refuse TEXT,
 * or it has too many tasks. */
const char *slurm_dependency(const char *text, struct arena *arena, struct slurm_dependency_found *found);
/* Returns what sbatch expects, for an error about a value for which slurm_dependency returned NULL. */
const char *slurm_dependency_expected(const struct slurm_dependency_found *found, struct arena *arena);
/* Returns DEPENDENCIES, a result of slurm_dependency, of a job that is no array: aftercorr is afterok. */
const char *slurm_dependency_of_one(const char *dependencies, struct arena *arena);

/* Returns what sbatch expects as the value of OPTION, if VALUE (NULL: none) is no such value. NULL: VALUE is
 * one, or it is not judged here. Options that creel ignores: --exclusive, --hint, --kill-on-invalid-dep. */
const char *slurm_value_expected(const char *option, const char *value);

/* Reads a size: a whole number, and K, M, G or T, alone or with B; without a unit it is in MiB. */
bool slurm_memory_read(const char *text, int64_t *bytes);

#endif
