/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retry.h - decides whether another attempt follows an attempt that ended without the application's result
 *
 * By YARN's rule another attempt follows until max_attempts of them have failed; attempts that were preempted
 * or lost with their node do not count (RESTART_BY_LIMIT). Attempts that end as JobSpec.retry_on names have a
 * limit of their own, JobSpec.retries, and do not count as failures. An attempt that a user has put back into
 * the queue is always followed by another one, which requests its first container when no container of the
 * earlier attempt is left. So no job runs twice at the same time.
 */
#ifndef CREEL_RM_MASTER_RETRY_H
#define CREEL_RM_MASTER_RETRY_H

#include "rm/master/state.h"

/* Returns what follows an attempt of APP whose first container ended with STATUS. */
Creel__AttemptRestart rm_retry_judge(const struct app *app, int32_t status);
/* Sets RESTART of ATTEMPT, whose outcome is decided. */
void rm_retry_set(struct attempt *attempt, Creel__AttemptRestart restart);
/* Returns true if another attempt follows the last one of APP, which has failed. */
bool rm_retry_follows(const struct master *m, const struct app *app);
/* Returns true if another attempt would follow a failure of the present attempt of APP, which has not
 * ended. */
bool rm_retry_is_left(const struct master *m, const struct app *app);
/* Returns true if the present attempt of APP may not request a container yet, since earlier attempts have
 * containers left that must end before (cutoff.h, or after a requeue). */
bool rm_retry_waits(const struct app *app);
/* Returns the reason for which the attempt before the present one ended; "": there was none. */
const char *rm_retry_reason(const struct app *app);

#endif
