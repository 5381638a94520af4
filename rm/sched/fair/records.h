/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.h - data structures of the fair scheduler, in addition to the core's; only for rm/sched/fair
 *
 * Each record belongs to a record of the core (rm/sched/internal.h), which points to it, and has only data of
 * the fair scheduler. The core counts used and pending resources. The used resource of a queue does not
 * include reserved resources, as in YARN: see fair_used(). The fair scheduler has no partitions (node
 * labels): everything is in partition 0.
 */
#ifndef CREEL_RM_SCHED_FAIR_RECORDS_H
#define CREEL_RM_SCHED_FAIR_RECORDS_H

#include "rm/sched/fair/config.h"
#include "rm/sched/order.h"
#include "rm/sched/policy.h"

TAILQ_HEAD(fair_queue_list, fair_queue);
TAILQ_HEAD(fair_app_list, fair_app);

/* The values by which a policy compares two queues or applications: see compare.c. The smaller key is served
 * first. */
struct fair_key {
    int rank; /* compared before the figures */
    double figure[RESOURCE_TYPES_MAX];
};

/* A queue or an app in an index. */
struct fair_item {
    struct order_entry entry;
    struct fair_key key; /* the key with which the index orders the item */
};

struct fair_queue {
    UT_hash_handle hh; /* fair->queues, by path */
    struct sched_queue *queue;
    struct queue_partition *part; /* of QUEUE */
    struct fair_queue *parent;    /* NULL for root */
    TAILQ_ENTRY(fair_queue) sibling;
    struct fair_queue_list children; /* in order of creation */
    size_t child_count;
    bool leaf;

    /* tree.c: settings */
    const struct fair_settings *settings; /* from the file, or OWN_SETTINGS */
    struct fair_settings *own_settings;   /* owned; NULL: the file has settings of this queue */
    bool permanent;                       /* in the file, or root.default */

    /* update.c: computed from the settings and the size of the cluster */
    enum fair_policy policy; /* policy that determines the order in ORDER */
    float weight;
    struct resource maximum; /* INT64_MAX where there is no limit */
    struct resource container_maximum;
    bool preemptable; /* this queue and all queues above allow preemption */

    /* index.c */
    struct fair_item item;   /* in the parent's ORDER */
    struct order order;      /* children, or applications, that may be offered room */
    bool sleeping;           /* at its maximum; no offers until something below the queue
                                changes */
    struct order refused;    /* leaf: applications whose AM would exceed maxAMShare */
    bool refused_lightly;    /* the AM limit of an application in REFUSED depends on the free room */
    struct resource am_used; /* leaf: used by running AMs */

    /* update.c: as of the last update */
    struct resource demand_sum, demand;  /* before and after limiting to the maximum */
    struct resource share, steady_share; /* STEADY_SHARE: as of the last fair_recompute_steady() */
    struct fair_app_list changed_apps;   /* leaf: applications whose demand differs from that in DEMAND_SUM */
    struct fair_queue_list changed; /* children for which, or below which, values must be computed again */
    TAILQ_ENTRY(fair_queue) changed_link; /* in the parent's CHANGED, if MARKED */
    bool marked;
    bool share_changed;   /* the queue's own share changed */
    bool members_changed; /* shares of the queue's children or applications must be computed
                             again */

    /* runnable.c */
    struct fair_app_list running, waiting; /* leaf; WAITING: blocked by a limit on running applications */
    uint32_t waiting_below; /* number of WAITING applications of this queue and all queues below */

    /* starvation.c */
    int64_t at_minimum_ms; /* leaf: last time when it had its minimum share, or demanded no
                              more */
    bool below_minimum;    /* leaf: was below its minimum share in the last update */
};

/* Number of offers of nodes to the requests at one priority and allocation id, for the locality delay
 * (12.3). */
struct fair_level {
    UT_hash_handle hh;
    struct {
        uint64_t allocation_id, priority;
    } key;
    enum sched_locality allowed;
    uint32_t opportunities;
    int64_t last_ms; /* time of the first offer, or of the last relaxation of locality */
};

/* Claim of a starved application to the room that preemption frees for it on a node. */
struct fair_claim {
    TAILQ_ENTRY(fair_claim) of_app, of_node;
    struct fair_app *app; /* NULL: dropped, and in no list; its victims still refer to it */
    struct sched_node *node;
    struct resource left;
    uint32_t victims; /* containers preempted for it whose end is expected */
    bool kills;       /* one of them, or of those that have ended since, was killed */
};
TAILQ_HEAD(fair_claim_list, fair_claim);

/* Allocated when a node gets its first claim. */
struct fair_node {
    struct fair_claim_list claims; /* owned; oldest first */
    struct resource claimed;
};

/* A user, over the whole cluster. */
struct fair_person {
    UT_hash_handle hh;
    char *name; /* owned */
    uint32_t apps, running;
    struct fair_app **waiting; /* owned array; oldest first */
    size_t waiting_count, waiting_capacity;
};

struct fair_app {
    struct sched_app *app;
    struct fair_queue *leaf;
    struct app_partition *part; /* of APP */
    struct fair_person *person;
    TAILQ_ENTRY(fair_app) of_leaf; /* in RUNNING or WAITING of its leaf, once it is started */
    struct fair_item item;         /* in ORDER or REFUSED of its leaf */
    struct resource am_used;       /* used by its AM, and by the AM of the previous attempt until this
                                      AM has ended */
    struct fair_level *levels;     /* owned hash */
    struct resource pending;       /* pending resource when the place in the index was chosen */

    /* update.c: as of the last update */
    float weight;
    struct resource demand, share;
    bool changed;                       /* the demand differs from the demand counted in the leaf */
    TAILQ_ENTRY(fair_app) changed_link; /* in the leaf's CHANGED_APPS, if CHANGED */

    /* starvation.c, preempt.c */
    int64_t at_share_ms;      /* last time when the application had its fair share */
    bool am_preempted;        /* an AM of this application was chosen for preemption */
    int64_t am_held_until_ms; /* am_deadlock.c: no AM of this application is placed before this time;
                                 0: not held */
    int64_t next_check_ms;    /* starvation is not checked before this time */
    struct resource share_starvation, minimum_starvation; /* as of the last update */
    struct resource preempting;    /* used by containers of the application that are being preempted */
    struct fair_claim_list claims; /* index */
};

/* A container that was chosen for preemption, or is being stopped for another reason, and has not ended. */
struct fair_victim {
    struct sched_container *container;
    struct fair_claim *claim; /* for which it was preempted; NULL: none */
    int64_t deadline_ms;
    bool kill_sent; /* it is being stopped */
};

struct fair {
    struct fair_config *config; /* owned */
    struct resource threshold;  /* least size for which a node may be reserved */
    struct fair_queue *queues;  /* index of all queues: hash, by path */
    struct fair_queue *root;
    struct fair_queue *usual;       /* root.default; NULL: the file makes root.default a parent */
    bool usual_counts;              /* the file or a submission has named root.default, so that YARN
                                       would have created it */
    struct fair_person *people;     /* owned */
    bool steady_stale;              /* like sched->stale, for steady shares (fair_recompute_steady) */
    bool incomplete;                /* a queue of the file cannot be created until another queue is
                                       removed */
    bool judged;                    /* the last update checked starvation */
    const struct fair_visit *visit; /* the offer being served; NULL: none */
    bool placing;                   /* a request becomes a container, so the total demand does not
                                       change */
    int64_t next_tidy_ms;
    struct fair_member *members; /* owned; for the children of one queue */
    size_t member_capacity;
    struct fair_app **starved; /* owned array; used during an update */
    size_t starved_count, starved_capacity;
    struct fair_victim *victims; /* owned array */
    size_t victim_count, victim_capacity;
    size_t expected_count;       /* victims whose end is expected */
    int64_t next_kill_ms;        /* INT64_MAX: none */
    size_t claim_count;          /* number of claims on all nodes */
    size_t am_count;             /* number of running AM containers */
    int64_t changed_ms;          /* last time when a container was allocated or ended */
    int64_t next_release_ms;     /* when the next AM preempted by am_deadlock.c may be placed again;
                                    INT64_MAX: none */
    struct sched_app **released; /* owned array: applications that may run now and were not offered
                                    anything yet */
    size_t released_count, released_capacity;
    struct fair_move { /* an application being moved between two leaves */
        bool on;
        enum app_state state; /* state before the move */
        struct fair_queue *from;
    } move;
};

/* Return the fair scheduler's data of a record of the core. */
static inline struct fair *fair_of(const struct sched *sched)
{
    return sched->data;
}

static inline struct fair_queue *fair_queue_data(const struct sched_queue *queue)
{
    return queue->data;
}

static inline struct fair_app *fair_app_data(const struct sched_app *app)
{
    return app->data;
}

static inline struct fair_node *fair_node_data(const struct sched_node *node)
{
    return node->data; /* NULL: the node has no claim */
}

static inline struct fair_queue *fair_queue_of(const struct order_entry *entry)
{
    return order_record(entry, struct fair_queue, item.entry);
}

static inline struct fair_app *fair_app_of(const struct order_entry *entry)
{
    return order_record(entry, struct fair_app, item.entry);
}

/* Returns true if APP's AM was refused by maxAMShare, and nothing changed since that could allow it. */
static inline bool fair_app_is_refused(const struct fair_app *app)
{
    return app->item.entry.order == &app->leaf->refused;
}

/* Returns the resource used by running containers. */
static inline struct resource fair_used(const struct fair_queue *queue)
{
    const struct sched *sched = queue->part->sched;
    struct resource used = sched_load(sched, queue_used(queue->part));

    calc_subtract(&sched->calc, &used, queue_reserved(queue->part));
    return used;
}

static inline struct resource fair_app_used(const struct fair_app *app)
{
    return sched_load(app->app->sched, app_used(app->part));
}

static inline struct resource fair_app_pending(const struct fair_app *app)
{
    return sched_load(app->app->sched, app_pending(app->part));
}

/* Returns the demand of APP in the next update. */
static inline struct resource fair_app_next_demand(const struct fair_app *app)
{
    return sched_load_sum(app->app->sched, app_used(app->part), app_pending(app->part));
}

/* Returns the resource that APP requests in addition to its use, as of the last update. */
static inline struct resource fair_app_wanted(const struct fair_app *app)
{
    return resource_subtract(app->demand, fair_app_used(app));
}

/* Returns what APP lacks of its fair share, plus its part in what its leaf lacks of the minimum share, as of
 * the last update. */
static inline struct resource fair_app_lacks(const struct fair_app *app)
{
    return resource_add(app->share_starvation, app->minimum_starvation);
}

#endif
