/* SPDX-License-Identifier: Apache-2.0 */
/* depend.c - dependencies: applications that wait for other applications to start or end */
#include <errno.h>
#include <string.h>

#include "rm/master/state/copy.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/state/index.h"
#include "rm/master/state/rows.h"
#include "rm/master/state/turns.h"
#include "rm/master/parts/format.h"

/* --- one dependency ------------------------------------------------------------- */

static void disconnect(struct dependency *dependency)
{
    if (dependency->parent)
        TAILQ_REMOVE(&dependency->parent->children, dependency, link);
    if (dependency->unstored)
        TAILQ_REMOVE(&dependency->unstored->unstored_children, dependency, link);
    dependency->parent = dependency->unstored = NULL;
}

/* Counts a dependency of the job that was added, in its state. The tasks of an array wait for "corr"
 * dependencies, not the array; whether a "singleton" is met depends on other jobs at any time. */
static void count(struct dependency *dependency)
{
    if (dependency->on == DEPENDS_SINGLETON)
        dependency->child->is_singleton = true;
    else
        dependency->child
            ->dependency_states[dependency->on == DEPENDS_CORR ? DEPENDENCY_MET : dependency->state]++;
}

static void set_state(struct dependency *dependency, enum dependency_state state)
{
    if (dependency->on != DEPENDS_SINGLETON && dependency->on != DEPENDS_CORR) {
        dependency->child->dependency_states[dependency->state]--;
        dependency->child->dependency_states[state]++;
    }
    dependency->state = state;
}

void rm_depend_connect_to(struct dependency *dependency, struct app *parent)
{
    dependency->parent = parent;
    TAILQ_INSERT_TAIL(&parent->children, dependency, link);
}

static void settle(struct dependency *dependency, enum dependency_state state, const char *why)
{
    disconnect(dependency);
    set_state(dependency, state);
    rm_text_set(&dependency->why, why);
}

void rm_depend_met(struct dependency *dependency)
{
    disconnect(dependency);
    set_state(dependency, DEPENDENCY_MET);
}

static bool is_met_by(enum depends_on on, bool succeeded)
{
    return on == DEPENDS_ANY || on == DEPENDS_AFTER || (on == DEPENDS_OK || on == DEPENDS_CORR) == succeeded;
}

/* Returns the short id of the application or the task that DEPENDENCY, no singleton, waits for. */
static const char *name_of(struct arena *arena, const struct dependency *dependency)
{
    char id[ID_TEXT_MAX];

    app_id_format(&dependency->id, id);
    if (dependency->is_of_task)
        return arena_printf(arena, "%s_%u", format_app_id(id), dependency->task_index);
    return arena_strdup(arena, format_app_id(id));
}

static const char *describe_result(struct arena *arena, const struct app *parent)
{
    if (parent->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED)
        return "succeeded";
    if (parent->final_status == CREEL__FINAL_STATUS__FINAL_KILLED)
        return "was killed";
    return arena_printf(arena, "failed (exit status %d)", parent->exit_status);
}

/* Sets the state of DEPENDENCY from the result of PARENT, which has ended. */
static void judge(struct master *m, struct dependency *dependency, const struct app *parent)
{
    bool succeeded = parent->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED;
    bool met = is_met_by(dependency->on, succeeded);

    settle(dependency, met ? DEPENDENCY_MET : DEPENDENCY_FAILED,
           met ? NULL
               : arena_printf(m->out->arena, "%s %s", name_of(m->out->arena, dependency),
                              describe_result(m->out->arena, parent)));
}

/* --- tasks of arrays --------------------------------------------------------------- */

/* Returns the application of the task INDEX of ARRAY; NULL: it waits in the array, or is forgotten. */
static struct app *find_task(const struct app *array, uint32_t index)
{
    struct app *task;

    TAILQ_FOREACH(task, &array->array->tasks, in_array)
        if (task->array_index == index)
            return task;
    return NULL;
}

/* Returns whether the task INDEX of ARRAY, which is no application, has ended. Sets whether it SUCCEEDED. */
static bool task_has_ended(const struct app *array, uint32_t index, bool *succeeded)
{
    uint32_t position;
    enum array_task state = array_spec_position(&array->array->spec, index, &position)
                                ? array_states_get(&array->array->states, position)
                                : ARRAY_TASK_FAILED;

    *succeeded = state == ARRAY_TASK_OK;
    return *succeeded || state == ARRAY_TASK_FAILED || rm_app_is_ended(array);
}

static bool is_on_list_of_array(const struct dependency *dependency)
{
    return dependency->is_of_task && dependency->parent && dependency->parent->array;
}

/* Settles DEPENDENCY by the result of a task of ARRAY that is no application. Returns false if the task has
 * not ended. */
static bool judge_task(struct master *m, struct dependency *dependency, const struct app *array)
{
    bool succeeded, met;

    if (!task_has_ended(array, dependency->task_index, &succeeded))
        return false;
    met = is_met_by(dependency->on, succeeded);
    settle(dependency, met ? DEPENDENCY_MET : DEPENDENCY_FAILED,
           met ? NULL
               : arena_printf(m->out->arena, "%s %s", name_of(m->out->arena, dependency),
                              succeeded ? "succeeded" : "failed or was killed"));
    return true;
}

bool rm_depend_task_is_met(enum depends_on on, const struct app *array, uint32_t index)
{
    const struct app *task = find_task(array, index);
    bool succeeded;

    if (task)
        return rm_depend_is_met(on, task);
    return task_has_ended(array, index, &succeeded) && is_met_by(on, succeeded);
}

void rm_depend_on_task(struct app *array, struct app *task)
{
    struct dependency *dependency, *next;

    TAILQ_FOREACH_SAFE(dependency, &array->children, link, next)
        if (dependency->is_of_task && dependency->task_index == task->array_index) {
            disconnect(dependency);
            rm_depend_connect_to(dependency, task);
        }
}

/* --- new dependencies --------------------------------------------------------------- */

bool rm_depend_is_met(enum depends_on on, const struct app *parent)
{
    if (rm_app_is_ended(parent))
        return is_met_by(on, parent->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED);
    return on == DEPENDS_AFTER && parent->started_ms > 0;
}

/* Puts DEPENDENCY, which waits, on the list of PARENT, or of its task; or settles it. */
static void connect(struct master *m, struct dependency *dependency, struct app *parent)
{
    struct app *task = dependency->is_of_task ? find_task(parent, dependency->task_index) : parent;

    if (task == NULL) {
        if (!judge_task(m, dependency, parent))
            rm_depend_connect_to(dependency, parent);
    } else if (rm_app_is_ended(task)) {
        judge(m, dependency, task);
    } else if (rm_depend_is_met(dependency->on, task)) {
        set_state(dependency, DEPENDENCY_MET);
    } else {
        rm_depend_connect_to(dependency, task);
    }
}

void rm_depend_add(struct master *m, struct app *app, enum depends_on on, struct app *parent)
{
    struct dependency *dependency = &app->dependencies[app->dependency_count++];

    dependency->child = app;
    dependency->on = on;
    count(dependency);
    if (parent == NULL)
        return;
    dependency->id = parent->id;
    if (on != DEPENDS_CORR) /* rm_corr_submit handles it */
        connect(m, dependency, parent);
}

void rm_depend_add_task(struct master *m, struct app *app, enum depends_on on, struct app *array,
                        uint32_t index)
{
    struct dependency *dependency = &app->dependencies[app->dependency_count++];

    dependency->child = app;
    dependency->on = on;
    dependency->id = array->id;
    dependency->is_of_task = true;
    dependency->task_index = index;
    count(dependency);
    connect(m, dependency, array);
}

void rm_depend_add_ended(struct master *m, struct app *app, enum depends_on on,
                         const struct master_ended *parent)
{
    struct dependency *dependency = &app->dependencies[app->dependency_count++];
    struct app ended = { .final_status = parent->final_status, .exit_status = parent->exit_status };

    app_id_format(&parent->id, ended.text);
    dependency->child = app;
    dependency->on = on;
    dependency->id = parent->id;
    count(dependency);
    judge(m, dependency, &ended);
}

/* --- recovery ------------------------------------------------------------------- */

static int recover_one(struct dependency *dependency, const Creel__Dependency *row, struct err *err)
{
    bool known = false;

    for (int on = DEPENDS_OK; on <= DEPENDS_SINGLETON; on++) {
        if (!text_equal(depends_word((enum depends_on)on), row->condition))
            continue;
        dependency->on = (enum depends_on)on;
        known = true;
    }
    if (!known || (dependency->on != DEPENDS_SINGLETON && !app_id_parse(row->app_id, &dependency->id)))
        return err_set(err, EINVAL, "a dependency \"%s:%s\" is invalid", row->condition, row->app_id);
    dependency->state = row->state == CREEL__DEPENDENCY_STATE__DEPENDENCY_MET      ? DEPENDENCY_MET
                        : row->state == CREEL__DEPENDENCY_STATE__DEPENDENCY_FAILED ? DEPENDENCY_FAILED
                                                                                   : DEPENDENCY_WAITS;
    dependency->is_of_task = row->is_of_task;
    dependency->task_index = row->task_index;
    rm_text_set(&dependency->why, row->reason);
    count(dependency);
    return 0;
}

int rm_depend_recover(struct app *app, const Creel__StoredApp *row, struct err *err)
{
    int r = 0;

    app->dependencies = mem_array0(row->n_dependencies + 1, sizeof(*app->dependencies));
    app->one_dependency_is_enough = depends_one_is_enough(app->job->depends_on);
    for (size_t i = 0; r == 0 && i < row->n_dependencies; i++) {
        app->dependencies[i].child = app;
        app->dependency_count = i + 1;
        r = recover_one(&app->dependencies[i], row->dependencies[i], err);
    }
    return r;
}

void rm_depend_connect(struct master *m, struct app *app)
{
    for (size_t i = 0; i < app->dependency_count; i++) {
        struct dependency *dependency = &app->dependencies[i];
        struct app *parent;

        if (dependency->state != DEPENDENCY_WAITS || dependency->on == DEPENDS_SINGLETON ||
            dependency->on == DEPENDS_CORR)
            continue;
        parent = dependency->id.cluster_ms == m->cluster_ms ? rm_app_find(m, dependency->id.seq) : NULL;
        if (parent == NULL || (dependency->is_of_task && parent->array == NULL))
            settle(dependency, DEPENDENCY_FAILED, "an application that it waits for is not known any more");
        else
            connect(m, dependency, parent); /* it may not have been informed before the restart */
    }
}

/* --- state and text ----------------------------------------------------------------- */

static bool is_first_of_its_name(const struct app *app)
{
    return app->of_name == NULL || TAILQ_FIRST(&app->of_name->apps) == app;
}

static enum dependency_state state_of(const struct dependency *dependency)
{
    if (dependency->on == DEPENDS_CORR) /* its tasks wait, not the array */
        return DEPENDENCY_MET;
    if (dependency->on != DEPENDS_SINGLETON)
        return dependency->state;
    return is_first_of_its_name(dependency->child) ? DEPENDENCY_MET : DEPENDENCY_WAITS;
}

enum dependency_state rm_depend_state(const struct app *app)
{
    enum dependency_state decides = app->one_dependency_is_enough ? DEPENDENCY_MET : DEPENDENCY_FAILED;
    uint32_t counts[DEPENDENCY_STATES];

    if (app->dependency_count == 0)
        return DEPENDENCY_MET;
    memcpy(counts, app->dependency_states, sizeof(counts));
    if (app->is_singleton)
        counts[is_first_of_its_name(app) ? DEPENDENCY_MET : DEPENDENCY_WAITS]++;
    if (counts[decides] > 0)
        return decides;
    if (counts[DEPENDENCY_WAITS] > 0)
        return DEPENDENCY_WAITS;
    return app->one_dependency_is_enough ? DEPENDENCY_FAILED : DEPENDENCY_MET;
}

static const struct dependency *first_in_state(const struct app *app, enum dependency_state state,
                                               size_t *count)
{
    const struct dependency *first = NULL;

    *count = 0;
    for (size_t i = 0; i < app->dependency_count; i++) {
        if (state_of(&app->dependencies[i]) != state)
            continue;
        first = first ? first : &app->dependencies[i];
        ++*count;
    }
    return first;
}

static const char *describe_more(struct arena *arena, size_t count)
{
    return count > 1 ? arena_printf(arena, ", and %zu more", count - 1) : "";
}

/* The same for COUNT dependencies that are not met yet. */
static const char *describe_others(struct arena *arena, const struct app *app, size_t count)
{
    if (count > 1 && app->one_dependency_is_enough)
        return arena_printf(arena, "; one of %zu dependencies is enough", count);
    return describe_more(arena, count);
}

static const char *describe_parent(struct arena *arena, const struct dependency *dependency)
{
    const struct app *parent = dependency->parent;
    const char *id;

    if (dependency->on == DEPENDS_SINGLETON) {
        parent = TAILQ_FIRST(&dependency->child->of_name->apps);
        id = format_app_id(parent->text);
    } else {
        id = name_of(arena, dependency);
    }
    if (parent->started_ms == 0 || is_on_list_of_array(dependency))
        return arena_printf(arena, "%s waits", id);
    if (parent->tasks[0] > 0)
        return arena_printf(arena, "%s runs, %u of %u tasks ended", id, parent->tasks[2] + parent->tasks[3],
                            parent->tasks[0]);
    return arena_printf(arena, "%s runs", id);
}

static const char *describe_need(enum depends_on on)
{
    switch (on) {
    case DEPENDS_OK:
        return "it has to succeed first";
    case DEPENDS_NOT_OK:
        return "it has to fail first";
    case DEPENDS_AFTER:
        return "it has to start first";
    case DEPENDS_CORR:
        return "each of its tasks has to succeed before the one with the same index";
    case DEPENDS_ANY:
    case DEPENDS_SINGLETON:
    default:
        return "it has to end first";
    }
}

const char *rm_depend_text(struct master *m, const struct app *app)
{
    struct arena *arena = m->out->arena;
    enum dependency_state state = rm_depend_state(app);
    const struct dependency *first;
    size_t count;

    first = first_in_state(app, state, &count);
    if (first == NULL)
        return "";
    if (state == DEPENDENCY_FAILED)
        return arena_printf(arena, "%s%s", first->why ? first->why : "", describe_more(arena, count));
    return arena_printf(arena, "%s, and %s%s", describe_parent(arena, first), describe_need(first->on),
                        describe_others(arena, app, count));
}

const char *rm_depend_short(struct master *m, const struct app *app)
{
    size_t count;
    const struct dependency *first = first_in_state(app, DEPENDENCY_WAITS, &count);

    return first ? arena_printf(m->out->arena, "%s%s", describe_parent(m->out->arena, first),
                                describe_others(m->out->arena, app, count))
                 : "";
}

const char *rm_depend_corr_text(struct master *m, const struct app *app)
{
    for (size_t i = 0; i < app->dependency_count; i++) {
        const struct dependency *dependency = &app->dependencies[i];

        if (dependency->on == DEPENDS_CORR && dependency->parent != NULL)
            return arena_printf(m->out->arena, "%s, and %s", describe_parent(m->out->arena, dependency),
                                describe_need(DEPENDS_CORR));
    }
    return "";
}

/* --- changes of the parent -------------------------------------------------- */

/* PARENT has settled DEPENDENCY. The row of the child is written when that decides about it. Else it is only
 * noted: as long as PARENT is not forgotten, a restart settles the dependency again. So the ends of many
 * parents of one child write one row. */
static void child_changed(struct master *m, struct dependency *dependency, struct app *parent)
{
    struct app *child = dependency->child;
    bool waits;

    rm_work_add(m, 1);
    rm_app_touch(m, child);
    waits = rm_depend_state(child) == DEPENDENCY_WAITS;
    if (waits || child->state == APP_STATE_NEW_SAVING) { /* APP_WAIT writes a row after the first */
        dependency->unstored = parent;
        TAILQ_INSERT_TAIL(&parent->unstored_children, dependency, link);
    } else {
        rm_store_app(m, child);
    }
    if (!waits)
        rm_job_check_at(m, child, m->now_ms);
}

bool rm_depend_is_needed(const struct app *parent)
{
    return !TAILQ_EMPTY(&parent->children) || !TAILQ_EMPTY(&parent->unstored_children);
}

void rm_depend_store_children(struct master *m, struct app *parent)
{
    size_t first = m->unwritten.count;
    struct dependency *dependency;

    TAILQ_FOREACH(dependency, &parent->unstored_children, link) {
        if (rm_work_is_done(m))
            break;
        if (dependency->child->state != APP_STATE_NEW_SAVING)
            rm_store_app(m, dependency->child);
    }
    rm_rows_write_since(m, first); /* now: it takes the children from the lists of their other parents, too */
}

static bool is_met_by_start(const struct dependency *dependency, const struct app *parent)
{
    return dependency->on == DEPENDS_AFTER && parent->started_ms > 0;
}

/* Informs children of PARENT, which has ENDED or else started, until the work of the step is done. Returns
 * false if children are left. */
static bool inform(struct master *m, struct app *parent, bool ended)
{
    struct dependency *dependency, *next;

    TAILQ_FOREACH_SAFE(dependency, &parent->children, link, next) {
        bool of_task = is_on_list_of_array(dependency);

        if (dependency->on == DEPENDS_CORR || (!ended && !of_task && !is_met_by_start(dependency, parent)))
            continue; /* array_corr.c judges the tasks of an array */
        if (rm_work_is_done(m))
            return false;
        if (of_task && !judge_task(m, dependency, parent))
            continue;
        if (!of_task && ended)
            judge(m, dependency, parent);
        else if (!of_task)
            settle(dependency, DEPENDENCY_MET, NULL);
        child_changed(m, dependency, parent);
    }
    return true;
}

void rm_depend_on_start(struct master *m, struct app *parent)
{
    if (!inform(m, parent, false))
        rm_turn_add_parent(m, parent, false);
}

void rm_depend_on_unstarted_ends(struct master *m, struct app *array)
{
    if (!inform(m, array, false))
        rm_turn_add_parent(m, array, false);
}

void rm_depend_on_end(struct master *m, struct app *parent)
{
    if (!inform(m, parent, true))
        rm_turn_add_parent(m, parent, true);
}

void rm_depend_run_turn(struct master *m)
{
    struct app *parent;

    while ((parent = TAILQ_FIRST(&m->turns.parents)) != NULL) {
        if (!inform(m, parent, parent->turn.ended)) {
            rm_turn_later(m);
            return;
        }
        rm_turn_drop(m, parent);
    }
}

void rm_depend_clear(struct app *app)
{
    for (size_t i = 0; i < app->dependency_count; i++)
        disconnect(&app->dependencies[i]);
}

void rm_depend_free(struct master *m, struct app *app)
{
    struct dependency *dependency;

    while ((dependency = TAILQ_FIRST(&app->children)) != NULL) { /* APP could not be stored, or the master
                                                                    is freed */
        settle(dependency, DEPENDENCY_FAILED, "an application that it waits for is not known any more");
        rm_job_check_at(m, dependency->child, m->now_ms);
    }
    while ((dependency = TAILQ_FIRST(&app->unstored_children)) != NULL)
        disconnect(dependency);
    rm_depend_clear(app);
    for (size_t i = 0; i < app->dependency_count; i++)
        free(app->dependencies[i].why);
    free(app->dependencies);
}

/* --- jobs of the same user and name ---------------------------------------------- */

void rm_job_name_enter(struct master *m, struct app *app)
{
    scoped_free char *key = mem_printf("%s\n%s", app->user, app->job->name);
    struct job_name *name;

    HASH_FIND_STR(m->job_names, key, name);
    if (name == NULL) {
        name = mem_new0(struct job_name);
        name->key = mem_strdup(key);
        TAILQ_INIT(&name->apps);
        HASH_ADD_KEYPTR(hh, m->job_names, name->key, strlen(name->key), name);
    }
    TAILQ_INSERT_TAIL(&name->apps, app, in_name);
    app->of_name = name;
}

void rm_job_name_leave(struct master *m, struct app *app)
{
    struct job_name *name = app->of_name;
    struct app *first;

    if (name == NULL)
        return;
    app->of_name = NULL;
    TAILQ_REMOVE(&name->apps, app, in_name);
    first = TAILQ_FIRST(&name->apps);
    /* FIRST is now the earliest job of this user and name. If FIRST waits for this (dependency "singleton"),
     * it may enter its queue now. */
    if (first && first->state == APP_STATE_WAITING)
        rm_job_check_at(m, first, m->now_ms);
    if (first)
        return;
    HASH_DEL(m->job_names, name);
    free(name->key);
    free(name);
}
