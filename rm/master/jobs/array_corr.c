/* SPDX-License-Identifier: Apache-2.0 */
/* array_corr.c - dependencies between the tasks of two arrays */
#include "rm/master/jobs/array_corr.h"

#include <errno.h>

#include "rm/master/jobs/array.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/parts/format.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"
#include "rm/master/state/rows.h"
#include "rm/master/state/turns.h"

#define CHECKS_IN_UNIT 256u /* of dependencies of tasks, in a unit of work */

/* --- one task --------------------------------------------------------------------- */

static bool is_pending(const struct dependency *dependency)
{
    return dependency->on == DEPENDS_CORR && dependency->state == DEPENDENCY_WAITS;
}

/* A parent that is not known any more, or has ended, starts no further task. */
static bool is_over(const struct app *parent)
{
    return parent == NULL || rm_app_is_ended(parent);
}

static enum array_task state_in(const struct app *parent, uint32_t index)
{
    uint32_t position;
    enum array_task state = parent && array_spec_position(&parent->array->spec, index, &position)
                                ? array_states_get(&parent->array->states, position)
                                : ARRAY_TASK_FAILED;

    return is_over(parent) && state != ARRAY_TASK_OK ? ARRAY_TASK_FAILED : state;
}

/* Notes in DEPENDENCY that the task INDEX of its parent failed, unless another one did before. */
static void note_failure(struct master *m, struct dependency *dependency, uint32_t index)
{
    if (dependency->why == NULL)
        rm_text_set(&dependency->why, dependency->parent == NULL
                                          ? "an array that it waits for is not known any more"
                                          : arena_printf(m->out->arena, "task %u of %s failed", index,
                                                         format_app_id(dependency->parent->text)));
}

/* Updates the task at POSITION of APP, which is in state WAITS: it may be submitted, or fails, or waits on.
 * Returns true if it failed. */
static bool judge_task(struct master *m, struct app *app, uint32_t position)
{
    uint32_t index = array_spec_index(&app->array->spec, position);
    bool is_free = true;

    for (size_t i = 0; i < app->dependency_count; i++) {
        struct dependency *dependency = &app->dependencies[i];
        enum array_task state;

        if (!is_pending(dependency))
            continue;
        state = state_in(dependency->parent, index);
        if (state == ARRAY_TASK_FAILED) {
            note_failure(m, dependency, index);
            rm_array_set(app, position, ARRAY_TASK_FAILED);
            return true;
        }
        is_free = is_free && state == ARRAY_TASK_OK;
    }
    if (is_free)
        array_queue_add(&app->array->queue, position);
    return false;
}

/* --- arrays with tasks to judge ------------------------------------------------------- */

static void list_task(struct master *m, struct app *app, uint32_t position)
{
    array_queue_add(&app->array->scan.tasks, position);
    rm_turn_add_scan(m, app);
}

/* Lists all tasks of APP. It submits only those of its queue, which is filled again. */
static void list_all(struct master *m, struct app *app)
{
    struct job_array *array = app->array;

    array_queue_clear(&array->queue);
    array->is_gated = true;
    array->scan.all = true;
    array->scan.next = 0;
    rm_turn_add_scan(m, app);
}

/* Lists the task with INDEX of all arrays that depend on APP. */
static void spread_task(struct master *m, struct app *app, uint32_t index)
{
    struct dependency *dependency;

    TAILQ_FOREACH(dependency, &app->children, link) {
        struct app *child = dependency->child;
        uint32_t position;

        if (is_pending(dependency) && array_spec_position(&child->array->spec, index, &position) &&
            array_states_get(&child->array->states, position) == ARRAY_TASK_WAITS)
            list_task(m, child, position);
    }
}

/* Lists all tasks of all arrays that depend on APP. */
static void spread_all(struct master *m, struct app *app)
{
    struct dependency *dependency;

    TAILQ_FOREACH(dependency, &app->children, link)
        if (is_pending(dependency))
            list_all(m, dependency->child);
}

static void changed(struct master *m, struct app *app, bool store)
{
    if (store && app->state != APP_STATE_NEW_SAVING) /* else APP_WAIT stores it after the first row */
        rm_store_app(m, app);
    rm_app_touch(m, app);
    rm_job_check_at(m, app, m->now_ms);
}

/* Judges the next tasks of APP, and adds the work. Returns false if tasks are left. */
static bool judge_tasks(struct master *m, struct app *app)
{
    struct array_scan *scan = &app->array->scan;
    size_t checks = 0, checks_of_task = app->dependency_count + 1;
    uint32_t position;

    while (array_queue_take(&scan->tasks, &position)) {
        if (array_states_get(&app->array->states, position) == ARRAY_TASK_WAITS &&
            judge_task(m, app, position))
            spread_task(m, app, array_spec_index(&app->array->spec, position));
        rm_work_add(m, 1 + checks_of_task / CHECKS_IN_UNIT);
        if (rm_work_is_done(m))
            return false;
    }
    for (; scan->all && scan->next < app->array->spec.count; scan->next++) {
        if (checks >= CHECKS_IN_UNIT) {
            rm_work_add(m, checks / CHECKS_IN_UNIT);
            checks = 0;
            if (rm_work_is_done(m))
                return false;
        }
        checks += checks_of_task;
        if (array_states_get(&app->array->states, scan->next) == ARRAY_TASK_WAITS)
            scan->has_failed |= judge_task(m, app, scan->next);
    }
    rm_work_add(m, 1 + checks / CHECKS_IN_UNIT);
    return true;
}

/* All tasks of APP have been judged by all results of the parents that have ended. Returns true if a
 * dependency was met. */
static bool meet_dependencies(struct app *app)
{
    bool has_met = false;

    app->array->is_gated = false;
    for (size_t i = 0; i < app->dependency_count; i++) {
        struct dependency *dependency = &app->dependencies[i];

        if (!is_pending(dependency))
            continue;
        if (is_over(dependency->parent)) {
            rm_depend_met(dependency);
            has_met = true;
        } else {
            app->array->is_gated = true;
        }
    }
    return has_met;
}

void rm_corr_run_turn(struct master *m)
{
    struct app *app;

    while ((app = TAILQ_FIRST(&m->turns.scans)) != NULL) {
        bool all = app->array->scan.all, has_failed, has_met;

        if (!rm_app_is_ended(app) && (rm_work_is_done(m) || !judge_tasks(m, app))) {
            rm_turn_later(m);
            return;
        }
        has_failed = app->array->scan.has_failed;
        rm_turn_drop_scan(m, app);
        if (rm_app_is_ended(app))
            continue;
        has_met = all && meet_dependencies(app);
        changed(m, app, has_met);
        if (has_failed)
            spread_all(m, app);
        rm_depend_on_unstarted_ends(m, app);
    }
}

/* --- submission and recovery ---------------------------------------------------------------- */

static int check_parent(const struct app *app, const struct app *parent, struct err *err)
{
    uint32_t missing;

    if (parent->array == NULL)
        return err_set(err, EINVAL, "dependency \"corr:%s\": %s is no array", parent->text, parent->text);
    if (!array_spec_contains(&parent->array->spec, &app->array->spec, &missing))
        return err_set(err, EINVAL, "dependency \"corr:%s\": %s has no task %u", parent->text, parent->text,
                       missing);
    return 0;
}

static int submit_one(struct master *m, struct app *app, struct dependency *dependency, struct err *err)
{
    struct app *parent;
    int r;

    if (app->array == NULL)
        return err_set(err, EINVAL,
                       "dependency \"corr\": only an array may depend on the tasks of another one");
    if (dependency->state == DEPENDENCY_MET) /* it has been forgotten, and all its tasks had succeeded */
        return 0;
    if (dependency->state == DEPENDENCY_FAILED)
        return err_set(
            err, EINVAL,
            "dependency \"corr\": %s, and the results of its tasks are not kept; name the tasks to run "
            "with --array",
            dependency->why);
    parent = rm_app_find(m, dependency->id.seq);
    r = check_parent(app, parent, err);
    if (r == 0)
        rm_depend_connect_to(dependency, parent);
    return r;
}

static size_t count_corr(const struct app *app)
{
    size_t count = 0;

    for (size_t i = 0; i < app->dependency_count; i++)
        count += app->dependencies[i].on == DEPENDS_CORR;
    return count;
}

static int submit_all(struct master *m, struct app *app, struct err *err)
{
    size_t count = count_corr(app);
    int r = 0;

    if (count > CORR_MAX)
        return err_set(err, EMSGSIZE, "dependencies \"corr\" on %zu arrays; at most %d are allowed", count,
                       CORR_MAX);
    for (size_t i = 0; r == 0 && i < app->dependency_count; i++)
        if (app->dependencies[i].on == DEPENDS_CORR)
            r = submit_one(m, app, &app->dependencies[i], err);
    if (r == 0 && count > 0)
        list_all(m, app);
    return r;
}

int rm_corr_submit(struct master *m, struct app *app, struct err *err)
{
    int r = submit_all(m, app, err);

    if (r < 0)
        err_prefix(err, "--depends-on"); /* as rm_depend_submit */
    return r;
}

void rm_corr_recover(struct master *m, struct app *app)
{
    if (app->array == NULL)
        return;
    for (size_t i = 0; i < app->dependency_count; i++) {
        struct dependency *dependency = &app->dependencies[i];
        struct app *parent = is_pending(dependency) && dependency->id.cluster_ms == m->cluster_ms
                                 ? rm_app_find(m, dependency->id.seq)
                                 : NULL;

        if (!is_pending(dependency))
            continue;
        if (parent != NULL && parent->array != NULL)
            rm_depend_connect_to(dependency, parent);
        list_all(m, app);
    }
}

bool rm_corr_next(struct job_array *array, uint32_t *position)
{
    return array->is_gated ? array_queue_next(&array->queue, &array->states, position)
                           : array_states_next(&array->states, position);
}

bool rm_corr_blocks(struct job_array *array)
{
    const uint32_t *counts = array->states.counts;
    uint32_t position;

    return array->is_gated && counts[ARRAY_TASK_LIVE] == 0 && counts[ARRAY_TASK_WAITS] > 0 &&
           !rm_corr_next(array, &position);
}

const char *rm_corr_reason(const struct app *app)
{
    for (size_t i = 0; i < app->dependency_count; i++)
        if (app->dependencies[i].on == DEPENDS_CORR && app->dependencies[i].why != NULL)
            return app->dependencies[i].why;
    return NULL;
}

/* --- events ------------------------------------------------------------------------ */

void rm_corr_on_task_end(struct master *m, struct app *task)
{
    if (task->array_app != NULL)
        spread_task(m, task->array_app, task->array_index);
}

void rm_corr_on_kill(struct master *m, struct app *parent)
{
    spread_all(m, parent);
}

void rm_corr_on_end(struct master *m, struct app *parent)
{
    spread_all(m, parent);
}
