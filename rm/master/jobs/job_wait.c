/* SPDX-License-Identifier: Apache-2.0 */
/* job_wait.c - the reasons for which an application waits outside its queue, also as text */
#include <string.h>

#include "common/base/text_builder.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/deadline.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/parts/format.h"
#include "rm/master/state/index.h"

enum job_wait rm_job_wait(const struct master *m, const struct app *app)
{
    enum dependency_state depends = rm_depend_state(app);

    if (depends == DEPENDENCY_FAILED)
        return JOB_WAIT_NEVER;
    if (app->hold_count > 0)
        return JOB_WAIT_HELD;
    if (app->job->begin_ms > rm_job_wall_ms(m))
        return JOB_WAIT_BEGIN;
    if (depends == DEPENDENCY_WAITS)
        return JOB_WAIT_DEPENDENCY;
    return app->refusal ? JOB_WAIT_QUEUE : JOB_WAIT_NONE;
}

void rm_job_set_deadline(struct master *m, struct app *app)
{
    if (app->job->deadline_ms > 0)
        rm_deadline_set(m, &app->end, app->job->deadline_ms - m->wall_ahead_ms);
}

void rm_job_wall_set(struct master *m)
{
    struct app *app;

    RB_FOREACH(app, rm_app_tree, &m->apps) {
        if (rm_app_is_ended(app))
            continue;
        rm_job_set_deadline(m, app);
        if (app->state == APP_STATE_WAITING && app->job->begin_ms > 0)
            rm_job_check_at(m, app, m->now_ms);
    }
}

/* --- text ------------------------------------------------------------------ */

const char *rm_job_wait_code(const struct app *app, enum job_wait wait)
{
    switch (wait) {
    case JOB_WAIT_HELD:
        return "Held";
    case JOB_WAIT_BEGIN:
        return "BeginTime";
    case JOB_WAIT_DEPENDENCY:
    case JOB_WAIT_NEVER:
        return "Dependency";
    case JOB_WAIT_QUEUE:
        return app->over_limit ? "UserMaxJobs" : app->queue_stopped ? "QueueStopped" : "QueueMaxApps";
    case JOB_WAIT_NONE:
    default:
        return "";
    }
}

static const char *hold_text(struct arena *arena, const struct hold *hold)
{
    return arena_printf(arena, "%s%s%s%s", hold->administrator ? "administrator " : "", hold->by,
                        rm_text_is_empty(hold->reason) ? "" : ": ", hold->reason ? hold->reason : "");
}

static const char *begin_text(struct master *m, const struct app *app)
{
    return arena_printf(m->out->arena, "in %s",
                        format_duration(m->out->arena, app->job->begin_ms - rm_job_wall_ms(m)));
}

const char *rm_job_wait_text(struct master *m, const struct app *app, enum job_wait wait)
{
    struct arena *arena = m->out->arena;
    struct text_builder text = TEXT_BUILDER_IN(arena);

    switch (wait) {
    case JOB_WAIT_HELD:
        for (size_t i = 0; i < app->hold_count; i++)
            text_builder_printf(&text, "%s by %s", i == 0 ? "held" : "; and",
                                hold_text(arena, &app->holds[i]));
        return text_builder_finish(&text);
    case JOB_WAIT_BEGIN:
        return arena_printf(arena, "begins %s", begin_text(m, app));
    case JOB_WAIT_DEPENDENCY:
    case JOB_WAIT_NEVER:
        return rm_depend_text(m, app);
    case JOB_WAIT_QUEUE:
        return app->refusal;
    case JOB_WAIT_NONE:
    default:
        return "";
    }
}

const char *rm_job_wait_short(struct master *m, const struct app *app, enum job_wait wait)
{
    if (wait == JOB_WAIT_HELD)
        return hold_text(m->out->arena, &app->holds[0]);
    if (wait == JOB_WAIT_DEPENDENCY)
        return rm_depend_short(m, app);
    return wait == JOB_WAIT_BEGIN ? begin_text(m, app) : "";
}

/* --- holds ------------------------------------------------------------------ */

const struct hold *rm_hold_add(struct app *app, const char *by, bool administrator, const char *reason,
                               int64_t since_ms)
{
    struct hold *hold = NULL;
    bool changes;

    for (size_t i = 0; i < app->hold_count; i++)
        if (text_equal(app->holds[i].by, by))
            hold = &app->holds[i];
    changes =
        hold == NULL || strcmp(hold->reason != NULL ? hold->reason : "", reason != NULL ? reason : "") != 0;
    if (hold == NULL) {
        mem_grow(app->holds, app->hold_count, app->hold_capacity);
        hold = &app->holds[app->hold_count++];
        *hold = (struct hold){ .by = mem_strdup(by), .since_ms = since_ms };
    }
    hold->administrator = administrator;
    rm_account_set_text(app, &hold->reason, reason);
    return changes ? hold : NULL;
}

void rm_hold_remove(struct app *app, size_t index)
{
    free(app->holds[index].by);
    rm_account_set_text(app, &app->holds[index].reason, NULL);
    app->hold_count--;
    memmove(&app->holds[index], &app->holds[index + 1], (app->hold_count - index) * sizeof(*app->holds));
}

void rm_holds_free(struct app *app)
{
    while (app->hold_count > 0)
        rm_hold_remove(app, app->hold_count - 1);
    free(app->holds);
    app->holds = NULL;
}
