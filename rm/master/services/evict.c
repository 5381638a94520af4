/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evict.c - stops containers on nodes that are drained or were made smaller
 *
 * Containers on a node that is past its deadline, or was made smaller, receive a notice and are stopped some
 * time later. Each node has one timer. Whichever event triggers the check, one pass over all containers of
 * the node finds the actions due now and the time of the next check.
 */
#include <errno.h>

#include "rm/master/orders/admin_state.h"
#include "rm/master/state/amounts.h"
#include "rm/master/machines/container.h"
#include "rm/master/state/copy.h"
#include "rm/master/services/evict.h"
#include "rm/master/state/index.h"
#include "rm/master/orders/node_total.h"
#include "rm/master/orders/preempt.h"
#include "rm/master/state/rows.h"
#include "rm/master/parts/format.h"

static bool is_going(const struct container *container)
{
    return container->evicting || container->state == CONTAINER_STOPPING || container->command_ended;
}

static bool is_connected(const struct node *node)
{
    return node->state == NODE_STATE_RUNNING || node->state == NODE_STATE_UNHEALTHY;
}

static void earlier(int64_t *next_ms, int64_t at_ms)
{
    if (at_ms < *next_ms)
        *next_ms = at_ms;
}

/* --- containers of a node that is drained -------------------------------------- */

static void evict_drained(struct master *m, struct node *node, int64_t *next_ms)
{
    const struct admin *admin = &node->admin;
    struct container *container, *next;
    const char *reason;

    if (admin->state != ADMIN_DRAINING && admin->state != ADMIN_DECOMMISSIONING)
        return;
    if (!admin->forced && admin->deadline_ms == 0)
        return;
    if (!admin->forced && admin->deadline_ms > m->now_ms) {
        earlier(next_ms, admin->deadline_ms);
        return;
    }
    reason = arena_printf(m->out->arena, "%snode %s %s", admin->forced ? "" : "preempted: ", node->id,
                          rm_format_admin_state(m, node));
    TAILQ_FOREACH_SAFE(container, &node->containers, of_node, next) {
        if (admin->forced)
            rm_container_stop(m, container, CONTAINER_EXIT_ABORTED, reason);
        else if (!is_going(container) || container->oversized)
            rm_preempt_evict(m, container, m->now_ms + m->config.evict_notice_ms, reason);
    }
    rm_node_mark_for_check(m, node);
}

/* --- containers that do not fit any more -------------------------------------------- */

/* Compares by order of eviction: the newest container first, AMs last. */
static int compare_victims(const void *a, const void *b)
{
    const struct container *x = *(struct container *const *)a, *y = *(struct container *const *)b;

    if (x->is_am != y->is_am)
        return x->is_am ? 1 : -1;
    if (x->allocated_ms != y->allocated_ms)
        return x->allocated_ms > y->allocated_ms ? -1 : 1;
    return rm_container_compare(y, x);
}

static bool fits(const struct master *m, const struct resource *used, const struct resource *total)
{
    if (rm_limits_memory_only(m))
        return used->value[RESOURCE_MEMORY_MB] <= total->value[RESOURCE_MEMORY_MB];
    return resource_fits(used, total);
}

static bool sheds(const struct node *node)
{
    return node->size.by != NULL && node->size.overcommit_ms != 0;
}

/* Returns true if CONTAINER stays on its node, unless it is one too many. */
static bool may_stay(const struct container *container)
{
    return !is_going(container) ||
           (container->oversized && container->state != CONTAINER_STOPPING && !container->command_ended);
}

/* Evicts the containers in excess of the node's size, of COUNT that use USED, and withdraws the eviction of
 * the others. */
static void shed(struct master *m, struct node *node, struct resource used, size_t count)
{
    struct container **list = arena_array0(m->out->arena, count + 1, sizeof(struct container *));
    const char *reason = arena_printf(m->out->arena, "preempted: node %s was made smaller by %s", node->id,
                                      node->size.by ? node->size.by : "");
    struct container *container;
    bool evicts;

    count = 0;
    TAILQ_FOREACH(container, &node->containers, of_node)
        if (may_stay(container))
            list[count++] = container;
    if (count > 0)
        qsort(list, count, sizeof(struct container *), compare_victims);
    for (size_t i = 0; i < count; i++) {
        evicts = sheds(node) && !fits(m, &used, &node->total);
        if (evicts)
            used = resource_subtract(used, list[i]->resource);
        if (evicts && !list[i]->oversized)
            rm_preempt_oversized(m, list[i], node->size.overcommit_ms, reason);
        if (!evicts && list[i]->oversized)
            rm_preempt_withdraw(m, list[i]);
    }
}

static void evict_oversized(struct master *m, struct node *node)
{
    struct resource used = resource_of(0, 0);
    struct container *container;
    size_t count = 0;

    if (!sheds(node) && node->oversized == 0)
        return;
    TAILQ_FOREACH(container, &node->containers, of_node) {
        if (!may_stay(container))
            continue;
        used = resource_add(used, container->resource);
        count++;
    }
    if (node->oversized > 0 || !fits(m, &used, &node->total))
        shed(m, node, used, count);
}

static void expire_size(struct master *m, struct node *node, int64_t *next_ms)
{
    struct size *size = &node->size;

    if (size->by == NULL || size->until_ms == 0)
        return;
    if (size->until_ms > m->now_ms) {
        earlier(next_ms, size->until_ms);
        return;
    }
    rm_text_set(&size->by, NULL);
    *size = (struct size){ .by = NULL };
    rm_node_total_resize(m, node);
    rm_store_node(m, node);
}

/* --- the check of a node ------------------------------------------------------------- */

static void stop_announced(struct master *m, struct node *node, int64_t *next_ms)
{
    struct container *container, *next;

    TAILQ_FOREACH_SAFE(container, &node->containers, of_node, next) {
        if (!container->evicting || container->state == CONTAINER_STOPPING || container->command_ended)
            continue;
        if (container->preempt_ms > m->now_ms) {
            earlier(next_ms, container->preempt_ms);
            continue;
        }
        rm_container_stop(m, container, CONTAINER_EXIT_PREEMPTED,
                          arena_strdup(m->out->arena, container->preempt_reason));
    }
}

void rm_evict_check(struct master *m, struct node *node)
{
    int64_t next_ms = INT64_MAX;

    rm_deadline_clear(m, &node->evict);
    expire_size(m, node, &next_ms);
    if (is_connected(node)) {
        evict_drained(m, node, &next_ms);
        evict_oversized(m, node);
        stop_announced(m, node, &next_ms);
    }
    if (next_ms != INT64_MAX)
        rm_deadline_set(m, &node->evict, next_ms);
}

/* --- size ------------------------------------------------------------------ */

int rm_node_resources_judge(struct master *m, const struct node *node, const Creel__SetNodeResources *body,
                            struct err *err)
{
    struct arena *arena = m->out->arena;
    struct resource wanted;

    if (body->total == NULL)
        return 0;
    if (rm_resource_judge(m, body->total, err) < 0)
        return -EINVAL;
    wanted = rm_resource_from(m, body->total);
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++) {
        /* Checks only the amounts that are set: the others come from the agent, and may be unknown after a
         * restart. */
        if (wanted.value[t] > 0 && wanted.value[t] < m->minimum.value[t])
            return err_set(err, EINVAL,
                           "node %s: %s is less than the smallest container, %s (creel "
                           "node drain %s keeps new containers off it)",
                           node->id, format_amounts(arena, &m->types, &wanted),
                           format_amounts(arena, &m->types, &m->minimum), node->id);
        if (wanted.value[t] > INT32_MAX)
            return err_set(err, EINVAL, "node %s: %s is more than a node can have", node->id,
                           format_amounts(arena, &m->types, &wanted));
    }
    return 0;
}

void rm_node_resources_set(struct master *m, struct node *node, const Creel__SetNodeResources *body,
                           const char *user)
{
    struct size *size = &node->size;
    struct resource wanted = rm_resource_from(m, body->total);
    struct container *container;

    TAILQ_FOREACH(container, &node->containers, of_node)
        if (container->oversized) /* the check below decides again, with the new time */
            rm_preempt_withdraw(m, container);
    if (body->total == NULL) {
        rm_text_set(&size->by, NULL);
        *size = (struct size){ .by = NULL };
    } else {
        rm_text_set(&size->by, user);
        for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
            if (wanted.value[t] > 0)
                size->set.value[t] = wanted.value[t];
        size->until_ms = body->for_ms > 0 ? m->now_ms + body->for_ms : 0;
        size->overcommit_ms = body->overcommit_ms < 0 ? 0 : m->now_ms + body->overcommit_ms;
    }
    rm_node_total_resize(m, node);
    rm_store_node(m, node);
    rm_evict_check(m, node);
}
