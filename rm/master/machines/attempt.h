/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempt.h - the state machine of an attempt: its first container, and the AM in it
 *
 * Changes of an attempt that concern its application are emitted as events (events.h).
 */
#ifndef CREEL_RM_MASTER_ATTEMPT_H
#define CREEL_RM_MASTER_ATTEMPT_H

#include "rm/master/state.h"

struct attempt *rm_attempt_new(struct master *m, struct app *app, uint32_t number);
void rm_attempt_free(struct master *m, struct attempt *attempt);
void rm_attempt_event(struct master *m, struct attempt *attempt, enum attempt_event event);
/* Handles the end of the first container of ATTEMPT: the result of the job, or a failure. */
void rm_attempt_am_ended(struct master *m, struct attempt *attempt);
/* Returns true if the command of the first container of ATTEMPT (NULL: none) has ended, or those of all tasks
 * of a job of tasks (task_ends.h), which decides the outcome of the application, while the containers are not
 * complete: in YARN they would be. Then no kill, time limit or requeue changes the outcome. */
bool rm_attempt_is_decided(struct master *m, const struct attempt *attempt);
/* Returns the exit status of the containers that are stopped at the end of ATTEMPT, unless it is killed. If
 * another attempt follows, their work is not done: the status also replaces an exit with 0. */
int32_t rm_attempt_stop_status(const struct master *m, const struct attempt *attempt);
/* Ends ATTEMPT for the reason WHY; another attempt follows. Returns false, and changes nothing, if ATTEMPT
 * has no container yet or is ending. */
bool rm_attempt_requeue(struct master *m, struct attempt *attempt, const char *why);
void rm_attempt_on_expiry(struct master *m, struct attempt *attempt);
/* Ends the step of an AM that the command of the job (APP_COMMAND) runs: the AM has finished or expired.
 * Stops the containers of the AM; the command continues. */
void rm_attempt_end_step(struct master *m, struct attempt *attempt);
/* Returns the resources of the first container of APP, as the job requests them. */
struct resource rm_attempt_am_asked(const struct master *m, const struct app *app);
void rm_attempt_set_outcome(struct attempt *attempt, Creel__FinalStatus status, int32_t exit_status,
                            const char *diagnostics);

#endif
