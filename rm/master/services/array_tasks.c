/* SPDX-License-Identifier: Apache-2.0 */
/* array_tasks.c - submits the tasks of a job array, and ends the array after its last task */
#include <errno.h>
#include <string.h>

#include "common/base/job/exit_status.h"
#include "rm/master/machines/app.h"
#include "rm/master/jobs/array.h"
#include "rm/master/jobs/array_corr.h"
#include "rm/master/services/array_tasks.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/state/copy.h"
#include "rm/master/services/eligible.h"
#include "rm/master/state/index.h"
#include "rm/master/state/rows.h"
#include "rm/master/services/user_limits.h"

#define SUBMIT_MAX 100u  /* tasks submitted in one step */
#define KEPT_MAX 250u    /* ended tasks that are remembered */
#define FORGET_BATCH 50u /* tasks forgotten at a time, since storing the array takes O(tasks) */
#define TRY_AGAIN_MS 1000

/* --- one task ----------------------------------------------------------------- */

static void add_variable(struct arena *arena, Creel__LaunchContext *launch, const char *name,
                         const char *value)
{
    Creel__Variable *variable = arena_new0(arena, Creel__Variable);

    creel__variable__init(variable);
    variable->name = rm_message_text(arena, name);
    variable->value = rm_message_text(arena, value);
    launch->environment[launch->n_environment++] = variable;
}

static void add_number(struct arena *arena, Creel__LaunchContext *launch, const char *name, uint32_t value)
{
    add_variable(arena, launch, name, arena_printf(arena, "%u", value));
}

static void add_variables(struct arena *arena, const struct app *app, uint32_t position,
                          Creel__LaunchContext *launch)
{
    const struct array_extent *whole = &app->array->whole;
    Creel__Variable **grown = arena_array0(arena, launch->n_environment + 6, sizeof(*grown));

    if (launch->n_environment > 0)
        memcpy(grown, launch->environment, launch->n_environment * sizeof(*grown));
    launch->environment = grown;
    add_variable(arena, launch, "CREEL_ARRAY_JOB_ID", app->text);
    add_number(arena, launch, "CREEL_ARRAY_TASK_ID", array_spec_index(&app->array->spec, position));
    add_number(arena, launch, "CREEL_ARRAY_TASK_COUNT", whole->count);
    add_number(arena, launch, "CREEL_ARRAY_TASK_MIN", whole->min);
    add_number(arena, launch, "CREEL_ARRAY_TASK_MAX", whole->max);
    add_number(arena, launch, "CREEL_ARRAY_TASK_STEP", whole->step);
}

/* Returns the job of a task, in the step's arena, without the settings that apply to the array as a whole
 * (hold, begin time, dependencies). */
static Creel__JobSpec *task_job(struct master *m, const struct app *app, uint32_t position)
{
    struct arena *arena = m->out->arena;
    Creel__JobSpec *job = (Creel__JobSpec *)rm_message_copy_in(arena, &app->job->base);

    job->hold = false;
    job->begin_ms = job->deadline_ms = 0;
    job->depends_on = job->array = job->whole_array = arena_strdup(arena, "");
    job->stop_after_failures = 0;
    add_variables(arena, app, position, job->launch);
    return job;
}

static void copy_groups(struct app *task, const struct app *app)
{
    task->groups = mem_array0(app->group_count + 1, sizeof(*task->groups));
    for (size_t i = 0; i < app->group_count; i++)
        task->groups[task->group_count++] = mem_strdup(app->groups[i]);
}

static int submit_task(struct master *m, struct app *app, uint32_t position, struct err *err)
{
    struct app_id id = { .cluster_ms = m->cluster_ms, .seq = m->last_app_seq + 1 };
    struct app *task = rm_app_new(m, &id, app->user, task_job(m, app, position), NULL);
    int r;

    task->submitted_ms = m->now_ms;
    task->priority = app->priority;
    copy_groups(task, app);
    r = rm_eligible_enter(m, task, err);
    if (r < 0) {
        rm_app_free(m, task);
        m->last_app_seq--;
        return r;
    }
    rm_array_add_task(app, task, position, ARRAY_TASK_LIVE);
    rm_depend_on_task(app, task);
    rm_app_event(m, task, APP_EVENT_START);
    return 0;
}

/* --- the array ---------------------------------------------------------------- */

static uint32_t live_limit(const struct app *app)
{
    uint32_t limit = app->array->live_max;

    return app->array->at_once > 0 && app->array->at_once < limit ? app->array->at_once : limit;
}

static void kill_live(struct master *m, struct app *app, const char *why)
{
    struct app *task, *next;

    TAILQ_FOREACH_SAFE(task, &app->array->tasks, in_array, next)
        if (!rm_app_is_ended(task))
            rm_app_kill(m, task, why);
}

/* Kills the tasks that wait in their queue, after so many have failed that no further one may start. */
static void kill_queued(struct master *m, struct app *app)
{
    const char *why = arena_printf(
        m->out->arena, "killed by the resource manager: %u tasks have failed (--stop-after-failures %u)",
        app->array->states.counts[ARRAY_TASK_FAILED], app->job->stop_after_failures);
    struct app *task, *next;

    app->array->queue_emptied = true;
    TAILQ_FOREACH_SAFE(task, &app->array->tasks, in_array, next) {
        bool begun = task->attempt && task->attempt->am_container;

        if (!begun && !rm_app_is_ended(task) && task->shown < CREEL__APP_STATE__APP_RUNNING)
            rm_app_kill(m, task, why);
    }
}

/* Ends the array as failed: its queue has refused a task permanently. */
static void fail(struct master *m, struct app *app, const char *why)
{
    kill_live(m, app, "killed by the resource manager: its array failed");
    app->final_status = CREEL__FINAL_STATUS__FINAL_FAILED;
    rm_account_set_text(app, &app->diagnostics, why);
    rm_app_event(m, app, APP_EVENT_TASKS_OVER);
}

static void submit_tasks(struct master *m, struct app *app)
{
    uint32_t limit = live_limit(app), position;
    struct err err;

    for (uint32_t count = 0; app->tasks[1] < limit && rm_corr_next(app->array, &position); count++) {
        int r;

        if (count == SUBMIT_MAX) {
            rm_job_check_at(m, app, m->now_ms);
            return;
        }
        r = rm_user_limits_judge_task(m, app, &err);
        app->over_limit = r < 0;
        if (r == 0)
            r = submit_task(m, app, position, &err);
        if (r == -EDQUOT || r == -ESHUTDOWN) {
            app->queue_stopped = r == -ESHUTDOWN;
            rm_text_set(&app->refusal, err.text);
            rm_job_check_at(m, app, m->now_ms + TRY_AGAIN_MS);
            return;
        }
        if (r < 0) {
            fail(m, app, err.text);
            return;
        }
        rm_text_set(&app->refusal, NULL);
    }
}

/* Forgets the oldest tasks that have ended, until KEEP are left. Stores the array first: afterwards its row
 * is the only record of the forgotten tasks. */
static void forget_tasks(struct master *m, struct app *app, uint32_t keep)
{
    struct app *task, *next;

    rm_store_app(m, app);
    TAILQ_FOREACH_SAFE(task, &app->array->tasks, in_array, next) {
        if (app->array->ended_count <= keep)
            return;
        if (!task->listed_ended || task->sched || task->state == APP_STATE_FINISHING)
            continue;
        rm_depend_store_children(m, task);
        if (rm_depend_is_needed(task))
            continue;
        rm_store_forget(m, task, true);
        rm_app_free(m, task);
    }
}

void rm_array_forget_oldest(struct master *m, struct app *app)
{
    uint32_t ended = app->array->ended_count;

    forget_tasks(m, app, ended > FORGET_BATCH ? ended - FORGET_BATCH : 0);
}

/* "2 of 9 tasks failed", "2 of 9 tasks failed, 1 was killed", "1 of 9 tasks was killed" */
static const char *end_text(struct arena *arena, const struct app *app)
{
    uint32_t failed = rm_array_failed(app), killed = app->array->killed, count = app->array->states.count;
    const char *were = killed == 1 ? "was" : "were";

    if (killed == 0)
        return arena_printf(arena, "%u of %u tasks failed", failed, count);
    if (failed == 0)
        return arena_printf(arena, "%u of %u tasks %s killed", killed, count, were);
    return arena_printf(arena, "%u of %u tasks failed, %u %s killed", failed, count, killed, were);
}

static void end(struct master *m, struct app *app)
{
    const uint32_t *counts = app->array->states.counts;
    struct arena *arena = m->out->arena;
    bool good = counts[ARRAY_TASK_FAILED] == 0;
    const char *reason = rm_corr_reason(app);

    app->final_status = good ? CREEL__FINAL_STATUS__FINAL_SUCCEEDED : CREEL__FINAL_STATUS__FINAL_FAILED;
    app->exit_status = app->array->exit_status;
    if (!good &&
        app->exit_status == 0) /* of the tasks that succeeded: the others were killed, or never ran */
        app->exit_status = CONTAINER_EXIT_NONE;
    if (good)
        app->exit_status = 0;
    if (!good)
        rm_account_set_text(
            app, &app->diagnostics,
            arena_printf(arena, "%s%s%s%s", end_text(arena, app), reason ? "; Dependency: " : "",
                         reason ? reason : "",
                         counts[ARRAY_TASK_WAITS] == 0
                             ? ""
                             : arena_printf(arena,
                                            "; %u did not begin, since "
                                            "--stop-after-failures is %u",
                                            counts[ARRAY_TASK_WAITS], app->job->stop_after_failures)));
    rm_app_event(m, app, APP_EVENT_TASKS_OVER);
}

void rm_array_step(struct master *m, struct app *app)
{
    if (rm_array_is_over(app)) {
        end(m, app);
        return;
    }
    if (app->array->ended_count > 2 * KEPT_MAX)
        forget_tasks(m, app, KEPT_MAX);
    if (m->store_trouble)
        rm_job_check_at(m, app, m->now_ms + TRY_AGAIN_MS);
    else if (!rm_array_is_stopped(app))
        submit_tasks(m, app);
    else if (!app->array->queue_emptied)
        kill_queued(m, app);
}

uint32_t rm_array_kill_tasks(struct master *m, struct app *app, const struct array_spec *spec,
                             const char *why)
{
    struct app *task, *next;
    uint32_t killed = 0;

    TAILQ_FOREACH_SAFE(task, &app->array->tasks, in_array, next) {
        uint32_t position;

        if (rm_app_is_ended(task) || !array_spec_position(spec, task->array_index, &position))
            continue;
        rm_app_kill(m, task, why);
        killed++;
    }
    for (uint32_t i = 0; i < spec->count; i++) {
        uint32_t position;

        if (!array_spec_position(&app->array->spec, array_spec_index(spec, i), &position) ||
            array_states_get(&app->array->states, position) != ARRAY_TASK_WAITS)
            continue;
        app->array->killed++;
        array_states_set(&app->array->states, position, ARRAY_TASK_FAILED);
        killed++;
    }
    rm_array_count(app);
    rm_corr_on_kill(m, app);
    rm_depend_on_unstarted_ends(m, app);
    if (app->state == APP_STATE_WAITING && rm_array_is_over(app))
        rm_app_kill(m, app, why); /* no task is left */
    else
        rm_job_check_at(m, app, m->now_ms);
    return killed;
}
