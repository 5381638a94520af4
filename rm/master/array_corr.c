/* SPDX-License-Identifier: Apache-2.0 */
/* array_corr.c - dependencies between the tasks of two arrays */
#include "rm/master/array_corr.h"

#include <errno.h>
#include <stdlib.h>

#include "rm/master/array.h"
#include "rm/master/copy.h"
#include "rm/master/depend.h"
#include "rm/master/format.h"
#include "rm/master/index.h"
#include "rm/master/rows.h"

/* --- one task --------------------------------------------------------------------- */

static bool is_pending(const struct dependency *dependency)
{
    return dependency->on == DEPENDS_CORR && dependency->state == DEPENDENCY_WAITS;
}

static enum array_task state_in(const struct app *parent, uint32_t index)
{
    uint32_t position;

    return array_spec_position(&parent->array->spec, index, &position)
               ? array_states_get(&parent->array->states, position)
               : ARRAY_TASK_FAILED;
}

/* Notes in DEPENDENCY that the task INDEX of its parent failed, unless another one did before. */
static void note_failure(struct master *m, struct dependency *dependency, const struct app *parent,
                         uint32_t index)
{
    if (dependency->why == NULL)
        rm_text_set(&dependency->why,
                    arena_printf(m->out->arena, "task %u of %s failed", index, format_app_id(parent->text)));
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

        if (!is_pending(dependency) || dependency->parent == NULL)
            continue;
        state = state_in(dependency->parent, index);
        if (state == ARRAY_TASK_FAILED) {
            note_failure(m, dependency, dependency->parent, index);
            rm_array_set(app, position, ARRAY_TASK_FAILED);
            return true;
        }
        is_free = is_free && state == ARRAY_TASK_OK;
    }
    if (is_free)
        array_queue_add(&app->array->queue, position);
    return false;
}

/* --- one array ---------------------------------------------------------------------- */

/* Sets whether APP submits only the tasks of its queue, and fills the queue again. Returns true if a task
 * failed. */
static bool rebuild(struct master *m, struct app *app)
{
    struct job_array *array = app->array;
    bool has_failed = false;

    array_queue_clear(&array->queue);
    array->is_gated = false;
    for (size_t i = 0; i < app->dependency_count; i++)
        array->is_gated |= is_pending(&app->dependencies[i]);
    for (uint32_t position = 0; array->is_gated && position < array->spec.count; position++)
        if (array_states_get(&array->states, position) == ARRAY_TASK_WAITS)
            has_failed |= judge_task(m, app, position);
    return has_failed;
}

static void changed(struct master *m, struct app *app, bool store)
{
    if (store && app->state != APP_STATE_NEW_SAVING) /* else APP_WAIT stores it after the first row */
        rm_store_app(m, app);
    rm_app_touch(m, app);
    rm_job_check_at(m, app, m->now_ms);
}

/* Fails the waiting tasks of the child of DEPENDENCY whose tasks in PARENT, which has ended, did not
 * succeed. */
static void end_dependency(struct master *m, struct dependency *dependency, const struct app *parent)
{
    struct app *app = dependency->child;

    for (uint32_t position = 0; position < app->array->spec.count; position++) {
        uint32_t index = array_spec_index(&app->array->spec, position);

        if (array_states_get(&app->array->states, position) != ARRAY_TASK_WAITS ||
            state_in(parent, index) == ARRAY_TASK_OK)
            continue;
        note_failure(m, dependency, parent, index);
        rm_array_set(app, position, ARRAY_TASK_FAILED);
    }
    rm_depend_met(dependency);
}

/* --- chains: an array whose tasks fail may be the parent of others ----------------------- */

struct chain {
    struct app **arrays; /* owned; those whose children are to be updated */
    size_t count, capacity;
};

static void chain_add(struct chain *chain, struct app *app)
{
    mem_grow(chain->arrays, chain->count, chain->capacity);
    chain->arrays[chain->count++] = app;
}

/* Updates the tasks with INDEX of all arrays that depend on APP, directly or not. */
static void spread_task(struct master *m, struct app *app, uint32_t index)
{
    struct chain chain = { .arrays = NULL };
    struct dependency *dependency;

    chain_add(&chain, app);
    while (chain.count > 0) {
        TAILQ_FOREACH(dependency, &chain.arrays[--chain.count]->children, link) {
            struct app *child = dependency->child;
            uint32_t position;

            if (!is_pending(dependency) || !array_spec_position(&child->array->spec, index, &position) ||
                array_states_get(&child->array->states, position) != ARRAY_TASK_WAITS)
                continue;
            if (judge_task(m, child, position))
                chain_add(&chain, child);
            changed(m, child, false);
        }
    }
    free(chain.arrays);
}

/* Updates all tasks of all arrays that depend on APP, directly or not. */
static void spread_all(struct master *m, struct app *app)
{
    struct chain chain = { .arrays = NULL };
    struct dependency *dependency;

    chain_add(&chain, app);
    while (chain.count > 0) {
        TAILQ_FOREACH(dependency, &chain.arrays[--chain.count]->children, link) {
            if (!is_pending(dependency))
                continue;
            if (rebuild(m, dependency->child))
                chain_add(&chain, dependency->child);
            changed(m, dependency->child, false);
        }
    }
    free(chain.arrays);
}

/* --- submission and recovery ---------------------------------------------------------------- */

static int check_parent(const struct app *app, const struct app *parent, struct err *err)
{
    uint32_t position;

    if (parent->array == NULL)
        return err_set(err, EINVAL, "dependency \"corr:%s\": %s is no array", parent->text, parent->text);
    for (uint32_t i = 0; i < app->array->spec.count; i++) {
        uint32_t index = array_spec_index(&app->array->spec, i);

        if (!array_spec_position(&parent->array->spec, index, &position))
            return err_set(err, EINVAL, "dependency \"corr:%s\": %s has no task %u", parent->text,
                           parent->text, index);
    }
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
    if (r < 0)
        return r;
    if (rm_app_is_ended(parent))
        end_dependency(m, dependency, parent);
    else
        rm_depend_connect_to(dependency, parent);
    return 0;
}

int rm_corr_submit(struct master *m, struct app *app, struct err *err)
{
    bool has_corr = false;
    int r = 0;

    for (size_t i = 0; r == 0 && i < app->dependency_count; i++) {
        if (app->dependencies[i].on != DEPENDS_CORR)
            continue;
        has_corr = true;
        r = submit_one(m, app, &app->dependencies[i], err);
    }
    if (r == 0 && has_corr)
        (void)rebuild(m, app);
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
        if (parent != NULL && parent->array != NULL && !rm_app_is_ended(parent)) {
            rm_depend_connect_to(dependency, parent);
            continue;
        }
        /* Without the parent, no task that has not begun may begin. */
        if (parent != NULL && parent->array != NULL)
            end_dependency(m, dependency, parent);
        else
            end_dependency(m, dependency, &(struct app){ .array = &(struct job_array){ .at_once = 0 } });
    }
    (void)rebuild(m, app);
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
    struct dependency *dependency, *next;

    TAILQ_FOREACH_SAFE(dependency, &parent->children, link, next) {
        struct app *child = dependency->child;

        if (!is_pending(dependency))
            continue;
        end_dependency(m, dependency, parent);
        (void)rebuild(m, child);
        changed(m, child, true);
        spread_all(m, child);
    }
}
