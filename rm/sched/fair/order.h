/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - queues or apps, of which the first to be offered a node is known
 *
 * Items go by key, and by TIE among equal keys; what decides then the owner's compare says, from
 * what does not change while an item is there. Items, and what they say, belong to the caller, who
 * writes a key by fair_order_place alone, and sets UNSAID when what an item says changes.
 *
 * Each item says what a node must have free at least (NEED) before anything below it can be placed,
 * or that something may have a node kept for it (RESERVES). Whoever cannot be served is stepped
 * over, and not visited.
 *
 * A tournament: an item has a slot with all that is compared; of each two the first goes on, with the
 * bounds of what both say. Another key costs at most one match for each level up, and moves nothing.
 * Memory grows with the most items that there were, and goes when few of them are left.
 */
#ifndef CREEL_RM_SCHED_FAIR_ORDER_H
#define CREEL_RM_SCHED_FAIR_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/resource.h"

#define FAIR_NEED_MAX (UINT32_MAX >> 1) /* a need is cut to this */

/* What decides first; the smaller is served first. The first VALUE is never all ones. */
struct fair_key {
    uint64_t value[2], tie;
};

/* Of types beyond the first two. It stands behind the record that an item is the beginning of. */
struct fair_more {
    uint64_t rest;                      /* the owner's: of the key */
    uint32_t need[];
};

struct fair_item {
    struct fair_key key;
    uint32_t need[2];
    uint32_t slot;
    uint8_t more;                       /* words of 8 bytes from here to a struct fair_more; 0: none */
    uint8_t types;                      /* in use */
    bool reserves : 1;
    bool known : 1;                     /* NEED and RESERVES are; else anything may be there */
    bool unsaid : 1;                    /* they changed, and the order was not told */
    bool listed : 1;                    /* in an order */
    bool asleep : 1;                    /* and the next: an app's, see fair_app */
    bool changed : 1, am_counted : 1;
};

static inline struct fair_more *fair_item_more(const struct fair_item *item)
{
    return (struct fair_more *)(uintptr_t)((const uint64_t *)(const void *)item + item->more);
}

static inline uint32_t fair_item_need(const struct fair_item *item, int type)
{
    return type < 2 ? item->need[type] : fair_item_more(item)->need[type - 2];
}

static inline void fair_item_set_need(struct fair_item *item, int type, uint32_t need)
{
    if (type < 2)
        item->need[type] = need;
    else
        fair_item_more(item)->need[type - 2] = need;
}

static inline uint64_t fair_item_rest(const struct fair_item *item)
{
    return item->more ? fair_item_more(item)->rest : 0;
}

typedef int fair_compare_fn(const struct fair_item *a, const struct fair_item *b);

/* What an item says, or the bounds of what many say. */
struct fair_says {
    uint32_t memory;                    /* NEED, of the first two types */
    uint32_t vcores_reserves;           /* the lowest bit is RESERVES */
};

struct fair_entry {
    struct fair_key key;                /* begins with all ones: nobody, or set aside; then TIE links slots */
    struct fair_item *item;             /* NULL: nobody */
};

struct fair_order {
    struct fair_entry *entries;         /* owned; winners and what is said behind them: see order.c */
    uint32_t capacity;                  /* slots */
    uint32_t count;                     /* items, those set aside included */
    uint32_t unused;                    /* first of the slots that nobody has, or NONE */
    uint32_t aside;                     /* first of those set aside, or NONE */
};

/* What is to be offered. */
struct fair_filter {
    uint32_t memory, vcores;            /* that are free, cut to FAIR_NEED_MAX */
    bool reserve;                       /* it may be kept for somebody */
};

void fair_order_clear(struct fair_order *order);        /* nobody is in it; its memory is given back */

static inline bool fair_order_is_empty(const struct fair_order *order)
{
    return order->count == 0;
}

/* <0: A is before B. */
int fair_order_compare(const struct fair_item *a, const struct fair_item *b,
                       fair_compare_fn *compare);

/* ITEM goes by KEY now, whether it was there or not; it says what it says. */
void fair_order_place(struct fair_order *order, struct fair_item *item, const struct fair_key *key,
                      fair_compare_fn *compare);
void fair_order_leave(struct fair_order *order, struct fair_item *item, fair_compare_fn *compare);
/* ITEM says something else now. */
void fair_order_note(struct fair_order *order, struct fair_item *item);

/* The first that passes FILTER (NULL: all do), or NULL. */
struct fair_item *fair_order_first(const struct fair_order *order, const struct fair_filter *filter,
                                   fair_compare_fn *compare);
/* ITEM is not found until all that were set aside are put back. */
void fair_order_set_aside(struct fair_order *order, struct fair_item *item,
                          fair_compare_fn *compare);
void fair_order_put_back(struct fair_order *order, fair_compare_fn *compare);

/* Bounds of what all items say into SUM, of as many types as that has. */
void fair_order_sum(const struct fair_order *order, struct fair_item *sum);
/* All of ORDER, as it comes, to LIST with room for COUNT; returns behind them. */
struct fair_item **fair_order_list(const struct fair_order *order, struct fair_item **list);
/* The audit: is ITEM there, and does it say what it says? Is every match right? */
bool fair_order_has(const struct fair_order *order, const struct fair_item *item);
bool fair_order_is_right(const struct fair_order *order, fair_compare_fn *compare);

#endif
