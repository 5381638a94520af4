/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ideal.c - computes the ideal amount of each queue, and how much each leaf must give (7.2 to 7.4)
 *
 * Level by level from the root, the ideal of the parent is divided among its children until nothing is left
 * or no child wants more. The children furthest below their guarantee are first.
 */
#include <assert.h>
#include <math.h>

#include "common/base/mem.h"
#include "rm/sched/preempt/internal.h"

static const struct resource one_of_each = { .value = { 1, 1, 1, 1, 1, 1, 1, 1 } };
static const struct resource nothing;

/* The children of one queue in one partition, and the parent's ideal as the total. */
struct level {
    struct preempt *preempt;
    const struct calc *calc;
    const struct ideal_options *options;
    uint32_t partition;
    struct resource total;
};

static bool more(const struct level *level, const struct resource *a, const struct resource *b)
{
    return calc_compare(level->calc, &level->total, a, b) > 0;
}

/* --- amounts that may not be preempted (7.2) --------------------------------- */

static void compute_extras(struct preempt *preempt, uint32_t partition, uint32_t q)
{
    const struct calc *calc = &preempt->settings.calc;
    const struct resource *total = &preempt->snapshot->partitions[partition];
    const struct preempt_figures *figures = figures_of(preempt, partition, q);
    struct work *work = work_of(preempt, partition, q);
    struct resource extra = resource_subtract(figures->used, figures->guaranteed), below = nothing;

    if (calc_compare(calc, total, &extra, &nothing) < 0)
        extra = nothing;
    work->untouchable = work->preemptable = nothing;
    if (preempt->snapshot->queues[q].leaf) {
        if (preempt->snapshot->queues[q].disabled)
            work->untouchable = extra;
        else
            work->preemptable = extra;
        return;
    }
    for (uint32_t i = 0; i < preempt->places[q].child_count; i++) {
        uint32_t child = preempt->children[preempt->places[q].first_child + i];

        below = resource_add(below, work_of(preempt, partition, child)->preemptable);
    }
    if (calc_compare(calc, total, &below, &extra) < 0)
        work->untouchable = resource_subtract(extra, below);
    work->preemptable = calc_min(calc, total, below, extra);
}

/* --- heap of queues that want more, the one least filled first ---------------- */

/* Orders queues below their guarantees before others. Within each of these groups, the higher priority is
 * first, then the lower ratio of ideal to guarantee. Returns 0 if both are equal. A ratio that is not a
 * number, as below a parent with a negative ideal, is last whatever the priority, as by Double.compare. */
static int rank(const struct heap_entry *a, const struct heap_entry *b)
{
    bool full_a = a->filled >= 1.0, full_b = b->filled >= 1.0;

    if (isnan(a->filled) || isnan(b->filled))
        return (isnan(a->filled) ? 1 : 0) - (isnan(b->filled) ? 1 : 0);
    if (full_a != full_b)
        return full_a ? 1 : -1;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->filled != b->filled)
        return a->filled < b->filled ? -1 : 1;
    return 0;
}

static bool goes_before(const struct heap_entry *a, const struct heap_entry *b)
{
    int order = rank(a, b);

    return order != 0 ? order < 0 : a->queue < b->queue;
}

static void heap_push(struct preempt *preempt, struct heap_entry entry)
{
    size_t at = preempt->heap.count;
    struct heap_entry *items;

    mem_grow(preempt->heap.items, preempt->heap.count, preempt->heap.capacity);
    preempt->heap.count++;
    items = preempt->heap.items;
    for (; at > 0 && goes_before(&entry, &items[(at - 1) / 2]); at = (at - 1) / 2)
        items[at] = items[(at - 1) / 2];
    items[at] = entry;
}

static struct heap_entry heap_pop(struct preempt *preempt)
{
    struct heap_entry *items = preempt->heap.items, top = items[0];
    struct heap_entry last = items[--preempt->heap.count];
    size_t count = preempt->heap.count, at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= count)
            break;
        if (child + 1 < count && goes_before(&items[child + 1], &items[child]))
            child++;
        if (!goes_before(&items[child], &last))
            break;
        items[at] = items[child];
        at = child;
    }
    items[at] = last;
    return top;
}

static void note_underserved(const struct level *level, uint32_t q)
{
    struct preempt *preempt = level->preempt;
    struct work *work = work_of(preempt, level->partition, q);

    if (work->underserved || !preempt->snapshot->queues[q].leaf)
        return;
    work->underserved = true;
    mem_grow(preempt->underserved.items, preempt->underserved.count, preempt->underserved.capacity);
    preempt->underserved.items[preempt->underserved.count++] = (uint32_t)(work - preempt->works);
}

static void push_wanting(const struct level *level, uint32_t q)
{
    const struct preempt_figures *figures = figures_of(level->preempt, level->partition, q);
    const struct work *work = work_of(level->preempt, level->partition, q);
    struct heap_entry entry = { .filled = INT32_MAX,
                                .queue = q,
                                .priority = level->preempt->snapshot->queues[q].priority };

    if (more(level, &figures->guaranteed, &nothing))
        entry.filled = (double)calc_divide(level->calc, &level->total, &work->ideal, &figures->guaranteed);
    heap_push(level->preempt, entry);
}

/* --- dividing the ideal among children (7.3) ------------------------------------ */

static struct resource offer(const struct level *level, uint32_t q, const struct resource *avail)
{
    const struct calc *calc = level->calc;
    const struct preempt_figures *figures = figures_of(level->preempt, level->partition, q);
    struct work *work = work_of(level->preempt, level->partition, q);
    const struct resource *pending =
        level->options->whole_pending ? &work->pending : &work->pending_unreserved;
    struct resource below_maximum = calc_subtract_positive(figures->maximum, work->ideal);
    struct resource wanted = resource_subtract(resource_add(figures->used, *pending), work->ideal);
    struct resource accepted = resource_min(below_maximum, calc_min(calc, &level->total, *avail, wanted));

    /* A satisfied leaf does not grow further at the expense of others; a parent may, for an unsatisfied
     * child. */
    if (level->preempt->snapshot->queues[q].leaf && !level->options->balance) {
        struct resource most = calc_max(calc, &level->total, figures->used, figures->guaranteed);

        most = resource_subtract(most, work->ideal);
        most = calc_max(calc, &level->total, most, nothing);
        accepted = calc_min(calc, &level->total, accepted, most);
    }
    accepted = resource_min(resource_max(accepted, nothing), *avail);
    work->ideal = resource_add(work->ideal, accepted);
    return accepted;
}

/* Sums over the queues in the heap. */
struct heap_sums {
    struct resource guaranteed;
    double absolute;                 /* absolute capacities */
    int count, with_capacity;        /* queues; those with an absolute capacity above 0 */
    int rounded[RESOURCE_TYPES_MAX]; /* by type: those whose guarantee is 0 despite their capacity */
};

/* Adds queue Q to SUMS (BY 1), or removes it (BY -1). */
static void sums_change(const struct level *level, uint32_t q, int by, struct heap_sums *sums)
{
    const struct preempt_figures *figures = figures_of(level->preempt, level->partition, q);
    bool has_capacity = figures->absolute_capacity > 0;

    sums->guaranteed = by > 0 ? resource_add(sums->guaranteed, figures->guaranteed)
                              : resource_subtract(sums->guaranteed, figures->guaranteed);
    sums->absolute += by * (double)figures->absolute_capacity;
    sums->count += by;
    sums->with_capacity += has_capacity ? by : 0;
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        sums->rounded[t] += has_capacity && figures->guaranteed.value[t] == 0 ? by : 0;
}

/*
 * Computes for each type the weight of Q among the queues of SUMS: its part of their guarantees. If the
 * guarantee of one of them is rounded to 0, its part of their absolute capacities, so that no queue is left
 * without weight; if all guarantees are 0, or no queue has a capacity, equal parts.
 */
static void weigh(const struct level *level, uint32_t q, const struct heap_sums *sums, bool guaranteed,
                  double weights[RESOURCE_TYPES_MAX])
{
    const struct preempt_figures *figures = figures_of(level->preempt, level->partition, q);

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        if (!guaranteed || sums->guaranteed.value[t] == 0 || sums->with_capacity == 0)
            weights[t] = (double)(1.0f / (float)sums->count);
        else if (sums->rounded[t] > 0)
            weights[t] = (double)(figures->absolute_capacity / (float)sums->absolute);
        else
            weights[t] = (double)((float)figures->guaranteed.value[t] / (float)sums->guaranteed.value[t]);
}

static void begin_with(const struct level *level, uint32_t q)
{
    const struct preempt_figures *figures = figures_of(level->preempt, level->partition, q);
    struct work *work = work_of(level->preempt, level->partition, q);

    work->ideal = figures->used;
    if (more(level, &figures->used, &figures->guaranteed))
        work->ideal = resource_add(resource_min(figures->guaranteed, figures->used), work->untouchable);
}

static bool in_set(const struct level *level, uint32_t q, bool guaranteed)
{
    const struct preempt_figures *figures = figures_of(level->preempt, level->partition, q);

    return more(level, &figures->guaranteed, &nothing) == guaranteed;
}

/* Moves the first queue of the heap, and all queues of the same rank(), to BATCH, in configuration order. */
static void pop_batch(struct preempt *preempt)
{
    struct heap_entry head = heap_pop(preempt);

    preempt->batch.count = 0;
    for (;;) {
        mem_grow(preempt->batch.items, preempt->batch.count, preempt->batch.capacity);
        preempt->batch.items[preempt->batch.count++] = head.queue;
        if (preempt->heap.count == 0 || rank(&head, &preempt->heap.items[0]) != 0)
            return;
        head = heap_pop(preempt);
    }
}

/* Begins with the children of PARENT in the set (GUARANTEED: with a guarantee): each gets its first amount,
 * which is subtracted from *UNASSIGNED, and enters the heap if it asks for more. Returns the sums over the
 * queues in the heap. */
static struct heap_sums fill_heap(const struct level *level, uint32_t parent, bool guaranteed,
                                  struct resource *unassigned)
{
    struct preempt *preempt = level->preempt;
    const struct place *place = &preempt->places[parent];
    struct heap_sums sums = { .count = 0 };

    preempt->heap.count = 0;
    for (uint32_t i = 0; i < place->child_count; i++) {
        uint32_t q = preempt->children[place->first_child + i];
        const struct preempt_figures *figures = figures_of(preempt, level->partition, q);
        struct work *work = work_of(preempt, level->partition, q);
        struct resource all;

        if (!in_set(level, q, guaranteed))
            continue;
        begin_with(level, q);
        *unassigned = resource_subtract(*unassigned, work->ideal);
        all = resource_add(figures->used, work->pending);
        if (more(level, &all, &work->ideal)) {
            push_wanting(level, q);
            sums_change(level, q, 1, &sums);
        }
    }
    return sums;
}

/* Moves the least filled queues from the heap to the batch, removes them from *SUMS, and notes that they, and
 * the next queue, are underserved. */
static void take_batch(const struct level *level, struct heap_sums *sums)
{
    struct preempt *preempt = level->preempt;

    pop_batch(preempt);
    for (size_t i = 0; i < preempt->batch.count; i++) {
        uint32_t q = preempt->batch.items[i];

        sums_change(level, q, -1, sums);
        note_underserved(level, q);
    }
    if (preempt->heap.count > 0)
        note_underserved(level, preempt->heap.items[0].queue);
}

/* Offers a share of what is left to queue Q of the batch, which returns to the heap if it accepts some.
 * Returns the accepted amount. */
static struct resource offer_share(const struct level *level, uint32_t q, const struct resource *avail,
                                   struct heap_sums *sums)
{
    struct resource accepted = offer(level, q, avail);

    if (more(level, &accepted, &nothing)) {
        push_wanting(level, q);
        sums_change(level, q, 1, sums);
    }
    return accepted;
}

/*
 * Divides *UNASSIGNED among the children of PARENT with a guarantee (GUARANTEED) or without. As in YARN, only
 * the first offer is subtracted from *UNASSIGNED. Its value is then too large, so that queues without a
 * guarantee, which are next, may get a larger ideal than is left.
 */
static void share_out(const struct level *level, uint32_t parent, bool guaranteed,
                      struct resource *unassigned)
{
    struct preempt *preempt = level->preempt;
    struct heap_sums sums = fill_heap(level, parent, guaranteed, unassigned);
    struct resource left = *unassigned;
    bool first = true;

    while (preempt->heap.count > 0 && more(level, &left, &nothing)) {
        const struct resource snapshot = left;
        const struct heap_sums all = sums;

        take_batch(level, &sums);
        for (size_t i = 0; i < preempt->batch.count; i++) {
            uint32_t q = preempt->batch.items[i];
            double weights[RESOURCE_TYPES_MAX];
            struct resource avail, accepted;

            if (!calc_any_above_zero(level->calc, &left))
                break;
            weigh(level, q, &all, guaranteed, weights);
            avail = calc_multiply_up_each(level->calc, &snapshot, weights, &one_of_each);
            avail = resource_min(avail, left);
            accepted = offer_share(level, q, &avail, &sums);
            left = resource_subtract(left, accepted);
            if (first)
                *unassigned = left;
            first = false;
            left = resource_max(left, nothing);
        }
    }
    while (preempt->heap.count > 0)
        note_underserved(level, heap_pop(preempt).queue);
}

/* --- from ideals to amounts (7.4) ----------------------------------------------- */

static void scale_down(const struct level *level, uint32_t parent)
{
    struct preempt *preempt = level->preempt;
    const struct calc *calc = level->calc;
    const struct place *place = &preempt->places[parent];
    struct resource needed = nothing;
    float factor = 1.0f;

    for (uint32_t i = 0; i < place->child_count; i++) {
        uint32_t q = preempt->children[place->first_child + i];
        const struct preempt_figures *figures = figures_of(preempt, level->partition, q);
        const struct work *work = work_of(preempt, level->partition, q);

        if (more(level, &figures->used, &work->ideal))
            needed = resource_add(needed, resource_subtract(figures->used, work->ideal));
    }
    if (more(level, &needed, &preempt->allowed))
        factor = calc_divide(calc, &level->total, &preempt->allowed, &needed);
    for (uint32_t i = 0; i < place->child_count; i++) {
        uint32_t q = preempt->children[place->first_child + i];
        const struct preempt_figures *figures = figures_of(preempt, level->partition, q);
        struct work *work = work_of(preempt, level->partition, q);
        struct resource all = resource_add(figures->used, work->pending);
        struct resource stays = resource_subtract(figures->used, figures->killable);

        work->keep = calc_max(calc, &level->total, calc_min(calc, &level->total, all, figures->guaranteed),
                              work->ideal);
        work->to_preempt = nothing;
        if (more(level, &stays, &work->keep)) {
            struct resource over = resource_subtract(stays, work->keep);

            work->to_preempt = calc_multiply(&over, (double)factor);
        }
    }
}

static void compute_level(struct preempt *preempt, const struct ideal_options *options, uint32_t partition,
                          uint32_t parent)
{
    struct level level = { .preempt = preempt,
                           .calc = &preempt->settings.calc,
                           .options = options,
                           .partition = partition,
                           .total = work_of(preempt, partition, parent)->ideal };
    struct resource unassigned = level.total;
    const struct place *place = &preempt->places[parent];
    bool others = false;

    for (uint32_t i = 0; i < place->child_count; i++) {
        uint32_t q = preempt->children[place->first_child + i];

        work_of(preempt, partition, q)->ideal = nothing;
        others |= !in_set(&level, q, true);
    }
    share_out(&level, parent, true, &unassigned);
    if (others && more(&level, &unassigned, &nothing))
        share_out(&level, parent, false, &unassigned);
    scale_down(&level, parent);
}

static bool asks(const struct preempt *preempt, uint32_t partition, uint32_t leaf)
{
    return calc_any_above_zero(&preempt->settings.calc, &work_of(preempt, partition, leaf)->pending);
}

/*
 * Differs: a leaf gives nothing while no other leaf asks. In YARN the ideal of a queue may be below its use
 * although the partition has room: of several queues above their guarantees, one is offered more of a type
 * than it uses, or a tiny queue is offered 0. Then containers are killed, again and again, for no request. A
 * queue above its maximum always gives in YARN: its maximum becomes smaller with the cluster when nodes are
 * drained, and a drain without a deadline ends all its containers.
 */
static bool may_give(const struct preempt *preempt, uint32_t partition, uint32_t leaf)
{
    uint32_t others = preempt->parts[partition].asking - (asks(preempt, partition, leaf) ? 1 : 0);

    return !preempt->snapshot->queues[leaf].disabled && others > 0;
}

static void compute_obtain(struct preempt *preempt, const struct ideal_options *options, uint32_t partition,
                           uint32_t q)
{
    const struct preempt_settings *settings = &preempt->settings;
    const struct preempt_figures *figures = figures_of(preempt, partition, q);
    struct work *work = work_of(preempt, partition, q);
    struct resource zone = calc_multiply(&figures->guaranteed, 1.0 + settings->ignored_over_capacity);

    work->obtain = nothing;
    if (compare(preempt, &figures->used, &zone) > 0 && may_give(preempt, partition, q))
        work->obtain =
            calc_multiply_up(&settings->calc, &work->to_preempt,
                             options->whole_pending ? 1.0 : settings->termination_factor, &one_of_each);
}

/* Records a leaf that is below its ideal, and by how much: used to find which leaf gains. */
static void note_wanting(struct preempt *preempt, uint32_t partition, uint32_t q)
{
    const struct preempt_figures *figures = figures_of(preempt, partition, q);
    struct work *work = work_of(preempt, partition, q);

    if (above_zero(preempt, &work->obtain) || compare(preempt, &work->ideal, &figures->used) <= 0)
        return;
    work->wants = calc_subtract_positive(work->ideal, figures->used);
    mem_grow(preempt->wanting.items, preempt->wanting.count, preempt->wanting.capacity);
    preempt->wanting.items[preempt->wanting.count++] = q;
}

static void compute_partition(struct preempt *preempt, const struct ideal_options *options,
                              uint32_t partition)
{
    const struct preempt_snapshot *snapshot = preempt->snapshot;
    struct part *part = &preempt->parts[partition];

    for (uint32_t q = snapshot->queue_count; q-- > 0;)
        compute_extras(preempt, partition, q);
    work_of(preempt, partition, 0)->ideal = figures_of(preempt, partition, 0)->guaranteed;
    part->wanting_at = (uint32_t)preempt->wanting.count;
    part->asking = 0;
    for (uint32_t q = 0; q < snapshot->queue_count; q++)
        part->asking += snapshot->queues[q].leaf && asks(preempt, partition, q);
    for (uint32_t q = 0; q < snapshot->queue_count; q++)
        if (preempt->places[q].child_count > 0)
            compute_level(preempt, options, partition, q);
    for (uint32_t q = 0; q < snapshot->queue_count; q++)
        if (snapshot->queues[q].leaf) {
            compute_obtain(preempt, options, partition, q);
            note_wanting(preempt, partition, q);
        }
    part->wanting_end = (uint32_t)preempt->wanting.count;
}

void ideal_compute(struct preempt *preempt, const struct ideal_options *options)
{
    preempt->wanting.count = 0;
    for (uint32_t p = 0; p < preempt->snapshot->partition_count; p++)
        compute_partition(preempt, options, p);
}

void ideal_deduct_picks(struct preempt *preempt)
{
    for (size_t i = 0; i < preempt->picks.count; i++) {
        const struct pick *pick = &preempt->picks.items[i];
        uint32_t partition = pick->container.partition;
        struct work *work = work_of(preempt, partition, pick->container.leaf);

        if (!pick->release && calc_compare(&preempt->settings.calc, &preempt->snapshot->partitions[partition],
                                           &work->obtain, pick->container.size) > 0)
            work->obtain = resource_subtract(work->obtain, size_of(preempt, &pick->container));
    }
}
