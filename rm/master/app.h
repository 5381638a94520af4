/* SPDX-License-Identifier: Apache-2.0 */
/* app.h - the state machine of an application */
#ifndef CREEL_RM_MASTER_APP_H
#define CREEL_RM_MASTER_APP_H

#include "rm/master/state.h"

/* In the tree; the submission key may be NULL. */
struct app *rm_app_new(struct master *m, const struct app_id *id, const char *user,
                       const Creel__JobSpec *job, const char *submission_key);
/* With its attempts and containers; requests that wait for it are refused. */
void rm_app_free(struct master *m, struct app *app);
void rm_app_event(struct master *m, struct app *app, enum app_event event);
/* Kills it, for REASON (a sentence); does nothing if that was requested before. */
void rm_app_kill(struct master *m, struct app *app, const char *reason);
/* Its containers, also those whose stop was ordered before, get no time to end. */
void rm_app_kill_at_once(struct master *m, struct app *app);
/* Its lifetime ends at EXPIRES_MS; 0: never. */
void rm_app_set_expiry(struct master *m, struct app *app, int64_t expires_ms);
void rm_app_on_lifetime(struct master *m, struct app *app);
void rm_app_on_deadline(struct master *m, struct app *app);            /* job->deadline_ms has come */
void rm_app_take_tasks(struct app *app, const Creel__TaskCounts *counts);      /* NULL: none reported */
void rm_app_set_outcome(struct app *app, const struct attempt *attempt);
/* On the list of ended applications, the oldest of which are forgotten. */
void rm_app_list_ended(struct master *m, struct app *app);

#endif
