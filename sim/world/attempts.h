/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempts.h - checks the attempts of all applications of a world, by the rows that the RM has stored
 *
 * The rules, for which the job's kind, retry_on and retries are taken from its row:
 *   - An attempt starts again by retry_on at most `retries` times.
 *   - Another attempt follows only one that is over. For a job that is a command it does not follow one that
 *     ended with the result of the command, unless retry_on names that result, or a user has requeued it.
 *   - What follows an attempt does not change once it is stored.
 *   - No process of a command starts once the result of its application is stored.
 */
#ifndef CREEL_SIM_ATTEMPTS_H
#define CREEL_SIM_ATTEMPTS_H

#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

struct attempts;

struct attempts *attempts_new(void);
void attempts_free(struct attempts *attempts);

/* Records a row that was stored. -EINVAL: a rule is violated. */
int attempts_app_stored(struct attempts *attempts, const Creel__StoredApp *row, struct err *err);
int attempts_stored(struct attempts *attempts, const Creel__StoredAttempt *row, struct err *err);
/* Records that the process of a container starts. TASK: index of the task, or -1 for a first container. */
int attempts_started(struct attempts *attempts, const char *container_id, int task, struct err *err);

#endif
