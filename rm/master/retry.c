/* SPDX-License-Identifier: Apache-2.0 */
/* retry.c - decides whether another attempt follows an attempt that ended without the application's result */
#include "rm/master/retry.h"

#include "common/base/job_field.h"
#include "rm/master/index.h"

#define RESTART(name) CREEL__ATTEMPT_RESTART__RESTART_##name

Creel__AttemptRestart rm_retry_judge(const struct app *app, int32_t status)
{
    struct retry_rule rule;

    if (app->job->retries == 0 || !job_field_parse_retry(app->job->retry_on, &rule) ||
        !job_field_retry_has(&rule, status))
        return RESTART(BY_LIMIT);
    return app->retries_used < app->job->retries ? RESTART(RETRY) : RESTART(NONE);
}

void rm_retry_set(struct attempt *attempt, Creel__AttemptRestart restart)
{
    attempt->restart = restart;
    attempt->app->retries_used += restart == RESTART(RETRY);
}

static uint32_t count_failures(const struct app *app)
{
    const struct attempt *attempt;
    uint32_t failures = 0;

    TAILQ_FOREACH(attempt, &app->attempts, link)
        failures += attempt->counts ? 1 : 0;
    return failures;
}

bool rm_retry_follows(const struct master *m, const struct app *app)
{
    if (app->attempt->restart != RESTART(BY_LIMIT))
        return app->attempt->restart != RESTART(NONE);
    return count_failures(app) < rm_app_max_attempts(m, app);
}

bool rm_retry_is_left(const struct master *m, const struct app *app)
{
    return count_failures(app) + 1 < rm_app_max_attempts(m, app);
}

static const struct attempt *before(const struct app *app)
{
    return app->attempt ? TAILQ_PREV(app->attempt, attempt_list, link) : NULL;
}

bool rm_retry_waits(const struct app *app)
{
    const struct attempt *earlier = before(app);

    return app->live_alone > 0 || (earlier && earlier->restart == RESTART(REQUEUED) && app->live > 0);
}

const char *rm_retry_reason(const struct app *app)
{
    const struct attempt *earlier = before(app);

    return earlier && earlier->diagnostics ? earlier->diagnostics : "";
}
