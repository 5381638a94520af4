/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiters.h - requests that are answered after a row is stored or something has changed
 *
 * A submitter waits for the row of its application, a waiter for a change of an application (WaitApp), a
 * watcher for a change of nodes (WaitNodes). The end of a step answers some requests whose condition is
 * satisfied, and the turns the others.
 */
#ifndef CREEL_RM_MASTER_WAITERS_H
#define CREEL_RM_MASTER_WAITERS_H

#include "rm/master/state.h"

/* Replies when the row of APP is on disk. */
void rm_submitter_add(struct master *m, const struct master_peer *peer, uint64_t request_id, struct app *app);
void rm_submitters_answer(struct master *m, struct app *app, const char *refusal);

/* Sets the limits of waiting requests. */
void rm_waiters_init(struct master *m);
void rm_waiter_free(struct master *m, struct waiter *waiter);
void rm_waiter_refuse(struct master *m, struct waiter *waiter); /* its application is being forgotten */

/* Lists APP, which has changed, if requests wait for that. */
void rm_waiters_note_change(struct master *m, struct app *app);
/* Removes APP from the list, before it is freed. */
void rm_waiters_drop(struct master *m, struct app *app);

/* --- answers (wait.c) ------------------------------------------------------ */

/* Answers requests that wait for changes which have happened, until the work of the step is END. The rest is
 * left to a later turn. */
void rm_waiters_answer(struct master *m, uint64_t end);
void rm_reply_app(struct master *m, const struct master_peer *peer, uint64_t request_id,
                  const struct app *app, const char *user);
void rm_waiter_answer(struct master *m, struct waiter *waiter);
/* The reply to a change of NODES. */
void rm_reply_nodes(struct master *m, const struct master_peer *peer, uint64_t request_id,
                    struct node *const *nodes, size_t count);
/* The nodes after AFTER (""; all) that are not in service. */
void rm_reply_watched(struct master *m, const struct master_peer *peer, uint64_t request_id,
                      const char *after);
void rm_watcher_answer(struct master *m, struct watcher *watcher);
/* WATCHER is answered by the turns, with or without a change. */
void rm_watcher_expire(struct master *m, struct watcher *watcher);
void rm_watchers_free(struct master *m);

#endif
