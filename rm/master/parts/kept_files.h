/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept_files.h - the files of jobs of one user, each counted once
 *
 * The resource manager keeps a submitted file as long as a job names it (rm/net/files/blobs.h). Many jobs may
 * name
 * the same file, by its hash. The owner of a struct kept_files adds and removes jobs; it holds no memory when
 * all are removed.
 */
#ifndef CREEL_RM_MASTER_KEPT_FILES_H
#define CREEL_RM_MASTER_KEPT_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

struct kept_file; /* kept_files.c */

struct kept_files { /* all 0: none */
    struct kept_file *by_hash;
    uint64_t bytes; /* of all */
};

void rm_kept_files_add(struct kept_files *files, const Creel__JobSpec *job);
void rm_kept_files_remove(struct kept_files *files, const Creel__JobSpec *job);
void rm_kept_files_clear(struct kept_files *files);
/* Returns the size of the files of JOB that FILES does not have. */
uint64_t rm_kept_files_missing(const struct kept_files *files, const Creel__JobSpec *job);

#endif
