/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - arranges the queues of a snapshot as a tree, and sums their pending resources */
#include <assert.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/preempt/internal.h"

static void reserve(struct preempt *preempt)
{
    const struct preempt_snapshot *snapshot = preempt->snapshot;
    size_t queues = snapshot->queue_count, parts = snapshot->partition_count;

    if (queues > preempt->queue_capacity) {
        preempt->queue_capacity = queues;
        preempt->places = mem_resize(preempt->places, queues, sizeof(struct place));
        preempt->children = mem_resize(preempt->children, queues, sizeof(uint32_t));
    }
    if (queues * parts > preempt->work_capacity) {
        preempt->work_capacity = queues * parts;
        preempt->works = mem_resize(preempt->works, queues * parts, sizeof(struct work));
    }
    if (parts > preempt->part_capacity) {
        preempt->part_capacity = parts;
        preempt->parts = mem_resize(preempt->parts, parts, sizeof(struct part));
    }
    memset(preempt->works, 0, queues * parts * sizeof(struct work));
    memset(preempt->places, 0, queues * sizeof(struct place));
    memset(preempt->parts, 0, parts * sizeof(struct part));
}

/* Stores the children of each queue next to each other, in the order of the snapshot. */
static void place_children(struct preempt *preempt)
{
    const struct preempt_snapshot *snapshot = preempt->snapshot;
    uint32_t next = 0;

    for (uint32_t q = 1; q < snapshot->queue_count; q++) {
        assert(snapshot->queues[q].parent < q);
        preempt->places[snapshot->queues[q].parent].child_count++;
    }
    for (uint32_t q = 0; q < snapshot->queue_count; q++) {
        struct place *place = &preempt->places[q];

        place->first_child = next;
        next += place->child_count;
        place->child_count = 0;
        place->first_pick = PREEMPT_NONE;
    }
    for (uint32_t q = 1; q < snapshot->queue_count; q++) {
        struct place *parent = &preempt->places[snapshot->queues[q].parent];

        preempt->children[parent->first_child + parent->child_count++] = q;
        preempt->places[q].depth = parent->depth + 1;
    }
}

static void sum_pending(struct preempt *preempt, uint32_t partition)
{
    for (uint32_t q = preempt->snapshot->queue_count; q-- > 0;) {
        const struct preempt_queue *queue = &preempt->snapshot->queues[q];
        struct work *work = work_of(preempt, partition, q), *parent;

        if (queue->leaf) {
            work->pending = figures_of(preempt, partition, q)->pending;
            work->pending_unreserved = figures_of(preempt, partition, q)->pending_unreserved;
        }
        if (q == 0)
            break;
        parent = work_of(preempt, partition, queue->parent);
        parent->pending = resource_add(parent->pending, work->pending);
        parent->pending_unreserved = resource_add(parent->pending_unreserved, work->pending_unreserved);
    }
}

void tree_prepare(struct preempt *preempt)
{
    assert(preempt->snapshot->queue_count > 0);
    assert(preempt->snapshot->queues[0].parent == PREEMPT_NONE);
    reserve(preempt);
    place_children(preempt);
    for (uint32_t p = 0; p < preempt->snapshot->partition_count; p++)
        sum_pending(preempt, p);
}

/* The priorities of the queues just below the lowest common ancestor decide. */
bool tree_outranks(const struct preempt *preempt, uint32_t leaf, uint32_t other)
{
    const struct preempt_queue *queues = preempt->snapshot->queues;

    while (preempt->places[leaf].depth > preempt->places[other].depth)
        leaf = queues[leaf].parent;
    while (preempt->places[other].depth > preempt->places[leaf].depth)
        other = queues[other].parent;
    if (leaf == other)
        return false;
    while (queues[leaf].parent != queues[other].parent) {
        leaf = queues[leaf].parent;
        other = queues[other].parent;
    }
    return queues[leaf].priority > queues[other].priority;
}
