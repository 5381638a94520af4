/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c - the apps of a leaf, whoever's they are, in the order in which they are offered a node */
#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"

/* What the app has reserved counts as room, too: of two vectors together the largest share is no larger than
 * those of both. Nothing is said of what is then less than any container: a full queue is told from one that
 * has room by that it has less than anybody needs. */
float capacity_demand_need(const struct app_part *part, const struct demand *demand)
{
    const struct sched *sched = part->app->sched;
    double size = capacity_measure(sched, part->label, demand_size(demand));

    if (calc_is_zero(&sched->calc, app_reserved(part)))
        return capacity_at_least(size);
    size -= capacity_measure(sched, part->label, app_reserved(part));
    return size >= capacity_measure(sched, part->label, &sched->minimum) ? capacity_at_least(size) : 0;
}

/* Who wants more than there is headroom for is refused before anything of the node counts, and then the whole
 * leaf is. Only the very first ask is looked at. */
float capacity_app_need(const struct app_part *part)
{
    const struct sched *sched = part->app->sched;
    const struct demand *demand = RB_MIN(sched_demand_tree, &part->app->demands);

    if (!part->listed || !capacity_below_floor(part->user) || part->app->blacklist || demand->count == 0 ||
        demand->label != part->label || !sched->capacity->config->reservations_continue_look)
        return 0;
    return capacity_demand_need(part, demand);
}

static float first_need(struct queue_part *leaf)
{
    const struct user_part *user = capacity_first_user(leaf);

    if (user == NULL || !RB_EMPTY(&leaf->sleepers) || leaf->sched->capacity->visits_all)
        return 0;
    return capacity_app_need(user->first);
}

void capacity_know_need(struct queue_part *leaf)
{
    float before = leaf->need;

    /* A container that ends leaves the first app the first, and its user below the limit. */
    if (leaf->sched->ending && before > 0 && leaf->need_firm && !leaf->fair &&
        RB_EMPTY(&leaf->sleepers))
        return;
    leaf->need = first_need(leaf);
    leaf->need_firm = true;
    if (leaf->need < before)
        capacity_hold_forget_changing(leaf->up);
}

static bool is_before(struct cursor a, struct cursor b)
{
    return capacity_compare_parts(a.app, b.app) < 0;
}

static void sift_down(struct cursor *heap, size_t count, size_t at)
{
    for (;;) {
        size_t least = at;

        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (is_before(heap[child], heap[least]))
                least = child;
        if (least == at)
            return;
        struct cursor swap = heap[at];

        heap[at] = heap[least];
        heap[least] = swap;
        at = least;
    }
}

static void push(struct app_walk *walk, struct cursor entry)
{
    struct capacity *capacity = walk->capacity;
    size_t at = walk->count++;
    struct cursor *heap;

    mem_grow(capacity->cursors, at, capacity->cursor_capacity);
    heap = capacity->cursors;
    while (at > 0 && is_before(entry, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = entry;
}

static void look_up_next(struct app_walk *walk)
{
    if (walk->begun)
        walk->next_user = RB_NEXT(sched_user_part_tree, &walk->leaf->awake, walk->begun);
    walk->begun = NULL;
}

const struct cursor *capacity_walk_top(struct app_walk *walk)
{
    struct cursor next;

    look_up_next(walk);
    if (walk->next_user) {
        next = (struct cursor){ walk->next_user, walk->next_user->first };
        if (walk->top.user == NULL || is_before(next, walk->top)) {
            if (walk->top.user)
                push(walk, walk->top);
            walk->top = next;
            walk->begun = walk->next_user;
        }
    }
    return walk->top.user ? &walk->top : NULL;
}

/* The first of the heap is now the top. */
static void pop(struct app_walk *walk)
{
    struct cursor *heap = walk->capacity->cursors;

    walk->top = (struct cursor){ NULL, NULL };
    if (walk->count == 0)
        return;
    walk->top = heap[0];
    heap[0] = heap[--walk->count];
    sift_down(heap, walk->count, 0);
}

void capacity_walk_next(struct app_walk *walk, bool leave)
{
    struct cursor *heap = walk->capacity->cursors, next = walk->top;

    if (leave)
        look_up_next(walk);             /* the user may leave its tree, too */
    else
        next.app = RB_NEXT(sched_app_part_tree, &next.user->apps, next.app);
    if (leave || next.app == NULL) {
        pop(walk);
        return;
    }
    walk->top = next;
    if (walk->count > 0 && is_before(heap[0], next)) {
        walk->top = heap[0];
        heap[0] = next;
        sift_down(heap, walk->count, 0);
    }
}
