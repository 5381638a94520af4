/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_state.h - what the next attempt of an application learns about the work of the earlier ones
 *
 * That is the state that the AM stores (Allocate.am_state), and the ends of containers that happened after it
 * stored that state. The AM confirms an end with the Allocate that answers the reply with that end, and can
 * store its state with the same message. So the state covers every confirmed end.
 */
#ifndef CREEL_RM_MASTER_AM_STATE_H
#define CREEL_RM_MASTER_AM_STATE_H

#include "rm/master/state.h"

/* -EMSGSIZE: STATE is too large; ERR has the limit. STATE may be NULL. */
int rm_am_state_judge(const Creel__AmState *state, struct err *err);
/* Keeps a copy of STATE; NULL: the present one stays. Returns true if APP changed, and has to be stored. */
bool rm_am_state_take(struct app *app, const Creel__AmState *state);
/* Returns true if APP had a state. */
bool rm_am_state_drop(struct app *app);
/* Returns a copy in ARENA for a message or a row; empty if there is none. */
ProtobufCBinaryData rm_am_state_message(struct arena *arena, const struct app *app);

/* Returns true if CONTAINER of an earlier attempt ended by itself, with an exit status of its command, and
 * its AM may not know that. */
bool rm_am_state_misses(const struct container *container);

#endif
