/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_nodes.c - requests of administrators about nodes: drain, decommission, resize, refresh
 *
 * A request names any number of nodes, and is carried out for all of them or for none.
 */
#include <errno.h>
#include <string.h>

#include "rm/master/orders/waiters.h"
#include "rm/master/requests.h"
#include "rm/master/services/drain.h"
#include "rm/master/services/evict.h"
#include "rm/master/services/history.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"
#include "rm/master/state/page.h"

/* --- finding the nodes --------------------------------------------------- */

/* Finds a node by its id, or by its host if the host has one node. Unlike rm_resolve_node, does not accept
 * the beginning of an id, since these requests stop containers. -ENOENT: there is none or more than one. */
static int find_node(struct master *m, const char *name, struct node **ret, struct err *err)
{
    struct node *node = rm_node_find(m, name), *found = NULL;

    if (node == NULL) {
        RB_FOREACH(node, rm_node_tree, &m->nodes) {
            if (!text_equal(node->host, name))
                continue;
            if (found)
                return err_set(err, ENOENT,
                               "node %s: has several nodes, as %s and %s: give one of "
                               "them, with its port",
                               name, found->id, node->id);
            found = node;
        }
        node = found;
    }
    if (node == NULL)
        return err_set(err, ENOENT,
                       "node %s: not known here (creel node list shows ids; a node that "
                       "was never here can be kept out by yarn.resourcemanager.nodes.exclude-path)",
                       name);
    *ret = node;
    return 0;
}

/* Returns an array of COUNT nodes in the step's arena; NULL after an error reply. */
static struct node **find_nodes(struct master *m, const struct master_peer *peer, uint64_t request_id,
                                char **names, size_t count)
{
    struct node **nodes = arena_array0(m->out->arena, count + 1, sizeof(struct node *));
    struct err err;

    for (size_t i = 0; i < count; i++) {
        if (find_node(m, names[i], &nodes[i], &err) == 0)
            continue;
        rm_reply_error(m, peer, request_id, CREEL__ERROR_CODE__ERROR_NOT_FOUND, "%s", err.text);
        return NULL;
    }
    return nodes;
}

/* --- drain and decommission ------------------------------------------------- */

static bool make_order(const Creel__ChangeNodes *body, const char *user, struct drain_order *order)
{
    static const enum admin_event events[] = {
        [CREEL__NODE_CHANGE__NODE_DRAIN] = ADMIN_EVENT_DRAIN,
        [CREEL__NODE_CHANGE__NODE_UNDRAIN] = ADMIN_EVENT_RESTORE,
        [CREEL__NODE_CHANGE__NODE_DECOMMISSION] = ADMIN_EVENT_DECOMMISSION,
        [CREEL__NODE_CHANGE__NODE_RECOMMISSION] = ADMIN_EVENT_RESTORE,
    };

    if (body->change <= CREEL__NODE_CHANGE__NODE_CHANGE_NONE ||
        body->change > CREEL__NODE_CHANGE__NODE_RECOMMISSION)
        return false;
    *order = (struct drain_order){
        .event = events[body->change],
        .by = user,
        .reason = body->reason,
        .forced = body->kill_now,
        .deadline_given = body->deadline_given,
    };
    return true;
}

/* Refuses to undrain a decommissioned node or to recommission a drained one, which is probably a mistake. */
static int judge_change(const struct node *node, Creel__NodeChange change, const struct drain_order *order,
                        struct err *err)
{
    bool leaves = node->admin.state == ADMIN_DECOMMISSIONING || node->admin.state == ADMIN_DECOMMISSIONED;

    if (change == CREEL__NODE_CHANGE__NODE_UNDRAIN && leaves && !node->admin.by_file)
        return err_set(err, EINVAL,
                       "node %s: is %s by %s, not drained: creel node recommission %s "
                       "returns it to service",
                       node->id, rm_admin_name(node->admin.state), node->admin.by, node->id);
    if (change == CREEL__NODE_CHANGE__NODE_RECOMMISSION && !leaves && !rm_node_serves(node))
        return err_set(err, EINVAL,
                       "node %s: is %s by %s, not decommissioned: creel node undrain %s "
                       "returns it to service",
                       node->id, rm_admin_name(node->admin.state), node->admin.by, node->id);
    return rm_drain_judge(node, order, err);
}

static int64_t deadline_of(const struct master *m, const Creel__ChangeNodes *body,
                           const struct drain_order *order)
{
    int64_t timeout_ms = body->timeout_ms;

    if (!order->deadline_given) /* decommissioning has a default timeout, as in YARN; a drain has
                                   none */
        timeout_ms = m->hosts.timeout_ms;
    return timeout_ms < 0 ? 0 : m->now_ms + timeout_ms;
}

void rm_on_change_nodes(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                        const char *user)
{
    const Creel__ChangeNodes *body = in->change_nodes;
    struct drain_order order;
    struct node **nodes;
    struct err err;

    if (!make_order(body, user, &order)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                       "change %d of nodes is not known here", (int)body->change);
        return;
    }
    nodes = find_nodes(m, peer, in->request_id, body->nodes, body->n_nodes);
    if (nodes == NULL)
        return;
    for (size_t i = 0; i < body->n_nodes; i++) {
        if (judge_change(nodes[i], body->change, &order, &err) == 0)
            continue;
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE, "%s", err.text);
        return;
    }
    for (size_t i = 0; i < body->n_nodes; i++) {
        struct drain_order own = order;

        own.deadline_given = order.deadline_given || (order.event == ADMIN_EVENT_DECOMMISSION &&
                                                      nodes[i]->admin.state != ADMIN_DECOMMISSIONING);
        own.deadline_ms = deadline_of(m, body, &order);
        rm_drain_order(m, nodes[i], &own);
    }
    rm_drain_check_marked(m); /* empty nodes are drained at once */
    rm_reply_nodes(m, peer, in->request_id, nodes, body->n_nodes);
}

/* --- size ------------------------------------------------------------------ */

void rm_on_set_node_resources(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                              const char *user)
{
    const Creel__SetNodeResources *body = in->set_node_resources;
    struct node **nodes;
    struct err err;

    nodes = find_nodes(m, peer, in->request_id, body->nodes, body->n_nodes);
    if (nodes == NULL)
        return;
    for (size_t i = 0; i < body->n_nodes; i++) {
        if (rm_node_resources_judge(m, nodes[i], body, &err) == 0)
            continue;
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "%s", err.text);
        return;
    }
    for (size_t i = 0; i < body->n_nodes; i++)
        rm_node_resources_set(m, nodes[i], body, user);
    rm_reply_nodes(m, peer, in->request_id, nodes, body->n_nodes);
}

/* --- lists of hosts --------------------------------------------------------- */

void rm_on_refresh_nodes(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                         const char *user)
{
    rm_effect_reload_hosts(m, peer, in, user);
}

/* --- log levels ------------------------------------------------------------- */

/* Sets *NODES to the nodes that the request names; with ALL: to all connected nodes of its page. Returns
 * false after an error reply. */
static bool find_agents(struct master *m, const struct master_peer *peer, const Creel__Envelope *in, bool all,
                        struct node ***nodes, size_t *count)
{
    const Creel__SetLogLevel *body = in->set_log_level;
    struct node *node;

    *count = 0;
    if (!all) {
        *nodes = find_nodes(m, peer, in->request_id, body->nodes, body->n_nodes);
        *count = *nodes != NULL ? body->n_nodes : 0;
        return *nodes != NULL;
    }
    RB_FOREACH(node, rm_node_tree, &m->nodes)
        *count += node->session != 0;
    *nodes = arena_array0(m->out->arena, *count + 1, sizeof(**nodes));
    *count = 0;
    RB_FOREACH(node, rm_node_tree, &m->nodes)
        if (node->session != 0 && strcmp(node->id, body->after) > 0)
            (*nodes)[(*count)++] = node;
    return true;
}

static Creel__NodeLogLevel *node_log_level(struct master *m, const struct node *node)
{
    Creel__NodeLogLevel *message = arena_new0(m->out->arena, Creel__NodeLogLevel);

    creel__node_log_level__init(message);
    message->node_id = rm_message_text(m->out->arena, node->id);
    message->level = node->session != 0 ? node->log_level : CREEL__LOG_LEVEL__LOG_LEVEL_UNKNOWN;
    message->wanted = node->log_level_wanted;
    return message;
}

static void reply_log_levels(struct master *m, const struct master_peer *peer, uint64_t request_id, bool rm,
                             struct node *const *nodes, size_t count)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_LOG_LEVELS);
    Creel__LogLevels *levels = arena_new0(m->out->arena, Creel__LogLevels);
    size_t bytes = 0;

    creel__log_levels__init(levels);
    if (rm)
        levels->rm = m->log_level;
    levels->nodes = arena_array0(m->out->arena, count + 1, sizeof(*levels->nodes));
    for (size_t i = 0; i < count; i++) {
        Creel__NodeLogLevel *level = node_log_level(m, nodes[i]);

        bytes += creel__node_log_level__get_packed_size(level) + FIELD_BYTES;
        if (bytes > REPLY_BYTES_MAX && i > 0) {
            levels->next = rm_message_text(m->out->arena, nodes[i - 1]->id);
            break;
        }
        levels->nodes[levels->n_nodes++] = level;
    }
    envelope->log_levels = levels;
    rm_reply_to(m, peer, envelope);
}

static void set_rm_level(struct master *m, Creel__LogLevel level)
{
    m->log_level = level;
    rm_effect_add(m, MASTER_LOG_LEVEL)->log_level = level;
}

void rm_on_set_log_level(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                         const char *user)
{
    const Creel__SetLogLevel *body = in->set_log_level;
    bool everything = !body->rm && !body->all_nodes && body->n_nodes == 0;
    bool first = rm_text_is_empty(body->after);
    bool change = first && body->level != CREEL__LOG_LEVEL__LOG_LEVEL_UNKNOWN;
    struct node **nodes;
    size_t count;

    (void)user;
    if (!find_agents(m, peer, in, body->all_nodes || everything, &nodes, &count))
        return;
    for (size_t i = 0; change && i < count; i++) {
        if (body->all_nodes || nodes[i]->log_level != CREEL__LOG_LEVEL__LOG_LEVEL_UNKNOWN)
            continue;
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "node %s: its agent is not connected, or cannot change its log level", nodes[i]->id);
        return;
    }
    if (change && (body->rm || everything))
        set_rm_level(m, body->level);
    for (size_t i = 0; change && i < count; i++)
        if (nodes[i]->log_level != CREEL__LOG_LEVEL__LOG_LEVEL_UNKNOWN)
            nodes[i]->log_level_wanted =
                nodes[i]->log_level != body->level ? body->level : CREEL__LOG_LEVEL__LOG_LEVEL_UNKNOWN;
    reply_log_levels(m, peer, in->request_id, first && (body->rm || everything), nodes, count);
}

void master_log_level_is(struct master *master, Creel__LogLevel level)
{
    master->log_level = level;
}

/* --- histories ------------------------------------------------------------- */

void rm_on_accept_state(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                        const char *user)
{
    const Creel__History **list;
    struct node *node;
    size_t count = 0;

    if (!rm_text_is_empty(in->accept_state->after)) {
        rm_history_reply_accepted(m, peer, in->request_id, in->accept_state->number, in->accept_state->after);
        return;
    }
    RB_FOREACH(node, rm_node_tree, &m->nodes)
        count += node->waiting != NULL;
    if (count == 0) {
        rm_reply_error(
            m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
            "no node waits for state that is missing here, so there is nothing to accept: creel node "
            "list --state waiting shows such nodes");
        return;
    }
    list = arena_array0(m->out->arena, count + 1, sizeof(*list));
    count = 0;
    RB_FOREACH(node, rm_node_tree, &m->nodes)
        if (node->waiting != NULL)
            list[count++] = (Creel__History *)rm_message_copy_in(m->out->arena, &node->waiting->base);
    rm_effect_accept(m, peer, in->request_id, user, list, count);
}
