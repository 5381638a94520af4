/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - an ordered index that finds the first entry which an offer could serve
 *
 * Schedulers keep queues and applications that have pending requests in an order (least used first, first
 * in first out, ...). An offer of room goes to the first of them that can use it. Most of the time the
 * first entries need more room than there is, so each entry has a need, the index keeps the least need
 * of every subtree, and order_find() does not enter subtrees in which nothing fits.
 *
 * The index is a red-black tree (libbsd). Insert, remove, and a changed need cost O(log n). order_find()
 * costs O(log n) with one resource type; with more, a subtree whose least memory and least vcores belong to
 * different entries may be searched without result.
 *
 * Needs and room are compared in the first TYPES resource types of the index: in all that the calculator
 * counts (calc_types()), so that a node without GPUs costs nothing while all entries need a GPU.
 *
 * A need is a lower bound: it may be too small (the entry is then offered room that it cannot use), but
 * never too large (it would be passed over wrongly).
 *
 * An entry that is passed over may still keep room from the entries behind it: order_pass() subtracts what
 * it blocks. The index keeps the sum of that over every subtree.
 *
 * Memory: an entry is embedded in the caller's record and belongs to the caller. It must leave the index
 * before it is freed, and before anything changes that the comparison reads (or order_update() is called
 * right after that).
 */
#ifndef CREEL_RM_SCHED_ORDER_H
#define CREEL_RM_SCHED_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bsd/sys/tree.h>

#include "common/base/resource.h"

#define ORDER_NEVER INT64_MAX           /* a need that no room fits */
#define ORDER_ALWAYS (INT64_MIN / 2)    /* a need that any room fits, but ORDER_NO_ROOM */
#define ORDER_NO_ROOM INT64_MIN         /* room that fits no need */

/* These in all types; and room for every need but order_never. */
extern const struct resource order_never, order_always, order_no_room, order_any_room;

struct order;

struct order_entry {
    RB_ENTRY(order_entry) link;
    struct order *order;                /* the index that it is in; NULL: in none */
    struct resource need;               /* room without which an offer cannot place a container for it */
    struct resource exchange;           /* room on the node without which its reservations do not matter to
                                           the offer; ORDER_NEVER: they never do */
    struct resource blocked;            /* room that order_pass() keeps from the entries behind it */
    struct resource least_need, least_exchange, blocked_sum;        /* over its subtree; kept by order.c */
};

/* < 0: A comes first. Never 0 for two entries of one index. */
typedef int order_compare_fn(const struct order_entry *a, const struct order_entry *b);

RB_HEAD(order_tree, order_entry);

struct order {
    struct order_tree tree;
    order_compare_fn *compare;
    const struct order_entry *hidden;   /* it comes or goes: its own values do not count; NULL: none does */
    size_t count;
    int types;                          /* of resources, that are compared */
};

/* The record of TYPE whose MEMBER is ENTRY. */
#define order_record(entry, type, member) \
    ((type *)(void *)((char *)(uintptr_t)(entry) - offsetof(type, member)))

/* What is offered. An entry qualifies if its need fits ROOM or its exchange fits EXCHANGE, in each type. */
struct order_offer {
    struct resource room;
    struct resource exchange;           /* ORDER_NO_ROOM, or below 0: no exchange fits */
};

void order_init(struct order *order, order_compare_fn *compare, int types);

static inline bool order_is_empty(const struct order *order)
{
    return order->count == 0;
}

static inline bool order_has(const struct order_entry *entry)
{
    return entry->order != NULL;
}

/* ENTRY, which is in no index, is inserted. Its need and exchange are set before. */
void order_insert(struct order *order, struct order_entry *entry);
/* Does nothing if ENTRY is in no index. */
void order_remove(struct order_entry *entry);
/* What the comparison reads of ENTRY, and of no other, has changed. Does nothing if ENTRY is in no index. */
void order_update(struct order_entry *entry);
/* ENTRY, which may be in an index or in none, now needs, exchanges and blocks so much. BLOCKED is never below
 * 0. Each pointer may point into ENTRY. */
void order_set(struct order_entry *entry, const struct resource *need, const struct resource *exchange,
               const struct resource *blocked);
/* The same; what it blocks stays. */
void order_set_need(struct order_entry *entry, const struct resource *need, const struct resource *exchange);

/* The first entry behind AFTER (NULL: of all) that qualifies for OFFER (NULL: every entry does), or NULL.
 * AFTER is compared with the entries and need not be one of them. */
struct order_entry *order_find(const struct order *order, const struct order_entry *after,
                               const struct order_offer *offer);
/* As order_find(), but what the entries passed over block is subtracted from OFFER's room. An entry that
 * blocks more than there is left is not passed over. */
struct order_entry *order_pass(const struct order *order, const struct order_entry *after,
                               struct order_offer *offer);
/* The least need and exchange over all entries; ORDER_NEVER if there are none. */
const struct resource *order_least_need(const struct order *order);
const struct resource *order_least_exchange(const struct order *order);

/* Does NEED fit ROOM in each of TYPES types? */
static inline bool order_fits(int types, const struct resource *need, const struct resource *room)
{
    for (int t = 0; t < types; t++)
        if (need->value[t] > room->value[t])
            return false;
    return true;
}

/* Audit: are the entries in order, and all least values and the count right? */
bool order_is_consistent(const struct order *order);

#endif
