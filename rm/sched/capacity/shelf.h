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
 * What is sorted, in small blocks, is keys alone: a new one moves some hundred bytes. The lowest bits of a
 * key, which stay, are its child's rank, and what is said of a child is found by that. Memory is taken when
 * the shelf is made, for as many children as there are; nothing here allocates after that.
 *
 * Where a container ended, the next one is placed, mostly: a child comes to the front, is served, and goes
 * back to where it was. So the child that moved last is LOOSE, its old key stands for it, until somebody else
 * moves or is looked for.
 */
#ifndef CREEL_RM_SCHED_CAPACITY_SHELF_H
#define CREEL_RM_SCHED_CAPACITY_SHELF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/resource.h"

struct queue_part;

#define SHELF_NEVER INFINITY            /* a need that no room meets */
#define SHELF_NONE UINT32_MAX
#define SHELF_NO_KEY UINT64_MAX

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

/* The same as it is kept. */
struct shelf_word {
    float need, hold, most;
    uint32_t from;                      /* its block's PASSES less what was counted, twice; odd: it counts */
};

struct shelf_block {
    uint64_t *keys;                     /* ascending */
    uint32_t run;                       /* which one of the shelf's, BLOCK_SIZE keys each */
    uint32_t count;
    float need, hold;                   /* the least of its children's */
    uint32_t passes;                    /* how often one of a block behind was served */
};

struct shelf {
    uint32_t block_size, block_count, block_most, room_for;
    uint32_t rank_bits, rank_mask;      /* the lowest of a key: which of equals comes first, below ROOM_FOR */
    float need, hold;                   /* the least of all */
    float least;                        /* no child needs less than this, the smallest container */
    bool priority_first;                /* who has its guarantee, and priority, count before use */
    struct resource held_room;          /* what children could have had when they were last offered a node
                                           in exchange; see hold.c */
    uint64_t loose;                     /* the key of who moved last; or NO_KEY */
    uint64_t stands_as;                 /* and the one that stands for it */
    uint64_t *keys;                     /* runs of them */
    struct shelf_word *words;           /* by rank, as are PARTS and RUNS */
    struct queue_part **parts;
    uint32_t *runs;                     /* where its key is; or SHELF_NONE */
    uint32_t *owners;                   /* by run: which block has it */
    struct shelf_block blocks[];        /* in order; those behind BLOCK_COUNT are spare */
};

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
struct queue_part *shelf_after(struct shelf *shelf, uint64_t key, const struct shelf_filter *filter);
/* The child of RANK, which is below ROOM_FOR; NULL if it is not there. */
static inline struct queue_part *shelf_child(const struct shelf *shelf, uint32_t rank)
{
    return shelf->runs[rank] == SHELF_NONE ? NULL : shelf->parts[rank];
}
/* The most room that the queue may have so that no child wants it, on a node with less than HOLD of all. */
float shelf_standing(const struct shelf *shelf);

#endif
