/* SPDX-License-Identifier: Apache-2.0 */
/* request_requeue.c - request: put an application that runs back into its queue, as a new attempt */
#include <errno.h>

#include "rm/master/attempt.h"
#include "rm/master/authz.h"
#include "rm/master/copy.h"
#include "rm/master/effects.h"
#include "rm/master/format.h"
#include "rm/master/index.h"
#include "rm/master/requests.h"
#include "rm/master/resolve.h"

static int judge(const struct app *app, struct err *err)
{
    if (rm_app_is_ended(app))
        return err_set(err, EBUSY, "%s is over already: %s", app->text, rm_app_state_word(app));
    if (app->state == APP_STATE_TASKS)
        return err_set(err, EBUSY, "%s is an array: name one of its tasks, as %s_%u", app->text,
                       format_app_id(app->text), app->array->spec.ranges[0].first);
    if (app->kill_requested || app->state == APP_STATE_FINAL_SAVING)
        return err_set(err, EBUSY, "%s is about to end", app->text);
    if (app->job->unmanaged)
        return err_set(err, EBUSY,
                       "%s has one attempt alone: its application master is outside of the cluster",
                       app->text);
    if (app->attempt == NULL || app->attempt->state <= ATTEMPT_SCHEDULED)
        return err_set(err, EBUSY, "%s has not begun", app->text);
    return 0;
}

void rm_on_requeue_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                       const char *user)
{
    const char *reason = in->requeue_app->reason;
    struct err err;
    struct app *app = rm_resolve_app(m, in->requeue_app->app_id, &err);

    if (app == NULL || rm_authz_check_app(m, user, AUTHZ_CHANGE_APP, app, &err) < 0 || judge(app, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    if (!rm_attempt_requeue(m, app->attempt,
                            arena_printf(m->out->arena, "requeued by %s%s%s", user,
                                         rm_text_is_empty(reason) ? "" : ": ", reason))) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "%s: its attempt %u is about to end", app->text, app->attempt->id.attempt);
        return;
    }
    rm_reply_changed(m, peer, in->request_id, app, user);
}
