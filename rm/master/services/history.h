/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.h - detects agents and AMs that have seen a state of the store which this resource manager lacks
 *
 * A history (store, start, commit) identifies a state of the store. An agent keeps the newest history that it
 * was sent. If that history is not part of the history of this resource manager, the agent keeps its
 * containers and waits for an operator.
 */
#ifndef CREEL_RM_MASTER_HISTORY_H
#define CREEL_RM_MASTER_HISTORY_H

#include "rm/master/state.h"

Creel__History *rm_history(struct master *m); /* the present history, in the step's arena; NULL: none */
/* Returns true if IN registers an agent that has to wait for an operator, and sends the reply. Then creates
 * the node if NODE is NULL. */
bool rm_history_waits(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                      struct node *node);
/* Returns SEEN if it is not part of the present history and an operator has accepted its loss; else NULL. */
Creel__History *rm_history_accepted(struct master *m, const Creel__History *seen);
/* Notes that the histories of all nodes that wait now are accepted. Increments M's `accepts`. */
void rm_history_note_accepted(struct master *m);
/* Replies with the nodes of acceptance NUMBER, from the first node behind AFTER. */
void rm_history_reply_accepted(struct master *m, const struct master_peer *peer, uint64_t request_id,
                               uint32_t number, const char *after);
/* Returns true if ATTEMPT_ID is of another cluster, or newer than the applications and attempts that are
 * known here. */
bool rm_history_misses(struct master *m, const char *attempt_id);

#endif
