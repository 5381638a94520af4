/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.c - draining and decommissioning: a node's administrative state, and when it is empty
 *
 * Differs: in YARN a graceful decommissioning does not survive a restart of the resource manager,
 * and a normal one removes a node from the accounting while its containers still run. Here a decision
 * is stored before it is acknowledged, deadlines stay over restarts, and a node leaves when its agent
 * has reported that nothing runs there, or is lost.
 */
#include <assert.h>
#include <errno.h>

#include "rm/master/admin_state.h"
#include "rm/master/copy.h"
#include "rm/master/drain.h"
#include "rm/master/evict.h"
#include "rm/master/index.h"
#include "rm/master/node.h"
#include "rm/master/node_orders.h"
#include "rm/master/node_total.h"
#include "rm/master/rows.h"

static bool is_leaving(const struct node *node)
{
    return node->duty.state == DUTY_DECOMMISSIONING || node->duty.state == DUTY_DECOMMISSIONED;
}

/* --- orders ---------------------------------------------------------------- */

int rm_duty_judge(const struct node *node, const struct duty_order *order, struct err *err)
{
    const struct duty *duty = &node->duty;

    if (rm_duty_step(duty->state, order->event).action == DUTY_REFUSE)
        return err_set(err, EINVAL, "node %s: is %s by %s: creel node recommission %s takes it back "
                       "first", node->id, rm_duty_name(duty->state), duty->by, node->id);
    if (duty->by_file && !order->by_file && order->event == DUTY_EVENT_RESTORE)
        return err_set(err, EINVAL, "node %s: %s: change that list, then creel admin refresh nodes",
                       node->id, duty->reason);
    return 0;
}

static void take_order(struct master *m, struct node *node, const struct duty_order *order,
                       bool anew)
{
    struct duty *duty = &node->duty;

    if (anew) {
        duty->since_ms = m->now_ms;
        duty->deadline_ms = 0;
    }
    duty->by_file = order->by_file;
    duty->forced = order->forced || (duty->forced && !anew);
    rm_text_set(&duty->by, order->by);
    if (anew || !rm_text_is_empty(order->reason))
        rm_text_set(&duty->reason, order->reason);
    if (order->deadline_said)
        duty->deadline_ms = order->deadline_ms;
}

static void clear(struct duty *duty)
{
    assert(duty->state == DUTY_SERVING);
    rm_text_set(&duty->by, NULL);
    rm_text_set(&duty->reason, NULL);
    *duty = (struct duty){ .state = DUTY_SERVING };
}

static void change(struct master *m, struct node *node, enum duty_event event,
                   const struct duty_order *order)
{
    enum duty_state before = node->duty.state;
    struct duty_step step = rm_duty_step(before, event);

    node->duty.state = step.next;
    switch (step.action) {
    case DUTY_BUG:
    case DUTY_REFUSE:
        abort();                        /* was judged before */
    case DUTY_NONE:
        return;
    case DUTY_BEGIN:
    case DUTY_CHANGE:
        /* To leave after having been drained is another decision, with a time of its own. */
        take_order(m, node, order, before == DUTY_SERVING ||
                   (step.next == DUTY_DECOMMISSIONING && before != step.next));
        break;
    case DUTY_END:
        clear(&node->duty);
        break;
    case DUTY_SETTLE:
        break;
    case DUTY_RETIRE:
        rm_node_event(m, node, NODE_EVENT_RETIRE);
        break;
    }
    rm_store_node(m, node);
    rm_node_update_open(m, node);
    rm_node_total_update(m, node);
    rm_evict_check(m, node);
    rm_duty_mark(m, node);
    m->nodes_changed = true;
}

void rm_duty_order(struct master *m, struct node *node, const struct duty_order *order)
{
    change(m, node, order->event, order);
}

void rm_duty_forget(struct master *m, struct node *node)
{
    node->duty.state = DUTY_SERVING;
    clear(&node->duty);
    rm_text_set(&node->size.by, NULL);
    node->forgotten = true;
    rm_store_node(m, node);
}

void rm_duty_recovered(struct master *m, struct node *node)
{
    if (node->duty.state == DUTY_DECOMMISSIONED)
        rm_node_event(m, node, NODE_EVENT_RETIRE);
    rm_evict_check(m, node);
}

/* --- is it empty? ---------------------------------------------------------- */

/* As in YARN, a node that leaves waits for applications that ran there: others may want to read
 * what they wrote, and their logs. Not beyond its time. */
static bool is_awaited(const struct master *m, const struct node *node)
{
    const struct duty *duty = &node->duty;

    if (duty->forced || (duty->deadline_ms != 0 && duty->deadline_ms <= m->now_ms))
        return false;
    return node->finished != NULL || rm_duty_apps(m, node) > 0;
}

static bool has_something(const struct node *node)
{
    return node->container_count > 0 || node->strays != NULL;
}

static void look(struct master *m, struct node *node)
{
    switch (node->state) {
    case NODE_STATE_NEW:                /* what it has it will say */
    case NODE_STATE_RETIRED:
    case NODE_STATES:
        return;
    case NODE_STATE_LOST:
        /* What runs there nobody knows: that is not drained. But it may leave. */
        if (is_leaving(node))
            change(m, node, DUTY_EVENT_EMPTY, NULL);
        return;
    case NODE_STATE_RUNNING:
    case NODE_STATE_UNHEALTHY:
        break;
    }
    if (has_something(node))
        change(m, node, DUTY_EVENT_FILLED, NULL);
    else if (!is_leaving(node) || !is_awaited(m, node))
        change(m, node, DUTY_EVENT_EMPTY, NULL);
}

void rm_duty_look(struct master *m)
{
    struct node *node;

    while ((node = TAILQ_FIRST(&m->looks)) != NULL) {
        TAILQ_REMOVE(&m->looks, node, in_looks);
        node->look = false;
        look(m, node);
    }
}
