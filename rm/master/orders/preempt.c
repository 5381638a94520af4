/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt.c - preemption notices, to agents and AMs
 *
 * The scheduler chooses a container and a deadline. The order to the node to announce the deadline is
 * repeated until the node confirms it. The AM receives the notice once, and again when it registers. At the
 * deadline the container is stopped like any other, with exit status -102. If the scheduler does not need its
 * resources any more, the notice is revoked at node and AM.
 */
#include <assert.h>
#include <stdio.h>

#include "rm/master/nodes/node_orders.h"
#include "rm/master/orders/making_room.h"
#include "rm/master/orders/preempt.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/deadline.h"
#include "rm/master/state/index.h"

const char rm_preempt_usual_reason[] = "preempted: another queue, user or application is below its share";

const char *rm_preempt_reason(const struct container *container)
{
    return container->preempt_reason ? container->preempt_reason : rm_preempt_usual_reason;
}

/* --- notices --------------------------------------------------------------- */

static bool is_strict(const struct master *m, const struct container *container)
{
    /* As in YARN, the AM may release other containers instead if the capacity scheduler preempts. The fair
     * scheduler, or an eviction from a node, requires this very container. */
    return container->evicting || m->features.queues == SCHED_QUEUES_FAIR;
}

static void notify_am(struct master *m, struct container *container)
{
    struct attempt *attempt = container->attempt;

    if (container->am_preempting || attempt != attempt->app->attempt || rm_attempt_is_over(attempt) ||
        (container != attempt->am_container && container->step != attempt->step))
        return;
    container->am_preempting = true;
    TAILQ_INSERT_TAIL(&attempt->preempting, container, in_preempting);
    rm_attempt_wake_up(m, attempt);
}

/* Sends the notice of the scheduler. */
static void notify(struct master *m, struct container *container)
{
    /* If neither node nor AM has received the container yet, no notice is sent, and the container is stopped
     * at the deadline. Nor is a notice sent if the container is being stopped. */
    if (container->state != CONTAINER_ACQUIRED && container->state != CONTAINER_RUNNING)
        return;
    container->spare_ms = 0;
    container->preempt_ms = container->sched_preempt_ms;
    rm_node_preempt_notice(m, container);
    notify_am(m, container);
    rm_app_touch(m, container->app);
}

void rm_preempt_notice(struct master *m, const struct sched_decision *decision)
{
    struct container *container = sched_container_owner(decision->container);

    if (container == NULL)
        return;
    container->sched_preempt_ms = decision->deadline_ms > 0 ? decision->deadline_ms : 1;
    if (!container->evicting)
        notify(m, container);
}

static void set_oversized(struct container *container, bool oversized)
{
    container->node->oversized += (uint32_t)oversized;
    container->node->oversized -= (uint32_t)container->oversized;
    container->oversized = oversized;
}

/* Returns the time at which CONTAINER is stopped: DEADLINE_MS, or an earlier deadline that was announced
 * before, possibly before a restart of the resource manager. */
static int64_t evict_time(const struct master *m, const struct container *container, int64_t deadline_ms)
{
    int64_t at_ms = deadline_ms, announced_ms = container->preempt_ms;

    if (announced_ms == 0)
        announced_ms = container->announced_deadline_ms;
    if (announced_ms != 0 && announced_ms < at_ms)
        at_ms = announced_ms;
    return at_ms > m->now_ms ? at_ms : m->now_ms;
}

void rm_preempt_evict(struct master *m, struct container *container, int64_t deadline_ms, const char *reason)
{
    if ((container->evicting && !container->oversized) || container->state == CONTAINER_STOPPING)
        return;
    set_oversized(container, false);
    container->preempt_ms = evict_time(m, container, deadline_ms);
    container->spare_ms = 0;
    container->evicting = true;
    rm_text_set(&container->preempt_reason, reason);
    rm_changes_node(m, container->node);
    m->nodes_changed = true;
    if (container->state != CONTAINER_ACQUIRED && container->state != CONTAINER_RUNNING)
        return;
    rm_node_preempt_notice(m, container);
    if (container->am_preempting) { /* an earlier notice or revocation was not sent yet */
        TAILQ_REMOVE(&container->attempt->preempting, container, in_preempting);
        container->am_preempting = false;
    }
    notify_am(m, container);
    rm_app_touch(m, container->app);
}

void rm_preempt_oversized(struct master *m, struct container *container, int64_t deadline_ms,
                          const char *reason)
{
    if (container->evicting || container->state == CONTAINER_STOPPING)
        return;
    rm_preempt_evict(m, container, deadline_ms, reason);
    set_oversized(container, true);
}

/* Revokes the notice with the deadline DEADLINE_MS. The node confirms this by reporting that deadline as
 * spared_ms. */
static void revoke_notice(struct master *m, struct container *container, int64_t deadline_ms)
{
    if (container->state != CONTAINER_ACQUIRED && container->state != CONTAINER_RUNNING)
        return;
    container->spare_ms = deadline_ms;
    container->preempt_ms = 0;
    rm_node_preempt_notice(m, container);
    if (container->am_preempting) { /* the notice was not sent yet */
        TAILQ_REMOVE(&container->attempt->preempting, container, in_preempting);
        container->am_preempting = false;
    }
    if (container->am_notified)
        notify_am(m, container);
    rm_app_touch(m, container->app);
}

void rm_preempt_withdraw(struct master *m, struct container *container)
{
    int64_t deadline_ms = container->preempt_ms;

    set_oversized(container, false);
    container->evicting = false;
    container->preempt_ms = container->announced_deadline_ms = 0;
    rm_text_set(&container->preempt_reason, NULL);
    rm_changes_node(m, container->node);
    m->nodes_changed = true;
    if (container->sched_preempt_ms != 0)
        notify(m, container);
    else
        revoke_notice(m, container, deadline_ms);
}

void rm_preempt_recheck(struct master *m, struct node *node)
{
    if (node->oversized > 0)
        rm_deadline_set(m, &node->evict, m->now_ms);
}

void rm_preempt_spare(struct master *m, const struct sched_decision *decision)
{
    struct container *container = sched_container_owner(decision->container);

    if (container == NULL)
        return;
    container->sched_preempt_ms = 0;
    rm_room_forget(m, container);
    if (!container->evicting && container->preempt_ms != 0)
        revoke_notice(m, container, container->preempt_ms);
}

void rm_preempt_reported(struct master *m, struct container *container, const Creel__ContainerStatus *status)
{
    container->announced_deadline_ms = status->preempt_ms;
    if (status->preempt_ms != 0 && container->preempt_ms == 0 && container->spare_ms == 0) {
        container->am_notified = true; /* before a restart of the resource manager, perhaps */
        revoke_notice(m, container, status->preempt_ms);
        return;
    }
    if (!container->notice_pending ||
        (container->spare_ms != 0 ? status->spared_ms != container->spare_ms
                                  : status->preempt_ms != container->preempt_ms))
        return;
    container->notice_pending = false;
    TAILQ_REMOVE(&container->node->preempt_notices, container, in_notices);
}

void rm_preempt_forget(struct container *container)
{
    if (container->notice_pending)
        TAILQ_REMOVE(&container->node->preempt_notices, container, in_notices);
    if (container->am_preempting)
        TAILQ_REMOVE(&container->attempt->preempting, container, in_preempting);
    set_oversized(container, false);
    container->notice_pending = container->am_preempting = false;
    container->evicting = container->am_notified = false;
    container->preempt_ms = container->sched_preempt_ms = container->spare_ms = 0;
    rm_text_set(&container->preempt_reason, NULL);
}

void rm_preempt_forget_news(struct attempt *attempt)
{
    struct container *container;

    while ((container = TAILQ_FIRST(&attempt->preempting)) != NULL) {
        TAILQ_REMOVE(&attempt->preempting, container, in_preempting);
        container->am_preempting = false;
    }
}

void rm_preempt_again(struct master *m, struct attempt *attempt)
{
    struct container first = { .id = { .attempt = attempt->id } }, *container;

    for (container = RB_NFIND(rm_container_tree, &m->containers, &first);
         container && container->attempt == attempt;
         container = RB_NEXT(rm_container_tree, &m->containers, container))
        if (container->preempt_ms != 0 || (container->spare_ms != 0 && container->am_notified))
            notify_am(m, container);
}

/* --- messages -------------------------------------------------------------- */

static Creel__PreemptedContainer *preempted_message(struct arena *arena, const struct container *container)
{
    Creel__PreemptedContainer *message = arena_new0(arena, Creel__PreemptedContainer);

    creel__preempted_container__init(message);
    message->container_id = rm_message_text(arena, container->text);
    message->deadline_ms = container->spare_ms != 0 ? container->spare_ms : container->preempt_ms;
    return message;
}

static Creel__PreemptionNotice *new_notice(struct arena *arena, const struct attempt *attempt)
{
    Creel__PreemptionNotice *notice = arena_new0(arena, Creel__PreemptionNotice);
    const struct container *container;
    size_t count = 0;

    creel__preemption_notice__init(notice);
    TAILQ_FOREACH(container, &attempt->preempting, in_preempting)
        count++;
    notice->strict = arena_array0(arena, count + 1, sizeof(*notice->strict));
    notice->negotiable = arena_array0(arena, count + 1, sizeof(*notice->negotiable));
    notice->spared = arena_array0(arena, count + 1, sizeof(*notice->spared));
    return notice;
}

Creel__PreemptionNotice *rm_preempt_pull(struct master *m, struct attempt *attempt, struct am_room *room)
{
    Creel__PreemptionNotice *notice;
    struct container *container;
    struct resource sum = resource_of(0, 0);

    if (TAILQ_EMPTY(&attempt->preempting))
        return NULL;
    notice = new_notice(m->out->arena, attempt);
    while ((container = TAILQ_FIRST(&attempt->preempting)) != NULL) {
        Creel__PreemptedContainer *message = preempted_message(m->out->arena, container);

        if (!rm_am_room_try_add(room, &message->base))
            break;
        TAILQ_REMOVE(&attempt->preempting, container, in_preempting);
        container->am_preempting = false;
        container->am_notified = container->spare_ms == 0;
        if (container->spare_ms != 0) {
            notice->spared[notice->n_spared++] = message;
        } else if (is_strict(m, container)) {
            notice->strict[notice->n_strict++] = message;
        } else {
            notice->negotiable[notice->n_negotiable++] = message;
            sum = resource_add(sum, container->resource);
        }
    }
    if (notice->n_negotiable > 0)
        notice->wanted = rm_resource_message(m, &sum);
    return notice;
}
