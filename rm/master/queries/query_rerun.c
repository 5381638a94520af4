/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query_rerun.c - GetRerun: the submission of an ended application, to submit it again
 *
 * The client submits the job of the reply as a new application, by SubmitApp, so all checks of a submission
 * apply. With "failed" the job has the tasks that did not succeed: an array has their indexes, and a job of
 * tasks begins with the results of the others, as a further attempt does (am_state.h). Without it the
 * job has the tasks that it was submitted with: those of the part, if it repeats a part of another one.
 */
#include <errno.h>
#include <string.h>

#include "common/base/job/am_state.h"
#include "common/base/job/depends.h"
#include "common/base/job/task_results.h"
#include "rm/master/jobs/array.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/parts/format.h"
#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"
#include "rm/master/state/job_rows.h"

#define ARRAY_BYTES_MAX 60000u /* of the indexes; a text of a message may have 65536 */

/* --- what can run again ------------------------------------------------------- */

static struct app *find(struct master *m, const char *user, const char *text, struct err *err)
{
    struct app *app = rm_resolve_app(m, text, err);
    struct app_id id;
    uint32_t index;

    if (app == NULL) {
        if (rm_has_forgotten(m, text, &id) || rm_has_forgotten_task(m, text, &id, &index))
            err_set(
                err, ENOENT,
                "application %s: the history does not have its submission, and the resource manager keeps "
                "those of the last %u ended applications (yarn.resourcemanager."
                "max-completed-applications): submit it again",
                text, m->config.max_completed_apps);
        return NULL;
    }
    return rm_authz_check_app(m, user, AUTHZ_RERUN_APP, app, err) < 0 ? NULL : app;
}

static int judge(const struct app *app, bool failed, struct err *err)
{
    const Creel__JobSpec *job = app->job;

    if (job->unmanaged)
        return err_set(err, EINVAL,
                       "%s has no command that could run again: its containers were requested from "
                       "outside of the cluster, as by creel alloc",
                       app->text);
    if (job->launch->input || job->launch->input_all)
        return err_set(err, EINVAL,
                       "%s read the standard input of the command that submitted it, which is not kept: run "
                       "that command again",
                       app->text);
    if (rm_app_is_ended(app)) {
        if (failed && app->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED)
            return err_set(err, EBUSY, "%s has succeeded, so there is nothing that failed", app->text);
        return 0;
    }
    if (app->array == NULL)
        return err_set(err, EBUSY, "%s has not ended; creel app requeue %s starts a new attempt", app->text,
                       format_app_id(app->text));
    if (!failed)
        return err_set(err, EBUSY,
                       "%s has not ended; creel app rerun %s --failed runs the tasks again that have failed",
                       app->text, format_app_id(app->text));
    return 0;
}

/* --- the failed tasks --------------------------------------------------------- */

/* Reduces the array of JOB to the tasks of APP that did not succeed. */
static int reduce_array(struct master *m, const struct app *app, Creel__Rerun *rerun, struct err *err)
{
    const uint32_t *counts = app->array->states.counts;
    unsigned set = 1u << ARRAY_TASK_FAILED;
    char *indexes;

    rerun->tasks = counts[ARRAY_TASK_FAILED];
    if (rm_app_is_ended(app)) { /* those that were never submitted, or are being stopped */
        set |= 1u << ARRAY_TASK_WAITS | 1u << ARRAY_TASK_LIVE;
        rerun->tasks += counts[ARRAY_TASK_WAITS] + counts[ARRAY_TASK_LIVE];
    }
    if (rerun->tasks == 0)
        return err_set(err, EBUSY, "%s: no task of this array has failed so far", app->text);
    indexes = rm_array_tasks_in(m->out->arena, app, set, ARRAY_RANGES_MAX);
    if (strlen(indexes) > ARRAY_BYTES_MAX || text_has_suffix(indexes, "..."))
        return err_set(
            err, EMSGSIZE,
            "%s: the indexes of its %u failed tasks are too long for one array: run the whole array "
            "again, or submit parts of it with --array",
            app->text, rerun->tasks);
    if (rm_text_is_empty(rerun->job->whole_array))
        rerun->job->whole_array = rerun->job->array;
    rerun->job->array = app->array->at_once > 0
                            ? arena_printf(m->out->arena, "%s%%%u", indexes, app->array->at_once)
                            : indexes;
    return 0;
}

/* Puts the tasks that succeeded by STATE, results of tasks of APP, into RERUN: they do not run again. */
static int leave_out(struct master *m, const struct app *app, const uint8_t *state, size_t size,
                     Creel__Rerun *rerun, struct err *err)
{
    uint32_t count = app->job->task_count;
    scoped_free int16_t *results = mem_array0(count, sizeof(*results));
    uint8_t *bytes;

    rerun->tasks = count;
    if (size == 0)
        return 0;
    if (task_results_decode(state, size, results, count, err) < 0) {
        err_prefix(err, "%s: the results of its tasks", app->text);
        return -err->code;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (results[i] == 0)
            rerun->tasks--;
        else
            results[i] = TASK_NOT_ENDED;
    }
    if (rerun->tasks == 0)
        return err_set(err, EBUSY, "%s: all of its tasks have succeeded", app->text);
    bytes = arena_alloc0(m->out->arena, AM_STATE_BYTES_MAX);
    rerun->am_state = arena_new0(m->out->arena, Creel__AmState);
    creel__am_state__init(rerun->am_state);
    rerun->am_state->data.data = bytes;
    rerun->am_state->data.len = task_results_encode(results, count, bytes, AM_STATE_BYTES_MAX);
    return 0;
}

/* Leaves out the tasks that succeeded, or with FAILED false those that the job did not begin with. An
 * application master of 0.2.0 does not report the last results: tasks without a result run again. */
static int reduce_tasks(struct master *m, const struct app *app, bool failed, Creel__Rerun *rerun,
                        struct err *err)
{
    const ProtobufCBinaryData *first = &app->job->first_results;

    if (failed)
        return leave_out(m, app, app->am_state, app->am_state_size, rerun, err);
    return leave_out(m, app, first->data, first->len, rerun, err);
}

static int reduce(struct master *m, const struct app *app, bool failed, Creel__Rerun *rerun, struct err *err)
{
    if (app->array)
        return failed ? reduce_array(m, app, rerun, err) : 0;
    return app->job->kind == CREEL__APP_KIND__APP_TASKS ? reduce_tasks(m, app, failed, rerun, err) : 0;
}

/* --- the reply ---------------------------------------------------------------- */

static uint32_t count_tasks(const struct app *app)
{
    if (app->array)
        return app->array->spec.count;
    return app->job->kind == CREEL__APP_KIND__APP_TASKS ? app->job->task_count : 0;
}

/* The applications that JOB depended on are those of its first run: only "singleton" is kept. */
static void drop_dependencies(struct arena *arena, Creel__JobSpec *job)
{
    struct depends depends;
    struct err err = { 0 };
    bool is_singleton = false;

    if (rm_text_is_empty(job->depends_on))
        return;
    if (depends_parse(arena, job->depends_on, &depends, &err) == 0 && !depends.one_is_enough)
        for (size_t i = 0; i < depends.count; i++)
            is_singleton = is_singleton || depends.items[i].on == DEPENDS_SINGLETON;
    job->depends_on = rm_message_text(arena, is_singleton ? depends_word(DEPENDS_SINGLETON) : NULL);
}

static Creel__Rerun *new_rerun(struct master *m, const struct app *app)
{
    struct arena *arena = m->out->arena;
    Creel__Rerun *rerun = arena_new0(arena, Creel__Rerun);
    Creel__JobSpec *job = (Creel__JobSpec *)rm_message_copy_in(arena, &app->job->base);

    creel__rerun__init(rerun);
    rerun->job = job;
    rerun->tasks = count_tasks(app);
    job->rerun_of = rm_message_text(arena, app->text);
    job->first_results = (ProtobufCBinaryData){ 0, NULL }; /* rerun->am_state has them */
    job->hold = false;
    job->begin_ms = 0;
    drop_dependencies(arena, job);
    rerun->no_deadline = job->deadline_ms > 0 && job->deadline_ms <= rm_job_wall_ms(m);
    if (rerun->no_deadline)
        job->deadline_ms = 0;
    return rerun;
}

Creel__Envelope *rm_query_rerun(struct master *m, const char *user, const Creel__Envelope *in)
{
    bool failed = in->get_rerun->failed;
    struct err err = { .code = 0 };
    struct app *app = find(m, user, in->get_rerun->app_id, &err);
    Creel__Envelope *envelope;
    Creel__Rerun *rerun;

    if (app == NULL || judge(app, failed, &err) < 0)
        return rm_error_envelope(m, in->request_id, &err);
    rerun = new_rerun(m, app);
    if (reduce(m, app, failed, rerun, &err) < 0)
        return rm_error_envelope(m, in->request_id, &err);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_RERUN);
    envelope->rerun = rerun;
    return envelope;
}
