/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shelf.h - the children of one queue in the order in which they are offered a node
 *
 * Children stand by KEY, which no two share, as capacity_compare_queues would have them. Each says two
 * things more: how much room it NEEDs in the queue before it could take anything, and how much free room a
 * node must HOLD before one of its reservations could be exchanged for a place there; both as
 * capacity_measure has it. The shelf keeps the least of both for each block of entries, so that whoever
 * cannot be served is stepped over and not visited. It also counts how often that was, for whole blocks at
 * once, so that a long row of children costs little.
 *
 * Small blocks of sorted entries: a search and a move of some hundred bytes for a new key. Where a child
 * stands is known by its rank, the lowest bits of its key, which stay. Memory is taken when the shelf is
 * made, for as many children as there are; nothing here allocates after that.
 */
#ifndef CREEL_RM_SCHED_CAPACITY_SHELF_H
#define CREEL_RM_SCHED_CAPACITY_SHELF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/resource.h"

struct queue_part;

#define SHELF_NEVER INFINITY            /* a need that no room meets */

struct shelf_entry {
    uint64_t key;
    struct queue_part *part;
    float need, hold;
    float most;                         /* a visit is in vain while the queue has less room than this, and
                                           the node less than HOLD; 0: only in the queue as it is now; -1:
                                           not known */
    uint32_t counts : 1;                /* it is counted how often one behind it is served: */
    uint32_t from : 31;                 /*  its block's PASSES, less what was counted; the shelf's own */
};

struct shelf_block {
    struct shelf_entry *entries;
    uint32_t count;
    float need, hold;                   /* the least of its entries' */
    uint32_t passes;                    /* how often one of a block behind was served */
};

struct shelf {
    uint32_t block_size, block_count, block_most, room_for;
    uint32_t rank_bits;                 /* the lowest of a key: which of equals comes first, below ROOM_FOR */
    float need, hold;                   /* the least of all */
    float least;                        /* no child needs less than this, the smallest container */
    bool priority_first;                /* who has its guarantee, and priority, count before use */
    struct resource held_room;          /* what children could have had when they were last offered a node
                                           in exchange; see hold.c */
    struct shelf_entry *entries;        /* of all blocks, each of which has a run of BLOCK_SIZE */
    uint32_t *places;                   /* by rank: which of ENTRIES is its own */
    uint32_t *runs;                     /* which block has the run */
    struct shelf_block blocks[];        /* in order; those behind BLOCK_COUNT are spare */
};

enum shelf_by { SHELF_ALL, SHELF_BY_NEED, SHELF_BY_HOLD };

/* Whom to look for: all, or those whom the queue has ROOM for and whose visit is not known to be in vain,
 * or those for whose exchange the node has enough room. */
struct shelf_filter {
    enum shelf_by by;
    double room, node_room;
    double standing;                    /* ROOM, where MOST counts; else SHELF_NEVER */
};

/* For at most CHILDREN of them; one allocation, to be given back by free(). */
struct shelf *shelf_new(uint32_t children);
void shelf_clear(struct shelf *shelf);

/* Enter an entry that is not in it; take out, or look up, the one of KEY, which is. */
void shelf_enter(struct shelf *shelf, const struct shelf_entry *entry);
void shelf_leave(struct shelf *shelf, uint64_t key);
const struct shelf_entry *shelf_find(const struct shelf *shelf, uint64_t key);
/* The one of KEY is now ENTRY, in its new place. */
void shelf_move(struct shelf *shelf, uint64_t key, const struct shelf_entry *entry);
/* The one of NOW's key says what NOW says; false if the need and hold of it are the same. */
bool shelf_note(struct shelf *shelf, const struct shelf_entry *now);

/* The one of KEY is served: it is counted of all before it that count. */
void shelf_pass(struct shelf *shelf, uint64_t key);
/* How often that was since the one of KEY, which counts, does. */
uint32_t shelf_counted(const struct shelf *shelf, uint64_t key);

/* The first entry, or the first behind KEY, that passes; NULL. It is valid until the shelf changes. */
const struct shelf_entry *shelf_first(const struct shelf *shelf, const struct shelf_filter *filter);
const struct shelf_entry *shelf_after(const struct shelf *shelf, uint64_t key,
                                      const struct shelf_filter *filter);
/* The most room that the queue may have so that no child wants it, on a node with less than HOLD of all. */
float shelf_standing(const struct shelf *shelf);

#endif
