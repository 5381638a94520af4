/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shelf.h - the children of one queue in the order in which they are offered a node
 *
 * Children stand by KEY, which no two share, as capacity_compare_queues would have them. Each says two
 * things more: how much room it NEEDs in the queue before it could take anything, and how much free room a
 * node must HOLD before one of its reservations could be exchanged for a place there; both as
 * capacity_measure has it. The shelf keeps the least of both for each block of children, so that whoever
 * cannot be served is stepped over and not visited. It also counts how often that was, for whole blocks at
 * once, so that a long row of children costs little.
 *
 * A block has the children with keys in its range, in any order: one that moves changes a number, and who
 * comes first of those that pass a filter is found by comparing four at a time. Only between blocks there is
 * an order. The lowest bits of a key, which stay, are its child's rank, and by that it is found. Memory is
 * taken when the shelf is made, for as many children as there are; nothing here allocates after that.
 */
#ifndef CREEL_RM_SCHED_CAPACITY_SHELF_H
#define CREEL_RM_SCHED_CAPACITY_SHELF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/base/resource.h"

struct queue_part;

#define SHELF_NEVER INFINITY            /* a need that no room meets */
#define SHELF_NONE UINT32_MAX

/* A child, and what is said of it. */
struct shelf_entry {
    uint64_t key;
    struct queue_part *part;
    float need, hold;
    float most;                         /* a visit is in vain while the queue has less room than this, and
                                           the node less than HOLD; 0: only in the queue as it is now; -1:
                                           not known */
    bool counts;                        /* it is counted how often one behind it is served */
};

/* Of each array as many as there is room for, a multiple of LANES; behind COUNT keys are infinite. */
struct shelf_block {
    double *keys;                       /* see shelf_number */
    float *needs, *holds, *mosts;
    uint32_t *froms;                    /* PASSES less what was counted, twice; odd: it counts */
    double bound;                       /* no key is less; nor more than the next block's bound */
    double first;                       /* the least key; 0: not known */
    uint32_t run;                       /* which of the shelf's pieces of memory the arrays are in */
    uint32_t count;
    float need, hold;                   /* the least of its children's */
    uint32_t passes;                    /* how often one of a block behind was served */
};

struct shelf {
    uint32_t block_size, block_count, block_most, room_for;
    uint32_t count;                     /* of children; */
    uint32_t counting;                  /* of them, those that are counted */
    uint32_t rank_bits, rank_mask;      /* the lowest of a key: which of equals comes first, below ROOM_FOR */
    float need, hold;                   /* the least of all */
    float least;                        /* no child needs less than this, the smallest container */
    bool priority_first;                /* who has its guarantee, and priority, count before use */
    struct resource least_left;         /* who has so much left below its maximum has LEAST, by a margin */
    struct resource held_room;          /* what children could have had when they were last offered a node
                                           in exchange; see hold.c */
    struct queue_part **parts;          /* by rank, as is WHERE */
    uint32_t *where;                    /* the run, and the place in it; or SHELF_NONE */
    uint32_t *owners;                   /* by run: which block has it */
    struct shelf_block blocks[];        /* in order; those behind BLOCK_COUNT are spare */
};

/* Keys are below 2 to the power of 62: so they are, a bit above, as numbers in the same order, and normal
 * ones. */
#define SHELF_KEY_BITS 62

static inline double shelf_number(uint64_t key)
{
    uint64_t bits = key + ((uint64_t)1 << 52);
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* Whom to look for: those whom the queue has ROOM for, unless their MOST is above STANDING and the node,
 * which has NODE_ROOM, does not HOLD what they want. */
struct shelf_filter {
    double room, node_room;
    double standing;                    /* ROOM, where MOST counts; else SHELF_NEVER */
};

static inline struct shelf_filter shelf_filter_all(void)
{
    return (struct shelf_filter){ .room = SHELF_NEVER, .standing = SHELF_NEVER };
}

/* Those for whose exchange a node with NODE_ROOM has enough. */
static inline struct shelf_filter shelf_filter_hold(double node_room)
{
    return (struct shelf_filter){ .room = SHELF_NEVER, .node_room = node_room, .standing = -SHELF_NEVER };
}

/* For at most CHILDREN of them; one allocation, to be given back by free(). */
struct shelf *shelf_new(uint32_t children);
void shelf_clear(struct shelf *shelf);

/* Enter an entry that is not in it; take out the one of KEY, which is; look it up, if there is one. */
void shelf_enter(struct shelf *shelf, const struct shelf_entry *entry);
void shelf_leave(struct shelf *shelf, uint64_t key);
bool shelf_find(const struct shelf *shelf, uint64_t key, struct shelf_entry *ret);
/* The one of KEY is now ENTRY. */
void shelf_move(struct shelf *shelf, uint64_t key, const struct shelf_entry *entry);
/* The one of NOW's key says what NOW says; false if the need and hold of it are the same. */
bool shelf_note(struct shelf *shelf, const struct shelf_entry *now);

/* The one of KEY is served, and may have moved or left since: all before KEY that count are counted. */
void shelf_pass(struct shelf *shelf, uint64_t key);
/* How often that was since the one of KEY, which counts, does. */
uint32_t shelf_counted(const struct shelf *shelf, uint64_t key);

/* The first child, or the first behind KEY, that passes; NULL. */
struct queue_part *shelf_first(struct shelf *shelf, const struct shelf_filter *filter);
struct queue_part *shelf_after(const struct shelf *shelf, uint64_t key, const struct shelf_filter *filter);
/* The child of RANK, which is below ROOM_FOR; NULL if it is not there. */
static inline struct queue_part *shelf_child(const struct shelf *shelf, uint32_t rank)
{
    return shelf->where[rank] == SHELF_NONE ? NULL : shelf->parts[rank];
}
/* The most room that the queue may have so that no child wants it, on a node with less than HOLD of all. */
float shelf_standing(const struct shelf *shelf);

#endif
