/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - what a queue may hold as a node goes down the tree, and what it has left (yarn-behaviour 5.5) */
#include "rm/sched/capacity/internal.h"

/* Of a queue above others what may be killed there is as good as free. */
static inline bool lends_use(const struct queue_part *part)
{
    return part->killable && !part->is_leaf;
}

void capacity_subtract_use(const struct sched *sched, struct resource *room,
                             const struct queue_part *part)
{
    calc_subtract(&sched->calc, room, queue_used(part));
    if (lends_use(part))
        calc_add(&sched->calc, room, part->killable);
}

const struct amount *capacity_use_of(const struct queue_part *part, struct resource *firm)
{
    if (!lends_use(part))
        return queue_used(part);
    *firm = capacity_firm_use(part);
    return calc_amount(firm);
}

/* Differs: 5.5 takes a parent's limit as it is; cut to the parent's maximum type by type, no type goes over
 * it through a child whose dominant one is another. */
void capacity_leave_room(const struct sched *sched, const struct queue_part *part,
                         const struct resource *limit, struct resource *room)
{
    const struct amount *most = queue_maximum(part);
    const int64_t *used = queue_used(part)->value;

    for (int t = 0; t < sched->calc.types; t++) {
        int64_t left = limit->value[t] < most->value[t] ? limit->value[t] : most->value[t];

        calc_subtract_one(&left, used[t]);
        room->value[t] = left;
    }
    if (lends_use(part))
        calc_add(&sched->calc, room, part->killable);
}

void capacity_hand_down(const struct sched *sched, const struct resource *room,
                        const struct queue_part *child, struct resource *down)
{
    const struct amount *most = queue_maximum(child);

    calc_store(&sched->calc, down, room);
    calc_add(&sched->calc, down, queue_used(child));
    if (calc_is_more(&sched->calc, &sched->label_total[child->label], down, most))
        calc_store(&sched->calc, down, most);
    calc_cut(&sched->calc, down, &sched->minimum);
}

struct resource capacity_child_limit(const struct sched *sched, const struct queue_part *parent,
                                     const struct resource *limit, const struct queue_part *child)
{
    struct resource room = { .value = { 0 } }, down = { .value = { 0 } };

    capacity_leave_room(sched, parent, limit, &room);
    capacity_hand_down(sched, &room, child, &down);
    return down;
}

/* What PART would be handed down now. */
static struct resource limit_of(const struct sched *sched, const struct queue_part *part)
{
    struct resource limit;

    if (part->up == NULL)
        return sched->label_total[part->label];
    limit = limit_of(sched, part->up);
    return capacity_child_limit(sched, part->up, &limit, part);
}

struct resource capacity_limit_now(const struct sched *sched, const struct queue_part *leaf)
{
    struct resource most = calc_round_down(&sched->calc, &leaf->share->effective_maximum,
                                           &sched->minimum);

    return calc_min(&sched->calc, &sched->label_total[leaf->label], most, limit_of(sched, leaf));
}

/* The most that PART could be handed down of TYPE, whatever its parents have: a limit that is no more than
 * its maximum has no larger share than that, and is rounded down. */
static int64_t ceiling_of(const struct sched *sched, const struct queue_part *part, int type,
                          double share)
{
    int64_t total = sched->label_total[part->label].value[type];
    int64_t step = sched->minimum.value[type];
    int64_t value = sched->calc.dominant ? calc_truncate(share * (double)total)
                                         : part->share->effective_maximum.value[type];

    if (sched->calc.dominant && (double)(value + 1) / (double)total <= share)
        value++;                        /* the product was rounded */
    return step > 0 ? value / step * step : value;
}

struct resource capacity_room_at_most(const struct sched *sched, const struct queue_part *part)
{
    const struct resource *total = &sched->label_total[part->label];
    double share = capacity_measure(sched, part->label, &part->share->effective_maximum);
    struct resource room = { .value = { 0 } };

    for (int t = 0; t < sched->calc.types; t++)
        room.value[t] = total->value[t] != 0 ? ceiling_of(sched, part, t, share) : 0;
    capacity_subtract_use(sched, &room, part);
    return room;
}
