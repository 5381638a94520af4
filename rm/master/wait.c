/* SPDX-License-Identifier: Apache-2.0 */
/* wait.c - answers requests that wait for a change of an application, or of nodes */
#include <string.h>

#include "rm/master/copy.h"
#include "rm/master/effects.h"
#include "rm/master/index.h"
#include "rm/master/page.h"
#include "rm/master/report.h"
#include "rm/master/waiters.h"

/* --- applications -------------------------------------------------------- */

void rm_reply_app(struct master *m, const struct master_peer *peer, uint64_t request_id,
                  const struct app *app, const char *user)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_APP_LIST);
    Creel__AppList *list = arena_new0(m->out->arena, Creel__AppList);

    creel__app_list__init(list);
    list->apps = arena_array0(m->out->arena, 1, sizeof(*list->apps));
    list->apps[0] = rm_app_report(m, app, user);
    list->n_apps = 1;
    envelope->app_list = list;
    rm_reply_to(m, peer, envelope);
}

void rm_waiter_answer(struct master *m, struct waiter *waiter)
{
    struct master_peer peer = { waiter->channel, waiter->connection, waiter->waiting->user };

    rm_reply_app(m, &peer, waiter->request_id, waiter->app, waiter->waiting->user);
    rm_waiter_free(m, waiter);
}

void rm_waiters_answer(struct master *m, struct app *app)
{
    struct waiter *waiter, *next;

    TAILQ_FOREACH_SAFE(waiter, &app->waiters, link, next)
        if (waiter->known_version != app->version)
            rm_waiter_answer(m, waiter);
}

/* --- nodes --------------------------------------------------------------- */

void rm_reply_nodes(struct master *m, const struct master_peer *peer, uint64_t request_id,
                    struct node *const *nodes, size_t count)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_NODE_LIST);
    Creel__NodeList *list = arena_new0(m->out->arena, Creel__NodeList);
    size_t bytes = 0;

    creel__node_list__init(list);
    list->nodes = arena_array0(m->out->arena, count + 1, sizeof(*list->nodes));
    for (size_t i = 0; i < count; i++) {
        Creel__NodeReport *report = rm_node_report(m, nodes[i]);

        bytes += creel__node_report__get_packed_size(report) + FIELD_BYTES;
        if (bytes > REPLY_BYTES_MAX && i > 0) {
            list->next = rm_message_text(m->out->arena, nodes[i - 1]->id);
            break;
        }
        list->nodes[list->n_nodes++] = report;
    }
    list->version = m->nodes_version + m->nodes_changed;
    list->now_ms = m->now_ms;
    envelope->node_list = list;
    rm_reply_stored(m, peer, envelope);
}

void rm_reply_watched(struct master *m, const struct master_peer *peer, uint64_t request_id,
                      const char *after)
{
    struct arena *arena = m->out->arena;
    struct node **nodes, *node;
    size_t count = 0;

    RB_FOREACH(node, rm_node_tree, &m->nodes)
        count++;
    nodes = arena_array0(arena, count + 1, sizeof(struct node *));
    count = 0;
    RB_FOREACH(node, rm_node_tree, &m->nodes)
        if (!rm_node_serves(node) && strcmp(node->id, after) > 0)
            nodes[count++] = node;
    rm_reply_nodes(m, peer, request_id, nodes, count);
}

static void watcher_free(struct master *m, struct watcher *watcher)
{
    rm_deadline_clear(m, &watcher->deadline);
    TAILQ_REMOVE(&m->watchers, watcher, link);
    m->watcher_count--;
    free(watcher);
}

void rm_watcher_answer(struct master *m, struct watcher *watcher)
{
    struct master_peer peer = { watcher->channel, watcher->connection, "" };

    rm_reply_watched(m, &peer, watcher->request_id, "");
    watcher_free(m, watcher);
}

void rm_watchers_answer(struct master *m)
{
    struct watcher *watcher;

    while ((watcher = TAILQ_FIRST(&m->watchers)) != NULL)
        rm_watcher_answer(m, watcher);
}

void rm_watchers_free(struct master *m)
{
    struct watcher *watcher;

    while ((watcher = TAILQ_FIRST(&m->watchers)) != NULL)
        watcher_free(m, watcher);
}
