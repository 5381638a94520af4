/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - follow-up events, by which one state machine reports its changes to the next
 *
 * Containers, attempts and applications are state machines in this order, and none calls a higher one. A
 * container that ended emits an event for its attempt, and an attempt emits events for its application. The
 * caller that started the change handles them with rm_events_run before anything else happens. The queue of
 * events is empty between steps.
 *
 * A machine also changes without its queue: rm_app_kill kills an application and its attempt at once, and a
 * row that is on disk ends a state. An event that is queued meanwhile meets the state after that change, so
 * states.c has a cell for it (tests/unit/master/master_states.c).
 */
#ifndef CREEL_RM_MASTER_EVENTS_H
#define CREEL_RM_MASTER_EVENTS_H

#include "rm/master/state.h"

void rm_attempt_emit(struct master *m, struct attempt *attempt, enum attempt_event event);
void rm_attempt_emit_ended(struct master *m, struct attempt *attempt); /* its first container ended */
void rm_app_emit(struct master *m, struct app *app, enum app_event event);
/* Handles the queued events in order, and the events that each emits before the next one (machines.c). */
void rm_events_run(struct master *m);

#endif
