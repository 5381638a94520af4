/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reserved.c - selects containers on reserved nodes, so that the reservations find room (7.5)
 *
 * On a node reserved for one large container, picks containers that must be preempted anyway, the newest
 * first, if they make enough room. First the cost of each reserved node is computed, then the nodes are
 * served, the cheapest first. A node gets all the room that it needs, or none.
 */
#include <stdlib.h>

#include "common/base/mem.h"
#include "rm/sched/preempt/internal.h"

/* The result of checking a node. */
struct look {
    bool enough;
    struct resource got; /* sum of the containers not picked before */
};

static bool may_go(const struct preempt *preempt, const struct preempt_container *container)
{
    const struct calc *calc = &preempt->settings.calc;
    const struct work *work = work_of(preempt, container->partition, container->leaf);

    return !preempt->snapshot->queues[container->leaf].disabled && above_zero(preempt, &work->obtain) &&
           calc_fits(calc, container->size, &work->obtain) &&
           calc_fits(calc, container->size, &preempt->allowed);
}

static void account(struct preempt *preempt, const struct preempt_container *container, bool back)
{
    struct work *work = work_of(preempt, container->partition, container->leaf);
    struct resource (*change)(struct resource, struct resource) = back ? resource_add : resource_subtract;

    work->obtain = change(work->obtain, size_of(preempt, container));
    preempt->allowed = change(preempt->allowed, size_of(preempt, container));
}

/* Picks from the node until RESERVATION fits, or undoes all picks. PICK false: only checks. */
static struct look try_reservation(struct preempt *preempt, const struct preempt_reservation *reservation,
                                   bool pick)
{
    const struct calc *calc = &preempt->settings.calc;
    const struct amount *wanted = reservation->container.size;
    struct resource room = resource_add(reservation->available, reservation->killable);
    struct look look = { .enough = false };
    size_t chosen = 0; /* number of containers moved to the front of the array */

    if (calc_fits(calc, wanted, &room))
        return look;
    victims_load_node(preempt, reservation->node);
    victims_sort_newest(preempt);
    for (size_t i = 0; i < preempt->containers.count && !look.enough; i++) {
        struct preempt_container container = preempt->containers.items[i];

        if (container.killable || container.am || container.reserved || !may_go(preempt, &container))
            continue;
        if (pick)
            account(preempt, &container, false);
        if (!take_is_picked(preempt, &container)) {
            preempt->containers.items[chosen++] = container;
            look.got = resource_add(look.got, size_of(preempt, &container));
        }
        room = resource_add(room, size_of(preempt, &container));
        look.enough = calc_fits(calc, wanted, &room);
    }
    for (size_t i = 0; pick && i < chosen; i++)
        if (look.enough)
            take_pick(preempt, &preempt->containers.items[i], PREEMPT_BY_RESERVED,
                      reservation->container.leaf);
        else
            account(preempt, &preempt->containers.items[i], true);
    return look;
}

static int cheapest_first(const void *first, const void *second)
{
    const struct node_cost *a = first, *b = second;

    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return (a->reservation > b->reservation) - (a->reservation < b->reservation);
}

void reserved_select(struct preempt *preempt)
{
    const struct ideal_options options = { .whole_pending = true };

    ideal_compute(preempt, &options);
    victims_load_reservations(preempt);
    preempt->costs.count = 0;
    for (uint32_t i = 0; i < preempt->reservations.count; i++) {
        const struct preempt_reservation *reservation = &preempt->reservations.items[i];
        struct look look = try_reservation(preempt, reservation, false);

        if (!look.enough)
            continue;
        mem_grow(preempt->costs.items, preempt->costs.count, preempt->costs.capacity);
        preempt->costs.items[preempt->costs.count++] = (struct node_cost){
            .reservation = i,
            .cost = calc_ratio(&preempt->settings.calc, &look.got, reservation->container.size),
        };
    }
    if (preempt->costs.count > 1)
        qsort(preempt->costs.items, preempt->costs.count, sizeof(struct node_cost), cheapest_first);
    for (size_t i = 0; i < preempt->costs.count; i++)
        try_reservation(preempt, &preempt->reservations.items[preempt->costs.items[i].reservation], true);
}
