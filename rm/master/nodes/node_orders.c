/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_orders.c - orders to a node: start, stop or preempt a container, clean up after an application
 *
 * An order is repeated in each heartbeat reply until a report of the node shows that the order is carried
 * out.
 */
#include <string.h>

#include "common/base/text.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"

static void mark_push(struct master *m, struct node *node)
{
    if (!node->push)
        TAILQ_INSERT_TAIL(&m->pushes, node, in_pushes);
    node->push = true;
}

void rm_node_order(struct master *m, struct container *container, enum order_kind kind)
{
    struct node *node = container->node;

    if (container->order != ORDER_NONE)
        TAILQ_REMOVE(&node->orders, container, in_orders);
    container->order = kind;
    container->order_sent = false;
    if (kind == ORDER_NONE)
        return;
    TAILQ_INSERT_TAIL(&node->orders, container, in_orders);
    mark_push(m, node);
}

void rm_node_preempt_notice(struct master *m, struct container *container)
{
    if (!container->notice_pending)
        TAILQ_INSERT_TAIL(&container->node->preempt_notices, container, in_notices);
    container->notice_pending = true;
    container->notice_sent = false;
    mark_push(m, container->node);
}

void rm_node_limit(struct master *m, struct container *container, bool pending)
{
    if (container->limit_pending && !pending)
        TAILQ_REMOVE(&container->node->limits, container, in_limits);
    if (!container->limit_pending && pending)
        TAILQ_INSERT_TAIL(&container->node->limits, container, in_limits);
    container->limit_pending = pending;
    container->limit_sent = false;
    if (pending)
        mark_push(m, container->node);
}

void rm_node_finish_app(struct master *m, struct node *node, const char *app_id)
{
    struct finished *finished;

    HASH_FIND_STR(node->finished, app_id, finished);
    if (finished)
        return;
    finished = mem_new0(struct finished);
    finished->app_id = mem_strdup(app_id);
    finished->sent_ms = -1;
    HASH_ADD_KEYPTR(hh, node->finished, finished->app_id, strlen(app_id), finished);
    TAILQ_INSERT_HEAD(&node->finished_turns, finished, in_turn);
    rm_node_mark_for_check(m, node);
    mark_push(m, node);
}

void rm_node_app_cleaned(struct master *m, struct node *node, const char *app_id)
{
    struct finished *finished;
    struct app_node *on_node;
    struct app_id id;
    struct app *app;

    HASH_FIND_STR(node->finished, app_id, finished);
    if (finished == NULL)
        return;
    HASH_DEL(node->finished, finished);
    TAILQ_REMOVE(&node->finished_turns, finished, in_turn);
    free(finished->app_id);
    free(finished);
    rm_node_mark_for_check(m, node);
    app = app_id_parse(app_id, &id) ? rm_app_find(m, id.seq) : NULL;
    if (app == NULL)
        return;
    HASH_FIND_STR(app->nodes, node->id, on_node);
    if (on_node == NULL || on_node->live > 0)
        return;
    HASH_DEL(app->nodes, on_node);
    free(on_node->node_id);
    free(on_node);
}

void rm_node_stop_orphan(struct master *m, struct node *node, const char *container_id, int32_t status,
                         const char *reason)
{
    struct orphan *orphan;

    HASH_FIND_STR(node->orphans, container_id, orphan);
    if (orphan) { /* still there: the order was lost, or is not carried out yet */
        orphan->sent_ms = -1;
        TAILQ_REMOVE(&node->orphan_turns, orphan, in_turn);
        TAILQ_INSERT_HEAD(&node->orphan_turns, orphan, in_turn);
        return;
    }
    orphan = mem_new0(struct orphan);
    orphan->container_id = mem_strdup(container_id);
    orphan->status = status;
    orphan->reason = reason;
    orphan->sent_ms = -1;
    HASH_ADD_KEYPTR(hh, node->orphans, orphan->container_id, strlen(container_id), orphan);
    TAILQ_INSERT_HEAD(&node->orphan_turns, orphan, in_turn);
    rm_node_mark_for_check(m, node);
    mark_push(m, node);
    rm_node_update_open(m, node);
}

void rm_node_refuse(struct master *m, const struct container *container)
{
    struct orphan *orphan;

    if (container->expires_ms + m->config.heartbeat_interval_ms < m->now_ms)
        return;
    rm_node_stop_orphan(m, container->node, container->text, CONTAINER_EXIT_ABORTED,
                        "the resource manager had given it up");
    HASH_FIND_STR(container->node->orphans, container->text, orphan);
    orphan->unseen = true;
}

static void set_stuck(struct master *m, struct node *node, struct orphan *orphan, const char *stuck)
{
    if (text_equal(orphan->stuck, stuck))
        return;
    node->stuck_count -= orphan->stuck != NULL;
    rm_text_set(&orphan->stuck, stuck);
    node->stuck_count += orphan->stuck != NULL;
    rm_node_faults_update(m, node);
    rm_changes_node(m, node);
}

void rm_node_orphan_stuck(struct master *m, struct node *node, const char *container_id, const char *stuck)
{
    struct orphan *orphan;

    HASH_FIND_STR(node->orphans, container_id, orphan);
    if (orphan != NULL)
        set_stuck(m, node, orphan, rm_text_is_empty(stuck) ? NULL : stuck);
}

void rm_node_orphan_gone(struct master *m, struct node *node, const char *container_id)
{
    struct orphan *orphan;

    HASH_FIND_STR(node->orphans, container_id, orphan);
    if (orphan == NULL)
        return;
    set_stuck(m, node, orphan, NULL);
    HASH_DEL(node->orphans, orphan);
    TAILQ_REMOVE(&node->orphan_turns, orphan, in_turn);
    free(orphan->container_id);
    free(orphan);
    rm_node_mark_for_check(m, node);
    rm_node_update_open(m, node);
}

void rm_node_announce_key(struct master *m, struct node *node, const struct attempt *attempt)
{
    Creel__Envelope *envelope;
    struct app_node *on_node;
    const char *key;

    HASH_FIND_STR(attempt->app->nodes, node->id, on_node);
    if (m->config.attempt_key == NULL || node->connection == 0 || on_node == NULL ||
        on_node->key_attempt == attempt->id.attempt)
        return;
    on_node->key_attempt = attempt->id.attempt;
    key = m->config.attempt_key(m->config.context, attempt->text);
    if (key == NULL)
        return;
    envelope = rm_envelope_new(m, 0, CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY);
    envelope->find_keys_reply = arena_new0(m->out->arena, Creel__FindKeysReply);
    creel__find_keys_reply__init(envelope->find_keys_reply);
    envelope->find_keys_reply->known_keys = arena_array0(m->out->arena, 1, sizeof(char *));
    envelope->find_keys_reply->known_keys[0] = arena_strdup(m->out->arena, key);
    envelope->find_keys_reply->n_known_keys = 1;
    envelope->find_keys_reply->known_users = arena_array0(m->out->arena, 1, sizeof(char *));
    envelope->find_keys_reply->known_users[0] = arena_strdup(m->out->arena, attempt->app->user);
    envelope->find_keys_reply->n_known_users = 1;
    rm_send_to(m, MASTER_AGENT, node->connection, envelope);
}

void rm_node_resend(struct master *m, struct node *node)
{
    struct container *container;
    struct finished *finished;
    struct orphan *orphan;

    TAILQ_FOREACH(container, &node->orders, in_orders)
        container->order_sent = false;
    TAILQ_FOREACH(container, &node->preempt_notices, in_notices)
        container->notice_sent = false;
    TAILQ_FOREACH(container, &node->limits, in_limits)
        container->limit_sent = false;
    TAILQ_FOREACH(orphan, &node->orphan_turns, in_turn)
        orphan->sent_ms = -1;
    TAILQ_FOREACH(finished, &node->finished_turns, in_turn)
        finished->sent_ms = -1;
    mark_push(m, node);
}

/* Orphans use resources that are free in the accounting, so the node gets no new containers until they are
 * gone. */
void rm_node_update_open(struct master *m, struct node *node)
{
    if (node->sched)
        sched_node_set_open(m->sched, node->sched,
                            node->state == NODE_STATE_RUNNING && node->orphans == NULL &&
                                rm_node_serves(node),
                            &m->decisions);
}
