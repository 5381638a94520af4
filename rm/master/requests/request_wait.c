/* SPDX-License-Identifier: Apache-2.0 */
/* request_wait.c - requests: wait for a change of an application, or of nodes */
#include "rm/master/orders/waiters.h"
#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/effects.h"

#define WAIT_MAX_MS 600000

static void init_wait(struct wait *wait, enum deadline_kind kind, void *owner, const struct master_peer *peer,
                      uint64_t request_id, uint64_t known_version)
{
    wait->channel = peer->channel;
    wait->connection = peer->connection;
    wait->request_id = request_id;
    wait->known_version = known_version;
    rm_deadline_init(&wait->deadline, kind, owner);
}

static int64_t wait_end(const struct master *m, uint32_t wait_ms)
{
    return m->now_ms + (wait_ms < WAIT_MAX_MS ? wait_ms : WAIT_MAX_MS);
}

void rm_on_wait_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                    const char *user)
{
    const Creel__WaitApp *body = in->wait_app;
    struct err err;
    struct app *app = rm_resolve_app(m, body->app_id, &err);
    struct waiter *waiter;
    struct wait *oldest;

    /* The reply to a request that waits is made for the user, not for the job. */
    if (app == NULL || (peer->job != NULL && rm_authz_check_app(m, user, AUTHZ_SEE_APP, app, &err) < 0)) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    if (app->version != body->known_version || body->wait_ms == 0 || rm_wait_pool_refuses(&m->app_waits)) {
        rm_reply_app(m, peer, in->request_id, app, user);
        return;
    }
    if ((oldest = rm_wait_pool_oldest(&m->app_waits, user)) != NULL)
        rm_waiter_answer(m, oldest->deadline.owner);
    waiter = mem_new0(struct waiter);
    waiter->app = app;
    init_wait(&waiter->wait, DEADLINE_WAITER, waiter, peer, in->request_id, body->known_version);
    rm_wait_pool_enter(m, &m->app_waits, &waiter->wait, user, wait_end(m, body->wait_ms));
    TAILQ_INSERT_TAIL(&app->waiters, waiter, link);
}

void rm_on_wait_nodes(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                      const char *user)
{
    const Creel__WaitNodes *body = in->wait_nodes;
    struct watcher *watcher;
    struct wait *oldest;

    if (body->known_version != m->nodes_version || body->wait_ms == 0 || body->after[0] != '\0' ||
        rm_wait_pool_refuses(&m->node_waits)) {
        rm_reply_watched(m, peer, in->request_id, body->after);
        return;
    }
    if ((oldest = rm_wait_pool_oldest(&m->node_waits, user)) != NULL)
        rm_watcher_answer(m, oldest->deadline.owner);
    watcher = mem_new0(struct watcher);
    init_wait(&watcher->wait, DEADLINE_WATCHER, watcher, peer, in->request_id, body->known_version);
    rm_wait_pool_enter(m, &m->node_waits, &watcher->wait, user, wait_end(m, body->wait_ms));
    TAILQ_INSERT_TAIL(&m->watchers, watcher, link);
}
