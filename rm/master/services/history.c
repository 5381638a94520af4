/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.c - detects agents and AMs that have seen a state of the store which this resource manager lacks
 *
 * An agent keeps the newest history (store, start, commit) that it was sent, and sends that history when it
 * registers. If that history is not part of the history of this resource manager, the state of the resource
 * manager was lost or is an old copy. The agent is not registered then, so that none of its containers is
 * stopped or given up. The agent tries again from time to time, until an operator restores the state or
 * accepts the loss (AcceptState).
 *
 * An AM whose attempt is newer than the restored state is asked to try again later instead of to exit.
 */
#include <string.h>

#include "rm/master/orders/node_record.h"
#include "rm/master/services/history.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/index.h"
#include "rm/master/state/page.h"

Creel__History *rm_history(struct master *m)
{
    Creel__History now, *copy;

    if (m->config.history == NULL)
        return NULL;
    m->config.history(m->config.context, &now);
    copy = (Creel__History *)rm_message_copy_in(m->out->arena, &now.base);
    return copy;
}

/* --- agents ------------------------------------------------------------------- */

static const char *why_waiting(struct master *m, const struct node *node, enum master_seen seen)
{
    const Creel__History *its = node->waiting;

    if (seen == MASTER_SEEN_OTHER)
        return arena_printf(m->out->arena,
                            "knows another resource manager's state (start %u, commit %llu), "
                            "keeps its %u containers and waits: this one's state was emptied, or the agent "
                            "is of another cluster; put that state back, or creel admin state accept",
                            its->epoch, (unsigned long long)its->commit, node->waiting_containers);
    return arena_printf(m->out->arena,
                        "has seen start %u, commit %llu, which this resource manager's state "
                        "has not, keeps its %u containers and waits: the state here is an old copy; put "
                        "the newer one back, or creel admin state accept",
                        its->epoch, (unsigned long long)its->commit, node->waiting_containers);
}

static void reply_wait(struct master *m, const struct master_peer *peer, uint64_t request_id,
                       const struct node *node)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY);
    Creel__RegisterNodeReply *reply = rm_register_reply_new(m);

    reply->action = CREEL__NODE_ACTION__NODE_RESYNC;
    reply->history = rm_history(m);
    reply->diagnostics = rm_message_text(m->out->arena, node->health_report);
    envelope->register_node_reply = reply;
    rm_reply_to(m, peer, envelope);
}

static void update_node(struct master *m, struct node *node, const Creel__RegisterNode *body)
{
    node->waiting = (Creel__History *)rm_message_copy(&body->history->base);
    node->waiting_containers = (uint32_t)body->n_containers;
    rm_contacts_heard(m, node);
    rm_deadline_set(m, &node->expiry, m->now_ms + m->config.node_expiry_ms);
    rm_node_take_registration(node, body);
}

/* Raises the last application number, so that no number assigned by the missing history is assigned again. */
static void raise_last_app(struct master *m, const Creel__History *seen, enum master_seen verdict)
{
    if (verdict != MASTER_SEEN_OTHER && seen->last_app > m->last_app_seq)
        m->last_app_seq = seen->last_app;
}

bool rm_history_waits(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                      struct node *node)
{
    const Creel__RegisterNode *body = in->register_node;
    enum master_seen seen;

    if (m->config.judge_history == NULL || body->history == NULL)
        return false;
    seen = m->config.judge_history(m->config.context, body->history);
    if (seen == MASTER_SEEN_OURS || seen == MASTER_SEEN_ACCEPTED)
        return false;
    raise_last_app(m, body->history, seen);
    if (node == NULL)
        node = rm_node_new(m, body->node_id);
    rm_node_forget_history(node);
    update_node(m, node, body);
    rm_text_set(&node->health_report, why_waiting(m, node, seen));
    rm_node_faults_update(m, node);
    rm_changes_node(m, node);
    rm_event_node_state(m, node);
    reply_wait(m, peer, in->request_id, node);
    return true;
}

Creel__History *rm_history_accepted(struct master *m, const Creel__History *seen)
{
    if (m->config.judge_history == NULL || seen == NULL ||
        m->config.judge_history(m->config.context, seen) != MASTER_SEEN_ACCEPTED)
        return NULL;
    return (Creel__History *)rm_message_copy_in(m->out->arena, &seen->base);
}

/* --- acceptance -------------------------------------------------------------------- */

void rm_history_note_accepted(struct master *m)
{
    struct node *node;

    m->accepts++;
    RB_FOREACH(node, rm_node_tree, &m->nodes)
        if (node->waiting != NULL)
            node->accepted = m->accepts;
}

static void fill_accepted(struct master *m, uint32_t number, const char *after,
                          Creel__AcceptStateReply *reply)
{
    struct node *node;
    size_t count = 0, bytes = 0;

    RB_FOREACH(node, rm_node_tree, &m->nodes)
        count += node->accepted == number;
    reply->nodes = arena_array0(m->out->arena, count + 1, sizeof(*reply->nodes));
    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        if (node->accepted != number || strcmp(node->id, after) <= 0)
            continue;
        bytes += strlen(node->id) + FIELD_BYTES;
        if (bytes > REPLY_BYTES_MAX) {
            reply->next = reply->nodes[reply->n_nodes - 1];
            break;
        }
        reply->nodes[reply->n_nodes++] = arena_strdup(m->out->arena, node->id);
    }
}

void rm_history_reply_accepted(struct master *m, const struct master_peer *peer, uint64_t request_id,
                               uint32_t number, const char *after)
{
    Creel__AcceptStateReply *reply;
    Creel__Envelope *envelope;

    if (number == 0 || number > m->accepts) {
        rm_reply_error(
            m, peer, request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
            "the resource manager was restarted after acceptance %u, so it cannot list further nodes: "
            "creel node list shows them",
            number);
        return;
    }
    reply = arena_new0(m->out->arena, Creel__AcceptStateReply);
    creel__accept_state_reply__init(reply);
    reply->number = number;
    fill_accepted(m, number, after, reply);
    envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_ACCEPT_STATE_REPLY);
    envelope->accept_state_reply = reply;
    rm_reply_to(m, peer, envelope);
}

/* --- application masters ----------------------------------------------------------- */

bool rm_history_misses(struct master *m, const char *attempt_id)
{
    struct attempt_id id;
    struct app *app;

    if (m->config.judge_history == NULL || !attempt_id_parse(attempt_id, &id))
        return false;
    if (id.app.cluster_ms != m->cluster_ms)
        return true;
    app = rm_app_find(m, id.app.seq);
    if (app != NULL)
        return !rm_app_is_over(app) && id.attempt > (app->attempt != NULL ? app->attempt->id.attempt : 0);
    return id.app.seq > m->known_app_seq;
}
