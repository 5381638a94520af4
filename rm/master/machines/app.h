/* SPDX-License-Identifier: Apache-2.0 */
/* app.h - the state machine of an application */
#ifndef CREEL_RM_MASTER_APP_H
#define CREEL_RM_MASTER_APP_H

#include "rm/master/state.h"

/* Creates an application and inserts it into the tree of applications. SUBMISSION_KEY may be NULL. */
struct app *rm_app_new(struct master *m, const struct app_id *id, const char *user, const Creel__JobSpec *job,
                       const char *submission_key);
/* Frees APP with its attempts and containers. Refuses the requests that wait for a change of APP. */
void rm_app_free(struct master *m, struct app *app);
void rm_app_event(struct master *m, struct app *app, enum app_event event);
/* Kills APP, for REASON (a sentence). Does nothing if a kill was requested before, or if the command of APP
 * has ended and decides its outcome (rm_attempt_is_decided). */
void rm_app_kill(struct master *m, struct app *app, const char *reason);
/* Denies the containers of APP a grace period when they are stopped, and repeats the stop orders sent
 * before. */
void rm_app_kill_at_once(struct master *m, struct app *app);
void rm_app_on_time_limit(struct master *m, struct app *app); /* at the timer app->lifetime */
/* Handles the end of the container of the AM of ATTEMPT. If the agent has stopped it at the time limit or
 * lifetime of the application, kills the application: the agent may do so before the timer of the resource
 * manager expires. */
void rm_app_on_am_ended(struct master *m, struct attempt *attempt);
void rm_app_on_deadline(struct master *m, struct app *app); /* at job->deadline_ms */
/* Appends APP to the list of ended applications. The oldest applications of that list are forgotten. */
void rm_app_list_ended(struct master *m, struct app *app);

#endif
