/* SPDX-License-Identifier: Apache-2.0 */
/* take.c - picks single containers, if that obtains resources still to be obtained */
#include "common/base/mem.h"
#include "rm/sched/preempt/internal.h"

static const struct resource nothing;

/* Like resource_subtract(), only for the types in use, since this runs for each container. */
static void subtract(const struct preempt *preempt, struct resource *from, const struct resource *what)
{
    for (int t = 0; t < preempt->settings.calc.types; t++)
        if (__builtin_sub_overflow(from->value[t], what->value[t], &from->value[t]))
            from->value[t] = what->value[t] < 0 ? INT64_MAX : INT64_MIN;
}

/* Opens a partition. A type of which nothing is to be obtained is set to -1, so that 0 means "all of it
 * obtained". */
static void open_part(struct preempt *preempt, uint32_t partition, const struct resource *obtain)
{
    struct part *part = &preempt->parts[partition];

    part->open = true;
    part->obtain = *obtain;
    for (int t = 0; t < preempt->settings.calc.types; t++)
        if (part->obtain.value[t] == 0)
            part->obtain.value[t] = -1;
    preempt->open_count++;
}

static void close_all(struct preempt *preempt)
{
    for (uint32_t p = 0; p < preempt->snapshot->partition_count; p++)
        preempt->parts[p].open = false;
    preempt->open_count = 0;
}

void take_open_leaf(struct preempt *preempt, uint32_t leaf)
{
    close_all(preempt);
    for (uint32_t p = 0; p < preempt->snapshot->partition_count; p++) {
        const struct work *work = work_of(preempt, p, leaf);

        if (above_zero(preempt, &work->obtain))
            open_part(preempt, p, &work->obtain);
    }
}

void take_open_one(struct preempt *preempt, uint32_t partition, const struct resource *obtain)
{
    close_all(preempt);
    open_part(preempt, partition, obtain);
}

/* Enters new picks into the table. This is delayed until the table is used, which is rare. */
static void make_known(struct preempt *preempt)
{
    for (; preempt->picks_known < preempt->picks.count; preempt->picks_known++) {
        const struct pick *pick = &preempt->picks.items[preempt->picks_known];
        struct memory *memory = pick->release ? NULL : marks_add(preempt, pick->container.id);

        if (memory != NULL)
            memory->round = preempt->round;
    }
}

bool take_is_picked(struct preempt *preempt, const struct preempt_container *container)
{
    const struct memory *memory;

    if (preempt->places[container->leaf].first_pick == PREEMPT_NONE)
        return false;
    make_known(preempt);
    memory = marks_find(preempt, container->id);
    return memory != NULL && memory->round == preempt->round;
}

static struct pick *add_pick(struct preempt *preempt, const struct preempt_container *container,
                             enum preempt_selector selector, uint32_t gainer)
{
    struct pick *pick;

    mem_grow(preempt->picks.items, preempt->picks.count, preempt->picks.capacity);
    pick = &preempt->picks.items[preempt->picks.count++];
    *pick = (struct pick){
        .container = *container, .selector = selector, .gainer = gainer, .next = PREEMPT_NONE
    };
    return pick;
}

void take_pick(struct preempt *preempt, const struct preempt_container *container,
               enum preempt_selector selector, uint32_t gainer)
{
    struct place *place = &preempt->places[container->leaf];
    struct pick *pick = add_pick(preempt, container, selector, gainer);

    pick->next = place->first_pick;
    place->first_pick = (uint32_t)(pick - preempt->picks.items);
}

void take_release(struct preempt *preempt, const struct preempt_container *container,
                  enum preempt_selector selector)
{
    struct memory *memory = marks_add(preempt, container->id);

    if (memory == NULL || memory->released == preempt->round)
        return;
    memory->released = preempt->round;
    add_pick(preempt, container, selector, PREEMPT_NONE)->release = true;
}

/* Returns the leaf that gains SIZE next; the last one if all leaves have reached their ideal. */
static uint32_t next_gainer(struct preempt *preempt, uint32_t partition, const struct resource *size)
{
    struct part *part = &preempt->parts[partition];
    struct work *work;
    uint32_t leaf;

    if (part->wanting_at == part->wanting_end)
        return PREEMPT_NONE;
    leaf = preempt->wanting.items[part->wanting_at];
    work = work_of(preempt, partition, leaf);
    subtract(preempt, &work->wants, size);
    if (!calc_any_above_zero(&preempt->settings.calc, &work->wants) &&
        part->wanting_at + 1 < part->wanting_end)
        part->wanting_at++;
    return leaf;
}

/* Returns true if picking SIZE reduces the amount to obtain. */
static bool makes_progress(const struct preempt *preempt, const struct resource *obtain,
                           const struct resource *size)
{
    struct resource before = nothing, after = nothing;

    if (!preempt->settings.calc.dominant)
        return obtain->value[RESOURCE_MEMORY_MB] > 0 && size->value[RESOURCE_MEMORY_MB] > 0;
    for (int t = 0; t < preempt->settings.calc.types; t++) {
        if (obtain->value[t] <= 0)
            continue;
        before.value[t] = after.value[t] = obtain->value[t];
        after.value[t] -= size->value[t] < obtain->value[t] ? size->value[t] : obtain->value[t];
    }
    return compare(preempt, &after, &before) < 0;
}

bool take_container(struct preempt *preempt, const struct preempt_container *container,
                    enum preempt_selector selector, uint32_t gainer, bool conservative)
{
    const struct calc *calc = &preempt->settings.calc;
    struct part *part = &preempt->parts[container->partition];
    const struct resource size = size_of(preempt, container);

    if (!part->open || !calc_any_above_zero(calc, &part->obtain) ||
        !calc_fits(calc, &size, &preempt->allowed))
        return false;
    if (conservative ? calc_any_used_up(calc, &part->obtain) : !makes_progress(preempt, &part->obtain, &size))
        return false;
    if (gainer == PREEMPT_NONE)
        gainer = next_gainer(preempt, container->partition, &size);
    take_pick(preempt, container, selector, gainer);
    subtract(preempt, &part->obtain, &size);
    subtract(preempt, &preempt->allowed, &size);
    for (int t = 0; t < calc->types; t++)
        if (part->obtain.value[t] == 0)
            part->obtain.value[t] = -1;
    if (!above_zero(preempt, &part->obtain)) {
        part->open = false;
        preempt->open_count--;
    }
    return true;
}
