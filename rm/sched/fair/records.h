/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.h - what the fair scheduler keeps of queues, apps, users and nodes; seen by rm/sched/fair alone
 *
 * Each record belongs to one of the core's (rm/sched/internal.h), which points to it, and has what only the
 * fair scheduler counts. Use and pending requests are the core's. The use of a queue is without what is
 * reserved, as in YARN: see fair_used(). There are no partitions (node labels); everything is in partition 0.
 */
#ifndef CREEL_RM_SCHED_FAIR_RECORDS_H
#define CREEL_RM_SCHED_FAIR_RECORDS_H

#include "rm/sched/fair/config.h"
#include "rm/sched/order.h"
#include "rm/sched/policy.h"

TAILQ_HEAD(fair_queue_list, fair_queue);
TAILQ_HEAD(fair_app_list, fair_app);

/* What a policy compares: see compare.c. The smaller is served first. */
struct fair_key {
    int rank;                           /* compared before the figures */
    double figure[RESOURCE_TYPES_MAX];
};

/* A queue or an app in an index. */
struct fair_item {
    struct order_entry entry;
    struct fair_key key;                /* as the index has it */
};

struct fair_queue {
    UT_hash_handle hh;                  /* fair->queues, by path */
    struct sched_queue *queue;
    struct queue_partition *part;       /* of QUEUE */
    struct fair_queue *parent;          /* NULL for root */
    TAILQ_ENTRY(fair_queue) sibling;
    struct fair_queue_list children;    /* in order of arrival */
    size_t child_count;
    bool leaf;

    /* tree.c: settings */
    const struct fair_settings *settings;       /* in the file, or OWN_SETTINGS */
    struct fair_settings *own_settings; /* owned; NULL: the file names it */
    bool permanent;                     /* in the file, or root.default */

    /* update.c: what follows from the settings and the size of the cluster */
    enum fair_policy policy;            /* by which ORDER is */
    float weight;
    struct resource maximum;            /* INT64_MAX where there is no limit */
    struct resource container_maximum;
    bool preemptable;                   /* it and all queues above allow it */

    /* index.c */
    struct fair_item item;              /* in the parent's ORDER */
    struct order order;                 /* children, or apps, that may be offered room */
    bool sleeping;                      /* at its maximum, until something below it changes */
    struct order refused;               /* leaf: apps whose AM is above maxAMShare */
    bool refused_lightly;               /* the limit of one of them depends on the free room */
    struct resource am_used;            /* leaf: of running AMs */

    /* update.c: as of the last update */
    struct resource demand_sum, demand; /* before and after the cut at the maximum */
    struct resource share, steady_share;        /* the second: since the last fair_settle_steady() */
    struct fair_app_list changed_apps;  /* leaf: apps whose demand differs from the counted one */
    struct fair_queue_list changed;     /* children with something to compute, there or below */
    TAILQ_ENTRY(fair_queue) changed_link;       /* in the parent's CHANGED, if MARKED */
    bool marked;
    bool share_changed;                 /* its own share did */
    bool members_changed;               /* shares of its children, or apps, are to be computed */

    /* runnable.c */
    struct fair_app_list running, waiting;      /* leaf; waiting for a limit on running apps */
    uint32_t waiting_below;             /* apps that wait for such a limit, here and below */

    /* starve.c */
    int64_t at_minimum_ms;              /* leaf: when it last had its minimum share, or demanded no more */
    bool below_minimum;                 /* leaf: it had less in the last update */
};

/* Offers of nodes at one priority and allocation id, for the locality delay (12.3). */
struct fair_level {
    UT_hash_handle hh;
    struct { uint64_t allocation_id, priority; } key;
    enum sched_locality allowed;
    uint32_t opportunities;
    int64_t last_ms;                    /* of the first offer, or of the last relaxation */
};

/* Room on a node that preemption makes for an app. */
struct fair_earmark {
    TAILQ_ENTRY(fair_earmark) of_app, of_node;
    struct fair_app *app;
    struct sched_node *node;
    struct resource left;
};
TAILQ_HEAD(fair_earmark_list, fair_earmark);

/* Made when a node gets its first earmark. */
struct fair_node {
    struct fair_earmark_list earmarks;  /* owned; oldest first */
    struct resource earmarked;
};

/* A user in the whole cluster. */
struct fair_person {
    UT_hash_handle hh;
    char *name;                         /* owned */
    uint32_t apps, running;
    struct fair_app **waiting;          /* owned array; oldest first */
    size_t waiting_count, waiting_capacity;
};

struct fair_app {
    struct sched_app *app;
    struct fair_queue *leaf;
    struct app_partition *part;         /* of APP */
    struct fair_person *person;
    TAILQ_ENTRY(fair_app) of_leaf;      /* in RUNNING or WAITING of its leaf, once it is started */
    struct fair_item item;              /* in ORDER or REFUSED of its leaf */
    struct resource am_used;            /* of its AM; also of that of an attempt before, while it ends */
    struct fair_level *levels;          /* owned hash */
    struct resource pending;            /* as its place in the index was chosen for it */

    /* update.c: as of the last update */
    float weight;
    struct resource demand, share;
    bool changed;                       /* its demand differs from the counted one */
    TAILQ_ENTRY(fair_app) changed_link; /* in the leaf's CHANGED_APPS, if CHANGED */

    /* starve.c, preempt.c */
    int64_t at_share_ms;                /* when it last had its fair share */
    bool am_preempted;                  /* an AM of it was chosen for preemption */
    int64_t am_held_until_ms;           /* standstill.c: no AM of it is placed before; 0: it may be */
    int64_t next_check_ms;              /* starvation is not looked at before */
    struct resource share_starvation, minimum_starvation;       /* by the last update */
    struct resource preempting;         /* of its containers that are being preempted */
    struct fair_earmark_list earmarks;  /* index */
};

/* A container that is being preempted. */
struct fair_victim {
    struct sched_container *container;
    int64_t deadline_ms;
    bool kill_sent;                     /* the deadline has passed */
};

struct fair {
    struct fair_config *config;         /* owned */
    struct resource threshold;          /* a node is reserved for no less */
    struct fair_queue *queues;          /* index of all: hash, by path */
    struct fair_queue *root;
    struct fair_queue *usual;           /* root.default; NULL: the file makes a parent of it */
    bool usual_counts;                  /* the file or a submission named it, so that YARN would have it */
    struct fair_person *people;         /* owned */
    bool steady_stale;                  /* as sched->stale, for steady shares: see fair_settle_steady() */
    bool incomplete;                    /* a queue of the file waits until another one is removed */
    bool judged;                        /* the last update looked for starvation */
    const struct fair_visit *visit;     /* the offer that is being served; NULL: none */
    bool placing;                       /* a request becomes a container: nothing new is requested */
    int64_t next_tidy_ms;
    struct fair_member *members;        /* owned; room for one level */
    size_t member_capacity;
    struct fair_app **starved;          /* owned array; during an update */
    size_t starved_count, starved_capacity;
    struct fair_victim *victims;        /* owned array */
    size_t victim_count, victim_capacity;
    int64_t next_kill_ms;               /* INT64_MAX: none */
    size_t earmark_count;               /* on all nodes */
    size_t am_count;                    /* AM containers that run */
    int64_t changed_ms;                 /* when a container last came or went */
    int64_t next_release_ms;            /* when the next AM that gave way may be placed; INT64_MAX: none */
    struct sched_app **released;        /* owned array: may run now, and were offered nothing yet */
    size_t released_count, released_capacity;
    struct fair_move {                  /* an app between two leaves */
        bool on;
        enum app_state state;           /* before */
        struct fair_queue *from;
    } move;
};

/* The fair scheduler's data of a record of the core. */
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
    return node->data;                  /* NULL: none */
}

static inline struct fair_queue *fair_queue_of(const struct order_entry *entry)
{
    return order_record(entry, struct fair_queue, item.entry);
}

static inline struct fair_app *fair_app_of(const struct order_entry *entry)
{
    return order_record(entry, struct fair_app, item.entry);
}

/* Is APP's AM refused by maxAMShare, since the last change that could have let it in? */
static inline bool fair_app_is_refused(const struct fair_app *app)
{
    return app->item.entry.order == &app->leaf->refused;
}

/* Of running containers. */
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

/* What its demand will be in the next update. */
static inline struct resource fair_app_next_demand(const struct fair_app *app)
{
    return sched_load_sum(app->app->sched, app_used(app->part), app_pending(app->part));
}

/* What APP requests beyond what it has, by the last update. */
static inline struct resource fair_app_wanted(const struct fair_app *app)
{
    return resource_subtract(app->demand, fair_app_used(app));
}

/* What APP lacks of its fair share, and of its leaf's minimum share, by the last update. */
static inline struct resource fair_app_lacks(const struct fair_app *app)
{
    return resource_add(app->share_starvation, app->minimum_starvation);
}

#endif
