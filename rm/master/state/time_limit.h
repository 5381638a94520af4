/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_limit.h - the moment at which an application is killed: by its lifetime, or by its time limit
 *
 * The lifetime (JobSpec.lifetime_s, app->expires_ms) is YARN's application timeout: it counts from the moment
 * at which the application enters its queue. The time limit (JobSpec.time_limit_s, app->limit_ms) is the
 * limit known from batch systems: it counts from the start of the first container of the present attempt, so
 * that neither waiting nor a lost attempt uses it up. The application is killed at the earlier of both.
 */
#ifndef CREEL_RM_MASTER_TIME_LIMIT_H
#define CREEL_RM_MASTER_TIME_LIMIT_H

#include "rm/master/state.h"

/* Returns the time at which APP is killed as far as it is known; 0: never, or its time limit does not count
 * yet. */
int64_t rm_time_limit_end_ms(const struct app *app);
/* Returns the time at which APP is killed by these limits or at job->deadline_ms, for its agents; 0: no such
 * time is known. */
int64_t rm_time_limit_known_ms(const struct app *app);
/* Sets the end of the lifetime of APP to EXPIRES_MS; 0: no limit. */
void rm_time_limit_set_expiry(struct master *m, struct app *app, int64_t expires_ms);
/* Moves the end of APP to END_MS: changes its time limit if that counts already, and its lifetime if it has
 * one or no time limit counts. 0: removes both limits. */
void rm_time_limit_move(struct master *m, struct app *app, int64_t end_ms);
/* Sets the time limit of APP to LIMIT_S, which may be over already, and extends a lifetime that ends earlier.
 * 0: removes both limits. */
void rm_time_limit_set(struct master *m, struct app *app, int64_t limit_s);
/* Starts the time limit of APP, if it has one that does not count yet. Called when the first container of the
 * present attempt runs. Returns true if APP changed and has to be stored. */
bool rm_time_limit_start(struct master *m, struct app *app);
/* Resets the time limit, which does not count until the first container of the new attempt runs. */
void rm_time_limit_reset(struct master *m, struct app *app);
/* After the clock was set by SET_MS: moves the start of the present attempt of APP, and its ends, which are a
 * time after that start. Returns true if it has any: the caller stores APP. */
bool rm_time_limit_shift(struct app *app, int64_t set_ms);
/* Sets the timer again after a restart of the resource manager. */
void rm_time_limit_recover(struct master *m, struct app *app);

#endif
