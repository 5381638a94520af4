/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - what is counted of one partition, seen by rm/sched alone
 *
 * A partition is what a node label stands for; "", no label, has index 0. What is counted is counted in a
 * chain of parts: the app's, its user's in the leaf, the leaf's, its parents'. Behind each are its amounts,
 * vectors as long as there are types of resources in use.
 */
#ifndef CREEL_RM_SCHED_PARTS_H
#define CREEL_RM_SCHED_PARTS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>

#include "rm/sched/calc.h"

struct demand;
struct sched;
struct sched_app;
struct sched_queue;

RB_HEAD(sched_user_part_tree, user_part);
RB_HEAD(sched_app_part_tree, app_part);

/* Amounts behind a record, each as long as there are types in use: see struct amount. */
static inline struct amount *sched_amount(const int64_t *amounts, int index, int types)
{
    return (struct amount *)(uintptr_t)&amounts[index * types];
}

/* What a queue has of one partition. Owned by its queue. */
struct queue_part {
    struct sched_queue *queue;
    struct sched *sched;                /* borrowed */
    struct queue_part *up;              /* the parent's; NULL for root */
    struct capacity_share *share;       /* borrowed from the configuration; NULL in fifo */

    /* Capacity. */
    uint64_t key;                       /* in UP's shelf: see shelf.h */
    uint64_t key_fixed;                 /* what of KEY does not depend on use */
    bool placed;                        /* KEY_FIXED is known */
    bool is_leaf, fair;                 /* as its queue: nearer at hand. Leaf: apps by use, not first come */
    bool need_firm;                     /* NEED is what the first app asks for, for certain */
    float used_capacity;                /* of what is guaranteed: what KEY is made of */
    double base;                        /* the guarantee, as it divides there */
    float need;                         /* leaf: of room in queues above, before it can take anything */
    uint8_t label, types;               /* TYPES: of resources, in use */
    bool limit_known;                   /* USER_LIMIT is; until something below changes */
    bool listed;                        /* stands in UP's shelf: it wants something */
    bool asleep;                        /* refused by its own limit; until something below changes */
    bool held : 1, held_counts : 1, held_firm : 1, held_follows : 1, held_unsaid : 1;    /* see hold.c */
    float held_need, held_most;
    float most_used;                    /* what USED_CAPACITY is at the maximum */
    int64_t held_count, held_from;
    SLIST_HEAD(, demand) counted;       /* leaf */
    struct shelf *shelf;                /* owned; parent: children that want something, in order */
    struct sched_user_part_tree awake;          /* leaf: users who want, by their first app */
    struct user_part *first_awake;              /* leaf: of AWAKE; NULL: to be looked up */
    struct sched_user_part_tree sleepers;       /* leaf: those over their limit, by use */
    float user_floor;                   /* leaf: no limit of such a user is below this part of the cluster */
    uint32_t containers;
    struct resource *killable;          /* owned; of USED, under lazy preemption; NULL: nothing */
    double used_ratios;                 /* sum over users of used by partition */
    int64_t amounts[];
};

enum { QUEUE_AMOUNTS = 7, QUEUE_AMOUNTS_CORE = 3 };      /* without capacity: the first alone */

static inline struct amount *queue_used(const struct queue_part *part)          /* includes reserved */
{
    return sched_amount(part->amounts, 0, part->types);
}

static inline struct amount *queue_reserved(const struct queue_part *part)
{
    return sched_amount(part->amounts, 1, part->types);
}

static inline struct amount *queue_pending(const struct queue_part *part)
{
    return sched_amount(part->amounts, 2, part->types);
}

/* Capacity: as SHARE has it in EFFECTIVE_MAXIMUM, nearer at hand. */
static inline struct amount *queue_maximum(const struct queue_part *part)
{
    return sched_amount(part->amounts, 3, part->types);
}

/* Leaf, capacity: of users who want something, anywhere. */
static inline struct amount *queue_active_used(const struct queue_part *part)
{
    return sched_amount(part->amounts, 4, part->types);
}

/* Leaf, capacity: masters of activated apps. */
static inline struct amount *queue_am_used(const struct queue_part *part)
{
    return sched_amount(part->amounts, 5, part->types);
}

/* Leaf, capacity: of an active user of weight 1, if LIMIT_KNOWN. */
static inline struct amount *queue_user_limit(const struct queue_part *part)
{
    return sched_amount(part->amounts, 6, part->types);
}

/* What a user has of one partition in one leaf. Owned by the user. */
struct user_part {
    RB_ENTRY(user_part) link;           /* in AWAKE or SLEEPERS of the leaf's part, while LISTED */
    struct leaf_user *user;
    struct queue_part *leaf;
    struct user_part *next;             /* of the user's other partitions */
    struct sched_app_part_tree apps;    /* those that want something, in the leaf's order */
    struct app_part *first;             /* of APPS: the key */
    float ratio;                        /* of the partition, used; as in the leaf's sum */
    bool listed, sleeping;
    bool wants;                         /* as its user: WANTING is not 0. Nearer at hand */
    uint8_t types;
    int64_t amounts[];
};

enum { USER_AMOUNTS = 4 };

static inline struct amount *user_used(const struct user_part *part)            /* includes reserved */
{
    return sched_amount(part->amounts, 0, part->types);
}

static inline struct amount *user_reserved(const struct user_part *part)
{
    return sched_amount(part->amounts, 1, part->types);
}

static inline struct amount *user_pending(const struct user_part *part)
{
    return sched_amount(part->amounts, 2, part->types);
}

static inline struct amount *user_am_used(const struct user_part *part)
{
    return sched_amount(part->amounts, 3, part->types);
}

/* What an app has of one partition. Owned by the app. */
struct app_part {
    RB_ENTRY(app_part) link;            /* in the user's apps, while LISTED */
    struct sched_app *app;
    struct app_part *next;              /* of the app's other partitions */
    struct queue_part *leaf;
    struct user_part *user;             /* NULL in fifo */
    uint64_t pending_containers;
    double key;                         /* of the fair order */
    uint32_t last_priority;             /* of the container that came last; no other has a larger, */
    bool disordered;                    /*  unless it came behind one that had, since there were none */
    uint8_t label, types;
    bool listed;
    int64_t amounts[];
};

enum { APP_AMOUNTS = 3 };

static inline struct amount *app_used(const struct app_part *part)              /* without reserved */
{
    return sched_amount(part->amounts, 0, part->types);
}

static inline struct amount *app_reserved(const struct app_part *part)
{
    return sched_amount(part->amounts, 1, part->types);
}

static inline struct amount *app_pending(const struct app_part *part)
{
    return sched_amount(part->amounts, 2, part->types);
}

#endif
