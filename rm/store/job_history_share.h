/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_history_share.h - limits the bytes of the history that the rows of one user have
 *
 * Rows of a user are counted as they are written. When the sum exceeds the limit, the rows of this user in
 * all files are measured, since some may have been replaced, or deleted with their file; if they do exceed
 * it, the applications that ended first are deleted with their containers, down to nine tenths of the limit.
 * If that is not enough, containers of applications that run are deleted: those in the file of the oldest
 * month, of the application that has the most there, in order of their ids. So the jobs of one user do not
 * displace those of others, and a user is measured once for many rows.
 *
 * A container is in the file of the month in which it ended. Each file keeps the size of the containers of
 * each application (HISTORY_CONTAINER_SUMS), so that measuring a user reads no rows of containers.
 */
#ifndef CREEL_RM_STORE_JOB_HISTORY_SHARE_H
#define CREEL_RM_STORE_JOB_HISTORY_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "rm/store/job_history.h"

struct history_share; /* opaque */

struct history_share *history_share_new(const char *state_directory, int64_t bytes_max); /* 0: no limit */
void history_share_free(struct history_share *share);                                    /* NULL is fine */

/* Counts a row with a report of BYTES for USER. */
void history_share_add(struct history_share *share, const char *user, size_t bytes);
/* Deletes the oldest rows of users who are over the limit, and adds their number to *REMOVED. No transaction
 * may be open. After an error with one user, those of the others are deleted; ERR has the first error, and
 * the next call tries again. */
int history_share_enforce(struct history_share *share, struct job_history_removed *removed, struct err *err);

#endif
