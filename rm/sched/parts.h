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

#include "rm/sched/calc.h"
#include "rm/sched/order.h"

struct demand;
struct sched;
struct sched_app;
struct sched_queue;

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
    struct order_entry entry;           /* in UP's children while something below has pending requests */
    struct order children;              /* parent: see capacity/index.c */
    struct order users;                 /* leaf: those with pending requests, by their first application */
    struct order active;                /* leaf: active applications */
    float use;                          /* of what is guaranteed: what CHILDREN of UP are ordered by */
    double used_ratios;                 /* leaf: sum over users of used by partition */
    bool limit_known;                   /* leaf: USER_LIMIT is, until something changes in it */
    bool is_leaf;                       /* as its queue */
    uint8_t label, types;               /* TYPES: of resources, in use */
    uint32_t containers;
    struct resource *killable;          /* owned; of USED, under lazy preemption; NULL: nothing */
    int64_t amounts[];
};

enum { QUEUE_AMOUNTS = 6, QUEUE_AMOUNTS_CORE = 3 };      /* without capacity: the first alone */

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

/* Leaf, capacity: of users who want something, anywhere. */
static inline struct amount *queue_active_used(const struct queue_part *part)
{
    return sched_amount(part->amounts, 3, part->types);
}

/* Leaf, capacity: masters of activated apps. */
static inline struct amount *queue_am_used(const struct queue_part *part)
{
    return sched_amount(part->amounts, 4, part->types);
}

/* Leaf, capacity: of an active user of weight 1, if LIMIT_KNOWN. */
static inline struct amount *queue_user_limit(const struct queue_part *part)
{
    return sched_amount(part->amounts, 5, part->types);
}

/* What a user has of one partition in one leaf. Owned by the user. */
struct user_part {
    struct order_entry entry;           /* in the leaf's users while APPS is not empty */
    struct order apps;                  /* those with pending requests, in the leaf's order */
    struct app_part *first;             /* of APPS; what the leaf's users are ordered by */
    struct leaf_user *user;
    struct queue_part *leaf;
    struct user_part *next;             /* of the user's other partitions */
    float ratio;                        /* of the partition, used; as in the leaf's sum */
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
    struct order_entry entry;           /* in the user's apps while it has pending requests */
    struct order_entry active;          /* in the leaf's active */
    struct order_amount least_reserved; /* no container that its reservations are for is smaller; ORDER_NEVER
                                           without reservations */
    struct sched_app *app;
    struct app_part *next;              /* of the app's other partitions */
    struct queue_part *leaf;
    struct user_part *user;             /* NULL in fifo */
    uint64_t pending_containers;
    double key;                         /* of the fair order */
    uint32_t last_priority;             /* of the container that came last; no other has a larger, */
    bool disordered;                    /*  unless it came behind one that had, since there were none */
    uint8_t label, types;
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
