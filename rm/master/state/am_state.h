/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_state.h - what the next attempt of an application learns about the work of the earlier ones
 *
 * The next attempt gets the state that the AM stored last (Allocate.am_state), and the ends of containers
 * that the state does not cover. An AllocateReply reports the end of a container; the next Allocate of the AM
 * confirms that end, and can store the AM's state as well. So the state covers every confirmed end. FinishAm
 * of a job of tasks has the results of all tasks: they are kept if it did not succeed, to run the others
 * again (query_rerun.c). A job that repeats another one begins with a state.
 */
#ifndef CREEL_RM_MASTER_AM_STATE_H
#define CREEL_RM_MASTER_AM_STATE_H

#include "rm/master/state.h"

/* Checks the size of STATE, which may be NULL. -EMSGSIZE: it is too large; ERR has the limit. */
int rm_am_state_judge(const Creel__AmState *state, struct err *err);
/* Replaces the state of APP by a copy of STATE; NULL: no change. Returns true if APP changed and has to be
 * stored. */
bool rm_am_state_update(struct app *app, const Creel__AmState *state);
/* Removes the state of APP. Returns true if APP had one. */
bool rm_am_state_drop(struct app *app);
/* Returns a copy of the state of APP in ARENA, for a message or a row; empty if APP has none. */
ProtobufCBinaryData rm_am_state_message(struct arena *arena, const struct app *app);

/* Returns true if CONTAINER of an attempt before PRESENT ended by itself, with an exit status of its command,
 * the AM of its attempt may not know that, and the AM of PRESENT uses the result: it is a built-in one. */
bool rm_am_state_is_missed(const struct attempt *present, const struct container *container);

#endif
