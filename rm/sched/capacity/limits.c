/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - limits of queues when a node is offered down the tree (yarn-behaviour 5.5) */
#include "rm/sched/capacity/internal.h"

struct resource capacity_use(const struct queue_partition *part)
{
    struct resource used = sched_load(part->sched, queue_used(part));

    if (!part->is_leaf)
        calc_subtract(&part->sched->calc, &used, &part_data(part)->killable);
    return used;
}

/* As in AbstractParentQueue.getResourceLimitsOfChild, the limit is at most the queue's own maximum. */
struct resource capacity_room(const struct queue_partition *parent, const struct resource *limit)
{
    const struct sched *sched = parent->sched;
    struct resource used = capacity_use(parent);
    struct resource room =
        calc_min(&sched->calc, &sched->total, *limit, part_data(parent)->share->effective_maximum);

    calc_subtract(&sched->calc, &room, &used);
    return room;
}

bool capacity_is_used_up(const struct queue_partition *parent, const struct resource *room)
{
    const struct sched *sched = parent->sched;

    if (!resource_is_zero(&part_data(parent)->killable))
        return false;
    for (int t = 0; t < calc_types(&sched->calc); t++)
        if (room->value[t] > 0 && room->value[t] >= sched->minimum.value[t])
            return false;
    return true;
}

struct resource capacity_child_limit(const struct queue_partition *child, const struct resource *room)
{
    const struct sched *sched = child->sched;
    struct resource limit = *room;

    calc_add(&sched->calc, &limit, queue_used(child));
    return calc_round_down(&sched->calc, &limit, &sched->minimum);
}

static struct resource offered_now(const struct sched *sched, const struct queue_partition *part)
{
    struct resource room;

    if (part->up == NULL)
        return sched->label_total[part->label];
    room = offered_now(sched, part->up);
    room = capacity_room(part->up, &room);
    return capacity_child_limit(part, &room);
}

/* As AbstractLeafQueue.updateCurrentResourceLimits. */
struct resource capacity_limit_now(const struct sched *sched, const struct queue_partition *leaf)
{
    struct resource most =
        calc_round_down(&sched->calc, &part_data(leaf)->share->effective_maximum, &sched->minimum);

    return calc_min(&sched->calc, &sched->total, most, offered_now(sched, leaf));
}
