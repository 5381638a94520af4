/* SPDX-License-Identifier: Apache-2.0 */
/* victims.c - loads applications and containers, and returns containers in preemption order */
#include "common/base/mem.h"
#include "rm/sched/preempt/internal.h"

/* Fills ARRAY with FETCH, which returns how many items there are; enlarges ARRAY until all fit. */
#define FETCH(array, fetch, ...) \
    do { \
        (array).count = (fetch)(__VA_ARGS__, (array).items, (array).capacity); \
        if ((array).count <= (array).capacity) \
            break; \
        (array).capacity = (array).count + (array).count / 4; \
        (array).items = mem_resize((array).items, (array).capacity, sizeof(*(array).items)); \
    } while (true)

void victims_load_apps(struct preempt *preempt, uint32_t leaf, uint32_t partition)
{
    const struct preempt_source *source = &preempt->snapshot->source;

    FETCH(preempt->apps, source->apps, source->context, leaf, partition);
}

void victims_load_users(struct preempt *preempt, uint32_t leaf, uint32_t partition)
{
    const struct preempt_source *source = &preempt->snapshot->source;

    FETCH(preempt->users, source->users, source->context, leaf, partition);
}

#define BATCH \
    16u /* containers per batch: usually few containers of an application
           are preempted */

/* Loads the next containers of APP, after BEHIND. Returns false if the source does not return them in
 * order. */
static bool fetch_next(struct preempt *preempt, void *app, void *behind)
{
    const struct preempt_source *source = &preempt->snapshot->source;
    uint32_t count;

    if (source->next_containers == NULL)
        return false;
    if (preempt->containers.capacity < BATCH) {
        preempt->containers.capacity = BATCH;
        preempt->containers.items =
            mem_resize(preempt->containers.items, BATCH, sizeof(*preempt->containers.items));
    }
    count = source->next_containers(source->context, app, behind, preempt->containers.items, BATCH);
    if (count == PREEMPT_NONE)
        return false;
    preempt->containers.count = count;
    preempt->victims_left = count;
    return true;
}

void victims_load_containers(struct preempt *preempt, void *app)
{
    const struct preempt_source *source = &preempt->snapshot->source;

    preempt->victims_app = NULL;
    if (fetch_next(preempt, app, NULL)) {
        preempt->victims_app = app;
        return;
    }
    FETCH(preempt->containers, source->containers, source->context, app);
}

void victims_load_borrowers(struct preempt *preempt, uint32_t leaf, uint32_t partition)
{
    const struct preempt_source *source = &preempt->snapshot->source;

    preempt->victims_app = NULL;
    preempt->containers.count = 0;
    if (source->borrowers != NULL)
        FETCH(preempt->containers, source->borrowers, source->context, leaf, partition);
}

void victims_load_reservations(struct preempt *preempt)
{
    const struct preempt_source *source = &preempt->snapshot->source;

    preempt->reservations.count = 0;
    if (source->reservations != NULL && source->containers_of_node != NULL)
        FETCH(preempt->reservations, source->reservations, source->context);
}

void victims_load_increases(struct preempt *preempt)
{
    const struct preempt_source *source = &preempt->snapshot->source;

    preempt->reservations.count = 0;
    if (source->increases != NULL && source->containers_of_node != NULL)
        FETCH(preempt->reservations, source->increases, source->context);
}

void victims_load_node(struct preempt *preempt, void *node)
{
    const struct preempt_source *source = &preempt->snapshot->source;

    preempt->victims_app = NULL;
    FETCH(preempt->containers, source->containers_of_node, source->context, node);
}

bool victims_is_newer(const struct preempt_container *a, const struct preempt_container *b)
{
    return a->app_number != b->app_number ? a->app_number > b->app_number : a->id > b->id;
}

static int newest_first(const void *first, const void *second)
{
    return victims_is_newer(second, first) - victims_is_newer(first, second);
}

void victims_sort_newest(struct preempt *preempt)
{
    qsort(preempt->containers.items, preempt->containers.count, sizeof(struct preempt_container),
          newest_first);
}

/* --- the order ---------------------------------------------------------------- */

static bool goes_before(const struct preempt_container *a, const struct preempt_container *b)
{
    return a->priority != b->priority ? a->priority > b->priority : victims_is_newer(a, b);
}

static void sift(struct preempt *preempt, size_t at)
{
    const struct preempt_container *containers = preempt->containers.items;
    uint32_t *order = preempt->order.items, index = order[at];

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= preempt->order.count)
            break;
        if (child + 1 < preempt->order.count &&
            goes_before(&containers[order[child + 1]], &containers[order[child]]))
            child++;
        if (!goes_before(&containers[order[child]], &containers[index]))
            break;
        order[at] = order[child];
        at = child;
    }
    order[at] = index;
}

void victims_start_leaf(struct preempt *preempt, uint32_t leaf)
{
    preempt->victims_checked = preempt->places[leaf].first_pick != PREEMPT_NONE;
}

/* Usually the containers are loaded oldest first and have one priority: then they are returned from the end.
 * Otherwise a heap orders them, since usually only few are preempted. */
void victims_begin(struct preempt *preempt)
{
    const struct preempt_container *containers = preempt->containers.items;
    size_t count = preempt->containers.count;

    if (preempt->victims_app)
        return;
    preempt->victims_left = count;
    preempt->victims_sorted = true;
    for (size_t i = 1; i < count && preempt->victims_sorted; i++)
        preempt->victims_sorted = goes_before(&containers[i], &containers[i - 1]);
    if (preempt->victims_sorted)
        return;
    preempt->order.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        mem_grow(preempt->order.items, preempt->order.count, preempt->order.capacity);
        preempt->order.items[preempt->order.count++] = i;
    }
    for (size_t i = count / 2; i-- > 0;)
        sift(preempt, i);
}

static const struct preempt_container *next_of_app(struct preempt *preempt)
{
    const struct preempt_container *items = preempt->containers.items;
    size_t count = preempt->containers.count;

    if (preempt->victims_left == 0 && count > 0 &&
        !fetch_next(preempt, preempt->victims_app, items[count - 1].handle))
        return NULL;
    return preempt->victims_left > 0
               ? &preempt->containers.items[preempt->containers.count - preempt->victims_left--]
               : NULL;
}

static const struct preempt_container *next(struct preempt *preempt)
{
    uint32_t index;

    if (preempt->victims_app)
        return next_of_app(preempt);
    if (preempt->victims_sorted)
        return preempt->victims_left > 0 ? &preempt->containers.items[--preempt->victims_left] : NULL;
    if (preempt->order.count == 0)
        return NULL;
    index = preempt->order.items[0];
    preempt->order.items[0] = preempt->order.items[--preempt->order.count];
    if (preempt->order.count > 0)
        sift(preempt, 0);
    return &preempt->containers.items[index];
}

const struct preempt_container *victims_next(struct preempt *preempt)
{
    const struct preempt_container *container;

    while ((container = next(preempt)) != NULL)
        if (!container->reserved && !container->killable &&
            !(preempt->victims_checked && take_is_picked(preempt, container)))
            return container;
    return NULL;
}
