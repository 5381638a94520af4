/* SPDX-License-Identifier: Apache-2.0 */
/* wait.c - answers requests that wait for a change of an application, or of nodes */
#include <string.h>

#include "rm/master/orders/waiters.h"
#include "rm/master/queries/report.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"
#include "rm/master/state/page.h"
#include "rm/master/state/turns.h"

/* A turn goes from one application to the next after this work, so that the requests for one delay those for
 * others little. */
#define VISIT_WORK_MAX 16u
#define NODES_IN_UNIT 256u  /* that are examined for a list */
#define REPORTS_IN_UNIT 16u /* that are made for it */

#define NODES_CHANGED "nodes are changed"

static uint64_t visit_end(const struct master *m, uint64_t end)
{
    return end < m->turns.work + VISIT_WORK_MAX ? end : m->turns.work + VISIT_WORK_MAX;
}

/* --- applications -------------------------------------------------------- */

/* The report of an application for one user. Many requests may have the same reply, so it is made once. */
struct app_answer {
    const char *user; /* NULL: not made yet */
    Creel__AppList *list;
    uint64_t work; /* of sending it */
};

static void make_app_answer(struct master *m, const struct app *app, const char *user,
                            struct app_answer *answer)
{
    Creel__AppList *list = arena_new0(m->out->arena, Creel__AppList);

    creel__app_list__init(list);
    list->apps = arena_array0(m->out->arena, 1, sizeof(*list->apps));
    list->apps[0] = rm_app_report(m, app, user, true);
    list->n_apps = 1;
    answer->user = rm_message_text(m->out->arena, user);
    answer->list = list;
    answer->work = rm_work_of(creel__app_list__get_packed_size(list));
    rm_work_add(m, answer->work);
}

static void send_app_answer(struct master *m, const struct master_peer *peer, uint64_t request_id,
                            const struct app_answer *answer)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_APP_LIST);

    envelope->app_list = answer->list;
    rm_work_add(m, answer->work);
    rm_reply_to(m, peer, envelope);
}

void rm_reply_app(struct master *m, const struct master_peer *peer, uint64_t request_id,
                  const struct app *app, const char *user)
{
    struct app_answer answer;

    make_app_answer(m, app, user, &answer);
    send_app_answer(m, peer, request_id, &answer);
}

void rm_waiter_answer(struct master *m, struct waiter *waiter)
{
    struct master_peer peer = rm_wait_peer(&waiter->wait);

    rm_reply_app(m, &peer, waiter->wait.request_id, waiter->app, peer.principal);
    rm_waiter_free(m, waiter);
}

/* Answers requests that wait for the application which is first in the list. */
static void answer_of_app(struct master *m, uint64_t end)
{
    struct app *app = TAILQ_FIRST(&m->turns.answers);
    struct app_answer answer = { .user = NULL };
    uint64_t visit = visit_end(m, end);
    struct waiter *waiter;

    rm_waiters_drop(m, app);
    /* Those that came after the change are behind those that came before it. */
    while ((waiter = TAILQ_FIRST(&app->waiters)) != NULL && waiter->wait.known_version != app->version) {
        struct master_peer peer = rm_wait_peer(&waiter->wait);

        if (m->turns.work >= visit) {
            rm_waiters_note_change(m, app);
            return;
        }
        if (answer.user == NULL || strcmp(answer.user, peer.principal) != 0)
            make_app_answer(m, app, peer.principal, &answer);
        send_app_answer(m, &peer, waiter->wait.request_id, &answer);
        rm_waiter_free(m, waiter);
    }
}

static void answer_apps(struct master *m, uint64_t end)
{
    while (m->turns.work < end && !TAILQ_EMPTY(&m->turns.answers))
        answer_of_app(m, end);
}

/* --- nodes --------------------------------------------------------------- */

static Creel__NodeList *make_node_list(struct master *m, struct node *const *nodes, size_t count)
{
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
    rm_work_add(m, list->n_nodes / REPORTS_IN_UNIT);
    return list;
}

static Creel__Envelope *node_list_envelope(struct master *m, uint64_t request_id, Creel__NodeList *list)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_NODE_LIST);

    envelope->node_list = list;
    rm_work_add(m, rm_work_of(creel__node_list__get_packed_size(list)));
    return envelope;
}

void rm_reply_nodes(struct master *m, const struct master_peer *peer, uint64_t request_id,
                    struct node *const *nodes, size_t count)
{
    const char *done = count == 1 ? arena_printf(m->out->arena, "node %s is changed", nodes[0]->id)
                                  : arena_printf(m->out->arena, "%zu nodes are changed", count);

    rm_send_changed(m, peer, m->store_seq, node_list_envelope(m, request_id, make_node_list(m, nodes, count)),
                    done);
}

/* Returns a list of the nodes after AFTER that are not in service. */
static Creel__NodeList *make_watched_list(struct master *m, const char *after)
{
    struct node **nodes, *node;
    size_t all = 0, count = 0;

    RB_FOREACH(node, rm_node_tree, &m->nodes)
        all++;
    nodes = arena_array0(m->out->arena, all + 1, sizeof(struct node *));
    RB_FOREACH(node, rm_node_tree, &m->nodes)
        if (!rm_node_serves(node) && strcmp(node->id, after) > 0)
            nodes[count++] = node;
    rm_work_add(m, all / NODES_IN_UNIT);
    return make_node_list(m, nodes, count);
}

/* Returns a list of all nodes that are not in service. All replies among the effects have the same, unless
 * the nodes have changed. */
static Creel__NodeList *watched_list(struct master *m)
{
    Creel__NodeList *list = m->out->watched;

    if (list && list->version == m->nodes_version && !m->nodes_changed)
        return list;
    list = make_watched_list(m, "");
    m->out->watched = m->nodes_changed ? NULL : list;
    return list;
}

void rm_reply_watched(struct master *m, const struct master_peer *peer, uint64_t request_id,
                      const char *after)
{
    Creel__NodeList *list = *after == '\0' ? watched_list(m) : make_watched_list(m, after);

    /* (Other rows do not matter: while the store fails, no replies are kept for them.) */
    rm_send_changed(m, peer, m->nodes_changed ? m->store_seq : m->nodes_seq,
                    node_list_envelope(m, request_id, list), NODES_CHANGED);
}

static void watcher_free(struct master *m, struct watcher *watcher)
{
    if (watcher->expired)
        TAILQ_REMOVE(&m->expired_watchers, watcher, link);
    else
        TAILQ_REMOVE(&m->watchers, watcher, link);
    rm_wait_pool_leave(m, &m->node_waits, &watcher->wait);
    free(watcher);
}

void rm_watcher_answer(struct master *m, struct watcher *watcher)
{
    struct master_peer peer = rm_wait_peer(&watcher->wait);

    rm_reply_watched(m, &peer, watcher->wait.request_id, "");
    watcher_free(m, watcher);
}

void rm_watcher_expire(struct master *m, struct watcher *watcher)
{
    TAILQ_REMOVE(&m->watchers, watcher, link);
    watcher->expired = true;
    TAILQ_INSERT_TAIL(&m->expired_watchers, watcher, link);
}

/* Returns the oldest watcher that is to be answered; NULL: none is, or a change of the nodes is not on disk
 * yet. While the store fails, those whose time is over are answered nevertheless (rm_send_changed). */
static struct watcher *first_due_watcher(const struct master *m)
{
    struct watcher *expired = TAILQ_FIRST(&m->expired_watchers), *watcher = TAILQ_FIRST(&m->watchers);

    if (m->nodes_changed)
        return NULL;
    if (m->nodes_seq > m->stored_seq)
        return m->store_trouble != NULL && m->nodes_seq > m->turns.disk_seq ? expired : NULL;
    if (expired)
        return expired;
    return watcher && watcher->wait.known_version != m->nodes_version ? watcher : NULL;
}

static void answer_watchers(struct master *m, uint64_t end)
{
    struct watcher *watcher;

    while (m->turns.work < end && (watcher = first_due_watcher(m)) != NULL) {
        struct master_peer peer = rm_wait_peer(&watcher->wait);

        rm_send_changed(m, &peer, m->nodes_seq,
                        node_list_envelope(m, watcher->wait.request_id, watched_list(m)), NODES_CHANGED);
        watcher_free(m, watcher);
    }
}

void rm_watchers_free(struct master *m)
{
    struct watcher *watcher;

    while ((watcher = TAILQ_FIRST(&m->watchers)) != NULL ||
           (watcher = TAILQ_FIRST(&m->expired_watchers)) != NULL)
        watcher_free(m, watcher);
}

/* --- turns --------------------------------------------------------------- */

static bool has_answers(const struct master *m)
{
    return first_due_watcher(m) != NULL || !TAILQ_EMPTY(&m->turns.answers);
}

void rm_waiters_answer(struct master *m, uint64_t end)
{
    uint64_t half = m->turns.work < end ? (end - m->turns.work) / 2 : 0;

    /* The applications get the first half, since one list of nodes may exceed the work of a turn. */
    answer_apps(m, end - half);
    answer_watchers(m, end);
    answer_apps(m, end);
    if (has_answers(m))
        rm_turn_later(m);
}
