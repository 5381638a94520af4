/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - ordered index that finds the first entry that an offer could serve
 *
 * Schedulers order queues and applications with pending requests (least used first, first in first out, ...).
 * Room on a node is offered to the first queue or application that can use it. Usually the first entries need
 * more room than there is. Therefore each entry has a need, the index stores the least need of every subtree,
 * and order_find() does not enter subtrees in which nothing fits.
 *
 * The index is a red-black tree (libbsd). Insert, remove, and a changed need cost O(log n). order_find()
 * costs O(log n) with one resource type. With more types, a subtree whose least memory and least vcores
 * belong to different entries may be searched without result.
 *
 * Needs and room are compared in the first TYPES resource types of the index: all types that the calculator
 * compares (calc_types()). So a node without GPUs is skipped at no cost while all entries need a GPU.
 *
 * A need is a lower bound: it may be too small (then the entry is offered room that it cannot use), but never
 * too large (then the entry would be skipped wrongly).
 *
 * An entry that is skipped may still block room for the entries after it: order_pass() subtracts the blocked
 * room. The index stores the sum of blocked room over every subtree.
 *
 * Memory: an entry is embedded in the caller's record and owned by the caller. The caller must remove the
 * entry from the index before freeing it, and before changing values that the comparison reads (or call
 * order_update() right after the change).
 */
#ifndef CREEL_RM_SCHED_ORDER_H
#define CREEL_RM_SCHED_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bsd/sys/tree.h>

#include "common/base/resource.h"

#define ORDER_NEVER INT64_MAX        /* a need that no room fits */
#define ORDER_ALWAYS (INT64_MIN / 2) /* a need that any room except ORDER_NO_ROOM fits */
#define ORDER_NO_ROOM INT64_MIN      /* room that fits no need */

/* Vectors with these values in all types; any_room fits every need except order_never. */
extern const struct resource order_never, order_always, order_no_room, order_any_room;

struct order;

struct order_entry {
    RB_ENTRY(order_entry) link;
    struct order *order;      /* index that contains the entry; NULL: none */
    struct resource need;     /* least room with which an offer could place a container for the
                                 entry */
    struct resource exchange; /* least room on the node with which the entry's reservations
                                 matter for the offer; ORDER_NEVER: they never matter */
    struct resource blocked;  /* room that order_pass() subtracts for the entries after this one */
    struct resource least_need, least_exchange, blocked_sum; /* over the entry's subtree; set by
                                                                order.c */
};

/* Compares two entries. < 0: A is before B. Never 0 for two different entries of one index. */
typedef int order_compare_fn(const struct order_entry *a, const struct order_entry *b);

RB_HEAD(order_tree, order_entry);

struct order {
    struct order_tree tree;
    order_compare_fn *compare;
    const struct order_entry *hidden; /* entry being inserted or removed, whose own values are ignored;
                                         NULL: none */
    size_t count;
    int types; /* number of resource types compared */
};

/* Returns the record of TYPE whose MEMBER is ENTRY. */
#define order_record(entry, type, member) \
    ((type *)(void *)((char *)(uintptr_t)(entry)-offsetof(type, member)))

/* Room that is offered. An entry qualifies if its need fits ROOM or its exchange fits EXCHANGE, in each
 * type. */
struct order_offer {
    struct resource room;
    struct resource exchange; /* ORDER_NO_ROOM, or below 0: no exchange fits */
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

/* Inserts ENTRY, which must be in no index. The caller sets its need and exchange before (order_set()). */
void order_insert(struct order *order, struct order_entry *entry);
/* Does nothing if ENTRY is in no index. */
void order_remove(struct order_entry *entry);
/* Moves ENTRY to its place after a change of values that the comparison reads. No other entry of the index
 * may have changed. Does nothing if ENTRY is in no index. */
void order_update(struct order_entry *entry);
/* Sets need, exchange and blocked of ENTRY, whether it is in an index or not. BLOCKED must not be below 0.
 * Each pointer may point into ENTRY. */
void order_set(struct order_entry *entry, const struct resource *need, const struct resource *exchange,
               const struct resource *blocked);
/* Like order_set(), and leaves BLOCKED unchanged. */
void order_set_need(struct order_entry *entry, const struct resource *need, const struct resource *exchange);

/* Returns the first entry after AFTER (NULL: from the start) that qualifies for OFFER (NULL: every entry
 * does), or NULL. AFTER is only compared with the entries and need not be in the index. */
struct order_entry *order_find(const struct order *order, const struct order_entry *after,
                               const struct order_offer *offer);
/* Like order_find(), but subtracts the room that skipped entries block from OFFER's room. An entry that
 * blocks more than the remaining room is not skipped but returned. */
struct order_entry *order_pass(const struct order *order, const struct order_entry *after,
                               struct order_offer *offer);
/* Return the least need, or exchange, over all entries; ORDER_NEVER if the index is empty. */
const struct resource *order_least_need(const struct order *order);
const struct resource *order_least_exchange(const struct order *order);

/* Returns true if NEED fits ROOM in each of TYPES resource types. */
static inline bool order_fits(int types, const struct resource *need, const struct resource *room)
{
    for (int t = 0; t < types; t++)
        if (need->value[t] > room->value[t])
            return false;
    return true;
}

/* Audit: returns true if the entries are in order, and all least values, sums and the count are right. */
bool order_is_consistent(const struct order *order);

#endif
