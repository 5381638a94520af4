/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change_app.c - changes of an application: all that a request has, or none
 *
 * Each part has a function that judges it, and one that makes it, which cannot fail. A part is judged as the
 * application is before the request, but its priority, which is judged for its new queue.
 */
#include <errno.h>
#include <string.h>

#include "rm/master/jobs/depend.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/machines/app.h"
#include "rm/master/orders/limit_orders.h"
#include "rm/master/parts/format.h"
#include "rm/master/queries/report.h"
#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/change_waiting.h"
#include "rm/master/services/queues.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/index.h"
#include "rm/master/state/job_rows.h"
#include "rm/master/state/measure.h"
#include "rm/master/state/rows.h"
#include "rm/master/state/time_limit.h"

struct app_change {
    struct master *m;
    const char *user;
    const Creel__ChangeApp *body;
    struct app *app;
    const char *queue; /* that APP enters; NULL: it stays where it is */
    const char *from;  /* the queue that it left; NULL: none */
    bool left;         /* it was known to the scheduler there */
    const struct hold *held;
    bool released;
};

/* --- reply ----------------------------------------------------------------------- */

void rm_reply_changed(struct master *m, const struct master_peer *peer, uint64_t request_id, struct app *app,
                      const char *user)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_APP_LIST);
    Creel__AppList *list = arena_new0(m->out->arena, Creel__AppList);
    uint64_t seq;

    rm_app_touch(m, app);
    seq = rm_store_app(m, app);
    /* app->saving_seq is not changed: a state that waits for an earlier row still changes when that row is on
     * disk. */
    creel__app_list__init(list);
    list->apps = arena_array0(m->out->arena, 1, sizeof(*list->apps));
    list->apps[list->n_apps++] = rm_app_report(m, app, user, true);
    envelope->app_list = list;
    rm_send_changed(m, peer, seq, envelope, arena_printf(m->out->arena, "%s is changed", app->text));
}

/* --- queue and priority ----------------------------------------------------- */

/* Checks that APP is in a queue or will enter one, or is an array whose tasks are, or will. */
static int judge_queued(const struct app *app, struct err *err)
{
    if (app->state == APP_STATE_TASKS)
        return rm_judge_array(app, err);
    if (app->state == APP_STATE_WAITING && !app->kill_requested)
        return 0;
    if (rm_app_is_ended(app))
        return err_set(err, EBUSY, "%s is over already: %s", app->text, rm_app_state_word(app));
    if (app->sched == NULL || app->state == APP_STATE_FINAL_SAVING || app->kill_requested)
        return err_set(err, EBUSY, "%s is about to end", app->text);
    return 0;
}

/* Checks whether the user may move applications to the new queue. */
static int judge_access(const struct app_change *change, struct err *err)
{
    struct master *m = change->m;
    struct sched_queue_figures figures = { .path = NULL };

    if (!sched_queue_find_figures(m->sched, change->queue, &figures))
        return 0; /* the scheduler returns the error */
    return rm_authz_check_queue(m, change->user, AUTHZ_MOVE_TO_QUEUE, figures.path, err);
}

static int judge_move(struct app_change *change, struct err *err)
{
    const char *queue = rm_queue_name(change->m, change->body->move->queue);

    if (sched_queue_is(change->m->sched, queue, change->app->queue) &&
        change->app->state != APP_STATE_TASKS) /* its tasks may be elsewhere */
        return 0;
    change->queue = queue;
    return judge_access(change, err);
}

static int judge_priority(const struct app_change *change, struct err *err)
{
    struct master *m = change->m;
    struct sched_app_spec spec = {
        .priority = change->body->priority->priority,
        .user = change->user,
        .queue = change->queue,
    };
    int r;

    if (change->app->state == APP_STATE_WAITING || change->app->state == APP_STATE_TASKS)
        return 0; /* rm_waiting_place judges it */
    spec.group_count = rm_groups_of(m, change->user, &spec.groups);
    r = sched_app_may_have_priority(m->sched, change->app->sched, &spec, err);
    if (r < 0)
        err_prefix(err, "%s", change->app->text);
    return r;
}

static int judge_place(struct app_change *change, struct err *err)
{
    const Creel__ChangeApp *body = change->body;
    int r;

    if (!body->move && !body->priority && !body->lifetime)
        return 0;
    if ((r = judge_queued(change->app, err)) < 0)
        return r;
    if (body->move && (r = judge_move(change, err)) < 0)
        return r;
    return body->priority ? judge_priority(change, err) : 0;
}

/* Limits the lifetime of APP to the maximum of its present queue. */
static void cut_lifetime(struct master *m, struct app *app)
{
    struct sched_queue_figures figures;
    int64_t latest_ms;

    if (!sched_queue_find_figures(m->sched, app->queue, &figures) || figures.maximum_lifetime_s <= 0)
        return;
    latest_ms = app->eligible_ms + figures.maximum_lifetime_s * 1000;
    if (app->expires_ms == 0 || app->expires_ms > latest_ms)
        rm_time_limit_set_expiry(m, app, latest_ms);
}

static int move_scheduled(struct app_change *change, struct err *err)
{
    struct master *m = change->m;
    struct app *app = change->app;
    int r = sched_app_move(m->sched, app->sched, change->queue, &m->decisions, err);

    if (r < 0) {
        err_prefix(err, "%s: cannot be moved", app->text);
        return r;
    }
    rm_text_set(&app->queue, sched_app_queue(app->sched));
    rm_measure_use(m, app);
    rm_waiting_store_queue(app);
    cut_lifetime(m, app);
    rm_limit_changed(m, app);
    change->left = true;
    return 0;
}

static void set_scheduled_priority(struct app_change *change)
{
    struct master *m = change->m;
    struct app *app = change->app;

    sched_app_set_priority(m->sched, app->sched, change->body->priority->priority, &m->decisions);
    app->priority = app->job->priority = sched_app_priority(app->sched); /* kept in the job, in case the
                                                                            application is held later */
    rm_job_changed(app);
}

static int place_waiting(const struct app_change *change, struct err *err)
{
    const Creel__SetPriority *priority = change->body->priority;
    int r;

    if (!change->queue && !priority)
        return 0;
    r = rm_waiting_place(change->m, change->app, change->queue, priority ? &priority->priority : NULL, err);
    if (r < 0)
        err_prefix(err, "%s", change->app->text);
    return r;
}

/* Sets queue and priority, or neither: the scheduler judges the queue when it moves the application. */
static int place(struct app_change *change, struct err *err)
{
    const char *from = change->queue ? arena_strdup(change->m->out->arena, change->app->queue) : NULL;
    bool waits = change->app->state == APP_STATE_WAITING || change->app->state == APP_STATE_TASKS;
    int r = 0;

    if (waits)
        r = place_waiting(change, err);
    else if (change->queue)
        r = move_scheduled(change, err);
    if (r < 0)
        return r;
    change->from = from;
    if (!waits && change->body->priority)
        set_scheduled_priority(change);
    return 0;
}

/* --- lifetime and time limit -------------------------------------------------- */

static int judge_lifetime(const struct app_change *change, struct err *err)
{
    const Creel__SetLifetime *lifetime = change->body->lifetime;
    const struct app *app = change->app;

    if (lifetime && lifetime->time_limit_s == 0 && app->state == APP_STATE_TASKS)
        return err_set(err, EBUSY,
                       "%s is an array that has begun: the lifetimes of its tasks are changed one by one, as "
                       "%s_%u; a time limit is that of all",
                       app->text, format_app_id(app->text), app->array->spec.ranges[0].first);
    if (lifetime && lifetime->time_limit_s == 0 && lifetime->expires_ms != 0 &&
        lifetime->expires_ms <= change->m->now_ms)
        return err_set(err, EINVAL, "%s: cannot end in the past; creel kill ends it now", change->app->text);
    return 0;
}

static void set_lifetime(const struct app_change *change)
{
    const Creel__SetLifetime *lifetime = change->body->lifetime;
    struct master *m = change->m;
    struct app *app = change->app;
    bool waits = app->state == APP_STATE_WAITING || app->state == APP_STATE_TASKS;

    if (!lifetime)
        return;
    if (lifetime->time_limit_s != 0) /* below 0: none */
        rm_time_limit_set(m, app, lifetime->time_limit_s > 0 ? lifetime->time_limit_s : 0);
    else if (waits)
        rm_waiting_set_lifetime(m, app, lifetime->expires_ms);
    else
        rm_time_limit_move(m, app, lifetime->expires_ms);
    if (waits)
        return;
    cut_lifetime(m, app);
    rm_limit_changed(m, app);
}

/* --- name ---------------------------------------------------------------------- */

static int judge_name(const struct app_change *change, struct err *err)
{
    const struct app *app = change->app;

    if (!change->body->name)
        return 0;
    if (rm_app_is_ended(app))
        return err_set(err, EBUSY, "%s is over already: %s", app->text, rm_app_state_word(app));
    if (app->state == APP_STATE_NEW_SAVING)
        return err_set(err, EBUSY, "%s is being submitted: try again", app->text);
    return 0;
}

/* Changes the name, and the place of the application among the jobs of one name, which a "singleton" waits
 * for. */
static void set_name(const struct app_change *change)
{
    struct master *m = change->m;
    struct app *app = change->app;
    bool is_listed = app->of_name != NULL;

    if (!change->body->name)
        return;
    if (is_listed)
        rm_job_name_leave(m, app);
    if (app->job->name !=
        (char *)(uintptr_t)protobuf_c_empty_string) /* the generated code's constant for "" */
        free(app->job->name);
    app->job->name = mem_strdup(change->body->name->name);
    rm_job_changed(app);
    if (is_listed)
        rm_job_name_enter(m, app);
    if (app->state == APP_STATE_WAITING)
        rm_job_check_at(m, app, m->now_ms);
}

/* --- array --------------------------------------------------------------------- */

int rm_judge_array(const struct app *app, struct err *err)
{
    if (app->array == NULL)
        return err_set(err, EBUSY, "%s is no array", app->text);
    if (rm_app_is_ended(app) || app->kill_requested || app->state == APP_STATE_FINAL_SAVING)
        return err_set(err, EBUSY, "%s is over already, or about to end", app->text);
    return 0;
}

static void set_array(const struct app_change *change)
{
    struct app *app = change->app;

    if (!change->body->array)
        return;
    app->array->at_once = change->body->array->at_once;
    if (app->state == APP_STATE_TASKS)
        rm_job_check_at(change->m, app, change->m->now_ms);
}

/* Makes the change of an array of TASK, one of its live tasks. A task that runs keeps its queue. */
static int change_task(const struct app_change *change, struct app *task, struct err *err)
{
    struct app_change one = *change;
    bool waits = task->waits_in_array;
    int r = 0;

    one.app = task;
    if (judge_queued(task, err) < 0)
        return 0; /* it is about to end */
    if (waits && change->queue && !sched_queue_is(change->m->sched, change->queue, task->queue))
        r = task->state == APP_STATE_WAITING ? rm_waiting_place(change->m, task, change->queue, NULL, err)
                                             : move_scheduled(&one, err);
    if (r < 0)
        return r;
    if (change->body->priority && task->state == APP_STATE_WAITING)
        r = rm_waiting_place(change->m, task, NULL, &change->body->priority->priority, err);
    else if (change->body->priority)
        set_scheduled_priority(&one);
    set_lifetime(&one);
    rm_app_touch(change->m, task);
    rm_store_app(change->m, task);
    return r;
}

/* Makes the change of an array that has begun of its tasks, too. Those that are no applications yet get it
 * from the job of the array. A task that the queue refuses, as one that is full, stays where it is. */
static int change_tasks(const struct app_change *change, struct err *err)
{
    const Creel__ChangeApp *body = change->body;
    struct app *app = change->app, *task, *next;
    struct err why = { .text = "" };
    uint32_t refused = 0;

    if (app->state != APP_STATE_TASKS || (!body->move && !body->priority && !body->lifetime))
        return 0;
    if (body->priority)
        app->priority = rm_queues_priority(change->m, app->user, app->job);
    TAILQ_FOREACH_SAFE(task, &app->array->tasks, in_array, next)
        if (!rm_app_is_ended(task) && change_task(change, task, &why) < 0)
            refused++;
    return refused == 0
               ? 0
               : err_set(err, EBUSY, "%s: %u of its tasks stay in their queues, the others are changed: %s",
                         app->text, refused, why.text);
}

/* --- holds --------------------------------------------------------------------- */

bool rm_holds_as_administrator(struct master *m, const char *user, const struct app *app)
{
    return !text_equal(user, app->user) && rm_authz_app(m, user, AUTHZ_HOLD_AS_ADMINISTRATOR, app);
}

/* Returns true if APP is in its queue and no container has been allocated for it. */
static bool has_not_begun(const struct app *app)
{
    return app->state == APP_STATE_ACCEPTED && app->attempt->state == ATTEMPT_SCHEDULED && app->live == 0;
}

/* BEGUN: an application that has begun is held before its next attempt. */
static int judge_begun(const struct app *app, bool begun, struct err *err)
{
    bool has_attempts = app->state == APP_STATE_ACCEPTED || app->state == APP_STATE_RUNNING;

    if (app->state == APP_STATE_TASKS)
        return err_set(err, EBUSY,
                       "%s is an array that has begun, and is not held as a whole: hold those of its tasks "
                       "that are in their queue, as %s_%u, or let one run at a time: creel app set %s "
                       "--at-once 1",
                       app->text, format_app_id(app->text), app->array->spec.ranges[0].first,
                       format_app_id(app->text));
    if (!begun || !has_attempts)
        return err_set(err, EBUSY, "%s has begun already; creel kill ends it", app->text);
    if (app->job->no_requeue)
        return err_set(err, EINVAL, "%s has begun already, and never starts a second time (--no-requeue)",
                       app->text);
    if (app->job->unmanaged)
        return err_set(err, EBUSY,
                       "%s has one attempt alone: its application master is outside of the cluster",
                       app->text);
    return 0;
}

static int judge_hold(const struct app_change *change, struct err *err)
{
    const struct app *app = change->app;

    if (!change->body->hold)
        return 0;
    if (rm_app_is_ended(app))
        return err_set(err, EBUSY, "%s is over already: %s", app->text, rm_app_state_word(app));
    if (app->kill_requested || app->state == APP_STATE_FINAL_SAVING)
        return err_set(err, EBUSY, "%s is about to end", app->text);
    if (app->state == APP_STATE_NEW_SAVING)
        return err_set(err, EBUSY, "%s is being submitted: try again", app->text);
    return app->state == APP_STATE_WAITING || has_not_begun(app)
               ? 0
               : judge_begun(app, change->body->hold->begun, err);
}

static void add_hold(struct app_change *change)
{
    struct master *m = change->m;
    struct app *app = change->app;

    if (!change->body->hold)
        return;
    change->held = rm_hold_add(app, change->user, rm_holds_as_administrator(m, change->user, app),
                               change->body->hold->reason, m->now_ms);
    if (app->state == APP_STATE_ACCEPTED && has_not_begun(app))
        rm_app_event(m, app, APP_EVENT_HOLD);
}

static bool may_remove(const struct app_change *change, const struct hold *hold, bool administrator)
{
    return !hold->administrator || administrator || text_equal(hold->by, change->user);
}

static int judge_release(const struct app_change *change, struct err *err)
{
    const struct app *app = change->app;
    bool administrator;

    if (!change->body->release)
        return 0;
    if (rm_app_is_ended(app) || app->hold_count == 0)
        return err_set(err, EBUSY, "%s is not held", app->text);
    administrator = rm_authz_app(change->m, change->user, AUTHZ_HOLD_AS_ADMINISTRATOR, app);
    for (size_t i = 0; i < app->hold_count; i++)
        if (may_remove(change, &app->holds[i], administrator))
            return 0;
    return err_set(err, EPERM, "%s is %s; only an administrator may release it", app->text,
                   rm_job_wait_text(change->m, app, JOB_WAIT_HELD));
}

static void remove_holds(struct app_change *change)
{
    struct master *m = change->m;
    struct app *app = change->app;
    bool administrator;

    if (!change->body->release)
        return;
    administrator = rm_authz_app(m, change->user, AUTHZ_HOLD_AS_ADMINISTRATOR, app);
    for (size_t i = app->hold_count; i-- > 0;)
        if (may_remove(change, &app->holds[i], administrator))
            rm_hold_remove(app, i);
    change->released = app->hold_count == 0;
    if (change->released && app->state == APP_STATE_WAITING) {
        app->priority = rm_queues_priority(m, app->user, app->job);
        rm_job_check_at(m, app, m->now_ms);
    }
}

/* --- all of a request ------------------------------------------------------------ */

static int judge(struct app_change *change, struct err *err)
{
    int r;

    if ((r = judge_place(change, err)) < 0 || (r = judge_lifetime(change, err)) < 0 ||
        (r = judge_name(change, err)) < 0 || (r = judge_hold(change, err)) < 0 ||
        (r = judge_release(change, err)) < 0)
        return r;
    return change->body->array ? rm_judge_array(change->app, err) : 0;
}

static int make(struct app_change *change, struct err *err)
{
    int r = place(change, err);

    if (r < 0)
        return r;
    set_lifetime(change);
    set_name(change);
    set_array(change);
    remove_holds(change);
    add_hold(change);
    return 0;
}

static void log_events(const struct app_change *change)
{
    struct master *m = change->m;

    if (change->from)
        rm_event_app_moved(m, change->app, change->from);
    if (change->left)
        rm_event_queue_left(m, change->from);
    if (change->released)
        rm_event_app_released(m, change->app, change->user);
    if (change->held)
        rm_event_app_held(m, change->app, change->held);
}

void rm_change_app(struct master *m, const struct master_peer *peer, uint64_t request_id,
                   const Creel__ChangeApp *body, const char *user)
{
    struct err err = { .text = "" };
    struct app_change change = {
        .m = m,
        .user = user,
        .body = body,
        .app = rm_resolve_app(m, body->app_id, &err),
    };

    if (change.app == NULL || rm_authz_check_app(m, user, AUTHZ_CHANGE_APP, change.app, &err) < 0 ||
        judge(&change, &err) < 0 || make(&change, &err) < 0) {
        rm_reply_err(m, peer, request_id, &err);
        return;
    }
    if (change_tasks(&change, &err) < 0) {
        rm_app_touch(m, change.app);
        rm_store_app(m, change.app);
        rm_reply_err(m, peer, request_id, &err);
    } else {
        rm_reply_changed(m, peer, request_id, change.app, user);
    }
    log_events(&change);
}
