/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - the state machine of a node: registered, healthy, lost, retired */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "rm/master/machines/container.h"
#include "rm/master/machines/node.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/orders/node_record.h"
#include "rm/master/orders/node_total.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/events.h"
#include "rm/master/state/rows.h"

/* --- steps ----------------------------------------------------------------- */

/* Orders NODE to clean up after the applications that ended while the node was not connected, or while the
 * resource manager was down. */
static void find_finished(struct master *m, struct node *node)
{
    struct app_node *on_node;
    struct app *app;

    TAILQ_FOREACH(app, &m->ended, in_ended) {
        HASH_FIND_STR(app->nodes, node->id, on_node);
        if (on_node && on_node->live == 0)
            rm_node_finish_app(m, node, app->text);
    }
}

static void enter_scheduler(struct master *m, struct node *node)
{
    struct sched_node_spec spec = {
        .id = node->id,
        .host = node->host,
        .rack = node->rack,
        .label = node->label,
        .total = node->total,
        .closed = true, /* until its running containers are in the accounting */
        .owner = node,
    };
    struct container *container;

    node->sched = sched_node_add(m->sched, &spec, &m->decisions);
    TAILQ_FOREACH(container, &node->containers, of_node)
        rm_container_enter_scheduler(m, container);
}

/* A registered node is expected after a restart. A lost node is not, as in YARN: nobody could remove the row
 * of a host that never returns. */
static void set_registered(struct master *m, struct node *node, bool registered)
{
    if (node->registered == registered)
        return;
    node->registered = registered;
    rm_store_node(m, node);
}

static void enter(struct master *m, struct node *node)
{
    set_registered(m, node, true);
    enter_scheduler(m, node);
    node->registered_ms = m->now_ms;
    rm_event_node_registered(m, node);
    rm_contacts_begin(m, node);
    rm_deadline_set(m, &node->expiry, m->now_ms + m->config.node_expiry_ms);
    find_finished(m, node);
}

static void close_down(struct master *m, struct node *node, const char *text)
{
    struct container *container;

    if (node->sched) /* resources that its containers free must not be allocated */
        sched_node_set_open(m->sched, node->sched, false, &m->decisions);
    rm_node_forget_orphans(node);
    while ((container = TAILQ_FIRST(&node->containers)) != NULL) {
        rm_container_lost(m, container, CONTAINER_EXIT_ABORTED, text);
        rm_events_run(m);
    }
    rm_contacts_end(m, node);
    rm_failing_forget(m, node);
    rm_common_faults_forget(node);
    if (node->sched)
        sched_node_remove(m->sched, node->sched);
    node->sched = NULL;
    node->session = 0;
    rm_node_faults_update(m, node);
    rm_node_forget_finished(node);
    rm_node_forget_acks(node);
    rm_deadline_clear(m, &node->expiry);
    set_registered(m, node, false);
}

static void lose(struct master *m, struct node *node)
{
    char text[512];

    snprintf(text, sizeof(text), "node %s was lost: no heartbeat for %lld s", node->id,
             (long long)(m->config.node_expiry_ms / 1000));
    close_down(m, node, text);
}

static void retire(struct master *m, struct node *node)
{
    char text[512];

    snprintf(text, sizeof(text), "node %s was decommissioned", node->id);
    close_down(m, node, text);
}

void rm_node_event(struct master *m, struct node *node, enum node_event event)
{
    struct node_step step = rm_node_step(node->state, event, node->id);

    if (step.next != node->state || step.action != NODE_NONE)
        rm_changes_node(m, node);
    node->state = step.next;
    switch (step.action) {
    case NODE_BUG:
    case NODE_NONE:
        break;
    case NODE_ENTER:
        enter(m, node);
        break;
    case NODE_AGAIN:
        sched_node_set_label(m->sched, node->sched, node->label, &m->decisions);
        rm_node_total_update(m, node);
        break;
    case NODE_OPEN:
    case NODE_CLOSE:
        rm_node_update_open(m, node);
        break;
    case NODE_LOSE:
        lose(m, node);
        break;
    case NODE_RETIRE:
        retire(m, node);
        break;
    }
    rm_node_faults_update(m, node);
    rm_event_node_state(m, node);
}
