/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_files.h - standard input, output and error of the tasks of a step
 *
 *     all (default)  the one of srun          none   /dev/null
 *     N              the one of srun, for task N alone
 *     FILE           a file; with %t or %n a file for each task
 */
#ifndef CREEL_CLIENT_SLURM_STEP_FILES_H
#define CREEL_CLIENT_SLURM_STEP_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/err.h"

/* The job and the step, for names of files and for variables. */
struct step_place {
    const char *job, *array_job, *array_index, *name, *user, *host;
    uint32_t step;
};

struct step_descriptors { /* of a task */
    int input, output, error;
};

struct step_files {
    const char *input, *output, *error; /* as above; NULL: all, or for ERROR where OUTPUT is */
    bool append;
};

/* Returns PATTERN with its items replaced: %j %J %s %N %n %t %u %x %A %a %%; a number between % and the
 * letter is the least width of a number. Unknown items stay. Pure; in ARENA. Global for tests. */
const char *step_file_name(const char *pattern, const struct step_place *place, uint32_t task,
                           struct arena *arena);

/* Opens the files of COUNT tasks, close-on-exec. -errno with the name of the file. Several tasks may have the
 * same descriptor. *FILLER: the process that copies standard input to several tasks; 0: none. */
int step_files_open(const struct step_files *files, const struct step_place *place, uint32_t count,
                    struct step_descriptors *descriptors, int *filler, struct arena *arena, struct err *err);

#endif
