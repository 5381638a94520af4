/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt.h - YARN's proportional capacity preemption: selects the containers to preempt
 *
 * Once per monitoring_interval the scheduler takes a snapshot of its queues and calls preempt_round(), which
 * selects containers to preempt so that queues get the resources they are entitled to (yarn-behaviour 7). A
 * container is marked PREEMPT when first selected, and KILL when selected again after the wait. The policy
 * does not access the scheduler: figures of the queues are flat arrays; applications and containers are read
 * through a table of callbacks, and only those of leaves that have resources to give.
 *
 * The code is pure: the caller passes the time, nothing is random, and the same calls give the same marks.
 * Between rounds, struct preempt stores only when each container was first marked, and for which leaf it was
 * picked last. This record is dropped after twice the wait; there are at most PREEMPT_REMEMBERED_MAX records.
 * All other memory is working memory, reused in each round.
 *
 * The caller owns everything in a snapshot and must not change it during the call.
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

/* Keys below yarn.resourcemanager.monitor.capacity.preemption., unless a full name is given. */
struct preempt_settings {
    struct calc calc;        /* the scheduler's calculator */
    struct resource minimum; /* smallest container */
    bool enabled;            /* yarn.resourcemanager.scheduler.monitor.enable is true, and this
                                policy is among its policies; preempt_round() does not check
                                this */
    bool observe_only;
    int64_t interval_ms;          /* monitoring_interval */
    int64_t wait_ms;              /* max_wait_before_kill */
    float per_round;              /* total_preemption_per_round, fraction of the cluster */
    double ignored_over_capacity; /* max_ignored_over_capacity */
    double termination_factor;    /* natural_termination_factor */
    bool conservative;            /* conservative-drf */
    bool reserved;                /* select_based_on_reserved_containers */
    bool reserved_balance;        /* additional_res_balance_based_on_reserved_containers */
    bool balance;                 /* preemption-to-balance-queue-after-satisfied.enabled */
    int64_t balance_wait_ms;      /* ... .max-wait-before-kill */
    bool intra;                   /* intra-queue-preemption. enabled */
    float intra_threshold;        /* ... minimum-threshold */
    float intra_limit;            /* ... max-allowable-limit */
    bool intra_priority_first;    /* ... preemption-order-policy; else userlimit_first */
    bool intra_conservative;      /* ... conservative-drf */
    bool underutilized;           /* yarn.scheduler.capacity.ordering-policy.
                                     priority-utilization.underutilized-preemption.enabled */
    int64_t reserved_delay_ms;    /* ... .reserved-container-delay-ms */
};

/* Sets YARN's defaults, with the memory-only calculator, two resource types, and a minimum of 0. */
void preempt_settings_default(struct preempt_settings *ret);
/* Reads the settings from CONF; TYPES resource types are in use. -EINVAL: ERR has origin, key, value, and the
 * expected value; *RET is not changed. */
int preempt_settings_read(const struct conf *conf, int types, struct preempt_settings *ret, struct err *err);

/* --- the snapshot ----------------------------------------------------------- */

#define PREEMPT_NONE UINT32_MAX

/* A queue, independent of partitions. */
struct preempt_queue {
    uint32_t parent; /* index; PREEMPT_NONE for root, which is the first queue */
    bool leaf;
    bool disabled;            /* disable_preemption, own or inherited; disables it within, too */
    bool intra_disabled;      /* intra-queue-preemption.disable_preemption, own or inherited */
    bool fair_order;          /* leaf: its ordering-policy is fair */
    int32_t priority;         /* relative; 0 unless the parent's ordering policy uses priorities */
    float am_fraction;        /* leaf: maximum-am-resource-percent of the unlabelled partition, 0..1 */
    float user_limit_percent; /* leaf: minimum-user-limit-percent */
};

/* The figures of a queue in one partition. PENDING is set only for leaves; preempt_round() computes the sums
 * of parents. */
struct preempt_figures {
    struct resource guaranteed, maximum; /* effective; MAXIMUM of a shared (non-exclusive) partition
                                            is the whole partition */
    struct resource used, reserved;      /* USED includes RESERVED */
    struct resource killable;            /* part of USED already marked as killable (lazy
                                            preemption) */
    struct resource pending;             /* leaf: sum over users, each up to the user's limit */
    struct resource pending_unreserved;  /* leaf: the same, minus reservations of the users'
                                            applications */
    float absolute_capacity;             /* 0..1 */
};

struct preempt_app {
    void *handle;
    uint64_t number;                   /* larger is newer */
    int32_t priority;                  /* larger is served first */
    uint32_t user;                     /* index among the leaf's users */
    bool waits;                        /* to be activated, as one that moved: gives nothing to other queues */
    double fair_key;                   /* leaf in fair order: smaller is served first */
    struct resource used, am, pending; /* in the given partition; AM: of its running AM, unless that is in
                                          STOPPING */
    struct resource stopping;          /* part of USED, of containers that are being stopped and not stuck */
};

struct preempt_user { /* of one leaf in one partition */
    struct resource used;
    struct resource limit; /* the all-user limit (5.4) */
};

struct preempt_container {
    void *handle;
    void *app;                 /* handle of its app */
    const struct amount *size; /* has as many types as the calculator */
    uint64_t app_number;       /* of its app: larger is newer */
    uint64_t id;               /* unique; larger is newer among the containers of its app */
    int64_t created_ms;        /* set only by containers_of_node */
    uint32_t leaf;             /* index of its leaf */
    uint32_t partition;        /* partition of its node */
    uint32_t priority;         /* smaller is more important */
    bool am, reserved, killable;
    bool stuck; /* KILLABLE, but its room is not expected */
};

struct preempt_reservation {
    void *node;
    struct preempt_container container; /* the reserved container; created_ms is also set. Of an increase:
                                           size, application, leaf, partition, and RESERVED if the node is
                                           reserved for it */
    struct resource available;          /* of the node: total minus allocated */
    struct resource killable;           /* on the node */
};

/* Callbacks that fill ITEMS with at most ROOM elements and return how many there are. If there are more than
 * ROOM, the callback is called again with room for all. Called only within preempt_round(). */
struct preempt_source {
    void *context;
    /* Applications of a leaf, also waiting ones. */
    size_t (*apps)(void *context, uint32_t leaf, uint32_t partition, struct preempt_app *items, size_t room);
    size_t (*users)(void *context, uint32_t leaf, uint32_t partition, struct preempt_user *items,
                    size_t room);
    /* Containers of an application, also reserved ones, in all partitions; oldest first is cheapest. */
    size_t (*containers)(void *context, void *app, struct preempt_container *items, size_t room);
    /* Containers of an application in preemption order: largest priority number first, then newest. Returns
     * the number of containers after the one with the handle BEHIND (NULL: from the first), at most ROOM; 0
     * at the end. PREEMPT_NONE: the application's containers are not sorted in that order, or some are
     * reserved. Callback NULL: never sorted. */
    uint32_t (*next_containers)(void *context, void *app, void *behind, struct preempt_container *items,
                                uint32_t room);
    /* Containers of a leaf on nodes of PARTITION, requested without a label. NULL: partitions are not
     * shared. */
    size_t (*borrowers)(void *context, uint32_t leaf, uint32_t partition, struct preempt_container *items,
                        size_t room);
    /* Reserved nodes, and the containers on one node. NULL: selectors that use reservations find none. */
    size_t (*reservations)(void *context, struct preempt_reservation *items, size_t room);
    size_t (*containers_of_node)(void *context, void *node, struct preempt_container *items, size_t room);
    /* Pending increases of containers that their nodes could serve if they had room, as reservations of these
     * nodes. NULL: none. */
    size_t (*increases)(void *context, struct preempt_reservation *items, size_t room);
};

struct preempt_snapshot {
    struct resource cluster; /* over all partitions */
    uint32_t queue_count, partition_count;
    const struct preempt_queue *queues;    /* parents first; otherwise in configuration order */
    const struct preempt_figures *figures; /* [partition * queue_count + queue] */
    const struct resource *partitions;     /* totals of the partitions; the first is the unlabelled
                                              one */
    struct preempt_source source;
};

/* --- marks ------------------------------------------------------------------ */

enum preempt_act {
    PREEMPT_NOTIFY,   /* send a preemption notice to the application; for a reservation send
                        none, since a RELEASE follows */
    PREEMPT_KILL,     /* the wait has passed (lazy preemption: becomes killable) */
    PREEMPT_RELEASE,  /* cancel the reservation at once */
    PREEMPT_WITHDRAW, /* its record is dropped after twice the wait: the notice has no consequence any more;
                         only CONTAINER and ID are set */
};

enum preempt_selector {
    PREEMPT_BY_QUEUE_PRIORITY, /* for a reservation of a queue with higher priority */
    PREEMPT_BY_RESERVED,       /* to make room for a reservation */
    PREEMPT_BY_GUARANTEE,      /* fifo: its queue uses more than its guarantee */
    PREEMPT_BY_BALANCE,        /* to bring queues above their guarantees closer to each other */
    PREEMPT_BY_INTRA_QUEUE,    /* priority or user limits within its leaf */
    PREEMPT_BY_INCREASE,       /* for another container on its node that is to grow */
    PREEMPT_SELECTORS
};

struct preempt_mark {
    void *container, *app; /* handles of the container and its application */
    uint64_t id;
    enum preempt_act act;
    enum preempt_selector selector;
    bool reserved;   /* CONTAINER is a reservation */
    uint32_t leaf;   /* leaf of the container */
    uint32_t gainer; /* the leaf that gets the room, if known; else PREEMPT_NONE */
    int64_t kill_ms; /* NOTIFY: earliest time of the kill */
};

/* Owned by the caller: initialise to zero, set COUNT to 0 to reuse, free(items) at the end. */
struct preempt_marks {
    struct preempt_mark *items;
    size_t count, capacity;
};

/* --- rounds ----------------------------------------------------------------- */

#define PREEMPT_REMEMBERED_MAX (1u << 20) /* containers marked and not yet killed */

struct preempt; /* opaque */

struct preempt *preempt_new(const struct preempt_settings *settings); /* copied */
void preempt_free(struct preempt *preempt);                           /* NULL is fine */
/* Replaces the settings, from the next round on. */
void preempt_set(struct preempt *preempt, const struct preempt_settings *settings);

/* Runs one round at NOW_MS (never decreasing) and appends to MARKS. Observe-only: selects, but adds no marks.
 * Cost: queues times partitions, plus the selected containers of the applications that give; all containers
 * of an application if they are not sorted. */
void preempt_round(struct preempt *preempt, const struct preempt_snapshot *snapshot, int64_t now_ms,
                   struct preempt_marks *marks);

/* Forgets all containers and appends PREEMPT_WITHDRAW for each that has a notice. */
void preempt_withdraw_all(struct preempt *preempt, struct preempt_marks *marks);
/* Notes that the container has ended: its record may be dropped early. */
void preempt_forget(struct preempt *preempt, uint64_t id);
/* Returns true if the last round picked the container and did not kill it: its notice is in force. */
bool preempt_is_picked(const struct preempt *preempt, uint64_t id);
/* Stores the leaf for which the last round picked the container, by its index in the snapshot of that round;
 * PREEMPT_NONE: that leaf is not known, or the round did not pick it. Returns false if it has no mark. */
bool preempt_gainer(const struct preempt *preempt, uint64_t id, uint32_t *gainer);
/* Returns the number of records, for tests. */
size_t preempt_remembered(const struct preempt *preempt);

/* Returns "queue-priority", "reserved", "guarantee", "balance", "intra-queue", or "increase". */
const char *preempt_selector_name(enum preempt_selector selector);

#endif
