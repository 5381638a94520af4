/* SPDX-License-Identifier: Apache-2.0 */
/* user_limits.c - limits on what the resource manager keeps for a user */
#include <errno.h>

#include "rm/master/authz.h"
#include "rm/master/user_limits.h"

static bool is_exempt(struct master *m, const char *user)
{
    return rm_authz_cluster(m, user, AUTHZ_EXCEED_LIMITS);
}

int rm_user_limits_judge_submit(struct master *m, const char *user, struct err *err)
{
    const struct account *account = rm_account_find(m, user);
    uint32_t jobs = account ? account->live_apps : 0;
    uint32_t most = m->config.user_jobs_max;

    if (most > 0 && jobs >= most && !is_exempt(m, user))
        return err_set(err, EDQUOT,
                       "user %s has %u jobs that have not ended, tasks of arrays included, and "
                       "creel.submit.user-jobs-max is %u: submit again when some have ended, or kill some",
                       user, jobs, most);
    return 0;
}
