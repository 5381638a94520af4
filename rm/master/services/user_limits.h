/* SPDX-License-Identifier: Apache-2.0 */
/*
 * user_limits.h - limits on what the resource manager keeps for a user (account.h)
 *
 * A limit refuses requests of the user; it ends nothing. An array that was accepted goes on, with one task at
 * a time while a limit is reached. The ended applications that are remembered have the same limit of size,
 * beyond which the oldest of the user are forgotten. Administrators that are listed by name (authz.h) are not
 * limited.
 */
#ifndef CREEL_RM_MASTER_USER_LIMITS_H
#define CREEL_RM_MASTER_USER_LIMITS_H

#include "rm/master/state.h"

/* Checks whether USER may submit JOB. -EDQUOT: a limit is reached; ERR has the user's use, the limit and its
 * key. */
int rm_user_limits_judge_job(struct master *m, const char *user, const Creel__JobSpec *job, struct err *err);
/* The same for a further task of ARRAY. */
int rm_user_limits_judge_task(struct master *m, const struct app *array, struct err *err);
/* Checks whether the AM of APP may request or blacklist COUNT more things. -E2BIG: a limit is reached. */
int rm_user_limits_judge_asks(struct master *m, const struct app *app, size_t count, struct err *err);

/* Returns true if the ended applications of ACCOUNT have to be forgotten before their time, since their jobs
 * are larger than those of its user may be. */
bool rm_user_limits_remembers_too_much(struct master *m, const struct account *account);

/* Lists in INFO the users who have reached 80 % of a limit or more. */
void rm_user_limits_report(struct master *m, Creel__ClusterInfo *info);

#endif
