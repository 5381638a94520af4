/* SPDX-License-Identifier: Apache-2.0 */
/*
 * increases.c - selects containers on the nodes of containers that are to grow
 *
 * No node but its own can serve the increase of a container. So increases are not pending for the other
 * selectors, which compare sums of queues and pick containers on any node. When these have picked, an
 * increase gets the room that it lacks on its node, the newest containers first, as far as guarantees
 * entitle it to that: the queues of the growing container stay within their guarantees, and those of the
 * picked containers do not sink below theirs, by the calculator's comparison; both up to the queue that they
 * have in common. It gets all the room or none.
 *
 * Differs: in YARN an increase is pending as any request, until its node is reserved for it. Containers are
 * killed on other nodes, where that does not serve it, as long as it waits.
 */
#include "rm/sched/preempt/internal.h"

/* Adds SIZE to the use of the queues from LEAF to root, or subtracts it (SIGN -1). */
static void change_use(struct preempt *preempt, uint32_t partition, uint32_t leaf,
                       const struct resource *size, int sign)
{
    for (uint32_t q = leaf; q != PREEMPT_NONE; q = preempt->snapshot->queues[q].parent) {
        struct resource *use = &work_of(preempt, partition, q)->use;

        *use = sign > 0 ? resource_add(*use, *size) : resource_subtract(*use, *size);
    }
}

/* Computes what queues use when all that was picked and killed has ended. */
static void compute_use(struct preempt *preempt)
{
    const struct preempt_snapshot *snapshot = preempt->snapshot;

    for (uint32_t p = 0; p < snapshot->partition_count; p++)
        for (uint32_t q = 0; q < snapshot->queue_count; q++) {
            const struct preempt_figures *figures = figures_of(preempt, p, q);

            work_of(preempt, p, q)->use = resource_subtract(figures->used, figures->killable);
        }
    for (size_t i = 0; i < preempt->picks.count; i++) {
        const struct pick *pick = &preempt->picks.items[i];
        struct resource size = size_of(preempt, &pick->container);

        if (pick->release)
            continue;
        change_use(preempt, pick->container.partition, pick->container.leaf, &size, -1);
        if (pick->gainer != PREEMPT_NONE)
            change_use(preempt, pick->container.partition, pick->gainer, &size, 1);
    }
}

static bool is_above(const struct preempt *preempt, uint32_t q, uint32_t leaf)
{
    while (leaf != q && leaf != PREEMPT_NONE)
        leaf = preempt->snapshot->queues[leaf].parent;
    return leaf == q;
}

/* Returns true if the queues of LEAF that are not above OTHER use at most their guarantees of each type (SIGN
 * 1), so that no maximum can refuse the increase; or do not compare as below their guarantees (SIGN -1). */
static bool keeps_to_guarantees(const struct preempt *preempt, uint32_t partition, uint32_t leaf,
                                uint32_t other, int sign)
{
    for (uint32_t q = leaf; q != PREEMPT_NONE && !is_above(preempt, q, other);
         q = preempt->snapshot->queues[q].parent) {
        const struct resource *use = &work_of(preempt, partition, q)->use;
        const struct resource *guaranteed = &figures_of(preempt, partition, q)->guaranteed;

        if (sign > 0 ? !calc_fits(&preempt->settings.calc, use, guaranteed)
                     : compare(preempt, use, guaranteed) < 0)
            return false;
    }
    return true;
}

/* Returns true if LEAF uses more than its guarantee and the part above it that is ignored. */
static bool is_over(const struct preempt *preempt, uint32_t partition, uint32_t leaf)
{
    const struct preempt_figures *figures = figures_of(preempt, partition, leaf);
    struct resource zone = calc_multiply(&figures->guaranteed, 1.0 + preempt->settings.ignored_over_capacity);

    return compare(preempt, &figures->used, &zone) > 0;
}

/* Picks CONTAINER, without marking it yet, if it may go for WANTED. */
static bool give(struct preempt *preempt, const struct preempt_container *container,
                 const struct preempt_container *wanted)
{
    struct resource size = size_of(preempt, container);
    uint32_t partition = container->partition;

    if (container->killable || container->am || container->leaf == wanted->leaf ||
        preempt->snapshot->queues[container->leaf].disabled || take_is_picked(preempt, container) ||
        !calc_fits(&preempt->settings.calc, &size, &preempt->allowed) ||
        !is_over(preempt, partition, container->leaf))
        return false;
    change_use(preempt, partition, container->leaf, &size, -1);
    if (keeps_to_guarantees(preempt, partition, container->leaf, wanted->leaf, -1) &&
        keeps_to_guarantees(preempt, partition, wanted->leaf, container->leaf, 1)) {
        preempt->allowed = resource_subtract(preempt->allowed, size);
        return true;
    }
    change_use(preempt, partition, container->leaf, &size, 1);
    return false;
}

static void take_back(struct preempt *preempt, const struct preempt_container *container)
{
    struct resource size = size_of(preempt, container);

    change_use(preempt, container->partition, container->leaf, &size, 1);
    preempt->allowed = resource_add(preempt->allowed, size);
}

/* Returns the room of the node of INCREASE when all that was picked and killed has ended. Loads its
 * containers. */
static struct resource load_room(struct preempt *preempt, const struct preempt_reservation *increase)
{
    struct resource room = resource_add(increase->available, increase->killable);

    victims_load_node(preempt, increase->node);
    victims_sort_newest(preempt);
    for (size_t i = 0; i < preempt->containers.count; i++) {
        const struct preempt_container *container = &preempt->containers.items[i];

        if (!container->killable && take_is_picked(preempt, container))
            room = resource_add(room, size_of(preempt, container));
    }
    return room;
}

static void make_room(struct preempt *preempt, const struct preempt_reservation *increase)
{
    const struct calc *calc = &preempt->settings.calc;
    const struct preempt_container *wanted = &increase->container;
    struct resource size = size_of(preempt, wanted), room = load_room(preempt, increase);
    size_t chosen = 0; /* number of containers moved to the front of the array */

    if (!wanted->reserved) /* else the use has it */
        change_use(preempt, wanted->partition, wanted->leaf, &size, 1);
    for (size_t i = 0; i < preempt->containers.count && !calc_fits(calc, &size, &room); i++) {
        struct preempt_container container = preempt->containers.items[i];

        if (!give(preempt, &container, wanted))
            continue;
        room = resource_add(room, size_of(preempt, &container));
        preempt->containers.items[chosen++] = container;
    }
    if (calc_fits(calc, &size, &room)) {
        for (size_t i = 0; i < chosen; i++)
            take_pick(preempt, &preempt->containers.items[i], PREEMPT_BY_INCREASE, wanted->leaf);
        return;
    }
    for (size_t i = 0; i < chosen; i++)
        take_back(preempt, &preempt->containers.items[i]);
    if (!wanted->reserved)
        change_use(preempt, wanted->partition, wanted->leaf, &size, -1);
}

void increases_select(struct preempt *preempt)
{
    victims_load_increases(preempt);
    if (preempt->reservations.count == 0)
        return;
    compute_use(preempt);
    for (size_t i = 0; i < preempt->reservations.count; i++)
        make_room(preempt, &preempt->reservations.items[i]);
}
