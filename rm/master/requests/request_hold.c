/* SPDX-License-Identifier: Apache-2.0 */
/* request_hold.c - requests: hold an application, and release held applications */
#include <errno.h>
#include <string.h>

#include "rm/master/jobs/job_wait.h"
#include "rm/master/machines/app.h"
#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/queues.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/index.h"

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

static int judge_hold(const struct app *app, bool begun, struct err *err)
{
    if (rm_app_is_ended(app))
        return err_set(err, EBUSY, "%s is over already: %s", app->text, rm_app_state_word(app));
    if (app->kill_requested || app->state == APP_STATE_FINAL_SAVING)
        return err_set(err, EBUSY, "%s is about to end", app->text);
    if (app->state == APP_STATE_NEW_SAVING)
        return err_set(err, EBUSY, "%s is being submitted: try again", app->text);
    return app->state == APP_STATE_WAITING || has_not_begun(app) ? 0 : judge_begun(app, begun, err);
}

void rm_on_hold_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                    const char *user)
{
    struct err err;
    struct app *app = rm_resolve_app(m, in->hold_app->app_id, &err);
    const struct hold *changed;

    if (app == NULL || rm_authz_check_app(m, user, AUTHZ_CHANGE_APP, app, &err) < 0 ||
        judge_hold(app, in->hold_app->begun, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    changed =
        rm_hold_add(app, user, rm_holds_as_administrator(m, user, app), in->hold_app->reason, m->now_ms);
    if (app->state == APP_STATE_ACCEPTED && has_not_begun(app))
        rm_app_event(m, app, APP_EVENT_HOLD);
    rm_reply_changed(m, peer, in->request_id, app, user);
    if (changed != NULL)
        rm_event_app_held(m, app, changed);
}

/* --- release ---------------------------------------------------------------- */

static size_t release(struct master *m, struct app *app, const char *user)
{
    bool administrator = rm_authz_app(m, user, AUTHZ_HOLD_AS_ADMINISTRATOR, app);
    size_t removed = 0;

    for (size_t i = app->hold_count; i-- > 0;) {
        const struct hold *hold = &app->holds[i];

        if (hold->administrator && !administrator && !text_equal(hold->by, user))
            continue;
        rm_hold_remove(app, i);
        removed++;
    }
    return removed;
}

void rm_on_release_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                       const char *user)
{
    struct err err;
    struct app *app = rm_resolve_app(m, in->release_app->app_id, &err);

    if (app == NULL || rm_authz_check_app(m, user, AUTHZ_CHANGE_APP, app, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    if (rm_app_is_ended(app) || app->hold_count == 0) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE, "%s is not held",
                       app->text);
        return;
    }
    if (release(m, app, user) == 0) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                       "%s is %s; only an administrator may release it", app->text,
                       rm_job_wait_text(m, app, JOB_WAIT_HELD));
        return;
    }
    if (app->hold_count == 0 && app->state == APP_STATE_WAITING) {
        app->priority = rm_queues_priority(m, app->user, app->job);
        rm_job_check_at(m, app, m->now_ms);
    }
    rm_reply_changed(m, peer, in->request_id, app, user);
    if (app->hold_count == 0)
        rm_event_app_released(m, app, user);
}
