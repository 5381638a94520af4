/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.h - what the capacity scheduler keeps beside the core's records; included in rm/sched/capacity
 *
 * The core allocates the data of a queue, of its parts (one for each partition), of the parts of a user in
 * a leaf, of an application and of its parts together with them (struct sched_policy_data). queue_data()
 * and the like get it. struct capacity is the data of struct sched.
 */
#ifndef CREEL_RM_SCHED_CAPACITY_RECORDS_H
#define CREEL_RM_SCHED_CAPACITY_RECORDS_H

#include "rm/sched/capacity/config/config.h"
#include "rm/sched/capacity/placement/access.h"
#include "rm/sched/capacity/placement/placement.h"
#include "rm/sched/policy.h"

RB_HEAD(capacity_waiting_tree, capacity_app_data);
RB_HEAD(capacity_user_tree, leaf_user);
RB_HEAD(capacity_active_tree, capacity_app_partition_data);
TAILQ_HEAD(capacity_app_list, capacity_app_data);

struct capacity_queue_data {
    struct sched_queue *queue;          /* set by the core */
    struct capacity_queue *config;      /* borrowed from the configuration */
    struct capacity_user_tree users;    /* owned */
    struct capacity_app_list apps;      /* index: of this leaf, oldest first */
    uint32_t index;                     /* among all, for a round of preemption */
    struct capacity_waiting_tree waiting;       /* apps that a limit on apps blocks, in order */
    double active_weight, all_weight;   /* of active users; of all with apps */
    uint32_t active_users, users_waiting;       /* users that are active; users all of whose apps wait ... */
    uint32_t counted_waiting;           /* ... as YARN has counted them: see active.c */
    uint32_t leaving_users;             /* 1 while the user of an app that leaves counts as active */
    bool limits_changed;                /* those of users, since it was counted */
    uint64_t changed_at;                /* the number of offers then */
    uint32_t waiting_plain;             /* apps that wait and manage nothing */
    uint32_t weighted;                  /* users whose weight is not 1 */
    int64_t empty_since_ms;             /* dynamic ones; -1 while they have apps or children */
};

struct capacity_partition_data {
    struct queue_partition *part;       /* set by the core */
    struct capacity_share *share;       /* borrowed from the configuration */
    struct order_entry entry;           /* in the parent's CHILDREN while requests are pending below */
    struct order children;              /* parent: see index.c */
    struct order users;                 /* leaf: those with pending requests, by their first application */
    struct capacity_active_tree active; /* leaf: active applications, in order */
    float use;                          /* of what is guaranteed: the parent's CHILDREN are ordered by it */
    double used_ratios;                 /* leaf: sum over users of used by partition */
    bool limit_known;                   /* leaf: USER_LIMIT is, until something changes in it */
    struct resource am_used;            /* leaf: by AMs of active apps */
    struct resource largest;            /* leaf: no first request of an application in USERS is larger */
    struct resource user_limit;         /* leaf: of an active user of weight 1, if LIMIT_KNOWN */
    struct resource killable;           /* of what is used, under lazy preemption */
};

struct capacity_user_data {
    struct user_partition *part;        /* set by the core */
    struct order_entry entry;           /* in the leaf's USERS while APPS is not empty */
    struct order apps;                  /* those with pending requests, in the leaf's order */
    struct app_partition *first;        /* of APPS; what the leaf's USERS are ordered by */
    float ratio;                        /* of the partition, used; as in the leaf's sum */
    struct resource am_used;
};

struct capacity_app_data {
    struct sched_app *app;              /* set by the core */
    TAILQ_ENTRY(capacity_app_data) of_queue;
    RB_ENTRY(capacity_app_data) link;   /* in the queue's WAITING while LISTED */
    bool listed;
    bool wants;                         /* it makes its user active: see active.c */
};

struct capacity_app_partition_data {
    struct app_partition *part;         /* set by the core */
    struct order_entry entry;           /* in the user's APPS while it has pending requests */
    RB_ENTRY(capacity_app_partition_data) active; /* in the leaf's ACTIVE while IS_ACTIVE */
    bool is_active;
    double key;                         /* of the fair order */
};

/* Where a walk through the applications of a leaf is with one user. */
struct cursor {
    struct user_partition *user;
    struct app_partition *app;          /* whose turn it is */
    bool over;                          /* the user is over its limit */
};

/* Active apps of one person in the whole cluster (user.max-parallel-apps). */
struct person {
    UT_hash_handle hh;
    char *name;                         /* owned */
    uint32_t active_apps;
};

/* What an application would be offered: see capacity_assign_to and capacity_probe. */
struct asking {
    const struct app_partition *part;
    uint64_t changes;                   /* of struct capacity, as it was */
    bool thorough;                      /* queues and users that the index leaves out are visited, too */
    bool reached, exchanges;            /* EXCHANGES: UNRESERVE must be given up */
    struct resource headroom, unreserve;
    /* What kept an offer from it. The last two may also only have lessened its headroom. */
    bool over_user_limit;
    const struct app_partition *before; /* its leaf has too little headroom for this application before it; or
                                           so many were visited that the visit ended with this one */
    uint32_t visited;                   /* applications, if THOROUGH */
    const struct queue_partition *full; /* this one, its leaf or a queue above, has no headroom */
    const struct queue_partition *keeper; /* this queue, which comes before one of these, keeps headroom */
};

struct capacity {
    struct capacity_config *config;     /* owned */
    struct capacity_placement *placement;       /* owned; may be NULL */
    struct capacity_access *access;     /* owned; may be NULL */
    int to_config[SCHED_LABELS_MAX];    /* the index that CONFIG has for a label of the scheduler */
    uint64_t offers;                    /* of nodes to all leaves, one for each container */
    bool visits_refused;                /* queues and users that a limit refuses are visited all the same;
                                           set by tests alone, which compare the decisions */
    uint64_t changes;                   /* of sums, requests, or the cluster */
    struct asking asking;
    bool reconfigured;                  /* since the indexes were made: applications may have another order */
    int64_t next_deal_ms;               /* when managed parents deal out their capacity again */
    int64_t next_sweep_ms;              /* when dynamic queues are looked at again */
    struct person *people;              /* owned */
    struct sched_app **released;        /* owned array: activated, not offered anything yet */
    size_t released_count, released_capacity;
    struct cursor *cursors;             /* owned; room for a visit of a leaf */
    size_t cursor_capacity;
    struct sched_container **going;     /* owned array: killed or killable, and not gone yet */
    size_t going_count, going_capacity;
    struct sched_container **spared;    /* owned array: no longer killable; announced in the next round */
    size_t spared_count, spared_capacity;
    struct preemption *preemption;      /* owned; NULL: nobody is preempted */
};

static inline struct capacity *capacity_of(const struct sched *sched)
{
    return sched->data;
}

static inline struct capacity_queue_data *queue_data(const struct sched_queue *queue)
{
    return queue->data;
}

static inline struct capacity_partition_data *part_data(const struct queue_partition *part)
{
    return part->data;
}

static inline struct capacity_user_data *user_data(const struct user_partition *part)
{
    return part->data;
}

static inline struct capacity_app_data *app_data(const struct sched_app *app)
{
    return app->data;
}

static inline struct capacity_app_partition_data *app_partition_data(const struct app_partition *part)
{
    return part->data;
}

/* The applications of a leaf, oldest first; NULL behind the last. */
static inline struct sched_app *capacity_app_first(const struct sched_queue *leaf)
{
    const struct capacity_app_data *first = TAILQ_FIRST(&queue_data(leaf)->apps);

    return first ? first->app : NULL;
}

static inline struct sched_app *capacity_app_next(const struct sched_app *app)
{
    const struct capacity_app_data *next = TAILQ_NEXT(app_data(app), of_queue);

    return next ? next->app : NULL;
}

/* Leaf: what AMs of active apps use, and the limit of an active user of weight 1. */
static inline struct amount *queue_am_used(const struct queue_partition *part)
{
    return (struct amount *)part_data(part)->am_used.value;
}

static inline struct amount *queue_user_limit(const struct queue_partition *part)
{
    return (struct amount *)part_data(part)->user_limit.value;
}

static inline struct amount *user_am_used(const struct user_partition *part)
{
    return (struct amount *)user_data(part)->am_used.value;
}

#endif
