/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_log.h - what happens to applications, containers, nodes and queues, as events for users and for the
 *               shell
 *
 * The state machines call these functions where they change a state, after they have stored the row. When
 * the rows so far are on disk, the event is numbered, added to the ring that ListEvents reads (event_ring.h),
 * and becomes a MASTER_EVENT. So a crash undoes no event that was listed. At a start the ring is filled with
 * the events that the rows of the store show, in the order of their times; these are marked as restored, and
 * are no MASTER_EVENTs.
 *
 * (events.h has other events, by which a state machine reports to the next one.)
 */
#ifndef CREEL_RM_MASTER_EVENT_LOG_H
#define CREEL_RM_MASTER_EVENT_LOG_H

#include "rm/master/state.h"

void rm_event_log_start(struct master *m); /* before rows are recovered */
void rm_event_log_free(struct master *m);
/* Adds the events that the recovered rows show, and sorts all restored events by time. Called first in the
 * step that ends the recovery. */
void rm_event_log_restore(struct master *m);
/* Adds the events whose rows are on disk to the ring. Called at the end of each step. */
void rm_event_log_publish(struct master *m);
/* Adds EVENT when the rows so far are on disk; if it is a restored one, at once. For event_queues.c. */
void rm_event_log_add(struct master *m, const Creel__Event *event);

/* --- applications -------------------------------------------------------------------- */

/* APP is stored, and its submitter gets the reply. */
void rm_event_app_submitted(struct master *m, const struct app *app);
/* HOLD of APP was set, or has another reason. */
void rm_event_app_held(struct master *m, const struct app *app, const struct hold *hold);
void rm_event_app_released(struct master *m, const struct app *app, const char *by);
void rm_event_app_moved(struct master *m, const struct app *app, const char *from);
void rm_event_app_started(struct master *m, const struct app *app);
void rm_event_app_retried(struct master *m, const struct app *app);
/* APP has ended, and its outcome is stored. */
void rm_event_app_ended(struct master *m, const struct app *app);

/* --- containers and nodes ------------------------------------------------------------------- */

/* KIND is an event of a container whose time the container has. */
void rm_event_container(struct master *m, const struct container *container, Creel__EventKind kind);
void rm_event_container_stuck(struct master *m, const struct container *container);
void rm_event_node_registered(struct master *m, const struct node *node);
/* The clock of NODE begins or ceases to differ. */
void rm_event_node_clock(struct master *m, const struct node *node);
/* Adds an event if the state of NODE that users see is another one than in its last event. */
void rm_event_node_state(struct master *m, struct node *node);

/* --- queues (event_queues.c) ----------------------------------------------------------------- */

/* Adds the restored events of queues whose state an administrator has set. Called before
 * rm_event_log_restore. */
void rm_event_queues_restore(struct master *m);
/* Notes all queues with their states. Called when the settings of administrators are recovered. */
void rm_event_queues_begin(struct master *m);
void rm_event_queues_free(struct master *m);
/* Adds events of all queues that were added or removed, or have another state than in their last event: BY
 * caused it. Cost: linear in the number of queues. */
void rm_event_queues(struct master *m, const char *by);
/* The same for the queues that the scheduler itself has added or removed. Called at the end of each step. */
void rm_event_queues_listed(struct master *m);
/* An application has left the queue PATH: it, and queues above it, may have become STOPPED. */
void rm_event_queue_left(struct master *m, const char *path);
/* ChangeSchedulerConf has changed the properties in VERSION. RESTORED: before this start. */
void rm_event_queues_configured(struct master *m, const Creel__SchedulerConfVersion *version, bool restored);
/* WHAT was read again, as BY has caused; or it was not valid: ERROR. */
void rm_event_refreshed(struct master *m, const char *by, const char *what, const char *error);

#endif
