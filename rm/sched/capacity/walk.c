/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c - the apps of a leaf, whoever's they are, in the order in which they are offered a node */
#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"

/* A ratio of 0 may stand for one that is not finite. */
bool capacity_below_floor(const struct user_part *user)
{
    return user->ratio > 0 && user->ratio < user->leaf->user_floor &&
           user->leaf->queue->weighted == 0;
}

struct user_part *capacity_first_user(struct queue_part *leaf)
{
    if (leaf->first_awake == NULL)
        leaf->first_awake = RB_MIN(sched_user_part_tree, &leaf->awake);
    return leaf->first_awake;
}

/* Who has reserved nothing is refused for want of headroom before anything of the node counts, and then the
 * whole leaf is. Only the very first ask is looked at. */
float capacity_app_need(const struct app_part *part)
{
    const struct sched *sched = part->app->sched;
    const struct demand *demand = RB_MIN(sched_demand_tree, &part->app->demands);

    if (!part->listed || !capacity_below_floor(part->user) || part->app->blacklist ||
        !calc_is_zero(&sched->calc, app_reserved(part)) || demand->count == 0 ||
        demand->label != part->label || !sched->capacity->config->reservations_continue_look)
        return 0;
    return capacity_at_least(capacity_measure(sched, part->label, demand_size(demand)));
}

/* Where what a visit of LEAF looks at lies, for capacity_fetch_leaf. */
static void note_first(struct queue_part *leaf, const struct user_part *user)
{
    leaf->first_part = user ? user->first : NULL;
    leaf->first_app = user ? user->first->app : NULL;
    leaf->first_demand = user ? RB_ROOT(&user->first->app->demands) : NULL;
}

void capacity_fetch_leaf(const struct queue_part *leaf)
{
    if (leaf->first_part == NULL || leaf->first_awake == NULL)
        return;
    sched_fetch(leaf->first_awake, sizeof(*leaf->first_awake));
    sched_fetch(&leaf->first_app->sched, APP_HOT);
    sched_fetch(leaf->first_part, sizeof(*leaf->first_part));
    sched_fetch(leaf->first_demand, sizeof(*leaf->first_demand));
}

static float first_need(struct queue_part *leaf)
{
    const struct user_part *user = capacity_first_user(leaf);

    note_first(leaf, user);
    if (user == NULL || !RB_EMPTY(&leaf->sleepers) || leaf->queue->sched->capacity->visits_all)
        return 0;
    return capacity_app_need(user->first);
}

void capacity_know_need(struct queue_part *leaf)
{
    float before = leaf->need;

    /* A container that ends leaves the first app the first, and its user below the limit. */
    if (leaf->queue->sched->ending && before > 0 && leaf->need_firm && !leaf->fair &&
        RB_EMPTY(&leaf->sleepers))
        return;
    leaf->need = first_need(leaf);
    leaf->need_firm = true;
    if (leaf->need < before)
        capacity_hold_forget(leaf->up);
}

static void sift_down(struct cursor *heap, size_t count, size_t at)
{
    for (;;) {
        size_t least = at;

        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (capacity_compare_parts(heap[child].app, heap[least].app) < 0)
                least = child;
        if (least == at)
            return;
        struct cursor swap = heap[at];

        heap[at] = heap[least];
        heap[least] = swap;
        at = least;
    }
}

static void push(struct app_walk *walk, struct user_part *user)
{
    struct capacity *capacity = walk->capacity;
    size_t at = walk->count++;
    struct cursor entry = { user, user->first };
    struct cursor *heap;

    mem_grow(capacity->cursors, at, capacity->cursor_capacity);
    heap = capacity->cursors;
    while (at > 0 && capacity_compare_parts(entry.app, heap[(at - 1) / 2].app) < 0) {
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

struct cursor *capacity_walk_top(struct app_walk *walk)
{
    const struct cursor *heap = walk->capacity->cursors;

    look_up_next(walk);
    if (walk->next_user &&
        (walk->count == 0 || capacity_compare_parts(walk->next_user->first, heap[0].app) < 0)) {
        walk->begun = walk->next_user;
        push(walk, walk->begun);
    }
    return walk->count > 0 ? &walk->capacity->cursors[0] : NULL;
}

void capacity_walk_next(struct app_walk *walk, bool leave)
{
    struct cursor *heap = walk->capacity->cursors;

    if (leave)
        look_up_next(walk);             /* the user may leave its tree, too */
    if (!leave)
        heap[0].app = RB_NEXT(sched_app_part_tree, &heap[0].user->apps, heap[0].app);
    if (leave || heap[0].app == NULL)
        heap[0] = heap[--walk->count];
    sift_down(heap, walk->count, 0);
}
