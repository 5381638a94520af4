/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free_space.h - measures the free space of the directories to which the resource manager writes, and writes
 * and syncs a file there
 *
 * The directories are the state directory and, in it, the history and the uploaded files, which may be on
 * file systems of their own. A directory that does not exist yet, or is on the file system of an earlier one,
 * is measured with that one. History and uploads are compared with the directories that the resource
 * manager uses: one that was removed, replaced or unmounted is reported.
 *
 * Each directory has a thread that measures it, so that one that does not answer, as on a frozen file system
 * or of a dead NFS server, blocks nothing else: it is reported with the time for which it has not answered.
 */
#ifndef CREEL_RM_FREE_SPACE_H
#define CREEL_RM_FREE_SPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/err.h"
#include "common/io/loop/loop.h"
#include "rm/net/parts/worker.h"

#define FREE_SPACE_DIRECTORIES 3
#define FREE_SPACE_STATE 0 /* index of a directory */
#define FREE_SPACE_HISTORY 1
#define FREE_SPACE_UPLOADS 2
#define FREE_SPACE_MS 5000         /* between two measurements */
#define FREE_SPACE_SILENT_MS 10000 /* a measurement that takes longer: the directory does not answer */

struct free_space_directory {
    const char *name;      /* "state", "history", "uploads" */
    char *path;            /* owned */
    bool required;         /* requests are refused if it cannot be written */
    bool measured;         /* the figures below are valid */
    int64_t bytes;         /* free for others than root */
    int64_t reserve_bytes; /* of them, those that uploads leave free (blobs_reserve_bytes) */
    int error;             /* errno of the measurement; 0: none */
    bool no_inodes;        /* no file can be made for others than root, whatever BYTES is */
    uint64_t inodes;       /* of the file system; 0: it has no fixed number of them */
    uint64_t free_inodes;  /* for others than root */
    int write_error;       /* errno of the test file; 0: none */
    dev_t device;          /* of the file system; 0: not known */
    int in_use;            /* descriptor of the directory in use, borrowed for the uploads; -1: not known */
    bool moved;            /* the path leads to another directory, or to none */
    bool shared;           /* on the file system of an earlier directory */
    int64_t asked_ms;      /* steady clock: begin of the measurement that runs; 0: none runs */
    int64_t silent_ms;     /* time for which it has not answered, if more than FREE_SPACE_SILENT_MS; else 0 */
    struct worker *worker; /* NULL: not started */
};

struct free_space {
    int64_t limit_bytes; /* creel.resourcemanager.free-space-min; 0: nothing is too full */
    int64_t due_ms;      /* of the next measurement */
    struct free_space_directory directories[FREE_SPACE_DIRECTORIES];
};

void free_space_init(struct free_space *space, const char *state_directory, int64_t limit_bytes);
/* Starts the threads. LOOP must outlive SPACE. */
int free_space_start(struct free_space *space, struct loop *loop, struct err *err);
/* Returns false if a directory does not answer: its thread is abandoned, and the process has to end with
 * _exit. */
bool free_space_done(struct free_space *space);

/* Notes which directories do not answer. Begins to measure the others, unless FREE_SPACE_MS have not passed
 * since the last time; the loop sets the figures. NOW_MS: steady clock, not 0. */
void free_space_measure(struct free_space *space, int64_t now_ms);

#endif
