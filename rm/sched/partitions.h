/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partitions.h - sums of used, reserved and pending resources per partition; only for rm/sched
 *
 * A partition is the set of nodes with one label; the partition of nodes without a label has index 0. Amounts
 * are counted in a chain of records, called parts: one for the application, one for its user in the leaf, one
 * for the leaf, and one for each queue above. The amounts follow each part in memory, as vectors of the
 * resource types in use.
 */
#ifndef CREEL_RM_SCHED_PARTITIONS_H
#define CREEL_RM_SCHED_PARTITIONS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "rm/sched/calc.h"
#include "rm/sched/order.h"

struct demand;
struct sched;
struct sched_app;
struct sched_queue;

/* Returns the vector number INDEX of the amounts at the end of a record. Each vector has TYPES values: see
 * struct amount. */
static inline struct amount *sched_amount(const int64_t *amounts, int index, int types)
{
    return (struct amount *)(uintptr_t)&amounts[index * types];
}

/* The sums of one queue in one partition. Owned by the queue. */
struct queue_partition {
    struct sched_queue *queue;
    struct sched *sched;        /* borrowed */
    struct queue_partition *up; /* the parent queue's part; NULL for root */
    void *data;                 /* the policy's data */
    bool is_leaf;               /* same as in the queue */
    uint8_t label, types;       /* TYPES: number of resource types in use */
    uint32_t containers;
    int64_t amounts[];
};

enum { QUEUE_AMOUNTS = 4 };

static inline struct amount *queue_used(const struct queue_partition *part) /* includes reserved */
{
    return sched_amount(part->amounts, 0, part->types);
}

static inline struct amount *queue_reserved(const struct queue_partition *part)
{
    return sched_amount(part->amounts, 1, part->types);
}

static inline struct amount *queue_pending(const struct queue_partition *part)
{
    return sched_amount(part->amounts, 2, part->types);
}

/* Leaf: returns the resource used by its active users. */
static inline struct amount *queue_active_used(const struct queue_partition *part)
{
    return sched_amount(part->amounts, 3, part->types);
}

/* The sums of one user of a leaf in one partition. Owned by the user. */
struct user_partition {
    struct leaf_user *user;
    struct queue_partition *leaf;
    struct user_partition *next; /* the same user's next partition */
    void *data;                  /* the policy's data */
    bool wants;                  /* the user is active */
    uint8_t types;
    int64_t amounts[];
};

enum { USER_AMOUNTS = 3 };

static inline struct amount *user_used(const struct user_partition *part) /* includes reserved */
{
    return sched_amount(part->amounts, 0, part->types);
}

static inline struct amount *user_reserved(const struct user_partition *part)
{
    return sched_amount(part->amounts, 1, part->types);
}

static inline struct amount *user_pending(const struct user_partition *part)
{
    return sched_amount(part->amounts, 2, part->types);
}

/* The sums of one application in one partition. Owned by the application. */
struct app_partition {
    struct sched_app *app;
    struct app_partition *next; /* the same application's next partition */
    struct queue_partition *leaf;
    struct user_partition *user; /* NULL: the policy does not count users */
    void *data;                  /* the policy's data */
    uint64_t pending_containers;
    uint32_t last_priority; /* priority number of the container that was added last */
    uint64_t last_serial;   /* its serial */
    bool disordered;        /* a container had a smaller priority number or serial than the one before it */
    uint8_t label, types;
    int64_t amounts[];
};

enum { APP_AMOUNTS = 4 };

static inline struct amount *app_used(const struct app_partition *part) /* without reserved */
{
    return sched_amount(part->amounts, 0, part->types);
}

static inline struct amount *app_reserved(const struct app_partition *part)
{
    return sched_amount(part->amounts, 1, part->types);
}

static inline struct amount *app_pending(const struct app_partition *part)
{
    return sched_amount(part->amounts, 2, part->types);
}

/* While nodes are reserved for PART: returns a lower bound of the sizes of the containers for which they are
 * reserved. */
static inline struct amount *app_least_reserved(const struct app_partition *part)
{
    return sched_amount(part->amounts, 3, part->types);
}

#endif
