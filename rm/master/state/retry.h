/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retry.h - decides whether another attempt follows an attempt that ended without the application's result
 *
 * By YARN's rule another attempt follows until max_attempts of them have failed; attempts that were preempted
 * or lost with their node do not count (RESTART_BY_LIMIT). Attempts that end as JobSpec.retry_on names have a
 * limit of their own, JobSpec.retries, and do not count as failures. An attempt that a user has put back into
 * the queue is always followed by another one. With JobSpec.no_requeue none follows, unless the agent
 * reported that it could not start the first container.
 *
 * The next attempt of a job that creel runs (a command with its steps, a job of tasks) requests its first
 * container when no container of an earlier attempt is left: these may save their work for the kill delay,
 * and the next attempt runs the same tasks. So no task runs twice at the same time. A container on a node
 * that sends no heartbeats counts as ended when the node is lost.
 * Differs: YARN starts the next attempt at once. creel does so too for an AM of another kind, which knows
 * whether its work may overlap, unless its containers end without contact (cutoff.h).
 */
#ifndef CREEL_RM_MASTER_RETRY_H
#define CREEL_RM_MASTER_RETRY_H

#include "rm/master/state.h"

/* Returns what follows an attempt of APP whose first container ended with STATUS. */
Creel__AttemptRestart rm_retry_judge(const struct app *app, int32_t status);
/* Sets RESTART of ATTEMPT, whose outcome is decided. */
void rm_retry_set(struct attempt *attempt, Creel__AttemptRestart restart);
/* Sets that no attempt follows ATTEMPT, the present one, which has failed, if its job has no_requeue and its
 * first container may have started; adds that to its diagnostics. */
void rm_retry_forbid(struct master *m, struct attempt *attempt);
/* Sets that a user has put ATTEMPT back into the queue. */
#define RM_RETRY_SOON_MS INT64_C(60000)
void rm_retry_set_requeued(const struct master *m, struct attempt *attempt);
/* Returns true if another attempt follows the last one of APP, which has failed. */
bool rm_retry_follows(const struct master *m, const struct app *app);
/* Returns true if another attempt would follow a failure of the present attempt of APP, which has not
 * ended. */
bool rm_retry_is_left(const struct master *m, const struct app *app);
/* Returns true if APP, which was requeued with a hold, leaves its queue in place of a new attempt. */
bool rm_retry_is_held(const struct app *app);
/* Returns true if the present attempt of APP may not request a container yet, since earlier attempts have
 * containers left that must end before, or during its pause. */
bool rm_retry_waits(const struct master *m, const struct app *app);
/* Returns what the present attempt of APP waits for, as text in the step's arena; NULL: for no container
 * of an earlier attempt. */
const char *rm_retry_wait_text(struct master *m, const struct app *app);
#define RM_RETRY_WAIT "EarlierAttempt" /* the code of that reason */
/* Sets when ATTEMPT, which is the present one, may request its first container, unless that is set already.
 * If two or more attempts before it ended one after another with CONTAINER_EXIT_DISKS, or were requeued
 * less than a minute after their start, which count against no limit, there is a pause of one second that
 * doubles with each of them, up to five minutes: a job that requeues itself at once would start again and
 * again. */
void rm_retry_set_pause(const struct master *m, struct attempt *attempt);
/* Returns a sentence, in the arena of the step, about this pause; NULL: there is none now. */
const char *rm_retry_pause_text(struct master *m, const struct app *app);
/* Returns the reason for which the attempt before the present one ended; "": there was none. */
const char *rm_retry_reason(const struct app *app);

#endif
