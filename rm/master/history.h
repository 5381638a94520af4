/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.h - histories of the store: agents and AMs that have seen another one than ours
 *
 * An agent keeps the newest history (store, start, commit) that it was sent. One that knows a history
 * which this RM's state does not have waits for an operator, and keeps its containers.
 */
#ifndef CREEL_RM_MASTER_HISTORY_H
#define CREEL_RM_MASTER_HISTORY_H

#include "rm/master/state.h"

Creel__History *rm_history(struct master *m);   /* ours, in the step's arena; NULL: there is none */
/* True if IN registers an agent that has to wait; it got that reply. NODE may be NULL. */
bool rm_history_waits(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                      struct node *node);
/* SEEN, if it is not ours and an operator accepted its loss; else NULL. */
Creel__History *rm_history_accepted(struct master *m, const Creel__History *seen);
/* Should the present history know this attempt, but does not? */
bool rm_history_misses(struct master *m, const char *attempt_id);

#endif
