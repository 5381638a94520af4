/* SPDX-License-Identifier: Apache-2.0 */
/* request_wait.c - requests: wait for a change of an application, or of nodes */
#include "rm/master/effects.h"
#include "rm/master/requests.h"
#include "rm/master/resolve.h"
#include "rm/master/waiters.h"

#define WAIT_MAX_MS 600000
#define WATCHERS_MAX 10000u /* maximum of waiting requests; further ones are answered at once */
#define WATCH_MAX_MS 600000

void rm_on_wait_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                    const char *user)
{
    const Creel__WaitApp *body = in->wait_app;
    struct err err;
    struct app *app = rm_resolve_app(m, body->app_id, &err);
    struct waiting *waiting;
    struct waiter *waiter;

    if (app == NULL) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    if (app->version != body->known_version || body->wait_ms == 0 ||
        (waiting = rm_waiting_begin(m, user)) == NULL) {
        rm_reply_app(m, peer, in->request_id, app, user);
        return;
    }
    waiter = mem_new0(struct waiter);
    waiter->app = app;
    waiter->channel = peer->channel;
    waiter->connection = peer->connection;
    waiter->request_id = in->request_id;
    waiter->known_version = body->known_version;
    waiter->waiting = waiting;
    rm_deadline_init(&waiter->deadline, DEADLINE_WAITER, waiter);
    rm_deadline_set(m, &waiter->deadline,
                    m->now_ms + (body->wait_ms < WAIT_MAX_MS ? body->wait_ms : WAIT_MAX_MS));
    TAILQ_INSERT_TAIL(&app->waiters, waiter, link);
}

void rm_on_wait_nodes(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                      const char *user)
{
    const Creel__WaitNodes *body = in->wait_nodes;
    struct watcher *watcher;

    (void)user; /* every user may see nodes */
    if (body->known_version != m->nodes_version || body->wait_ms == 0 || body->after[0] != '\0' ||
        m->watcher_count >= WATCHERS_MAX) {
        rm_reply_watched(m, peer, in->request_id, body->after);
        return;
    }
    watcher = mem_new0(struct watcher);
    watcher->channel = peer->channel;
    watcher->connection = peer->connection;
    watcher->request_id = in->request_id;
    rm_deadline_init(&watcher->deadline, DEADLINE_WATCHER, watcher);
    rm_deadline_set(m, &watcher->deadline,
                    m->now_ms + (body->wait_ms < WATCH_MAX_MS ? body->wait_ms : WATCH_MAX_MS));
    TAILQ_INSERT_TAIL(&m->watchers, watcher, link);
    m->watcher_count++;
}
