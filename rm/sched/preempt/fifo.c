/* SPDX-License-Identifier: Apache-2.0 */
/* fifo.c - selects containers of queues above their guarantee, last served applications first (7.5) */
#include <stdlib.h>

#include "common/base/mem.h"
#include "rm/sched/preempt/internal.h"

/* Orders the application served last first. */
static int by_priority(const void *first, const void *second)
{
    const struct preempt_app *a = first, *b = second;

    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    return (a->number < b->number) - (a->number > b->number);
}

static int by_fairness(const void *first, const void *second)
{
    const struct preempt_app *a = first, *b = second;

    if (a->fair_key != b->fair_key)
        return a->fair_key > b->fair_key ? -1 : 1;
    return (a->number < b->number) - (a->number > b->number);
}

static void set_aside(struct preempt *preempt, const struct preempt_container *master, struct resource *sum)
{
    mem_grow(preempt->masters.items, preempt->masters.count, preempt->masters.capacity);
    preempt->masters.items[preempt->masters.count++] = *master;
    *sum = resource_add(*sum, size_of(preempt, master));
}

static void from_borrowers(struct preempt *preempt, uint32_t leaf, enum preempt_selector selector)
{
    for (uint32_t p = 0; p < preempt->snapshot->partition_count; p++) {
        const struct preempt_container *container;

        if (!preempt->parts[p].open)
            continue;
        victims_load_borrowers(preempt, leaf, p);
        for (size_t i = 0; i < preempt->containers.count; i++)
            preempt->containers.items[i].priority = 0; /* order by age, whatever the priority */
        victims_begin(preempt);
        while (preempt->parts[p].open && (container = victims_next(preempt)) != NULL)
            take_container(preempt, container, selector, PREEMPT_NONE, preempt->settings.conservative);
    }
}

/* Releases reservations as long as there is something to obtain, even if a reservation gives nothing of
 * it. */
static void from_reservations(struct preempt *preempt, enum preempt_selector selector)
{
    for (size_t i = 0; i < preempt->containers.count && preempt->open_count > 0; i++) {
        const struct preempt_container *container = &preempt->containers.items[i];

        if (!container->reserved || (preempt->victims_checked && take_is_picked(preempt, container)))
            continue;
        take_container(preempt, container, selector, PREEMPT_NONE, preempt->settings.conservative);
        take_release(preempt, container, selector);
    }
}

static void from_app(struct preempt *preempt, void *app, enum preempt_selector selector,
                     struct resource *masters)
{
    const struct preempt_container *container;

    victims_load_containers(preempt, app);
    from_reservations(preempt, selector);
    if (preempt->open_count == 0)
        return;
    victims_begin(preempt);
    while (preempt->open_count > 0 && (container = victims_next(preempt)) != NULL) {
        if (container->am)
            set_aside(preempt, container, masters);
        else
            take_container(preempt, container, selector, PREEMPT_NONE, preempt->settings.conservative);
    }
}

/* Selects AM containers last, and only as far as AMs exceed the AM share of the leaf's guarantee in the
 * unlabelled partition. */
static void from_masters(struct preempt *preempt, uint32_t leaf, enum preempt_selector selector,
                         struct resource sum)
{
    const struct preempt_queue *queue = &preempt->snapshot->queues[leaf];
    struct resource limit =
        calc_multiply(&figures_of(preempt, 0, leaf)->guaranteed, (double)queue->am_fraction);

    for (size_t i = 0; i < preempt->masters.count && preempt->open_count > 0; i++) {
        const struct preempt_container *master = &preempt->masters.items[i];

        if (compare(preempt, &sum, &limit) <= 0)
            break;
        if (take_container(preempt, master, selector, PREEMPT_NONE, preempt->settings.conservative))
            sum = resource_subtract(sum, size_of(preempt, master));
    }
}

static void from_leaf(struct preempt *preempt, uint32_t leaf, enum preempt_selector selector)
{
    struct resource masters = { .value = { 0 } };
    bool fair = preempt->snapshot->queues[leaf].fair_order;

    victims_start_leaf(preempt, leaf);
    from_borrowers(preempt, leaf, selector);
    if (preempt->open_count == 0)
        return;
    victims_start_leaf(preempt, leaf);
    victims_load_apps(preempt, leaf, 0);
    if (preempt->apps.count > 1)
        qsort(preempt->apps.items, preempt->apps.count, sizeof(struct preempt_app),
              fair ? by_fairness : by_priority);
    preempt->masters.count = 0;
    for (size_t i = 0; i < preempt->apps.count && preempt->open_count > 0; i++)
        if (!preempt->apps.items[i].waits)
            from_app(preempt, preempt->apps.items[i].handle, selector, &masters);
    from_masters(preempt, leaf, selector, masters);
}

void fifo_select(struct preempt *preempt, bool balance)
{
    const struct ideal_options options = {
        .whole_pending = !balance && preempt->settings.reserved_balance,
        .balance = balance,
    };
    enum preempt_selector selector = balance ? PREEMPT_BY_BALANCE : PREEMPT_BY_GUARANTEE;

    ideal_compute(preempt, &options);
    ideal_deduct_picks(preempt);
    for (uint32_t q = 0; q < preempt->snapshot->queue_count; q++) {
        const struct preempt_queue *queue = &preempt->snapshot->queues[q];

        if (!queue->leaf || queue->disabled)
            continue;
        take_open_leaf(preempt, q);
        if (preempt->open_count > 0)
            from_leaf(preempt, q, selector);
    }
}
