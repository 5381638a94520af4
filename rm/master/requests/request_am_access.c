/* SPDX-License-Identifier: Apache-2.0 */
/* request_am_access.c - request: what a process needs to be the AM of an unmanaged application */
#include <errno.h>

#include "rm/master/nodes/node_orders.h"
#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"

static bool may_register(const struct attempt *attempt)
{
    return attempt && (attempt->state == ATTEMPT_LAUNCHED || attempt->state == ATTEMPT_RUNNING);
}

static int judge(const struct app *app, struct err *err)
{
    if (!app->job->unmanaged)
        return err_set(err, EINVAL,
                       "%s has an application master in the cluster: no other can take its place", app->text);
    if (rm_app_is_ended(app))
        return err_set(err, EBUSY, "%s is over already: %s", app->text, rm_app_state_word(app));
    if (app->kill_requested || app->state == APP_STATE_FINAL_SAVING)
        return err_set(err, EBUSY, "%s is about to end", app->text);
    if (!may_register(app->attempt))
        return err_set(err, EAGAIN, "%s is not in its queue yet: try again later", app->text);
    return 0;
}

/* The first session of this start is greater than all sessions of earlier starts. */
static uint64_t next_session(const struct master *m, struct attempt *attempt)
{
    uint64_t first = (uint64_t)m->epoch << 32;

    if (attempt->last_session < first)
        attempt->last_session = first;
    return ++attempt->last_session;
}

void rm_on_get_am_access(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                         const char *user)
{
    Creel__AmGrant grant = CREEL__AM_GRANT__INIT;
    struct err err;
    struct app *app = rm_resolve_app(m, in->get_am_access->app_id, &err);
    Creel__Envelope *envelope;

    if (app == NULL || rm_authz_check_app(m, user, AUTHZ_BE_MASTER, app, &err) < 0 || judge(app, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    grant.attempt_id = app->attempt->text;
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_AM_ACCESS);
    envelope->am_access = arena_new0(m->out->arena, Creel__AmAccess);
    creel__am_access__init(envelope->am_access);
    envelope->am_access->app_id = rm_message_text(m->out->arena, app->text);
    envelope->am_access->token =
        m->config.sign(m->config.context, m->out->arena, CREEL__TOKEN_KIND__TOKEN_AM, NULL, &grant.base);
    envelope->am_access->job_token = rm_job_token(m, app);
    envelope->am_access->session = next_session(m, app->attempt);
    rm_reply_to(m, peer, envelope);
}
