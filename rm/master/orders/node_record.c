/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_record.c - creates, fills and frees the record of a node, which its containers reference
 */
#include <assert.h>
#include <string.h>

#include "rm/master/nodes/node_orders.h"
#include "rm/master/orders/node_record.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"

struct node *rm_node_new(struct master *m, const char *id)
{
    struct node *node = mem_new0(struct node);
    const char *colon = strrchr(id, ':');

    node->event_state = CREEL__NODE_STATE__NODE_RUNNING;
    node->id = mem_strdup(id);
    node->host = mem_strndup(id, colon ? (size_t)(colon - id) : strlen(id));
    rm_deadline_init(&node->expiry, DEADLINE_NODE, node);
    rm_deadline_init(&node->evict, DEADLINE_EVICT, node);
    rm_deadline_init(&node->untracked, DEADLINE_UNTRACKED, node);
    TAILQ_INIT(&node->containers);
    RB_INIT(&node->live);
    RB_INIT(&node->ended);
    TAILQ_INIT(&node->orders);
    TAILQ_INIT(&node->preempt_notices);
    TAILQ_INIT(&node->limits);
    TAILQ_INIT(&node->resizes_due);
    TAILQ_INIT(&node->acks);
    TAILQ_INIT(&node->orphan_turns);
    TAILQ_INIT(&node->finished_turns);
    RB_INSERT(rm_node_tree, &m->nodes, node);
    return node;
}

void rm_node_take_registration(struct node *node, const Creel__RegisterNode *body)
{
    if (node->sched == NULL) /* the rack changes only when the node registers again after it was lost or
                                retired */
        rm_text_set(&node->rack, rm_text_is_empty(body->rack) ? "/default-rack" : body->rack);
    rm_text_set(&node->address, body->address);
    rm_text_set(&node->http_address, body->http_address);
    (void)rm_text_set_brief(&node->warning, body->warning);
    rm_text_set(&node->agent_key, body->agent_key);
    rm_text_set(&node->version, body->version);
    rm_text_set(&node->cgroup_mode, body->cgroup_mode);
    node->kill_delay_ms = body->kill_delay_ms;
    node->unpacks = body->unpacks;
    node->restores = body->restores;
    node->resizes = body->resizes;
}

void rm_node_forget_acks(struct node *node)
{
    struct ack *ack;

    while ((ack = TAILQ_FIRST(&node->acks)) != NULL) {
        TAILQ_REMOVE(&node->acks, ack, link);
        free(ack);
    }
}

void rm_node_forget_orphans(struct node *node)
{
    struct orphan *orphan, *next;

    HASH_ITER(hh, node->orphans, orphan, next) {
        HASH_DEL(node->orphans, orphan);
        TAILQ_REMOVE(&node->orphan_turns, orphan, in_turn);
        node->stuck_count -= orphan->stuck != NULL;
        free(orphan->stuck);
        free(orphan->container_id);
        free(orphan);
    }
}

void rm_node_forget_finished(struct node *node)
{
    struct finished *finished, *next;

    HASH_ITER(hh, node->finished, finished, next) {
        HASH_DEL(node->finished, finished);
        TAILQ_REMOVE(&node->finished_turns, finished, in_turn);
        free(finished->app_id);
        free(finished);
    }
}

void rm_node_forget_history(struct node *node)
{
    if (node->waiting != NULL)
        protobuf_c_message_free_unpacked(&node->waiting->base, NULL);
    node->waiting = NULL;
    node->waiting_containers = 0;
}

static void release(struct node *node)
{
    free(node->id);
    free(node->host);
    free(node->rack);
    free(node->address);
    free(node->http_address);
    free(node->warning);
    free(node->agent_key);
    free(node->version);
    free(node->cgroup_mode);
    free(node->principal);
    free(node->health_report);
    free(node->faults.reason);
    rm_failing_done(&node->faulty.failing);
    rm_missing_accounts_done(&node->faulty.missing);
    rm_common_faults_forget(node);
    free(node->label);
    free(node->admin.by);
    free(node->admin.reason);
    free(node->size.by);
    free(node->own_label);
    rm_node_forget_history(node);
    free(node);
}

void rm_node_free(struct master *m, struct node *node)
{
    assert(TAILQ_EMPTY(&node->containers));
    rm_contacts_end(m, node);
    rm_failing_forget(m, node);
    if (node->sched)
        sched_node_remove(m->sched, node->sched);
    node->sched = NULL;
    rm_deadline_clear(m, &node->expiry);
    rm_deadline_clear(m, &node->evict);
    rm_deadline_clear(m, &node->untracked);
    if (node->push)
        TAILQ_REMOVE(&m->pushes, node, in_pushes);
    if (node->to_check)
        TAILQ_REMOVE(&m->to_check, node, in_to_check);
    node->push = node->to_check = false;
    node->session = 0;
    rm_node_faults_update(m, node);
    rm_node_forget_acks(node);
    rm_node_forget_orphans(node);
    rm_node_forget_finished(node);
    rm_changes_node_gone(m, node);
    RB_REMOVE(rm_node_tree, &m->nodes, node);
    node->forgotten = true;
    if (node->references == 0)
        release(node);
}

void rm_node_let_go(struct node *node)
{
    assert(node->references > 0);
    if (--node->references == 0 && node->forgotten)
        release(node);
}
