/* SPDX-License-Identifier: Apache-2.0 */
/* authz.c - who may do what */
#include <string.h>

#include "rm/master/authz.h"
#include "rm/master/copy.h"
#include "rm/master/effects.h"
#include "rm/master/queues.h"

bool rm_user_list_has(const char *list, const char *user)
{
    size_t length = strlen(user);
    const char *at = list ? list : "";

    while (*at) {
        size_t word = strcspn(at, ", \t\n");

        if ((word == 1 && *at == '*') || (word == length && strncmp(at, user, word) == 0))
            return true;
        at += word;
        at += strspn(at, ", \t\n");
    }
    return false;
}

const char *rm_acting_user(struct master *m, const struct master_peer *peer,
                           const Creel__Envelope *envelope)
{
    const char *as = envelope->as_user;

    if (rm_text_is_empty(as) || strcmp(as, peer->principal) == 0)
        return peer->principal;
    if (rm_user_list_has(m->config.proxy_users, peer->principal))
        return as;
    rm_reply_error(m, peer, envelope->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                   "user %s may not act for %s: it is not among creel.proxy-users", peer->principal,
                   as);
    return NULL;
}

const char *rm_administrator(struct master *m, const struct master_peer *peer,
                             const Creel__Envelope *in)
{
    const char *user = rm_acting_user(m, peer, in);

    if (user == NULL || rm_user_list_has(m->config.admin_users, user))
        return user;
    rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                   "user %s is not an administrator of this cluster (yarn.admin.acl)", user);
    return NULL;
}

bool rm_may_administer(struct master *m, const char *user, const struct app *app)
{
    return !m->config.acl_enable || text_equal(user, app->user) ||
           rm_user_list_has(m->config.admin_users, user) ||
           rm_queues_may_administer(m, user, app->queue);
}

bool rm_may_see(struct master *m, const char *user, const struct app *app)
{
    return rm_may_administer(m, user, app);
}
