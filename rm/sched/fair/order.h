/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - queues or apps in the order in which they are offered a node
 *
 * Items stand by key, and by TIE among equal keys; what decides then the owner's compare says, from
 * what does not change while an item is there. Items, and what they say, belong to the caller, who
 * writes a key by fair_order_place alone, and sets UNSAID when what an item says changes.
 *
 * Each item says what a node must have free at least (NEED) before anything below it can be placed,
 * or that something may have a node kept for it (RESERVES). An order keeps both in its entries, and
 * their bounds for each block of entries, so that whoever cannot be served is stepped over, and not
 * visited.
 *
 * Sorted blocks of entries that hold all that is compared: a search and a move of some hundred
 * bytes for a new key. Blocks that were emptied are kept: where as many items were before, nothing is
 * allocated.
 */
#ifndef CREEL_RM_SCHED_FAIR_ORDER_H
#define CREEL_RM_SCHED_FAIR_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/resource.h"

#define FAIR_NEED_MAX (UINT32_MAX >> 1) /* a need is cut to this */

/* What decides first; the smaller is served first. */
struct fair_key {
    uint64_t value[2], tie;
};

struct fair_item {
    struct fair_key key;
    uint32_t need[RESOURCE_TYPES_MAX];
    bool reserves;
    bool known;                         /* NEED and RESERVES are; else anything may be there */
    bool unsaid;                        /* they changed, and the order was not told */
    bool listed;                        /* in an order */
};

typedef int fair_compare_fn(const struct fair_item *a, const struct fair_item *b);

struct fair_entry {
    struct fair_key key;
    struct fair_item *item;
    uint32_t memory;                    /* NEED, of the first two types */
    uint32_t vcores_reserves;           /* the lowest bit is RESERVES */
};

struct fair_block {
    uint32_t count, capacity;
    uint32_t memory, vcores_reserves;   /* bounds: none of the entries needs less */
    bool loose;                         /* all may need more */
    struct fair_entry entries[];
};

struct fair_order {
    struct fair_block **blocks;         /* owned; none is empty */
    struct fair_block *spare;           /* owned; NULL: none */
    uint32_t count, capacity;           /* of blocks */
    uint32_t version;                   /* another after each change of what is where */
};

/* What is to be offered. */
struct fair_filter {
    uint32_t memory, vcores;            /* that are free, cut to FAIR_NEED_MAX */
    bool reserve;                       /* it may be kept for somebody */
};

struct fair_cursor {
    uint32_t block, index, version;
    struct fair_entry at;
};

/* <0: A is before B. */
int fair_order_compare(const struct fair_item *a, const struct fair_item *b,
                       fair_compare_fn *compare);

void fair_order_clear(struct fair_order *order);        /* nobody is in it */
void fair_order_free(struct fair_order *order);         /* and its memory is given back */

static inline bool fair_order_is_empty(const struct fair_order *order)
{
    return order->count == 0;
}

/* ITEM stands by KEY now, wherever it was; it says what it says. */
void fair_order_place(struct fair_order *order, struct fair_item *item, const struct fair_key *key,
                      fair_compare_fn *compare);
void fair_order_leave(struct fair_order *order, struct fair_item *item, fair_compare_fn *compare);
/* What ITEM, at CURSOR unless something moved since, says now. */
void fair_order_note(struct fair_order *order, struct fair_item *item,
                     const struct fair_cursor *cursor, fair_compare_fn *compare);
bool fair_order_has(const struct fair_order *order, const struct fair_item *item,
                    fair_compare_fn *compare);

/* The first that passes FILTER (NULL: all do), and the next behind CURSOR, which may have left since;
 * NULL: none. */
struct fair_item *fair_order_first(struct fair_order *order, const struct fair_filter *filter,
                                   struct fair_cursor *cursor);
struct fair_item *fair_order_next(struct fair_order *order, const struct fair_filter *filter,
                                  struct fair_cursor *cursor, fair_compare_fn *compare);
/* The first behind ITEM, which need not be in it. */
struct fair_item *fair_order_after(const struct fair_order *order, const struct fair_item *item,
                                   fair_compare_fn *compare);
/* Bounds of what all items say, of TYPES types: into SUM, beside what is there. */
void fair_order_sum(struct fair_order *order, int types, struct fair_item *sum);

#endif
