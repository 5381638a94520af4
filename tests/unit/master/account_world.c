/* SPDX-License-Identifier: Apache-2.0 */
/* account_world.c - submissions for tests of what the resource manager keeps for a user */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/account_world.h"

Creel__JobSpec *account_held_job(void)
{
    Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0);

    job->hold = true;
    return job;
}

void account_accepted(struct world *w, const char *user, const Creel__JobSpec *job)
{
    const Creel__Envelope *reply = people_submit_as(&w->h, user, job, "", w->app);

    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("%s", reply->error->message);
}

void account_refused(struct world *w, const char *user, const Creel__JobSpec *job, const char *text)
{
    char app_id[80];
    const Creel__Envelope *reply = people_submit_as(&w->h, user, job, "", app_id);

    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
    if (strstr(reply->error->message, text) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", reply->error->message, text);
}
