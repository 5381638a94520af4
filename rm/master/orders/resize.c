/* SPDX-License-Identifier: Apache-2.0 */
/* resize.c - other sizes for running containers: their versions, rows, orders and news for AMs */
#include "rm/master/orders/resize.h"

#include <errno.h>

#include "rm/master/nodes/node_orders.h"
#include "rm/master/orders/app_usage.h"
#include "rm/master/orders/node_total.h"
#include "rm/master/orders/preempt.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/index.h"
#include "rm/master/state/rows.h"

/* --- requests -------------------------------------------------------------- */

int rm_resize_judge(const struct container *container, struct err *err)
{
    const struct node *node = container->node;

    if (container->state != CONTAINER_RUNNING)
        return err_set(err, EBUSY, "it does not run: only running containers are resized");
    if (container->command_ended)
        return err_set(err, EBUSY, "its command has ended, and what it left is being stopped");
    if (container->sched == NULL)
        return err_set(err, EBUSY,
                       "its node %s has not registered since the resource manager started: try again later",
                       node->id);
    if (!node->resizes)
        return err_set(err, EOPNOTSUPP,
                       "the agent of node %s has version %s, which cannot resize containers: "
                       "update it",
                       node->id, rm_text_is_empty(node->version) ? "0.2.0 or older" : node->version);
    return 0;
}

/* Removes the increase for which a user has asked from the row. */
static void drop_asked(struct master *m, struct container *container)
{
    if (resource_is_zero(&container->asked))
        return;
    container->asked = resource_of(0, 0);
    container->resize_seq = rm_store_container(m, container);
}

int rm_resize(struct master *m, struct container *container, const struct resource *asked, struct err *err)
{
    int r = sched_container_resize(m->sched, container->sched, asked, &m->decisions, err);

    if (r == 0) {
        drop_asked(m, container);
        rm_app_touch(m, container->app);
    }
    return r;
}

void rm_resize_cancel(struct master *m, struct container *container)
{
    drop_asked(m, container);
    if (container->sched == NULL)
        return;
    sched_container_cancel_resize(m->sched, container->sched, &m->decisions);
    rm_app_touch(m, container->app);
}

bool rm_resize_waits(const struct container *container, struct resource *target)
{
    if (container->sched && sched_container_grows(container->sched, target))
        return true;
    *target = container->asked;
    return !resource_is_zero(target);
}

void rm_resize_keep(struct master *m, struct container *container)
{
    struct resource target;

    if (!sched_container_grows(container->sched, &target) || resource_equal(&target, &container->asked))
        return;
    container->asked = target;
    container->resize_seq = rm_store_container(m, container);
}

void rm_resize_again(struct master *m, struct container *container)
{
    struct resource target, asked = container->asked;
    struct err err;

    if (resource_is_zero(&asked) || container->sched == NULL ||
        sched_container_grows(container->sched, &target))
        return;
    if (rm_resize_judge(container, &err) < 0 || rm_resize(m, container, &asked, &err) < 0)
        drop_asked(m, container);
    else
        rm_resize_keep(m, container);
}

/* --- orders ---------------------------------------------------------------- */

static void set_pending(struct container *container, bool pending)
{
    if (container->resize_pending && !pending)
        TAILQ_REMOVE(&container->node->resizes_due, container, in_resizes);
    if (!container->resize_pending && pending)
        TAILQ_INSERT_TAIL(&container->node->resizes_due, container, in_resizes);
    container->resize_pending = pending;
}

/* Sends the order when the row SEQ is on disk. It is repeated with heartbeats: orders_message.c. */
static void send_order(struct master *m, const struct container *container, uint64_t seq)
{
    const struct node *node = container->node;
    Creel__NodeOrders *orders;
    Creel__Envelope *envelope;

    if (node->session == 0 || node->connection == 0)
        return;
    orders = rm_node_orders_new(m, node);
    orders->resizes = arena_array0(m->out->arena, 1, sizeof(*orders->resizes));
    orders->resizes[orders->n_resizes++] = rm_resize_order(m, container);
    envelope = rm_envelope_new(m, 0, CREEL__ENVELOPE__BODY_NODE_ORDERS);
    envelope->node_orders = orders;
    rm_send_stored(m, seq, MASTER_AGENT, node->connection, envelope);
}

void rm_resize_reported(struct container *container, uint32_t version)
{
    bool runs = container->state == CONTAINER_RUNNING;

    set_pending(container, runs && container->node->resizes && version != container->version);
}

/* --- decisions ------------------------------------------------------------- */

static void tell_master(struct master *m, struct container *container)
{
    struct attempt *attempt = container->attempt;

    if (attempt != container->app->attempt || !attempt->known || container->step != attempt->step)
        return;
    if (!container->am_resized)
        TAILQ_INSERT_TAIL(&attempt->resized, container, in_am_resized);
    container->am_resized = true;
    rm_attempt_wake_up(m, attempt);
}

void rm_resize_decided(struct master *m, struct container *container)
{
    struct sched_container_info info;

    sched_container_info(container->sched, &info);
    if (resource_equal(&info.resource, &container->resource))
        return; /* it had that size before */
    rm_app_charge_usage(m, container->app, &container->resource, -1);
    container->resource = info.resource;
    rm_app_charge_usage(m, container->app, &container->resource, 1);
    container->version++;
    container->asked = resource_of(0, 0);
    container->resized_ms = m->now_ms;
    m->counters.resized++;
    container->resize_seq = rm_store_container(m, container);
    rm_event_container(m, container, CREEL__EVENT_KIND__EVENT_CONTAINER_RESIZED);
    set_pending(container, true);
    send_order(m, container, container->resize_seq);
    rm_node_total_update(m, container->node);
    rm_preempt_recheck(m, container->node);
    rm_changes_node(m, container->node);
    rm_app_touch(m, container->app);
    tell_master(m, container);
}

void rm_resize_forget(struct container *container)
{
    set_pending(container, false);
    container->asked = resource_of(0, 0);
    if (container->am_resized)
        TAILQ_REMOVE(&container->attempt->resized, container, in_am_resized);
    container->am_resized = false;
}

void rm_resize_forget_news(struct attempt *attempt)
{
    struct container *container;

    while ((container = TAILQ_FIRST(&attempt->resized)) != NULL) {
        TAILQ_REMOVE(&attempt->resized, container, in_am_resized);
        container->am_resized = false;
    }
}
