/* SPDX-License-Identifier: Apache-2.0 */
/* why_wait.c - explains why an application waits outside its queue, as text */
#include <string.h>

#include "rm/master/array.h"
#include "rm/master/array_corr.h"
#include "rm/master/depend.h"
#include "rm/master/index.h"
#include "rm/master/job_wait.h"
#include "rm/master/why.h"
#include "rm/master/format.h"

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
    const struct job_array *array = app->array;
    const char *id = format_app_id(app->text);
    uint32_t live = array->states.counts[ARRAY_TASK_LIVE];
    const struct app *task = TAILQ_FIRST(&array->tasks);

    while (task && rm_app_is_ended(task))
        task = TAILQ_NEXT(task, in_array);

    reply->summary =
        arena_printf(arena, "%s %s (%s, %s) is an array: %s, %u are submitted", id, app->job->name, app->user,
                     format_queue(app->queue), rm_array_text(m, app), live);
    reply->items = arena_array0(arena, 1, sizeof(*reply->items));
    if (app->refusal)
        rm_why_add(m, reply, rm_job_wait_code(app, JOB_WAIT_QUEUE), true, app->refusal, app->eligible_ms);
    else if (rm_corr_blocks(app->array))
        rm_why_add(m, reply, rm_job_wait_code(app, JOB_WAIT_DEPENDENCY), true, rm_depend_corr_text(m, app),
                   app->eligible_ms);
    else if (array->at_once > 0 && live >= array->at_once && array->states.counts[ARRAY_TASK_WAITS] > 0)
        rm_why_add(m, reply, "AtOnce", true,
                   arena_printf(arena, "%u of its tasks may run at a time", array->at_once),
                   app->eligible_ms);
    if (reply->n_items > 0 && !strcmp(reply->items[0]->reason_code, "AtOnce"))
        rm_why_advise(m, reply, arena_printf(arena, "creel app set %s --at-once N changes that", id));
    rm_why_advise(m, reply, "creel app list --tasks has its tasks");
    if (task)
        rm_why_advise(m, reply,
                      arena_printf(arena, "creel why %s_%u explains one", id,
                                   array_spec_index(&array->spec, task->array_position)));
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
