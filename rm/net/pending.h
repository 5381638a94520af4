/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending.h - rows that the master gave out and that are not on disk yet
 *
 * Copies of STORE and FORGET effects, in the order of their numbers, written
 * all together. When the disk refuses they stay, in order, for another try.
 * Submissions that the master took back meanwhile are dropped: nothing is kept
 * of an app whose first row (state NEW_SAVING) and whose end (FORGET) both wait.
 */
#ifndef CREEL_RM_PENDING_H
#define CREEL_RM_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rm/master/master.h"
#include "rm/store/store.h"

struct pending;                         /* opaque */

struct pending *pending_new(void);
void pending_free(struct pending *pending);             /* NULL is fine */

/* Take a copy of a STORE or FORGET effect. */
void pending_add(struct pending *pending, const struct master_effect *effect);

size_t pending_count(const struct pending *pending);

/* The highest number taken so far, written or not; 0 before the first. */
uint64_t pending_last_seq(const struct pending *pending);

/* Called for each app's row that has reached the disk, in order; for the log. */
typedef void pending_written_fn(void *context, const Creel__StoredApp *row);

/* Write everything in one transaction and keep nothing; or, on failure, keep
 * everything. With nothing to write the disk is tried all the same, so that a
 * success always means that it takes rows. */
int pending_write(struct pending *pending, struct store *store, pending_written_fn *written,
                  void *context, struct err *err);

/* Drop the submissions that were taken back; returns how many. */
size_t pending_drop_refused(struct pending *pending);

#endif
