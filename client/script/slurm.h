/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm.h - translates the directives of a Slurm script into options of creel submit
 *
 * Names and values are judged by the rules of sbatch, and written in creel's form. Variables of the
 * environment (SBATCH_TIMELIMIT) come after the directives, and options of the command line of sbatch after
 * them. Each option without a counterpart, and each value that changes its meaning, becomes a notice, which
 * --strict makes an error. An option that changes the meaning of the job (--array, --dependency, --begin,
 * --hold) is an error if creel does not support it.
 *
 * The job gets the environment of the submission, as --export=ALL is the default of sbatch.
 *
 * Pure. All memory is in the arena of the result.
 */
#ifndef CREEL_SCRIPT_SLURM_H
#define CREEL_SCRIPT_SLURM_H

#include <stdint.h>

#include "client/script/directives.h"
#include "client/script/slurm_moment.h"

#define SLURM_VERSION "22.05.8" /* whose options and formats creel's commands of Slurm have */

/* Returns whether creel submit has this long option. */
typedef bool slurm_known(const char *option, size_t length);

/* What the translation depends on besides the script. */
struct slurm_setting {
    slurm_known *known;
    const struct slurm_calendar *calendar;
    int64_t now_ms;                  /* since 1970 */
    const char *const *environ;      /* ends with NULL; NULL: no variables */
    const char *const *command_line; /* options of sbatch; ends with NULL; NULL: none */
    bool refuses_unknown;            /* an option that sbatch does not have is an error; else a notice */
    bool (*queue_exists)(void *context, const char *name); /* NULL: not known */
    /* Returns the name of this cluster, with which --clusters is compared; NULL: it is not known. NULL: the
     * option is ignored, with a notice. */
    const char *(*own_cluster)(void *context);
    void *context; /* of the last two */
};

/* The end of the message about a heterogeneous job. */
#define SLURM_NO_HETJOB \
    "creel has no heterogeneous jobs; submit a job for each part, or start tasks of other sizes inside of " \
    "one job with creel run -N, -m and -c"

/* The origin (struct script_directive) of what the command line of sbatch gives. */
#define SLURM_COMMAND_LINE "command line"

/* FROM has the words after #SBATCH. TO (made by script_init) gets words as "--memory=2048M", and notices.
 * -EINVAL with a message that begins with the line, or the variable, after FILE: "job.sh:3: ...". */
int slurm_translate(const struct script *from, const struct slurm_setting *setting, const char *file,
                    struct script *to, struct err *err);

/* Explains an option of Slurm by its letter: "Slurm's -J, --job-name is --name here"; NULL: Slurm has no such
 * option. TEXT has room for the message. */
#define SLURM_HINT_MAX 160
const char *slurm_letter_hint(char letter, slurm_known *known, char text[SLURM_HINT_MAX]);
/* The same for a long option: LENGTH bytes of NAME. */
const char *slurm_name_hint(const char *name, size_t length, slurm_known *known, char text[SLURM_HINT_MAX]);

#endif
