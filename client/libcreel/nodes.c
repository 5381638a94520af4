/* SPDX-License-Identifier: Apache-2.0 */
/* nodes.c - requests about nodes: drain, decommission, resize, lists of hosts */
#include "client/include/creel-admin.h"
#include "client/libcreel/reports.h"
#include "client/libcreel/request.h"
#include "client/libcreel/result.h"
#include "client/libcreel/texts.h"
#include "common/io/loop/loop.h"
#include "common/io/wire/wire.h"

#define WATCH_MAX_MS 10000 /* maximum time of one long poll */

/* Returns the nodes in PAGES, and takes ownership of PAGES. */
static int return_nodes(int r, struct pages *pages, struct creel_nodes **ret, struct creel_error *error,
                        struct err *err)
{
    if (r == 0)
        r = reports_nodes(pages, ret, err);
    pages_done(pages);
    return client_set_error(error, err, r);
}

/* A request that changes nodes is repeated for those that the reply has no room for; a repetition has no
 * second effect. */
static bool next_changed(Creel__Envelope *request, const Creel__Envelope *reply)
{
    Creel__ChangeNodes *change = request->change_nodes;

    return *reply->node_list->next != '\0' &&
           pages_drop_listed(&change->nodes, &change->n_nodes, reply->node_list->n_nodes);
}

static bool next_resized(Creel__Envelope *request, const Creel__Envelope *reply)
{
    Creel__SetNodeResources *set = request->set_node_resources;

    return *reply->node_list->next != '\0' &&
           pages_drop_listed(&set->nodes, &set->n_nodes, reply->node_list->n_nodes);
}

CREEL_EXPORT
int creel_node_change(struct creel_client *client, const char *const *nodes, size_t count,
                      const struct creel_node_order *order, struct creel_nodes **ret,
                      struct creel_error *error)
{
    Creel__ChangeNodes change = CREEL__CHANGE_NODES__INIT;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    change.nodes = (char **)(uintptr_t)nodes;
    change.n_nodes = count;
    change.change = (Creel__NodeChange)order->change;
    change.reason = texts_borrow(order->reason);
    change.deadline_given = order->deadline_given;
    change.timeout_ms = order->timeout_ms;
    change.kill_now = order->kill_now;
    r = request_pages(client, REQUEST(CHANGE_NODES, &change), ANSWER(NODE_LIST), next_changed, &pages, &err);
    return return_nodes(r, &pages, ret, error, &err);
}

CREEL_EXPORT
int creel_node_resize(struct creel_client *client, const char *const *nodes, size_t count,
                      const struct creel_resource *total, int64_t for_ms, int64_t overcommit_ms,
                      struct creel_nodes **ret, struct creel_error *error)
{
    Creel__SetNodeResources set = CREEL__SET_NODE_RESOURCES__INIT;
    Creel__Resource amounts = CREEL__RESOURCE__INIT;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    set.nodes = (char **)(uintptr_t)nodes;
    set.n_nodes = count;
    if (total) {
        amounts.memory_mb = total->memory_mb;
        amounts.vcores = total->vcores;
        set.total = &amounts;
    }
    set.for_ms = for_ms;
    set.overcommit_ms = overcommit_ms;
    r = request_pages(client, REQUEST(SET_NODE_RESOURCES, &set), ANSWER(NODE_LIST), next_resized, &pages,
                      &err);
    return return_nodes(r, &pages, ret, error, &err);
}

static bool next_watched(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->wait_nodes->after = reply->node_list->next;
    return *request->wait_nodes->after != '\0';
}

CREEL_EXPORT
int creel_node_watch(struct creel_client *client, uint64_t known_version, int64_t wait_ms,
                     struct creel_nodes **ret, struct creel_error *error)
{
    Creel__WaitNodes wait = CREEL__WAIT_NODES__INIT;
    Creel__Envelope request = request_of(REQUEST(WAIT_NODES, &wait));
    int64_t asked_ms = loop_monotonic_ms();
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    wait.known_version = known_version;
    wait.wait_ms = wait_ms < 0 ? 0 : wait_ms > WATCH_MAX_MS ? WATCH_MAX_MS : (uint32_t)wait_ms;
    r = pages_fetch(client, &request, wait.wait_ms, ANSWER(NODE_LIST), next_watched, &pages, &err);
    if (r == 0)
        client_pause_if_early(client, pages.items[0]->node_list->version != known_version, asked_ms,
                              wait.wait_ms);
    return return_nodes(r, &pages, ret, error, &err);
}

CREEL_EXPORT
int creel_refresh_hosts(struct creel_client *client, enum creel_refresh_kind kind, const int64_t *timeout_ms,
                        struct creel_host_refresh **ret, struct creel_error *error)
{
    Creel__RefreshNodes refresh = CREEL__REFRESH_NODES__INIT;
    const Creel__RefreshNodesReply *answer;
    struct creel_host_refresh *shown;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    refresh.kind = (Creel__RefreshKind)kind;
    if (timeout_ms) {
        refresh.timeout_given = true;
        refresh.timeout_ms = *timeout_ms;
    }
    r = request_pages(client, REQUEST(REFRESH_NODES, &refresh), ANSWER(REFRESH_NODES_REPLY), NULL, &pages,
                      &err);
    if (r < 0)
        return client_set_error(error, &err, r);
    answer = pages.items[0]->refresh_nodes_reply;
    shown = RESULT_NEW(struct creel_host_refresh, &pages);
    shown->counts = (struct creel_node_refresh){ answer->included, answer->excluded, answer->leaving,
                                                 answer->left, answer->returned };
    shown->compared = answer->compared;
    shown->changes = result_texts(shown, answer->changes, answer->n_changes);
    *ret = shown;
    return 0;
}

CREEL_EXPORT
void creel_host_refresh_free(struct creel_host_refresh *refresh)
{
    result_free(refresh);
}

CREEL_EXPORT
int creel_refresh_nodes(struct creel_client *client, enum creel_refresh_kind kind, const int64_t *timeout_ms,
                        struct creel_node_refresh *ret, struct creel_error *error)
{
    struct creel_host_refresh *refresh;
    int r = creel_refresh_hosts(client, kind, timeout_ms, &refresh, error);

    if (r < 0)
        return r;
    *ret = refresh->counts;
    creel_host_refresh_free(refresh);
    return 0;
}

/* Takes PAGES. */
static struct creel_state_accepted *show_accepted(struct pages *taken)
{
    struct creel_state_accepted *shown = RESULT_NEW(struct creel_state_accepted, taken);
    const struct pages *pages = result_pages(shown);
    const char **nodes;
    size_t count = 0;

    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i]->accept_state_reply->n_nodes;
    shown->nodes = nodes = RESULT_ARRAY(shown, count, const char *);
    for (size_t i = 0; i < pages->count; i++) {
        const Creel__AcceptStateReply *reply = pages->items[i]->accept_state_reply;

        for (size_t k = 0; k < reply->n_nodes; k++)
            nodes[shown->node_count++] = reply->nodes[k];
    }
    return shown;
}

static bool next_accepted(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->accept_state->after = reply->accept_state_reply->next;
    request->accept_state->number = reply->accept_state_reply->number;
    return *request->accept_state->after != '\0';
}

CREEL_EXPORT
int creel_state_accept(struct creel_client *client, struct creel_state_accepted **ret,
                       struct creel_error *error)
{
    Creel__AcceptState accept = CREEL__ACCEPT_STATE__INIT;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r = request_pages(client, REQUEST(ACCEPT_STATE, &accept), ANSWER(ACCEPT_STATE_REPLY), next_accepted,
                          &pages, &err);

    if (r == 0)
        *ret = show_accepted(&pages);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
void creel_state_accepted_free(struct creel_state_accepted *shown)
{
    result_free(shown);
}
