/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending.h - queue of rows that the master has issued and that are not on disk yet
 *
 * Copies of STORE and FORGET effects, in the order of their numbers, are written together. If writing fails,
 * they remain in order for another try. Submissions that the master has undone meanwhile can be dropped: if
 * both the first row of an application (state NEW_SAVING) and its deletion (FORGET) are pending, all its rows
 * are removed from the queue.
 *
 * An application or container that has ended is not deleted by its FORGET effect, but later, when the history
 * has it (history_writer.h).
 */
#ifndef CREEL_RM_PENDING_H
#define CREEL_RM_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rm/master/master.h"
#include "rm/store/store.h"

struct pending; /* opaque */

struct pending *pending_new(void);
void pending_free(struct pending *pending); /* NULL is fine */

/* Copies a STORE or FORGET effect into the queue. */
void pending_add(struct pending *pending, const struct master_effect *effect);

size_t pending_count(const struct pending *pending);

/* Returns the highest number added so far, written or not; 0 before the first. */
uint64_t pending_last_seq(const struct pending *pending);

/* Queues the deletion of the ended application, or container, ID. */
void pending_delete(struct pending *pending, const char *id);

/* Called after the commit, in order, for each row of an application or a container, and for each FORGET
 * effect of an application or container that has ended. Two of APP, CONTAINER and FORGOTTEN, the id of the
 * latter, are NULL. */
typedef void pending_written_fn(void *context, const Creel__StoredApp *app,
                                const Creel__StoredContainer *container, const char *forgotten);

/* Writes all rows in one transaction and empties the queue; on failure keeps all rows. If the queue is empty,
 * makes a test write: success always means that the disk accepts rows. */
int pending_write(struct pending *pending, struct store *store, pending_written_fn *written, void *context,
                  struct err *err);

/* Drops the rows of submissions that the master has undone. Returns the number of these submissions. */
size_t pending_drop_refused(struct pending *pending);

#endif
