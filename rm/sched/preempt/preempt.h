/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt.h - YARN's proportional capacity preemption: a snapshot in, marks out
 *
 * Once in monitoring_interval the scheduler takes a snapshot of its queues and asks which
 * containers should go so that queues come to what is theirs (yarn-behaviour 7). A container
 * is marked PREEMPT when it is first selected, and KILL when it is selected again after the wait.
 * The policy never sees the scheduler: figures of the queues come as flat arrays, apps and
 * containers through a table of functions, and only those of leaves that have something to give.
 *
 * Pure: time is handed in, nothing is random, the same calls give the same marks. What lies between
 * rounds in struct preempt is when each container was first marked, dropped when twice the wait
 * has passed, and never more than PREEMPT_REMEMBERED_MAX of them; the rest of its memory is
 * working space, used again each round.
 *
 * Everything in a snapshot belongs to the caller and must hold still for the call.
 */
#ifndef CREEL_RM_SCHED_PREEMPT_H
#define CREEL_RM_SCHED_PREEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/resource.h"
#include "common/conf/conf.h"
#include "rm/sched/calc.h"

/* --- settings --------------------------------------------------------------- */

/* Keys below yarn.resourcemanager.monitor.capacity.preemption., unless another is named. */
struct preempt_settings {
    struct calc calc;                   /* the scheduler's own */
    struct resource minimum;            /* smallest container */
    bool enabled;                       /* yarn.resourcemanager.scheduler.monitor.enable, and this
                                           policy among its policies; preempt_round does not look */
    bool observe_only;
    int64_t interval_ms;                /* monitoring_interval */
    int64_t wait_ms;                    /* max_wait_before_kill */
    float per_round;                    /* total_preemption_per_round, of the cluster */
    double ignored_over_capacity;       /* max_ignored_over_capacity */
    double termination_factor;          /* natural_termination_factor */
    bool conservative;                  /* conservative-drf */
    bool reserved;                      /* select_based_on_reserved_containers */
    bool reserved_balance;              /* additional_res_balance_based_on_reserved_containers */
    bool balance;                       /* preemption-to-balance-queue-after-satisfied.enabled */
    int64_t balance_wait_ms;            /* ... .max-wait-before-kill */
    bool intra;                         /* intra-queue-preemption. enabled */
    float intra_threshold;              /* ... minimum-threshold */
    float intra_limit;                  /* ... max-allowable-limit */
    bool intra_priority_first;          /* ... preemption-order-policy; else userlimit_first */
    bool intra_conservative;            /* ... conservative-drf */
    bool underutilized;                 /* yarn.scheduler.capacity.ordering-policy.
                                           priority-utilization.underutilized-preemption.enabled */
    int64_t reserved_delay_ms;          /* ... .reserved-container-delay-ms */
};

/* YARN's defaults, memory-only, two types, a minimum of nothing. */
void preempt_settings_default(struct preempt_settings *ret);
/* Read the settings from CONF; TYPES resource types are in use. -EINVAL: ERR has origin, key, value, and what
 * was expected; *RET is not changed. */
int preempt_settings_read(const struct conf *conf, int types, struct preempt_settings *ret,
                          struct err *err);

/* --- the snapshot ----------------------------------------------------------- */

#define PREEMPT_NONE UINT32_MAX

/* A queue, whatever the partition. */
struct preempt_queue {
    uint32_t parent;                    /* index; PREEMPT_NONE for root, which is the first */
    bool leaf;
    bool disabled;                      /* disable_preemption, with what it inherits */
    bool intra_disabled;                /* intra-queue-preemption.disable_preemption, likewise */
    bool fair_order;                    /* leaf: its ordering-policy is fair */
    int32_t priority;                   /* relative: 0 unless its parent's order heeds priority */
    float absolute_capacity;            /* of the unlabelled partition */
    float am_fraction;                  /* leaf: maximum-am-resource-percent, 0..1 */
    float user_limit_percent;           /* leaf: minimum-user-limit-percent, 100 */
};

/* A queue in one partition. Parents need no pending: it is summed up. */
struct preempt_figures {
    struct resource guaranteed, maximum;        /* effective; maximum is the partition if shared */
    struct resource used, reserved;             /* USED includes RESERVED */
    struct resource killable;                   /* of USED: marked so under lazy preemption */
    struct resource pending;                    /* leaf: each user up to the user's limit */
    struct resource pending_unreserved;         /* ... less what its apps have reserved */
};

struct preempt_app {
    void *handle;
    uint64_t number;                    /* larger is newer */
    int32_t priority;                   /* larger is served first */
    uint32_t user;                      /* index among the leaf's users */
    double fair_key;                    /* leaf in fair order: smaller is served first */
    struct resource used, am, pending;  /* in the partition asked for; AM: its running master's */
};

struct preempt_user {                   /* of one leaf in one partition */
    struct resource used;
    struct resource limit;              /* the all-user limit (5.4) */
};

struct preempt_container {
    void *handle;
    void *app;                          /* handle of its app */
    const struct amount *size;          /* as many types as the calculator has */
    uint64_t id;                        /* unique; larger is newer, apps of a leaf in their order */
    int64_t created_ms;                 /* only of containers_of_node */
    uint32_t leaf;                      /* index of its queue */
    uint32_t partition;                 /* of its node */
    uint32_t priority;                  /* smaller is more important */
    bool am, reserved, killable;
};

struct preempt_reservation {
    void *node;
    struct preempt_container container; /* what is reserved; created_ms counts here, too */
    struct resource available;          /* of the node: total less allocated */
    struct resource killable;           /* on the node */
};

/* Each fills ITEMS with at most ROOM and returns how many there are: if that is more, it is called
 * again with room for all. Called only within preempt_round. */
struct preempt_source {
    void *context;
    /* Of a leaf, waiting ones too. */
    size_t (*apps)(void *context, uint32_t leaf, uint32_t partition,
                   struct preempt_app *items, size_t room);
    size_t (*users)(void *context, uint32_t leaf, uint32_t partition,
                    struct preempt_user *items, size_t room);
    /* Of an app, reserved ones too, in all partitions; oldest first is the cheapest. */
    size_t (*containers)(void *context, void *app,
                         struct preempt_container *items, size_t room);
    /* The same in the order in which they go, largest priority first, then newest: those behind the one of
     * handle BEHIND, or, NULL, from the first on; at most ROOM. Returns how many these are, 0 behind the
     * last; PREEMPT_NONE if the app's do not stand in that order, or some are reserved. NULL: they never
     * do. */
    uint32_t (*next_containers)(void *context, void *app, void *behind,
                                struct preempt_container *items, uint32_t room);
    /* Of a leaf, on nodes of PARTITION, asked for without a label. NULL: partitions are not shared. */
    size_t (*borrowers)(void *context, uint32_t leaf, uint32_t partition,
                        struct preempt_container *items, size_t room);
    /* Nodes that are reserved, and what runs on one. NULL: for what goes by reservations, there
     * are none. */
    size_t (*reservations)(void *context, struct preempt_reservation *items, size_t room);
    size_t (*containers_of_node)(void *context, void *node,
                                 struct preempt_container *items, size_t room);
};

struct preempt_snapshot {
    struct resource cluster;            /* all partitions */
    uint32_t queue_count, partition_count;
    const struct preempt_queue *queues;         /* parents first; else as configured */
    const struct preempt_figures *figures;      /* [partition * queue_count + queue] */
    const struct resource *partitions;          /* their totals; the first is the unlabelled one */
    struct preempt_source source;
};

/* --- marks ------------------------------------------------------------------ */

enum preempt_act {
    PREEMPT_NOTIFY,                     /* tell its app; a reservation that counts gets this, too,
                                           and RELEASE */
    PREEMPT_KILL,                       /* its time is up (lazy preemption: it is killable now) */
    PREEMPT_RELEASE,                    /* take the reservation back at once */
};

enum preempt_selector {
    PREEMPT_BY_QUEUE_PRIORITY,          /* for a reservation of a queue of higher priority */
    PREEMPT_BY_RESERVED,                /* so that a reservation finds room */
    PREEMPT_BY_GUARANTEE,               /* fifo: its queue is over what is its own */
    PREEMPT_BY_BALANCE,                 /* queues over their guarantees come closer */
    PREEMPT_BY_INTRA_QUEUE,             /* priority or user limit within its leaf */
    PREEMPT_SELECTORS
};

struct preempt_mark {
    void *container, *app;              /* handles */
    uint64_t id;
    enum preempt_act act;
    enum preempt_selector selector;
    bool reserved;                      /* CONTAINER is a reservation */
    uint32_t leaf;                      /* of the container */
    uint32_t gainer;                    /* the leaf that gets the room, if it is known; else
                                           PREEMPT_NONE */
    int64_t kill_ms;                    /* NOTIFY: not killed before */
};

/* Owned by the caller: zero to begin with, set COUNT to 0 to use again, free(items). */
struct preempt_marks {
    struct preempt_mark *items;
    size_t count, capacity;
};

/* --- rounds ----------------------------------------------------------------- */

#define PREEMPT_REMEMBERED_MAX (1u << 20)       /* containers marked and not yet killed */

struct preempt;                         /* opaque */

struct preempt *preempt_new(const struct preempt_settings *settings);   /* copied */
void preempt_free(struct preempt *preempt);     /* NULL is fine */
/* From the next round on. */
void preempt_set(struct preempt *preempt, const struct preempt_settings *settings);

/* One round at NOW_MS (never back): appends to MARKS. Observe-only: selects, marks nothing. Cost:
 * queues times partitions, and those containers of the apps that give which go; all of them where they
 * do not come in order. */
void preempt_round(struct preempt *preempt, const struct preempt_snapshot *snapshot, int64_t now_ms,
                   struct preempt_marks *marks);

/* The container has gone: what is remembered of it may go before its time. */
void preempt_forget(struct preempt *preempt, uint64_t id);
size_t preempt_remembered(const struct preempt *preempt);

/* "queue-priority", "reserved", "guarantee", "balance", "intra-queue". */
const char *preempt_selector_name(enum preempt_selector selector);

#endif
