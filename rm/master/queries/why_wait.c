/* SPDX-License-Identifier: Apache-2.0 */
/* why_wait.c - explains why an application waits outside its queue, as text */
#include <string.h>

#include "rm/master/jobs/array.h"
#include "rm/master/state/copy.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/state/index.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/queries/report.h"
#include "rm/master/queries/why.h"
#include "rm/master/parts/format.h"

static int64_t since_ms(const struct app *app, enum job_wait wait)
{
    return wait == JOB_WAIT_HELD ? app->holds[0].since_ms : app->submitted_ms;
}

static void advise(struct master *m, const struct app *app, enum job_wait wait, Creel__AppExplanation *reply)
{
    struct arena *arena = m->out->arena;
    bool administrator = false;

    for (size_t i = 0; i < app->hold_count; i++)
        administrator = administrator || app->holds[i].administrator;
    if (wait == JOB_WAIT_HELD)
        rm_why_advise(m, reply,
                      arena_printf(arena, "creel release %s%s", format_app_id(app->text),
                                   administrator ? ", by an administrator" : ""));
    if (app->job->deadline_ms > 0)
        rm_why_advise(m, reply,
                      arena_printf(arena, "it is killed at its deadline, in %s",
                                   format_duration(arena, app->job->deadline_ms - rm_job_wall_ms(m))));
}

void rm_why_array(struct master *m, const struct app *app, Creel__AppExplanation *reply)
{
    struct arena *arena = m->out->arena;
    const char *id = format_app_id(app->text);
    const struct app *first = rm_array_first_waiting(app);
    Creel__AppReport report = CREEL__APP_REPORT__INIT;

    reply->summary = arena_printf(arena, "%s %s (%s, %s) is an array: %s", id, app->job->name, app->user,
                                  format_queue(app->queue), rm_array_text(m, app));
    reply->items = arena_array0(arena, 1, sizeof(*reply->items));
    rm_array_report_reason(m, app, &report);
    if (!rm_text_is_empty(report.reason_code))
        rm_why_add(m, reply, report.reason_code, true, report.reason,
                   first != NULL ? first->eligible_ms : app->eligible_ms);
    if (text_equal(report.reason_code, RM_WHY_AT_ONCE))
        rm_why_advise(m, reply, arena_printf(arena, "creel app set %s --at-once N changes that", id));
    rm_why_advise(m, reply, "creel app list --tasks has its tasks");
    if (first != NULL)
        rm_why_advise(m, reply, arena_printf(arena, "creel why %s_%u explains one", id, first->array_index));
}

void rm_why_wait(struct master *m, const struct app *app, Creel__AppExplanation *reply)
{
    struct arena *arena = m->out->arena;
    enum job_wait wait = rm_job_wait(m, app);

    reply->waiting_since_ms = app->submitted_ms;
    reply->summary =
        arena_printf(arena, "%s %s (%s, %s) has waited %s, and is in no queue yet", format_app_id(app->text),
                     app->job->name, app->user, format_queue(app->queue),
                     format_duration(arena, m->now_ms - app->submitted_ms));
    reply->items = arena_array0(arena, 3, sizeof(*reply->items));
    if (wait != JOB_WAIT_NONE)
        rm_why_add(m, reply, rm_job_wait_code(app, wait), true, rm_job_wait_text(m, app, wait),
                   since_ms(app, wait));
    if (wait == JOB_WAIT_HELD && app->job->begin_ms > rm_job_wall_ms(m))
        rm_why_add(m, reply, rm_job_wait_code(app, JOB_WAIT_BEGIN), true,
                   rm_job_wait_text(m, app, JOB_WAIT_BEGIN), app->submitted_ms);
    if ((wait == JOB_WAIT_HELD || wait == JOB_WAIT_BEGIN) && rm_depend_state(app) == DEPENDENCY_WAITS)
        rm_why_add(m, reply, rm_job_wait_code(app, JOB_WAIT_DEPENDENCY), true,
                   rm_job_wait_text(m, app, JOB_WAIT_DEPENDENCY), app->submitted_ms);
    advise(m, app, wait, reply);
}
