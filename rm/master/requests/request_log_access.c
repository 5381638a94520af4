/* SPDX-License-Identifier: Apache-2.0 */
/* request_log_access.c - signs tokens for logs, signals and commands in containers */
#include <errno.h>

#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/effects.h"

#define VALID_MS 600000

int master_log_access(const struct master *m, struct arena *arena, const Creel__GetLogAccess *body,
                      const Creel__LogGrant *grant, int64_t now_ms, Creel__LogAccess *ret, struct err *err)
{
    Creel__LogGrant dated = *grant;

    dated.control = body->control;
    dated.expires_ms = now_ms + VALID_MS;
    creel__log_access__init(ret);
    ret->now_ms = now_ms;
    ret->expires_ms = dated.expires_ms;
    ret->tokens = arena_array0(arena, body->n_nodes + 1, sizeof(*ret->tokens));
    ret->n_tokens = body->n_nodes;
    for (size_t i = 0; i < body->n_nodes; i++)
        ret->tokens[i] = m->config.sign(m->config.context, arena, CREEL__TOKEN_KIND__TOKEN_LOG,
                                        body->nodes[i], &dated.base);
    if (body->n_nodes > 0)
        return 0;
    ret->token = m->config.sign(m->config.context, arena, CREEL__TOKEN_KIND__TOKEN_LOG, NULL, &dated.base);
    if (ret->token.len > 0)
        return 0;
    return err_set(
        err, EINVAL,
        "this client is of release 0.2.0 or older: its requests for logs name no node, which is not "
        "accepted any more; update creel on this host");
}

void rm_on_get_log_access(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                          const char *user)
{
    const Creel__GetLogAccess *body = in->get_log_access;
    Creel__Envelope *envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_LOG_ACCESS);
    Creel__LogGrant grant = CREEL__LOG_GRANT__INIT;
    struct err err;
    struct app *app = rm_resolve_app(m, body->app_id, &err);
    int r = app == NULL ? -1 : 0;

    if (r == 0)
        r = rm_authz_check_app(m, user, body->control ? AUTHZ_CONTROL_CONTAINERS : AUTHZ_READ_LOGS, app,
                               &err);
    if (r == 0) {
        grant.app_id = app->text;
        grant.user = (char *)(uintptr_t)user;
        envelope->log_access = arena_new0(m->out->arena, Creel__LogAccess);
        r = master_log_access(m, m->out->arena, body, &grant, m->now_ms, envelope->log_access, &err);
    }
    if (r < 0)
        rm_reply_err(m, peer, in->request_id, &err);
    else
        rm_reply_to(m, peer, envelope);
}
