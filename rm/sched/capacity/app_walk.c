/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app_walk.c - iterates over the applications of a leaf with pending requests, in scheduling order
 *
 * The index has the applications of each user in order, and the users by their first application. The
 * iterator merges these lists. It creates a cursor for a user when that user's first application may be the
 * next one. A user who would be above its limit even without its reservations gets no cursor, so its
 * applications cost no time. If a user is above its limit only because of its reservations, its cursor
 * returns only applications that can exchange a reservation.
 */
#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"

/* --- cursors: a heap by application ---------------------------------------- */

static bool is_before(const struct cursor *a, const struct cursor *b)
{
    return capacity_compare_partitions(a->app, b->app) < 0;
}

static void swap(struct cursor *a, struct cursor *b)
{
    struct cursor was = *a;

    *a = *b;
    *b = was;
}

static void push(struct app_walk *walk, struct cursor cursor)
{
    struct capacity *capacity = walk->capacity;
    size_t at = walk->count++;

    mem_grow(capacity->cursors, at, capacity->cursor_capacity);
    capacity->cursors[at] = cursor;
    for (; at > 0 && is_before(&capacity->cursors[at], &capacity->cursors[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&capacity->cursors[at], &capacity->cursors[(at - 1) / 2]);
}

/* Restores the heap after the application of its first cursor was replaced by a later one. */
static void sift_down(struct cursor *heap, size_t count)
{
    for (size_t at = 0, least = 0;; at = least) {
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (is_before(&heap[child], &heap[least]))
                least = child;
        if (least == at)
            return;
        swap(&heap[at], &heap[least]);
    }
}

/* --- users ----------------------------------------------------------------- */

/* Returns the application of CURSOR's user after AFTER (NULL: the first). A user above its limit may only
 * exchange reservations. */
static struct app_partition *next_app(const struct app_walk *walk, const struct cursor *cursor,
                                      const struct app_partition *after)
{
    const struct order_offer reserved = { .room = order_no_room, .exchange = order_any_room };
    const struct order_entry *entry =
        order_find(&user_data(cursor->user)->apps, after ? &app_partition_data(after)->entry : NULL,
                   cursor->over ? &reserved
                   : walk->all  ? NULL
                                : &walk->node);

    return entry ? capacity_app_of(entry) : NULL;
}

static void begin_user(struct app_walk *walk, struct user_partition *user)
{
    struct cursor cursor = {
        .user = user,
        .over = walk->user_limit && capacity_user_over(walk->leaf->sched, user, walk->user_limit),
    };

    walk->begun = user;
    walk->passed_over = walk->passed_over || (!walk->all && !cursor.over);
    cursor.app = next_app(walk, &cursor, NULL);
    if (cursor.app)
        push(walk, cursor);
}

/* Creates cursors for users until no application of another user comes before that of the first cursor. */
static void begin_users(struct app_walk *walk)
{
    bool all = walk->user_limit == NULL || walk->capacity->visits_refused;
    const struct order_offer *offer = all ? NULL : &walk->users;

    for (;;) {
        const struct cursor *first = walk->count > 0 ? &walk->capacity->cursors[0] : NULL;
        const struct order_entry *next;

        if (first && first->app == user_data(walk->begun)->first)
            return;
        next = order_find(&part_data(walk->leaf)->users, walk->begun ? &user_data(walk->begun)->entry : NULL,
                          offer);
        if (next == NULL ||
            (first && capacity_compare_partitions(first->app, user_data(capacity_user_of(next))->first) < 0))
            return;
        begin_user(walk, capacity_user_of(next));
    }
}

void capacity_walk_begin(struct app_walk *walk, struct queue_partition *leaf, const struct amount *user_limit,
                         const struct resource *total)
{
    *walk = (struct app_walk){
        .capacity = capacity_of(leaf->sched),
        .leaf = leaf,
        .user_limit = user_limit,
        .all = total == NULL,
    };
    if (total)
        walk->node = (struct order_offer){ .room = *total, .exchange = order_no_room };
    if (user_limit) {
        struct resource limit = sched_load(leaf->sched, user_limit);

        walk->users.room = capacity_limit_measure(leaf, &limit);
        walk->users.exchange = order_no_room;
    }
}

struct app_partition *capacity_walk_next(struct app_walk *walk)
{
    struct cursor *heap = walk->capacity->cursors;

    if (walk->started && walk->count > 0) {
        heap[0].app = next_app(walk, &heap[0], heap[0].app);
        if (heap[0].app == NULL)
            heap[0] = heap[--walk->count];
        sift_down(heap, walk->count);
    }
    walk->started = true;
    begin_users(walk);
    return walk->count > 0 ? walk->capacity->cursors[0].app : NULL;
}
