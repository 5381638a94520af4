/* SPDX-License-Identifier: Apache-2.0 */
/*
 * user_limits.h - limits on what the resource manager keeps for a user (account.h)
 *
 * A limit refuses requests of the user. It ends nothing, and it does not refuse the tasks of an array that
 * was accepted: their number is limited by the array itself and by its queue. Administrators that are listed
 * by name (authz.h) are not limited.
 */
#ifndef CREEL_RM_MASTER_USER_LIMITS_H
#define CREEL_RM_MASTER_USER_LIMITS_H

#include "rm/master/state.h"

/* Checks whether USER may submit one more job. -EDQUOT: a limit is reached; ERR has the user's count, the limit
 * and its key. */
int rm_user_limits_judge_submit(struct master *m, const char *user, struct err *err);

#endif
