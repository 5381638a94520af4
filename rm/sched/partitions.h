/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partitions.h - amounts per partition, for rm/sched alone
 *
 * A partition is the set of nodes with one label; the partition of nodes without a label has index 0. Amounts
 * are counted in a chain of parts: that of the application, of its user in the leaf, of the leaf, and of each
 * queue above. The amounts follow each part in memory, as vectors of the resource types in use.
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

/* Amounts behind a record, each as long as there are types in use: see struct amount. */
static inline struct amount *sched_amount(const int64_t *amounts, int index, int types)
{
    return (struct amount *)(uintptr_t)&amounts[index * types];
}

/* What a queue has of one partition. Owned by its queue. */
struct queue_partition {
    struct sched_queue *queue;
    struct sched *sched;                /* borrowed */
    struct queue_partition *up;         /* the parent's; NULL for root */
    void *data;                         /* the policy's own */
    bool is_leaf;                       /* as its queue */
    uint8_t label, types;               /* TYPES: of resources, in use */
    uint32_t containers;
    int64_t amounts[];
};

enum { QUEUE_AMOUNTS = 4 };

static inline struct amount *queue_used(const struct queue_partition *part)     /* includes reserved */
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

/* Leaf: used by its active users. */
static inline struct amount *queue_active_used(const struct queue_partition *part)
{
    return sched_amount(part->amounts, 3, part->types);
}

/* What a user has of one partition in one leaf. Owned by the user. */
struct user_partition {
    struct leaf_user *user;
    struct queue_partition *leaf;
    struct user_partition *next;        /* of the user's other partitions */
    void *data;                         /* the policy's own */
    bool wants;                         /* as its user: it is active */
    uint8_t types;
    int64_t amounts[];
};

enum { USER_AMOUNTS = 3 };

static inline struct amount *user_used(const struct user_partition *part)       /* includes reserved */
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

/* What an app has of one partition. Owned by the app. */
struct app_partition {
    struct sched_app *app;
    struct app_partition *next;         /* of the app's other partitions */
    struct queue_partition *leaf;
    struct user_partition *user;        /* NULL: the policy does not count by user */
    void *data;                         /* the policy's own */
    uint64_t pending_containers;
    uint32_t last_priority;             /* of the container that came last; no other has a larger, */
    bool disordered;                    /*  unless it came behind one that had, since there were none */
    uint8_t label, types;
    int64_t amounts[];
};

enum { APP_AMOUNTS = 4 };

static inline struct amount *app_used(const struct app_partition *part)         /* without reserved */
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

/* While nodes are reserved for PART: no container that they are reserved for is smaller. */
static inline struct amount *app_least_reserved(const struct app_partition *part)
{
    return sched_amount(part->amounts, 3, part->types);
}

#endif
