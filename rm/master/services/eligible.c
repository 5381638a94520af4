/* SPDX-License-Identifier: Apache-2.0 */
/* eligible.c - enters applications into their queues: at submission, or when they wait for nothing any
 * more */
#include <errno.h>

#include "rm/master/jobs/array.h"
#include "rm/master/jobs/array_corr.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/machines/app.h"
#include "rm/master/services/eligible.h"
#include "rm/master/services/job.h"
#include "rm/master/services/queues.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"
#include "rm/master/state/rows.h"
#include "rm/master/state/time_limit.h"

/* A queue that is full or stopped is retried after this time, which doubles with each refusal up to a
 * limit. */
#define TRY_AGAIN_MS 1000
#define TRY_AGAIN_DOUBLINGS_MAX 5

int rm_eligible_enter(struct master *m, struct app *app, struct err *err)
{
    int64_t lifetime_s;
    int r = rm_queues_enter(m, app, false, err);

    if (r < 0)
        return r;
    app->eligible_ms = m->now_ms;
    rm_text_set(&app->refusal, NULL);
    lifetime_s = sched_queue_lifetime_s(m->sched, app->queue, app->job->lifetime_s);
    if (lifetime_s > 0)
        rm_time_limit_set_expiry(m, app, m->now_ms + lifetime_s * 1000);
    return 0;
}

/* Checks whether the queue would accept APP, except for its present number of applications. Sets
 * app->queue and app->priority. */
static int judge_queue(struct master *m, struct app *app, struct err *err)
{
    struct resource largest = rm_job_largest(m, app->job);
    int r = rm_queues_test(m, app->user, app->job, &largest, err);

    if (r < 0 && r != -EDQUOT)
        return r;
    rm_queues_copy_groups(m, app);
    rm_text_set(&app->queue, rm_queues_place(m, app->user, app->job));
    app->priority = rm_queues_priority(m, app->user, app->job);
    return 0;
}

int rm_eligible_submit(struct master *m, struct app *app, struct err *err)
{
    int r;

    if (app->job->hold)
        rm_hold_add(app, app->user, false, NULL, m->now_ms);
    rm_job_set_deadline(m, app);
    rm_job_name_enter(m, app);
    r = rm_depend_submit(m, app, err);
    if (r == 0)
        r = rm_array_new(app, err);
    if (r == 0)
        r = rm_corr_submit(m, app, err);
    if (r < 0)
        return r;
    if (app->array == NULL && rm_job_wait(m, app) == JOB_WAIT_NONE)
        return rm_eligible_enter(m, app, err);
    return judge_queue(m, app, err);
}

static void reject(struct master *m, struct app *app, const char *why)
{
    app->final_status = CREEL__FINAL_STATUS__FINAL_FAILED;
    rm_account_set_text(app, &app->diagnostics, why);
    rm_app_event(m, app, APP_EVENT_REJECTED);
}

static void try_again(struct master *m, struct app *app, bool stopped, const char *why)
{
    unsigned doublings = app->refusals < TRY_AGAIN_DOUBLINGS_MAX ? app->refusals : TRY_AGAIN_DOUBLINGS_MAX;

    app->refusals++;
    app->queue_stopped = stopped;
    rm_text_set(&app->refusal, why);
    rm_job_check_at(m, app, m->now_ms + ((int64_t)TRY_AGAIN_MS << doublings));
    rm_app_touch(m, app);
}

static void try_queue(struct master *m, struct app *app)
{
    struct err err;
    int r;

    if (app->array) {
        app->eligible_ms = m->now_ms;
        rm_store_app(m, app);
        rm_app_event(m, app, APP_EVENT_EXPAND);
        return;
    }
    r = rm_eligible_enter(m, app, &err);

    if (r == -EDQUOT || r == -ESHUTDOWN) {
        try_again(m, app, r == -ESHUTDOWN, err.text);
    } else if (r < 0) {
        reject(m, app, err.text);
    } else {
        rm_store_app(m, app);
        rm_app_event(m, app, APP_EVENT_ACCEPTED);
    }
}

/* Kills APP, whose dependencies can never be satisfied, and updates the applications that depend on APP: its
 * result is final, since it runs nothing. */
static void kill_unsatisfiable(struct master *m, struct app *app)
{
    rm_app_kill(m, app, arena_printf(m->out->arena, "Dependency: %s", rm_depend_text(m, app)));
    rm_corr_on_end(m, app);
    rm_depend_on_end(m, app);
}

void rm_eligible_on_timer(struct master *m, struct app *app)
{
    if (app->state != APP_STATE_WAITING)
        return;
    switch (rm_job_wait(m, app)) {
    case JOB_WAIT_NEVER:
        kill_unsatisfiable(m, app);
        break;
    case JOB_WAIT_HELD:
    case JOB_WAIT_DEPENDENCY:
        break;
    case JOB_WAIT_BEGIN:
        rm_job_check_at(m, app, app->job->begin_ms - m->wall_ahead_ms);
        break;
    case JOB_WAIT_QUEUE:
    case JOB_WAIT_NONE:
        try_queue(m, app);
        break;
    }
}
