/* SPDX-License-Identifier: Apache-2.0 */
/* array.c - keeps the states of the tasks of a job array */
#include <errno.h>
#include <string.h>

#include "rm/master/jobs/array.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/index.h"
#include "rm/master/state/rows.h"
#include "rm/master/state/turns.h"

#define LIVE_MAX 1000u                    /* maximum number of live tasks of one array ... */
#define LIVE_BYTES_MAX ((size_t)64 << 20) /* ... and maximum size of their jobs together */

/* --- objects ---------------------------------------------------------------- */

static uint32_t live_max(const Creel__JobSpec *job)
{
    size_t most = LIVE_BYTES_MAX / (creel__job_spec__get_packed_size(job) + 1);

    return most > LIVE_MAX ? LIVE_MAX : most > 0 ? (uint32_t)most : 1;
}

static struct array_extent extent_of(const struct array_spec *spec)
{
    return (struct array_extent){
        .count = spec->count,
        .min = spec->ranges[0].first,
        .max = spec->ranges[spec->range_count - 1].last,
        .step = spec->ranges[0].step,
    };
}

/* Reads the extent of the array of which SPEC is a part; it may be SPEC. -EINVAL: SPEC has other indexes,
 * too. */
static int read_whole(const Creel__JobSpec *job, const struct array_spec *spec, struct array_extent *ret,
                      struct err *err)
{
    struct array_spec whole;
    uint32_t missing;
    int r;

    *ret = extent_of(spec);
    if (rm_text_is_empty(job->whole_array))
        return 0;
    r = array_spec_parse(job->whole_array, &whole, err);
    if (r < 0)
        return r;
    *ret = extent_of(&whole);
    if (!array_spec_contains(&whole, spec, &missing))
        r = err_set(err, EINVAL, "--array %s: the array that it is a part of, %s, has no task %u", job->array,
                    job->whole_array, missing);
    array_spec_done(&whole);
    return r;
}

int rm_array_new(struct app *app, struct err *err)
{
    struct array_spec spec;
    struct array_extent whole;
    struct job_array *array;
    int r;

    if (rm_text_is_empty(app->job->array))
        return 0;
    r = array_spec_parse(app->job->array, &spec, err);
    if (r < 0)
        return r;
    r = read_whole(app->job, &spec, &whole, err);
    if (r < 0) {
        array_spec_done(&spec);
        return r;
    }
    array = app->array = mem_new0(struct job_array);
    array->spec = spec;
    array->whole = whole;
    array->at_once = spec.at_once;
    array->live_max = live_max(app->job);
    array->exit_status = CONTAINER_EXIT_NONE;
    array_states_init(&array->states, spec.count);
    TAILQ_INIT(&array->tasks);
    TAILQ_INIT(&array->waiting);
    app->tasks[0] = spec.count;
    rm_account_measure(app);
    return 0;
}

static bool is_live(const struct app *task)
{
    return array_states_get(&task->array_app->array->states, task->array_position) == ARRAY_TASK_LIVE;
}

static void unlist(struct app *app, struct app *task)
{
    TAILQ_REMOVE(&app->array->tasks, task, in_array);
    if (task->waits_in_array) {
        TAILQ_REMOVE(&app->array->waiting, task, in_array_waiting);
        app->array->waiting_count--;
    }
    task->waits_in_array = false;
    task->array_app = NULL;
}

static void leave_array(struct master *m, struct app *task)
{
    struct app *app = task->array_app;

    if (is_live(task)) { /* its row could not be stored, so the task is submitted again */
        rm_array_set(app, task->array_position, ARRAY_TASK_WAITS);
        if (app->array->is_gated)
            array_queue_add(&app->array->queue, task->array_position);
        rm_job_check_at(m, app, m->now_ms);
    } else {
        app->array->ended_count--;
    }
    unlist(app, task);
}

void rm_array_free(struct master *m, struct app *app)
{
    struct app *task;

    if (app->array_app)
        leave_array(m, app);
    if (app->array == NULL)
        return;
    while ((task = TAILQ_FIRST(&app->array->tasks)) != NULL)
        unlist(app, task);
    array_spec_done(&app->array->spec);
    array_states_done(&app->array->states);
    array_queue_clear(&app->array->queue);
    rm_turn_drop_scan(m, app);
    free(app->array);
    app->array = NULL;
}

void rm_array_count(struct app *app)
{
    const struct job_array *array = app->array;

    app->tasks[1] = array->states.counts[ARRAY_TASK_LIVE];
    app->tasks[2] = array->states.counts[ARRAY_TASK_OK];
    app->tasks[3] = array->states.counts[ARRAY_TASK_FAILED];
    app->tasks[4] = array->killed;
    app->progress = (float)(app->tasks[2] + app->tasks[3]) / (float)app->tasks[0];
}

void rm_array_set(struct app *app, uint32_t position, enum array_task state)
{
    array_states_set(&app->array->states, position, state);
    rm_array_count(app);
}

void rm_array_add_task(struct app *app, struct app *task, uint32_t position, enum array_task state)
{
    task->array_app = app;
    task->array_id = app->id;
    task->array_position = position;
    task->array_index = array_spec_index(&app->array->spec, position);
    TAILQ_INSERT_TAIL(&app->array->tasks, task, in_array);
    app->array->ended_count += state != ARRAY_TASK_LIVE;
    rm_array_set(app, position, state);
    rm_app_list_waiting(task);
}

/* --- recovery ------------------------------------------------------------------ */

static enum array_task state_of_row(const Creel__StoredApp *row)
{
    if (row->state != CREEL__APP_STATE__APP_FINISHED && row->state != CREEL__APP_STATE__APP_FAILED &&
        row->state != CREEL__APP_STATE__APP_KILLED)
        return ARRAY_TASK_LIVE;
    return row->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED ? ARRAY_TASK_OK : ARRAY_TASK_FAILED;
}

static void note_exit(struct job_array *array, int32_t exit_status)
{
    if (exit_status > array->exit_status)
        array->exit_status = exit_status;
}

/* Adds the use of a task in STATE. The row of its array has the use of the tasks that it knew to have ended,
 * and that of an array that has ended (OVER) the use of all. */
static void recover_use(struct job_array *array, const struct app *task, uint32_t position,
                        enum array_task state, bool over)
{
    enum array_task known = array_states_get(&array->states, position);

    if (over || known == ARRAY_TASK_OK || known == ARRAY_TASK_FAILED)
        return;
    usage_sum_add(&array->usage.before, &task->usage.before);
    if (state != ARRAY_TASK_LIVE)
        usage_sum_add(&array->ended_use, &task->usage.before);
}

/* Restores TASK of an array. The row of the array was read before, since its id is lower. */
static int recover_task(struct master *m, struct app *task, const Creel__StoredApp *row, struct err *err)
{
    struct app *app;
    uint32_t position;

    if (!app_id_parse(row->array_id, &task->array_id))
        return err_set(err, EINVAL, "%s: array %s is no application id", row->app_id, row->array_id);
    task->array_index = row->array_index;
    app = task->array_id.cluster_ms == m->cluster_ms ? rm_app_find(m, task->array_id.seq) : NULL;
    if (app == NULL || app->array == NULL) /* the array was killed and forgotten */
        return 0;
    if (!array_spec_position(&app->array->spec, row->array_index, &position))
        return err_set(err, EINVAL, "%s: %s has no task %u", row->app_id, row->array_id, row->array_index);
    recover_use(app->array, task, position, state_of_row(row), rm_app_is_ended(app));
    app->array->killed += row->state == CREEL__APP_STATE__APP_KILLED &&
                          state_of_row(row) == ARRAY_TASK_FAILED &&
                          array_states_get(&app->array->states, position) != ARRAY_TASK_FAILED;
    rm_array_add_task(app, task, position, state_of_row(row));
    if (state_of_row(row) != ARRAY_TASK_LIVE)
        note_exit(app->array, row->exit_status);
    return 0;
}

int rm_array_recover(struct master *m, struct app *app, const Creel__StoredApp *row, struct err *err)
{
    int r;

    if (!rm_text_is_empty(row->array_id))
        return recover_task(m, app, row, err);
    r = rm_array_new(app, err);
    if (r < 0 || app->array == NULL)
        return r;
    if (!array_states_unpack(&app->array->states, row->array_states.data, row->array_states.len))
        return err_set(err, EINVAL, "%s: the states of its tasks make no sense", row->app_id);
    app->array->at_once = row->array_at_once;
    app->array->exit_status = row->array_exit_status;
    app->array->killed = row->array_killed < app->array->states.counts[ARRAY_TASK_FAILED]
                             ? row->array_killed
                             : app->array->states.counts[ARRAY_TASK_FAILED];
    app->array->ended_use =
        (struct usage_sum){ row->array_memory_mb_seconds * 1000, row->array_vcore_seconds * 1000 };
    app->array->usage.before = app->array->ended_use;
    /* Tasks that run are counted by their own rows, which follow: the store may have refused the row of a
     * task after that of its array was written. */
    app->tasks[1] = 0;
    app->tasks[2] = app->array->states.counts[ARRAY_TASK_OK];
    app->tasks[3] = app->array->states.counts[ARRAY_TASK_FAILED];
    app->tasks[4] = app->array->killed;
    return 0;
}

/* --- state of an array ---------------------------------------------------------------- */

bool rm_array_is_stopped(const struct app *app)
{
    uint32_t most = app->job->stop_after_failures;

    return most > 0 && app->array->states.counts[ARRAY_TASK_FAILED] >= most;
}

uint32_t rm_array_failed(const struct app *app)
{
    return app->array->states.counts[ARRAY_TASK_FAILED] - app->array->killed;
}

bool rm_array_is_over(const struct app *app)
{
    const uint32_t *counts = app->array->states.counts;

    return counts[ARRAY_TASK_LIVE] == 0 && (counts[ARRAY_TASK_WAITS] == 0 || rm_array_is_stopped(app));
}

static const char *part_text(struct arena *arena, uint32_t count, const char *what)
{
    return count == 0 ? "" : arena_printf(arena, ", %u %s", count, what);
}

const char *rm_array_text(struct master *m, const struct app *app)
{
    const uint32_t *counts = app->array->states.counts;
    struct arena *arena = m->out->arena;

    return arena_printf(arena, "%u of %u tasks run%s%s%s%s",
                        counts[ARRAY_TASK_LIVE] - app->array->waiting_count, app->array->states.count,
                        part_text(arena, counts[ARRAY_TASK_WAITS] + app->array->waiting_count, "wait"),
                        part_text(arena, counts[ARRAY_TASK_OK], "succeeded"),
                        part_text(arena, rm_array_failed(app), "failed"),
                        part_text(arena, app->array->killed, "killed"));
}

/* --- events ------------------------------------------------------------------- */

void rm_array_on_task_start(struct master *m, struct app *task)
{
    struct app *app = task->array_app;

    if (app == NULL || app->state != APP_STATE_TASKS)
        return;
    rm_app_touch(m, app);
    if (app->started_ms != 0)
        return;
    app->started_ms = m->now_ms;
    rm_app_show(m, app, CREEL__APP_STATE__APP_RUNNING);
    rm_store_app(m, app);
    rm_event_app_started(m, app);
    rm_depend_on_start(m, app);
}

void rm_array_on_task_end(struct master *m, struct app *task)
{
    struct app *app = task->array_app;
    bool good = task->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED;
    struct usage_sum use;

    if (app == NULL)
        return;
    note_exit(app->array, task->exit_status);
    use = usage_sum(&task->usage, m->now_ms);
    usage_sum_add(&app->array->ended_use, &use);
    app->array->ended_count++;
    app->array->killed += !good && task->shown == CREEL__APP_STATE__APP_KILLED;
    rm_array_set(app, task->array_position, good ? ARRAY_TASK_OK : ARRAY_TASK_FAILED);
    if (app->state != APP_STATE_TASKS)
        return;
    rm_app_touch(m, app);
    rm_job_check_at(m, app, m->now_ms);
}
