/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.c - drains and decommissions nodes: changes their administrative state, detects when they are empty
 *
 * Differs: in YARN a graceful decommissioning does not survive a restart of the resource manager, and a
 * normal one removes a node from the accounting while its containers still run. creel stores a decision
 * before acknowledging it, keeps deadlines over restarts, and removes a node when its agent has reported that
 * no container runs on the node, or the node is lost.
 */
#include <assert.h>
#include <errno.h>

#include "rm/master/machines/node.h"
#include "rm/master/nodes/hosts.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/orders/admin_state.h"
#include "rm/master/orders/node_total.h"
#include "rm/master/services/drain.h"
#include "rm/master/services/evict.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/index.h"
#include "rm/master/state/rows.h"

static bool is_leaving(const struct node *node)
{
    return node->admin.state == ADMIN_DECOMMISSIONING || node->admin.state == ADMIN_DECOMMISSIONED;
}

/* --- orders ---------------------------------------------------------------- */

int rm_drain_judge(const struct node *node, const struct drain_order *order, struct err *err)
{
    const struct admin *admin = &node->admin;

    if (rm_admin_step(admin->state, order->event, node->id).action == ADMIN_REFUSE)
        return err_set(err, EINVAL,
                       "node %s: is %s by %s: run creel node recommission %s "
                       "first",
                       node->id, rm_admin_name(admin->state), admin->by, node->id);
    if (admin->by_file && !order->by_file && order->event == ADMIN_EVENT_RESTORE)
        return err_set(err, EINVAL, "node %s: %s: change that list, then creel admin refresh nodes", node->id,
                       admin->reason);
    return 0;
}

static void apply_order(struct master *m, struct node *node, const struct drain_order *order, bool anew)
{
    struct admin *admin = &node->admin;

    if (anew) {
        admin->since_ms = m->now_ms;
        admin->deadline_ms = 0;
    }
    admin->by_file = order->by_file;
    if (anew)
        admin->forced = false;
    if (order->forced && !admin->forced)
        admin->forced_ms = m->now_ms;
    admin->forced = admin->forced || order->forced;
    rm_text_set(&admin->by, order->by);
    if (anew || !rm_text_is_empty(order->reason))
        rm_text_set(&admin->reason, order->reason);
    if (order->deadline_given)
        admin->deadline_ms = order->deadline_ms;
}

static void clear(struct admin *admin)
{
    assert(admin->state == ADMIN_SERVING);
    rm_text_set(&admin->by, NULL);
    rm_text_set(&admin->reason, NULL);
    *admin = (struct admin){ .state = ADMIN_SERVING };
}

static void change(struct master *m, struct node *node, enum admin_event event,
                   const struct drain_order *order)
{
    enum admin_state before = node->admin.state;
    struct admin_step step = rm_admin_step(before, event, node->id);

    node->admin.state = step.next;
    switch (step.action) {
    case ADMIN_BUG:
    case ADMIN_REFUSE:
        err_abort("node %s: an order that rm_drain_judge refuses, in state %s", node->id,
                  rm_admin_name(before));
    case ADMIN_NONE:
        return;
    case ADMIN_BEGIN:
    case ADMIN_CHANGE:
        /* Decommissioning a drained node is a new decision, with a deadline of its own. */
        apply_order(m, node, order,
                    before == ADMIN_SERVING || (step.next == ADMIN_DECOMMISSIONING && before != step.next));
        break;
    case ADMIN_END:
        clear(&node->admin);
        break;
    case ADMIN_SETTLE:
        break;
    case ADMIN_RETIRE:
        rm_node_event(m, node, NODE_EVENT_RETIRE);
        rm_hosts_watch(m, node);
        break;
    }
    rm_store_node(m, node);
    rm_event_node_state(m, node);
    rm_node_update_open(m, node);
    rm_node_total_update(m, node);
    rm_evict_check(m, node);
    rm_node_mark_for_check(m, node);
    rm_changes_node(m, node);
    m->nodes_changed = true;
}

void rm_drain_order(struct master *m, struct node *node, const struct drain_order *order)
{
    change(m, node, order->event, order);
}

void rm_drain_forget(struct master *m, struct node *node)
{
    node->admin.state = ADMIN_SERVING;
    clear(&node->admin);
    rm_text_set(&node->size.by, NULL);
    node->forgotten = true;
    rm_store_node(m, node);
}

void rm_drain_recovered(struct master *m, struct node *node)
{
    if (node->admin.state == ADMIN_DECOMMISSIONED) {
        rm_node_event(m, node, NODE_EVENT_RETIRE);
        rm_hosts_watch(m, node);
    }
    rm_evict_check(m, node);
}

/* --- is it empty? ---------------------------------------------------------- */

/* As in YARN, a node being decommissioned waits for applications that had containers on the node: others may
 * want to read their output and logs. The wait ends at the deadline. */
static bool is_awaited(const struct master *m, const struct node *node)
{
    const struct admin *admin = &node->admin;

    if (admin->forced || (admin->deadline_ms != 0 && admin->deadline_ms <= m->now_ms))
        return false;
    return node->finished != NULL || rm_admin_apps(m, node) > 0;
}

static bool has_something(const struct node *node)
{
    return node->container_count > 0 || node->orphans != NULL;
}

static void check_drained(struct master *m, struct node *node)
{
    switch (node->state) {
    case NODE_STATE_NEW: /* its agent will report the running containers */
    case NODE_STATE_RETIRED:
    case NODE_STATES:
        return;
    case NODE_STATE_LOST:
        /* The running containers are unknown, so the node is not drained. But a node being decommissioned may
         * leave. */
        if (is_leaving(node))
            change(m, node, ADMIN_EVENT_EMPTY, NULL);
        return;
    case NODE_STATE_RUNNING:
    case NODE_STATE_UNHEALTHY:
        break;
    }
    if (has_something(node))
        change(m, node, ADMIN_EVENT_FILLED, NULL);
    else if (!is_leaving(node) || !is_awaited(m, node))
        change(m, node, ADMIN_EVENT_EMPTY, NULL);
}

void rm_drain_check_marked(struct master *m)
{
    struct node *node;

    while ((node = TAILQ_FIRST(&m->to_check)) != NULL) {
        TAILQ_REMOVE(&m->to_check, node, in_to_check);
        node->to_check = false;
        check_drained(m, node);
    }
}
