/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.h - data structures of the capacity scheduler, in addition to the core's; only for
 * rm/sched/capacity
 *
 * The core allocates the data of a queue, of a queue in a partition, of a user of a leaf in a partition, of
 * an application and of an application in a partition together with its own records (struct
 * sched_policy_data). queue_data() and similar functions return this data. struct capacity is the data of
 * struct sched.
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
RB_HEAD(capacity_borrower_tree, capacity_partition_data);
TAILQ_HEAD(capacity_app_list, capacity_app_data);
RB_HEAD(parallel_apps, capacity_app_data);
RB_HEAD(parallel_lines, parallel_line);

/* A limit of max-parallel-apps: of a queue, or of a user in the whole cluster. See parallel.c. */
struct parallel_limit {
    int64_t most;                /* configured; INT64_MAX: no limit */
    int64_t taken;               /* places taken: may be above MOST after the limit was lowered */
    struct parallel_lines lines; /* index: lines that wait at this limit; empty unless it is full */
};

struct capacity_queue_data {
    struct sched_queue *queue;            /* set by the core */
    struct capacity_queue *config;        /* borrowed from the configuration */
    struct capacity_user_tree users;      /* owned */
    struct capacity_app_list apps;        /* index: applications of this leaf, oldest first */
    uint32_t index;                       /* index in the array of all queues, for a round of preemption */
    struct parallel_limit parallel;       /* max-parallel-apps of this queue */
    struct capacity_waiting_tree waiting; /* applications with a place that a limit on AMs blocks, in
                                             order */
    double active_weight, all_weight; /* sum of weights: of active users; of all users with applications */
    uint32_t active_users, users_waiting; /* number of active users; of users all of whose
                                             applications wait */
    uint32_t counted_waiting;             /* USERS_WAITING as last counted by YARN's rules: see active.c */
    uint32_t leaving_users; /* 1 while the user of an application that leaves counts as active */
    bool limits_changed;    /* user limits changed since COUNTED_WAITING was set */
    uint64_t changed_at;    /* value of capacity->offers at that change */
    uint64_t refused_at;    /* value of capacity->deals at the last check of all waiting applications */
    uint32_t refused_users; /* greatest number of users with whose AM limit one was refused since */
    uint32_t waiting_plain; /* waiting applications without an AM that requests containers
                               (manages is false) */
    uint32_t weighted;      /* number of users whose weight is not 1 */
    int64_t empty_since_ms; /* dynamic queues: since when empty; -1: has applications or
                               children */
};

struct capacity_partition_data {
    struct queue_partition *part;            /* set by the core */
    struct capacity_share *share;            /* borrowed from the configuration */
    struct order_entry entry;                /* in the parent's CHILDREN while requests are pending below */
    struct order children;                   /* parent: see index.c */
    struct order users;                      /* leaf: users with pending requests, ordered by their first
                                           application */
    struct capacity_active_tree active;      /* leaf: active applications, in order; in partition 0 all of
                                                them, in others those that have used or requested it */
    float use;                               /* used fraction of the guarantee: the order in the parent's
                                           CHILDREN and BORROWERS */
    struct capacity_borrower_tree borrowers; /* parent, of a non-exclusive partition: children with pending
                                                   requests without a label, in order */
    RB_ENTRY(capacity_partition_data) borrower; /* in the parent's BORROWERS while BORROWS */
    bool borrows;
    double used_ratios;         /* leaf: sum over all users of used divided by the partition's
                                           total */
    bool limit_known;           /* leaf: USER_LIMIT is valid; false after a change in the leaf */
    struct resource am_used;    /* leaf: used by AMs of active applications */
    struct resource largest;    /* leaf: upper bound of the first requests of applications in USERS */
    struct resource user_limit; /* leaf: limit of an active user of weight 1; valid if LIMIT_KNOWN */
    struct resource killable;   /* part of the used resource that is killable (lazy preemption) */
};

struct capacity_user_data {
    struct user_partition *part; /* set by the core */
    struct order_entry entry;    /* in the leaf's USERS while APPS is not empty */
    struct order apps;           /* applications with pending requests, in the leaf's order */
    struct app_partition *first; /* first of APPS; the order in the leaf's USERS */
    float ratio;                 /* used divided by the partition's total, as included in the leaf's
                                    sum */
    struct resource am_used;
};

struct capacity_app_data {
    struct sched_app *app; /* set by the core */
    TAILQ_ENTRY(capacity_app_data) of_queue;
    struct sched_queue *place; /* leaf in which it has a place of max-parallel-apps; NULL: it has none */
    RB_ENTRY(capacity_app_data)
    link; /* in the queue's WAITING while LISTED; in a line while it waits for a
                                         place */
    bool listed;
    bool wants; /* counts towards its user being active: see active.c */
};

struct capacity_app_partition_data {
    struct app_partition *part;                   /* set by the core */
    struct order_entry entry;                     /* in the user's APPS while it has pending requests */
    RB_ENTRY(capacity_app_partition_data) active; /* in the leaf's ACTIVE while IS_ACTIVE */
    bool is_active;
    double key;               /* order key of the fair ordering policy */
    struct resource stopping; /* part of the used resource, of containers that are being stopped and not
                                 stuck: set during a round of preemption, otherwise zero */
};

/* Position of an app_walk within the applications of one user. */
struct cursor {
    struct user_partition *user;
    struct app_partition *app; /* the user's next application to visit */
    bool over;                 /* the user is over its limit */
};

/* A user with places in any queue, or a line that waits for one (user.max-parallel-apps). */
struct person {
    UT_hash_handle hh;
    char *name; /* owned */
    struct parallel_limit parallel;
};

/* Records what an application would be offered: see capacity_assign_to() and capacity_probe(). */
struct asking {
    const struct app_partition *part;
    uint64_t changes;        /* value of capacity->changes when this was recorded */
    bool thorough;           /* queues and users that the index excludes are visited, too */
    bool reached, exchanges; /* REACHED: the offer reached the application; EXCHANGES: UNRESERVE
                                must be cancelled in exchange */
    struct resource headroom, unreserve;
    /* Reasons for which an offer ended. FULL and KEEPER may instead have reduced its headroom. */
    bool over_user_limit;
    const struct app_partition *before;   /* an earlier application of the leaf that ended the offer, since
                                             the headroom is too small for it; or the application at which
                                             a thorough visit stopped, after SCHED_WHY_AHEAD_MAX others */
    uint32_t visited;                     /* applications visited, if THOROUGH */
    const struct queue_partition *full;   /* the leaf, or a queue above, without headroom */
    const struct queue_partition *keeper; /* a queue that blocks headroom; it is served before the leaf or
                                             before a queue above the leaf */
};

struct preempt_marks;
typedef void capacity_audit(void *context, const struct sched *sched, const struct preempt_marks *marks);

struct capacity {
    struct capacity_config *config;       /* owned */
    struct capacity_placement *placement; /* owned; may be NULL */
    struct capacity_access *access;       /* owned; may be NULL */
    int to_config[SCHED_LABELS_MAX];      /* index in CONFIG of each label of the scheduler */
    uint64_t labels_named;                /* labels of the scheduler that some queue names */
    uint64_t offers;                      /* number of offers of nodes to leaves, one for each container */
    bool visits_refused;                  /* visit also queues and users that a limit refuses; set only by
                                             tests that compare decisions */
    uint64_t deals;     /* number of times that places of max-parallel-apps were given away */
    uint64_t am_checks; /* number of AMs compared with limits: the cost of activations */
    uint64_t changes;   /* number of changes of sums, requests, or the cluster */
    struct asking asking;
    bool reconfigured;           /* the configuration changed since the indexes were built, perhaps the
                                    order of applications, too */
    int64_t next_deal_ms;        /* next time when managed parents reassign capacity to their leaves */
    int64_t next_sweep_ms;       /* next time when empty dynamic queues are removed */
    struct person *people;       /* owned */
    struct sched_app **released; /* owned array: applications activated and not offered anything yet */
    size_t released_count, released_capacity;
    struct cursor *cursors; /* owned; cursors of app_walk, for one visit of a leaf */
    size_t cursor_capacity;
    struct sched_container **going; /* owned array: containers killed or killable that have not ended */
    size_t going_count, going_capacity;
    size_t stopped_count;            /* of them, those that were killed for another reason than preemption */
    struct sched_container **spared; /* owned array: containers no longer killable; announced in the
                                        next round */
    size_t spared_count, spared_capacity;
    struct preemption *preemption; /* owned; NULL: preemption is off */
    capacity_audit *audit;         /* called after each round, before the marks are acted upon; set only by
                                      tests */
    void *audit_context;
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

/* Return the first or next application of a leaf, oldest first; NULL at the end. */
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

/* The resource used by AMs of active applications of a leaf, and the limit of an active user of weight 1. */
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
