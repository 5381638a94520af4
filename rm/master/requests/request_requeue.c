/* SPDX-License-Identifier: Apache-2.0 */
/* request_requeue.c - request: put an application that runs back into its queue, as a new attempt */
#include <errno.h>

#include "rm/master/jobs/job_wait.h"
#include "rm/master/machines/attempt.h"
#include "rm/master/parts/format.h"
#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/index.h"
#include "rm/master/state/retry.h"

static int judge(struct master *m, const struct app *app, struct err *err)
{
    const char *earlier;

    if (app->job->no_requeue)
        return err_set(
            err, EINVAL,
            "%s never starts a second time (--no-requeue); creel app rerun %s submits it again as a "
            "new application once it has ended",
            app->text, format_app_id(app->text));
    if (rm_app_is_ended(app))
        return err_set(err, EBUSY, "%s is over already: %s; creel app rerun %s submits it again", app->text,
                       rm_app_state_word(app), format_app_id(app->text));
    if (app->state == APP_STATE_TASKS)
        return err_set(err, EBUSY, "%s is an array: name one of its tasks, as %s_%u", app->text,
                       format_app_id(app->text), app->array->spec.ranges[0].first);
    if (app->kill_requested || app->state == APP_STATE_FINAL_SAVING)
        return err_set(err, EBUSY, "%s is about to end", app->text);
    if (app->job->unmanaged)
        return err_set(err, EBUSY,
                       "%s has one attempt alone: its application master is outside of the cluster",
                       app->text);
    if (rm_attempt_has_ended_command(app->attempt))
        return err_set(err, EBUSY, "%s is about to end: its command has ended with exit status %d", app->text,
                       app->attempt->am_container->command_status);
    if (rm_attempt_is_decided(m, app->attempt)) /* of a job of tasks */
        return err_set(err, EBUSY, "%s is about to end: the commands of all its tasks have ended", app->text);
    if ((earlier = rm_retry_wait_text(m, app)) != NULL)
        return err_set(err, EBUSY, "%s starts again already: its attempt before is being stopped, and %s",
                       app->text, earlier);
    if (app->attempt == NULL || app->attempt->state <= ATTEMPT_SCHEDULED)
        return err_set(err, EBUSY, "%s has not begun", app->text);
    return 0;
}

void rm_on_requeue_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                       const char *user)
{
    const char *reason = in->requeue_app->reason;
    const struct hold *held = NULL;
    struct err err;
    struct app *app = rm_resolve_app(m, in->requeue_app->app_id, &err);

    if (app == NULL || rm_authz_check_app(m, user, AUTHZ_CHANGE_APP, app, &err) < 0 ||
        judge(m, app, &err) < 0) {
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
    if (in->requeue_app->hold)
        held = rm_hold_add(app, user, rm_holds_as_administrator(m, user, app), reason, m->now_ms);
    rm_reply_changed(m, peer, in->request_id, app, user);
    if (held != NULL)
        rm_event_app_held(m, app, held);
}
