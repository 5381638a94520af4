/* SPDX-License-Identifier: Apache-2.0 */
/* preempt_audit.c - checks that the capacity scheduler preempts containers only for a request */
#include "rm/sched/capacity/preempt_audit.h"

#include <errno.h>

#include "common/base/text.h"
#include "rm/sched/capacity/internal.h"
#include "rm/sched/policy.h"
#include "rm/sched/preempt/preempt.h"

static bool is_fair(const struct app_partition *part)
{
    return queue_data(part->app->queue)->config->order == CAPACITY_ORDER_FAIR;
}

static bool is_killed_now(const struct preempt_marks *marks, const struct sched_container *container)
{
    for (size_t i = 0; i < marks->count; i++)
        if (marks->items[i].container == container && marks->items[i].act == PREEMPT_KILL)
            return true;
    return false;
}

/* Returns what containers of PART use that this round does not preempt. With the fair ordering policy,
 * without the AM: see preempt_audit.h. */
static struct resource keeps(const struct sched *sched, const struct preempt_marks *marks,
                             const struct app_partition *part)
{
    bool fair = is_fair(part);
    struct resource sum = sched_load(sched, app_used(part));
    const struct sched_container *container;

    TAILQ_FOREACH(container, &part->app->containers, of_app)
        if (container->part == part && ((fair && container->master) || capacity_is_picked(sched, container) ||
                                        is_killed_now(marks, container)))
            sum = resource_subtract(sum, container_resource(container));
    return sum;
}

/* ACTIVE: the limit is divided among the active users alone. */
static struct resource user_limit(const struct sched *sched, const struct app_partition *part, bool active)
{
    struct resource limit = capacity_user_limit(sched, part->leaf, active);

    return capacity_weighted_limit(sched, &limit, part->user->user->weight);
}

/* Returns the limit of PART's application within its queue. */
static struct resource limit_within(const struct sched *sched, const struct app_partition *part)
{
    const struct sched_queue *queue = part->app->queue;
    struct resource used = sched_load(sched, queue_used(part->leaf));

    if (is_fair(part) && queue_data(queue)->config->user_limit_percent >= 100)
        return calc_divide_ceil(&sched->calc, &used, queue->active_apps);
    return user_limit(sched, part, false);
}

/* Returns true if ROW of DEMAND allows an open node. */
static bool allows_an_open_node(const struct sched *sched, const struct demand *demand, const struct row *row)
{
    const struct sched_node *node, *next;

    HASH_ITER(hh, sched->nodes, node, next)
        if (sched_node_is_offered(node) && !sched_app_avoids(demand->app, node) &&
            (text_equal(row->name, node->id) || text_equal(row->name, node->host) ||
             (!row->strict && text_equal(row->name, node->rack))))
            return true;
    return false;
}

/* Returns how many containers of DEMAND the open nodes may run. */
static int64_t count_placeable(const struct sched *sched, struct demand *demand)
{
    struct row *row;
    int64_t count = 0;

    if (demand->container) /* an increase: only its own node can serve it */
        return 0;
    if (!demand->strict)
        return demand->count;
    RB_FOREACH(row, sched_row_tree, &demand->rows)
        count += allows_an_open_node(sched, demand, row) ? (int64_t)row->count : 0;
    return count < demand->count ? count : demand->count;
}

/* Returns the requests of PART's application for containers that open nodes may run. */
static struct resource pending_of(const struct sched *sched, const struct app_partition *part)
{
    struct sched_demand_tree demands = part->app->demands; /* a copy, since RB_FOREACH takes no const */
    struct resource sum = resource_of(0, 0);
    struct demand *demand;

    RB_FOREACH(demand, sched_demand_tree, &demands)
        for (int t = 0; demand->label == part->label && t < sched->calc.types; t++)
            sum.value[t] += demand_size(demand)->value[t] * count_placeable(sched, demand);
    return sum;
}

/* Returns the part of the pending requests of PART's application that its user may still get. MARKS: from
 * applications of the same queue, where the user's own use may change places; NULL: from other queues. */
static struct resource asks(const struct sched *sched, const struct app_partition *part,
                            const struct preempt_marks *marks)
{
    struct resource pending = pending_of(sched, part), limit, used;

    if (resource_is_zero(&pending) || part->user == NULL)
        return resource_of(0, 0);
    limit = marks ? limit_within(sched, part) : user_limit(sched, part, true);
    used = marks ? keeps(sched, marks, part) : sched_load(sched, user_used(part->user));
    return resource_min(pending, calc_subtract_positive(limit, used));
}

/* Returns true if an application of LEAF other than EXCEPT asks for resources of the partition LABEL. MARKS:
 * as in asks(). */
static bool leaf_asks(const struct sched *sched, const struct sched_queue *leaf,
                      const struct sched_app *except, const struct preempt_marks *marks, uint8_t label)
{
    const struct sched_app *app;

    for (app = capacity_app_first(leaf); app; app = capacity_app_next(app)) {
        const struct app_partition *part = sched_app_partition_have(app, label);
        struct resource wants;

        if (part == NULL || app == except || app->state != APP_ACTIVE)
            continue;
        wants = asks(sched, part, marks);
        if (!resource_is_zero(&wants))
            return true;
    }
    return false;
}

static bool other_leaf_asks(const struct sched *sched, const struct sched_queue *leaf, uint8_t label)
{
    const struct sched_queue *queue;

    TAILQ_FOREACH(queue, &sched->queues, link)
        if (queue->leaf && queue != leaf && leaf_asks(sched, queue, NULL, NULL, label))
            return true;
    return false;
}

/* Returns true if the node of the marked container is reserved; if priority selected it, by another queue. */
static bool node_is_reserved(const struct preempt_mark *mark, const struct sched_queue *leaf)
{
    const struct sched_container *container = mark->container;
    const struct sched_app *app = container->node->reserved.app;

    return app != NULL && (mark->selector == PREEMPT_BY_RESERVED || app->queue != leaf);
}

/* Returns true if an increase of a container on the node of the marked one, in another queue, waits for room
 * that its user may get. */
static bool node_has_increase(const struct sched *sched, const struct preempt_mark *mark,
                              const struct sched_queue *leaf)
{
    const struct sched_container *gone = mark->container, *container;

    TAILQ_FOREACH(container, &gone->node->containers, of_node) {
        const struct demand *growth = container->growth;
        const struct app_partition *part;
        struct resource left, limit, free = sched_node_free(gone->node);
        bool own;

        if (growth == NULL || container->app->state != APP_ACTIVE || container->app->queue == leaf ||
            growth->label != gone->part->label || calc_fits(&sched->calc, demand_size(growth), &free))
            continue;
        own = sched_node_is_reserved_for(gone->node, container->app, growth);
        if (gone->node->reserved.app && !own)
            continue;
        part = sched_app_partition_have(container->app, growth->label);
        limit = user_limit(sched, part, true);
        left = resource_subtract(limit, sched_load(sched, user_used(part->user)));
        if (own)
            left = resource_add(left, gone->node->reserved.resource);
        if (calc_fits(&sched->calc, demand_size(growth), &left))
            return true;
    }
    return false;
}

static bool has_reason_in(const struct sched *sched, const struct preempt_marks *marks,
                          const struct preempt_mark *mark, uint8_t label)
{
    const struct sched_app *app = mark->app;
    const struct sched_queue *leaf = app->queue;

    switch (mark->selector) {
    case PREEMPT_BY_INTRA_QUEUE:
        return leaf_asks(sched, leaf, app, marks, label);
    case PREEMPT_BY_RESERVED:
    case PREEMPT_BY_QUEUE_PRIORITY:
        return node_is_reserved(mark, leaf);
    case PREEMPT_BY_INCREASE:
        return node_has_increase(sched, mark, leaf);
    default:
        return other_leaf_asks(sched, leaf, label);
    }
}

/* No request can use what a container of a closed node frees. A reservation may be cancelled for a request in
 * another partition. */
static bool has_reason(const struct sched *sched, const struct preempt_marks *marks,
                       const struct preempt_mark *mark, uint8_t label)
{
    if (!mark->reserved)
        return sched_node_is_offered(((const struct sched_container *)mark->container)->node) &&
               has_reason_in(sched, marks, mark, label);
    for (uint8_t l = 0; l < sched->label_count; l++)
        if (has_reason_in(sched, marks, mark, l))
            return true;
    return false;
}

static void check_marks(void *context, const struct sched *sched, const struct preempt_marks *marks)
{
    struct preempt_audit *audit = context;

    for (size_t i = 0; i < marks->count && audit->r == 0; i++) {
        const struct preempt_mark *mark = &marks->items[i];
        const struct sched_app *app = mark->app;
        uint8_t label = mark->reserved ? ((const struct sched_node *)mark->container)->label
                                       : ((const struct sched_container *)mark->container)->part->label;

        if (mark->act == PREEMPT_WITHDRAW)
            continue;
        audit->marks++;
        if (!has_reason(sched, marks, mark, label))
            audit->r =
                err_set(&audit->err, EINVAL,
                        "a container of %s in partition \"%s\" is preempted (%s), and no request could "
                        "use its resources",
                        app->queue->path, sched->labels[label].name, preempt_selector_name(mark->selector));
    }
}

void preempt_audit_start(const struct sched *sched, struct preempt_audit *audit)
{
    if (!text_equal(sched->policy->name, "capacity"))
        return;
    capacity_of(sched)->audit = check_marks;
    capacity_of(sched)->audit_context = audit;
}
