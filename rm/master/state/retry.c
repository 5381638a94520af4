/* SPDX-License-Identifier: Apache-2.0 */
/* retry.c - decides whether another attempt follows an attempt that ended without the application's result */
#include "rm/master/state/retry.h"

#include "common/base/job/exit_status.h"
#include "common/base/job/job_field.h"
#include "rm/master/parts/format.h"
#include "rm/master/state/index.h"

#define PAUSE_FIRST_MS INT64_C(1000)
#define PAUSE_DOUBLINGS 9
#define PAUSE_MOST_MS INT64_C(300000)

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

void rm_retry_forbid(struct master *m, struct attempt *attempt)
{
    struct app *app = attempt->app;
    const struct container *first = attempt->am_container;

    if (!app->job->no_requeue || first == NULL || first->retry_elsewhere || !rm_retry_follows(m, app))
        return;
    attempt->restart = RESTART(NONE);
    rm_account_set_text(app, &attempt->diagnostics,
                        arena_printf(m->out->arena, "%s; it does not start again (--no-requeue)",
                                     attempt->diagnostics ? attempt->diagnostics : "its attempt has ended"));
}

void rm_retry_set_requeued(const struct master *m, struct attempt *attempt)
{
    const struct container *first = attempt->am_container;
    int64_t began_ms = first == NULL       ? m->now_ms
                       : first->started_ms ? first->started_ms
                                           : first->allocated_ms;

    rm_retry_set(attempt, RESTART(REQUEUED));
    attempt->requeued_soon = m->now_ms - began_ms < RM_RETRY_SOON_MS;
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

/* Returns how many of the attempts before the present one ended one after another since disks failed or
 * they were requeued soon, at most MOST. */
static unsigned count_early_ends(const struct app *app, unsigned most)
{
    const struct attempt *earlier = before(app);
    unsigned count = 0;

    while (earlier != NULL && count < most &&
           (earlier->exit_status == CONTAINER_EXIT_DISKS || earlier->requeued_soon)) {
        count++;
        earlier = TAILQ_PREV(earlier, attempt_list, link);
    }
    return count;
}

void rm_retry_set_pause(const struct master *m, struct attempt *attempt)
{
    unsigned ends = count_early_ends(attempt->app, PAUSE_DOUBLINGS + 2);
    int64_t pause_ms = ends < 2 ? 0 : PAUSE_FIRST_MS << (ends - 2);

    if (attempt->asks_at_ms == 0)
        attempt->asks_at_ms = m->now_ms + (pause_ms < PAUSE_MOST_MS ? pause_ms : PAUSE_MOST_MS);
}

const char *rm_retry_pause_text(struct master *m, const struct app *app)
{
    const struct attempt *attempt = app->attempt, *earlier = before(app);

    if (attempt == NULL || attempt->state != ATTEMPT_SCHEDULED || attempt->asks_at_ms <= m->now_ms)
        return NULL;
    return arena_printf(m->out->arena, "attempt %u starts in %s, since %s: %s", attempt->id.attempt,
                        format_duration(m->out->arena, attempt->asks_at_ms - m->now_ms),
                        earlier && earlier->requeued_soon
                            ? "earlier ones were requeued less than a minute after their start"
                            : "the disks of nodes failed before",
                        rm_retry_reason(app));
}

/* Returns how many containers of earlier attempts must end before the present attempt begins. */
static uint32_t count_awaited(const struct app *app)
{
    const struct attempt *earlier = before(app);

    if (app->job->kind != CREEL__APP_KIND__APP_MASTER || (earlier && earlier->restart == RESTART(REQUEUED)))
        return app->live;
    return app->live_alone;
}

bool rm_retry_is_held(const struct app *app)
{
    return app->hold_count > 0 && app->live == 0 && app->state == APP_STATE_ACCEPTED;
}

bool rm_retry_waits(const struct master *m, const struct app *app)
{
    if (app->hold_count > 0)
        return app->live > 0;
    return count_awaited(app) > 0 || (app->attempt && app->attempt->asks_at_ms > m->now_ms);
}

const char *rm_retry_wait_text(struct master *m, const struct app *app)
{
    const struct attempt *attempt = app->attempt;
    uint32_t count = count_awaited(app);
    const struct app_node *on_node = count == app->live ? app->nodes : NULL; /* else it may have others */

    if (attempt == NULL || !attempt->blocked || attempt->state != ATTEMPT_SCHEDULED || count == 0)
        return NULL;
    while (on_node && on_node->live == 0)
        on_node = on_node->hh.next;
    return arena_printf(
        m->out->arena, "attempt %u waits until %u container%s of earlier attempts %s ended%s%s",
        attempt->id.attempt, count, count == 1 ? "" : "s", count == 1 ? "has" : "have",
        on_node ? (count == 1 ? " on node " : ", the first on node ") : "", on_node ? on_node->node_id : "");
}

const char *rm_retry_reason(const struct app *app)
{
    const struct attempt *earlier = before(app);

    return earlier && earlier->diagnostics ? earlier->diagnostics : "";
}
