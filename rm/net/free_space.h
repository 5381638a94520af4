/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free_space.h - measures the free space of the directories to which the resource manager writes, and tries
 * to make a file there
 *
 * The directories are the state directory and, in it, the history and the uploaded files, which may be on
 * file systems of their own. A directory that does not exist yet, or is on the file system of an earlier one,
 * is measured with that one.
 */
#ifndef CREEL_RM_FREE_SPACE_H
#define CREEL_RM_FREE_SPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FREE_SPACE_DIRECTORIES 3
#define FREE_SPACE_MS 5000 /* between two measurements */

struct free_space_directory {
    const char *name; /* "state", "history", "uploads" */
    char *path;       /* owned */
    int64_t bytes;    /* free for others than root */
    int error;        /* errno of the measurement; 0: none */
    int write_error;  /* errno of the creation of a file; 0: none */
    bool required;    /* requests are refused if it cannot be written */
    dev_t device;     /* of the file system; 0: not known */
    bool shared;      /* on the file system of an earlier directory */
};

struct free_space {
    int64_t limit_bytes; /* creel.resourcemanager.free-space-min; 0: nothing is too full */
    int64_t due_ms;      /* of the next measurement */
    struct free_space_directory directories[FREE_SPACE_DIRECTORIES];
};

void free_space_init(struct free_space *space, const char *state_directory, int64_t limit_bytes);
void free_space_done(struct free_space *space);
/* Measures, unless FREE_SPACE_MS have not passed since the last time. NOW_MS: steady clock. */
void free_space_measure(struct free_space *space, int64_t now_ms);

#endif
