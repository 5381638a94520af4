/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_options.h - tables of the options of sbatch and srun, and their translation into options of creel
 *
 * Names, aliases, letters and arguments are those of sbatch(1) and srun(1) of Slurm 22.05. A long option may
 * be given by a prefix that no other one has, as getopt_long(3) takes it. Targets are of sbatch's options:
 * client/slurm gives those of srun their meaning.
 */
#ifndef CREEL_SCRIPT_SLURM_OPTIONS_H
#define CREEL_SCRIPT_SLURM_OPTIONS_H

#include <stddef.h>

#include "common/base/arena.h"

enum slurm_argument { SLURM_NO_ARGUMENT, SLURM_ARGUMENT, SLURM_OPTIONAL_ARGUMENT };

enum slurm_action {
    SLURM_IGNORED,    /* notice: creel has nothing similar */
    SLURM_REFUSED,    /* error: the job would be another one */
    SLURM_CLUSTERS,   /* with sbatch an error if the last value names another cluster; else a notice */
    SLURM_SILENT,     /* ignored without a notice: no effect in creel */
    SLURM_LOGIN,      /* the agent adds the environment of a login */
    SLURM_NEVER_MET,  /* without effect: a dependency that can never be met ends the job; a notice for "no" */
    SLURM_SAME,       /* TARGET with the same value; a notice if creel has no such option */
    SLURM_NEEDED,     /* like SAME, but an error if creel lacks the option, since it changes the job */
    SLURM_DEPENDENCY, /* TARGET with the last value; an empty one is none. An error if creel lacks it */
    SLURM_LABEL,      /* TARGET with a name; a notice for an expression of several features */
    SLURM_TIME,       /* TARGET with a limit: slurm_moment.h */
    SLURM_MOMENT,     /* TARGET with a moment: slurm_moment.h. An error if creel lacks the option */
    SLURM_ARRAY,      /* TARGET with indexes: slurm_value.h. An error if creel lacks the option */
    SLURM_PATTERN,    /* TARGET with the name of a file: slurm_value.h */
    SLURM_MAIL_TYPE, /* TARGET with names of events, which sbatch reads in any case; a notice about those that
                         creel does not have, and if there is none */
    SLURM_MAIL_USER, /* TARGET with addresses; a notice about those that creel does not take */
    SLURM_OPEN_MODE, /* TARGET with append or truncate, of which sbatch reads the first letter */
    SLURM_QUEUE,     /* TARGET with the first queue of a list that exists */
    SLURM_SIGNAL,    /* TARGET and TARGET-to with [R:|B:]SIGNAL[@SECONDS] */
    SLURM_EXPORT,    /* TARGET with ALL, NONE, or a list */
    SLURM_ACCOUNT,   /* becomes the tag account:NAME */
    SLURM_NO_REQUEUE, /* never started a second time */
    SLURM_REQUEUE,    /* as without SLURM_NO_REQUEUE, which may come before it */
    SLURM_SIZE,       /* part of the job's size: slurm_size.h */
};

struct slurm_option {
    char letter; /* 0: none */
    const char *name;
    enum slurm_argument argument;
    enum slurm_action action;
    const char *target; /* long option of creel submit; for an ignored or refused option advice to the user;
                           may be NULL */
};

enum slurm_command { SLURM_SBATCH, SLURM_SRUN };

/* Returns the row of a long option (LENGTH bytes of NAME; of the option itself for an alias), or of a letter;
 * NULL: not an option of COMMAND. */
const struct slurm_option *slurm_option_by_name(enum slurm_command command, const char *name, size_t length);
/* The same, also for a prefix. If several options begin with it, returns NULL and sets CANDIDATES to their
 * names: "--mem-per-cpu, --mem-per-gpu"; else sets it to NULL. */
const struct slurm_option *slurm_option_by_prefix(enum slurm_command command, const char *name, size_t length,
                                                  struct arena *arena, const char **candidates);
const struct slurm_option *slurm_option_by_letter(enum slurm_command command, char letter);

#endif
