/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.c - selects containers of queues with lower priority on a reserved node, if the reservation's
 * queue is below its guarantee and has waited long enough (underutilized-preemption, 7.5)
 *
 * As in YARN, this selector preempts the oldest container of the node first.
 * Differs: the reservation is not moved to a node with room (allow-move-reservation, off by default in YARN):
 * an application with a reservation still gets room on other nodes. `creel conf check` warns about the key.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/preempt/internal.h"

static bool any_outranked(const struct preempt *preempt)
{
    for (uint32_t q = 0; q < preempt->snapshot->queue_count; q++) {
        const struct place *place = &preempt->places[q];

        for (uint32_t i = 1; i < place->child_count; i++)
            if (preempt->snapshot->queues[preempt->children[place->first_child + i]].priority !=
                preempt->snapshot->queues[preempt->children[place->first_child]].priority)
                return true;
    }
    return false;
}

/* Orders the container of the queue of higher priority first, then the oldest. */
static bool goes_before(const struct preempt *preempt, const struct preempt_container *a,
                        const struct preempt_container *b)
{
    if (tree_outranks(preempt, a->leaf, b->leaf))
        return true;
    if (tree_outranks(preempt, b->leaf, a->leaf))
        return false;
    return a->created_ms != b->created_ms ? a->created_ms < b->created_ms : victims_is_newer(b, a);
}

/* A merge sort is used because goes_before() is not a consistent order over all queues of a deep tree, and
 * the result of qsort() is then undefined. */
static void sort(struct preempt *preempt, const struct preempt_container **items, size_t count)
{
    const struct preempt_container **spare;

    if (count > preempt->spare.capacity) {
        preempt->spare.capacity = count;
        preempt->spare.items = mem_resize(preempt->spare.items, count, sizeof(*preempt->spare.items));
    }
    spare = preempt->spare.items;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t from = 0; from < count; from += 2 * run) {
            size_t middle = from + run < count ? from + run : count;
            size_t end = from + 2 * run < count ? from + 2 * run : count;
            size_t left = from, right = middle;

            for (size_t i = from; i < end; i++) {
                bool take_right =
                    right < end && (left == middle || goes_before(preempt, items[right], items[left]));

                spare[i] = take_right ? items[right++] : items[left++];
            }
        }
        memcpy(items, spare, count * sizeof(*items));
    }
}

static bool is_satisfied(const struct preempt *preempt, const struct preempt_reservation *reservation)
{
    const struct preempt_container *container = &reservation->container;
    const struct preempt_figures *figures = figures_of(preempt, container->partition, container->leaf);
    const struct work *work = work_of(preempt, container->partition, container->leaf);
    struct resource has = resource_subtract(figures->used, figures->reserved);

    has = resource_add(has, work->obtain); /* at this point, OBTAIN is the amount already picked for
                                              this leaf */
    return compare(preempt, &has, &figures->guaranteed) >= 0;
}

/* Returns true if nothing of LACKING is left. */
static bool is_met(const struct preempt *preempt, const struct resource *lacking)
{
    const struct resource nothing = { .value = { 0 } };

    return calc_fits(&preempt->settings.calc, lacking, &nothing);
}

static void sort_node(struct preempt *preempt, void *node)
{
    victims_load_node(preempt, node);
    preempt->sorted.count = 0;
    for (size_t i = 0; i < preempt->containers.count; i++) {
        mem_grow(preempt->sorted.items, preempt->sorted.count, preempt->sorted.capacity);
        preempt->sorted.items[preempt->sorted.count++] = &preempt->containers.items[i];
    }
    sort(preempt, preempt->sorted.items, preempt->sorted.count);
}

/* Differs: YARN also preempts containers of queues for which preemption is disabled. */
static bool may_go(struct preempt *preempt, const struct preempt_container *container, uint32_t demanding)
{
    return !container->am && !container->reserved && !container->killable &&
           !preempt->snapshot->queues[container->leaf].disabled &&
           tree_outranks(preempt, demanding, container->leaf) && !take_is_picked(preempt, container);
}

/* Chooses the containers of the node to preempt for RESERVATION, and moves these *CHOSEN containers to the
 * front of SORTED. Returns false if they do not suffice. */
static bool choose(struct preempt *preempt, const struct preempt_reservation *reservation, size_t *chosen)
{
    struct resource lacking =
        resource_subtract(size_of(preempt, &reservation->container), reservation->available);
    struct resource allowed = preempt->allowed;
    const struct preempt_container **items;

    *chosen = 0;
    sort_node(preempt, reservation->node);
    items = preempt->sorted.items;
    for (size_t i = 0; i < preempt->sorted.count; i++)
        if ((items[i]->killable && !items[i]->stuck) || take_is_picked(preempt, items[i]))
            lacking = resource_subtract(lacking, size_of(preempt, items[i]));
    for (size_t i = 0; i < preempt->sorted.count && !is_met(preempt, &lacking); i++) {
        const struct preempt_container *container = items[i];

        if (!may_go(preempt, container, reservation->container.leaf) ||
            compare(preempt, &allowed, container->size) < 0)
            continue;
        allowed = resource_subtract(allowed, size_of(preempt, container));
        lacking = resource_subtract(lacking, size_of(preempt, container));
        items[(*chosen)++] = container;
    }
    return is_met(preempt, &lacking);
}

static void serve(struct preempt *preempt, const struct preempt_reservation *reservation)
{
    const struct preempt_container *wanted = &reservation->container;
    struct work *work = work_of(preempt, wanted->partition, wanted->leaf);
    size_t chosen;

    if (preempt->now_ms - wanted->created_ms < preempt->settings.reserved_delay_ms ||
        is_satisfied(preempt, reservation) || !choose(preempt, reservation, &chosen))
        return;
    work->obtain = resource_add(work->obtain, size_of(preempt, wanted));
    for (size_t i = 0; i < chosen; i++) {
        const struct preempt_container *container = preempt->sorted.items[i];

        take_pick(preempt, container, PREEMPT_BY_QUEUE_PRIORITY, wanted->leaf);
        preempt->allowed = resource_subtract(preempt->allowed, size_of(preempt, container));
    }
}

static const struct preempt_reservation *reservation_of(const struct preempt_container *container)
{
    return (const void *)((const char *)container - offsetof(struct preempt_reservation, container));
}

void priority_select(struct preempt *preempt)
{
    if (!any_outranked(preempt))
        return;
    victims_load_reservations(preempt);
    preempt->waiting.count = 0;
    for (size_t i = 0; i < preempt->reservations.count; i++) {
        mem_grow(preempt->waiting.items, preempt->waiting.count, preempt->waiting.capacity);
        preempt->waiting.items[preempt->waiting.count++] = &preempt->reservations.items[i].container;
    }
    sort(preempt, preempt->waiting.items, preempt->waiting.count);
    for (size_t i = 0; i < preempt->waiting.count; i++)
        serve(preempt, reservation_of(preempt->waiting.items[i]));
}
