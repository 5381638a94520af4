/* SPDX-License-Identifier: Apache-2.0 */
/* request_app.c - requests about one application: kill, move, priority, lifetime, name */
#include <errno.h>
#include <string.h>

#include "rm/master/machines/app.h"
#include "rm/master/machines/attempt.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/change_waiting.h"
#include "rm/master/state/copy.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/index.h"
#include "rm/master/state/job_rows.h"
#include "rm/master/state/measure.h"
#include "rm/master/services/queues.h"
#include "rm/master/queries/report.h"
#include "rm/master/orders/limit_orders.h"
#include "rm/master/requests.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/rows.h"
#include "rm/master/parts/format.h"
#include "rm/master/state/time_limit.h"

/* --- common parts of all changes ---------------------------------------- */

/* Returns the application if USER may change it and it is not about to end; NULL after an error reply. */
static struct app *changeable(struct master *m, const struct master_peer *peer, uint64_t request_id,
                              const char *user, const char *app_id)
{
    struct err err;
    struct app *app = rm_resolve_app(m, app_id, &err);

    if (app == NULL || rm_authz_check_app(m, user, AUTHZ_CHANGE_APP, app, &err) < 0) {
        rm_reply_err(m, peer, request_id, &err);
        return NULL;
    }
    if (app->state == APP_STATE_TASKS) {
        rm_reply_error(m, peer, request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "%s is an array, and in no queue itself: name one of its tasks, as %s_%u", app->text,
                       format_app_id(app->text), app->array->spec.ranges[0].first);
        return NULL;
    }
    if (app->state == APP_STATE_WAITING && !app->kill_requested)
        return app;
    if (rm_app_is_ended(app) || app->sched == NULL || app->state == APP_STATE_FINAL_SAVING ||
        app->kill_requested) {
        rm_reply_error(m, peer, request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       rm_app_is_ended(app) ? "%s is over already: %s" : "%s is about to end%s", app->text,
                       rm_app_is_ended(app) ? rm_app_state_word(app) : "");
        return NULL;
    }
    return app;
}

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

/* --- kill ------------------------------------------------------------------ */

static void kill_app(struct master *m, struct app *app, const char *user, const char *reason)
{
    scoped_free char *text =
        mem_printf("killed by %s%s%s", user, rm_text_is_empty(reason) ? "" : ": ", reason ? reason : "");

    rm_app_kill(m, app, text);
}

/* The outcome of APP is decided. */
static void refuse_kill(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                        const struct app *app)
{
    if (app->job->kind == CREEL__APP_KIND__APP_TASKS)
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "the commands of all tasks of %s have ended, and the processes that they left are "
                       "being stopped: creel kill --force ends them at once",
                       app->text);
    else
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "the command of %s has ended with exit status %d, and what it left is being stopped: "
                       "creel kill --force ends it at once",
                       app->text, app->attempt->am_container->command_status);
}

#define BEING_KILLED "%s is being killed"

void rm_on_kill_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                    const char *user)
{
    struct err err;
    struct app *app = rm_resolve_app(m, in->kill_app->app_id, &err);

    if (app == NULL || rm_authz_check_app(m, user, AUTHZ_KILL_APP, app, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    if (rm_app_is_ended(app) && !(in->kill_app->at_once && app->live > 0)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE, "%s is over already: %s",
                       app->text, rm_app_state_word(app));
        return;
    }
    if (rm_attempt_is_decided(m, app->attempt) && !in->kill_app->at_once) {
        refuse_kill(m, peer, in, app);
        return;
    }
    if (m->store_trouble && app->kill_requested && !in->kill_app->at_once) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_STORE, BEING_KILLED RM_STORED_LATER,
                       app->text, m->store_trouble);
        return;
    }
    if (!rm_app_is_ended(app))
        kill_app(m, app, user, in->kill_app->reason);
    if (in->kill_app->at_once)
        rm_app_kill_at_once(m, app);
    rm_send_changed_ok(m, peer, in->request_id, arena_printf(m->out->arena, BEING_KILLED, app->text));
}

/* --- changes --------------------------------------------------------------- */

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

/* Replies to a change of APP, which waits outside its queue. R below 0: the change was refused, ERR has the
 * reason. */
static void reply_waiting(struct master *m, const struct master_peer *peer, uint64_t request_id,
                          struct app *app, const char *user, int r, const struct err *err)
{
    if (r < 0)
        rm_reply_error(m, peer, request_id, rm_error_code(r), "%s: %s", app->text, err->text);
    else
        rm_reply_changed(m, peer, request_id, app, user);
}

/* Checks whether USER may move applications to QUEUE. */
static int judge_move(struct master *m, const char *user, const char *queue, struct err *err)
{
    struct sched_queue_figures figures = { .path = NULL };

    if (!sched_queue_find_figures(m->sched, queue, &figures))
        return 0; /* the scheduler returns the error */
    return rm_authz_check_queue(m, user, AUTHZ_MOVE_TO_QUEUE, figures.path, err);
}

void rm_on_move_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                    const char *user)
{
    struct app *app = changeable(m, peer, in->request_id, user, in->move_app->app_id);
    const char *queue, *from = NULL;
    struct err err = { .text = "" };
    int r;

    if (app == NULL)
        return;
    queue = rm_queue_name(m, in->move_app->queue);
    if (!sched_queue_is(m->sched, queue, app->queue)) {
        if (judge_move(m, user, queue, &err) < 0) {
            rm_reply_err(m, peer, in->request_id, &err);
            return;
        }
        from = arena_strdup(m->out->arena, app->queue);
        if (app->state == APP_STATE_WAITING) {
            r = rm_waiting_move(m, app, queue, &err);
            reply_waiting(m, peer, in->request_id, app, user, r, &err);
            if (r == 0)
                rm_event_app_moved(m, app, from);
            return;
        }
        r = sched_app_move(m->sched, app->sched, queue, &m->decisions, &err);
        if (r < 0) {
            rm_reply_error(m, peer, in->request_id, rm_error_code(r), "%s: cannot be moved: %s", app->text,
                           err.text);
            return;
        }
        rm_text_set(&app->queue, sched_app_queue(app->sched));
        rm_measure_use(m, app);
        rm_waiting_store_queue(app);
        cut_lifetime(m, app);
        rm_limit_changed(m, app);
    }
    rm_reply_changed(m, peer, in->request_id, app, user);
    if (from == NULL)
        return;
    rm_event_app_moved(m, app, from);
    rm_event_queue_left(m, from);
}

void rm_on_set_priority(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                        const char *user)
{
    struct app *app = changeable(m, peer, in->request_id, user, in->set_priority->app_id);
    struct sched_app_spec spec = { .priority = in->set_priority->priority };
    struct err err;
    int r;

    if (app == NULL)
        return;
    if (app->state == APP_STATE_WAITING) {
        r = rm_waiting_set_priority(m, app, spec.priority, &err);
        reply_waiting(m, peer, in->request_id, app, user, r, &err);
        return;
    }
    spec.user = user;
    spec.group_count = rm_groups_of(m, user, &spec.groups);
    r = sched_app_may_have_priority(m->sched, app->sched, &spec, &err);
    if (r < 0) {
        rm_reply_error(m, peer, in->request_id, rm_error_code(r), "%s: %s", app->text, err.text);
        return;
    }
    sched_app_set_priority(m->sched, app->sched, in->set_priority->priority, &m->decisions);
    app->priority = app->job->priority = sched_app_priority(app->sched); /* kept in the job, in case the
                                                                            application is held later */
    rm_job_changed(app);
    rm_reply_changed(m, peer, in->request_id, app, user);
}

/* Sets the time limit of APP; below 0: none. */
static void set_time_limit(struct master *m, struct app *app, int64_t limit_s)
{
    rm_time_limit_set(m, app, limit_s > 0 ? limit_s : 0);
    if (app->state == APP_STATE_WAITING)
        return;
    cut_lifetime(m, app);
    rm_limit_changed(m, app);
}

void rm_on_set_lifetime(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                        const char *user)
{
    struct app *app = changeable(m, peer, in->request_id, user, in->set_lifetime->app_id);
    int64_t expires_ms = in->set_lifetime->expires_ms;

    if (app == NULL)
        return;
    if (in->set_lifetime->time_limit_s != 0) {
        set_time_limit(m, app, in->set_lifetime->time_limit_s);
        rm_reply_changed(m, peer, in->request_id, app, user);
        return;
    }
    if (expires_ms != 0 && expires_ms <= m->now_ms) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                       "%s: cannot end in the past; creel kill ends it now", app->text);
        return;
    }
    if (app->state == APP_STATE_WAITING) {
        rm_waiting_set_lifetime(m, app, expires_ms);
        reply_waiting(m, peer, in->request_id, app, user, 0, NULL);
        return;
    }
    rm_time_limit_move(m, app, expires_ms);
    cut_lifetime(m, app);
    rm_limit_changed(m, app);
    rm_reply_changed(m, peer, in->request_id, app, user);
}

/* --- name ------------------------------------------------------------------ */

static int judge_name(const struct app *app, struct err *err)
{
    if (rm_app_is_ended(app))
        return err_set(err, EBUSY, "%s is over already: %s", app->text, rm_app_state_word(app));
    if (app->state == APP_STATE_NEW_SAVING)
        return err_set(err, EBUSY, "%s is being submitted: try again", app->text);
    return 0;
}

/* Changes the name of APP, and its place among the jobs of one name, which a "singleton" waits for. */
static void set_name(struct master *m, struct app *app, const char *name)
{
    bool is_listed = app->of_name != NULL;

    if (is_listed)
        rm_job_name_leave(m, app);
    if (app->job->name !=
        (char *)(uintptr_t)protobuf_c_empty_string) /* the generated code's constant for "" */
        free(app->job->name);
    app->job->name = mem_strdup(name);
    rm_job_changed(app);
    if (is_listed)
        rm_job_name_enter(m, app);
    if (app->state == APP_STATE_WAITING)
        rm_job_check_at(m, app, m->now_ms);
}

void rm_on_set_name(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                    const char *user)
{
    struct err err;
    struct app *app = rm_resolve_app(m, in->set_name->app_id, &err);

    if (app == NULL || rm_authz_check_app(m, user, AUTHZ_CHANGE_APP, app, &err) < 0 ||
        judge_name(app, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    set_name(m, app, in->set_name->name);
    rm_reply_changed(m, peer, in->request_id, app, user);
}
