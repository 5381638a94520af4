/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h - the capacity scheduler, slow and obvious, to hold the fast one against
 *
 * Written from yarn-behaviour 2, 5, 6 and 12 alone. Everything is an array, every sum is
 * added up when it is needed, every order is sorted when it is asked for; nothing is kept
 * but what the rules themselves keep: who is active, what a queue was last offered, how often a
 * key was passed over. One partition, no policy of preemption (who may be killed is said from outside),
 * only heartbeats assign.
 *
 *   calculator.c  arithmetic (2.3)
 *   queues.c      capacities, limits, users, admission and activation (5.1 - 5.5)
 *   assign.c      a node is offered: order, limits, locality, reservations (5.6, 5.7, 6, 12)
 *   model.c       nodes, apps, asks and containers come and go
 *
 * All indexes are small numbers that the caller chooses, below the sizes here. Nothing allocates:
 * a struct reference may be copied and thrown away.
 */
#ifndef CREEL_TESTS_REFERENCE_H
#define CREEL_TESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/resource.h"
#include "rm/sched/sched.h"             /* the words for decisions and locality; nothing else */

enum {
    REF_QUEUES = 24, REF_NODES = 12, REF_RACKS = 3, REF_APPS = 32, REF_USERS = 4, REF_KEYS = 4,
    REF_CONTAINERS = 2048, REF_DECISIONS = 1024,
};

enum ref_mode { REF_PERCENT, REF_WEIGHT, REF_ABSOLUTE };

struct ref_queue_config {
    char path[64];
    int parent;                         /* -1: root, which is queue 0; parents before children */
    bool leaf;
    enum ref_mode mode;
    float capacity;                     /* percent, or weight */
    float maximum;                      /* percent; of PERCENT and WEIGHT */
    struct resource minimum_resource, maximum_resource;     /* of ABSOLUTE; maximum 0: none */
    float user_limit_percent, user_limit_factor;
    float am_fraction;                  /* 0.1 is 10 % */
    float user_weight[REF_USERS];
    int32_t priority;
    bool priority_utilization;          /* how its children are ordered */
    bool fair, size_based;              /* how its apps are */
    int64_t max_apps;                   /* -1: follows from the system's */
};

/*
 * Where the core is known to decide otherwise than the text: each is to be decided, and then goes from
 * here, or stays with a comment that begins with "Differs:" in the core. Without them the reference is
 * what the text says.
 */
enum ref_difference {
    REF_FORGETS_MISSED = 1,             /* a key that is wanted no more begins anew (12.1: per key, since
                                           the last allocation that was local enough) */
    REF_DROPS_AT_ONCE = 2,              /* what was got elsewhere is unreserved then, not when the node
                                           is offered (6) */
    REF_RETRY_IS_NO_OFFER = 4,          /* a reserved node that is offered is no missed opportunity */
    REF_RETRY_HAS_NO_DELAY = 8,         /* there the level is that of the rows, however long it waited */
    REF_HEADROOM_PER_TYPE = 16,         /* the last minimum of 5.4 is per type, not 2.3's */
    REF_PRIORITY_ACTIVATES = 32,        /* a new priority walks the waiting apps (5.3: it does not) */
    REF_OFFERED_NOW = 64,               /* the limit of masters follows from what would be offered now, not
                                           from what was offered last (5.3) */
    REF_PARENT_PER_TYPE = 128,          /* what a parent hands down is cut to its maximum in each type */
};

struct ref_config {
    unsigned differences;               /* of enum ref_difference; 0: none */
    bool dominant;
    struct resource minimum, maximum;   /* of one container */
    int64_t maximum_applications;
    int32_t maximum_app_priority;
    int64_t node_locality_delay, rack_additional_delay;
    bool rack_full_reset, continue_look, multiple_assignments;
    int64_t max_assignments, max_offswitch;
    int queue_count;
    struct ref_queue_config queues[REF_QUEUES];
};

struct ref_queue {                      /* what follows from configuration and cluster */
    float capacity, absolute, maximum, absolute_maximum;
    struct resource guarantee, most;    /* effective minimum and maximum */
    struct resource offered;            /* the limit that its parent offered last (5.3) */
};

struct ref_key {                        /* priority is the index, allocation id 0 */
    struct resource size;
    uint32_t any, node[REF_NODES], rack[REF_RACKS];     /* wanted at each place */
    bool strict_any, strict_rack[REF_RACKS];    /* may not go to that level for want of a closer one */
    int64_t missed;                     /* opportunities since the last good allocation */
    int64_t re_reserved;
};

struct ref_app {
    bool here, active, has_master;
    bool asked_master;                  /* it is asked for when the app is activated */
    int queue, user;
    int32_t priority;
    struct resource master;             /* what it counts for among masters (5.3) */
    struct ref_key keys[REF_KEYS];      /* key 0 is the master's */
    bool avoids[REF_NODES];
    uint32_t last_number;
    uint64_t order;                     /* of submission: the app id */
};

struct ref_node {
    bool here;
    int rack;
    struct resource total;
    bool reserved;                      /* and for whom */
    int reserved_app, reserved_key;
    struct resource reserved_size;
    uint64_t reserved_order;
};

struct ref_container {
    bool here, master;
    bool killable, killed;              /* lazy preemption: it may go; it was told to */
    bool spared, hears;                 /* it may not any more; it is to be told so now */
    bool heard;                         /* its app knows of it: it is not given back */
    bool took_node, took_rack;          /* it was counted off these rows */
    bool strict_any, strict_rack;       /* as its ask was then */
    int app, node, key;
    struct resource size;
    uint32_t number;
    uint64_t order;                     /* of arrival */
};

struct ref_decision {
    enum sched_decision_kind kind;      /* ALLOCATED, RESERVED or UNRESERVED */
    enum sched_locality locality;       /* of ALLOCATED */
    int node, app, container;           /* CONTAINER: of ALLOCATED and KILL */
};

struct reference {
    struct ref_config config;
    struct ref_queue queues[REF_QUEUES];
    struct ref_node nodes[REF_NODES];
    struct ref_app apps[REF_APPS];
    struct ref_container containers[REF_CONTAINERS];
    int container_top;                  /* none at or above it */
    struct ref_decision decisions[REF_DECISIONS];
    int decision_count;                 /* the caller sets it to 0 before each call */
    uint64_t last_order;
};

/* --- calculator.c ---------------------------------------------------------- */

int ref_compare(const struct reference *ref, struct resource total, struct resource a,
                struct resource b);
struct resource ref_min(const struct reference *ref, struct resource total, struct resource a,
                        struct resource b);
struct resource ref_max(const struct reference *ref, struct resource total, struct resource a,
                        struct resource b);
float ref_divide(const struct reference *ref, struct resource total, struct resource n,
                 struct resource d);
float ref_ratio(const struct reference *ref, struct resource a, struct resource b);
struct resource ref_divide_ceil(const struct reference *ref, struct resource n, float k);
struct resource ref_divide_ceil_int(const struct reference *ref, struct resource n, int64_t k);
struct resource ref_round_up(const struct reference *ref, struct resource r);   /* to the minimum */
struct resource ref_round_down(const struct reference *ref, struct resource r);
struct resource ref_multiply_up(const struct reference *ref, struct resource r, double by);
struct resource ref_multiply_down(const struct reference *ref, struct resource r, double by);
struct resource ref_multiply(struct resource r, double by);     /* each type, cut off */
bool ref_fits(const struct reference *ref, struct resource small, struct resource room);
int64_t ref_available(const struct reference *ref, struct resource room, struct resource size);
struct resource ref_normalise(const struct reference *ref, struct resource asked);

/* --- queues.c -------------------------------------------------------------- */

struct resource ref_total(const struct reference *ref);
bool ref_below(const struct reference *ref, int queue, int ancestor);   /* or the same */
/* Containers and reservations, of all in QUEUE, or of USER alone (-1: of all). */
struct resource ref_queue_used(const struct reference *ref, int queue, int user);
/* What may be killed below QUEUE. */
struct resource ref_queue_killable(const struct reference *ref, int queue);
struct resource ref_queue_reserved(const struct reference *ref, int queue);
struct resource ref_queue_pending(const struct reference *ref, int queue);
struct resource ref_app_used(const struct reference *ref, int app);     /* containers alone */
struct resource ref_app_reserved(const struct reference *ref, int app);
uint64_t ref_app_pending(const struct reference *ref, int app);         /* containers */
float ref_used_capacity(const struct reference *ref, int queue);
bool ref_user_active(const struct reference *ref, int queue, int user);
struct resource ref_user_limit(const struct reference *ref, int queue, int user);
struct resource ref_headroom(const struct reference *ref, int app);
struct resource ref_am_limit(const struct reference *ref, int queue);
struct resource ref_am_used(const struct reference *ref, int queue, int user);
struct resource ref_user_am_limit(const struct reference *ref, int queue, int user);
int64_t ref_max_apps(const struct reference *ref, int queue);
int64_t ref_max_apps_per_user(const struct reference *ref, int queue);
struct resource ref_child_limit(const struct reference *ref, struct resource parent_limit,
                                int child);
/* Who of QUEUE's apps is before whom: into ORDER (REF_APPS), returns how many. ACTIVE or not. */
int ref_order_apps(const struct reference *ref, int queue, bool active, int *order);
int ref_order_queues(const struct reference *ref, int parent, int *order);     /* (REF_QUEUES) */
void ref_activate(struct reference *ref, int queue);
/* The cluster or the configuration is another: capacities, limits, activation. */
void ref_recompute(struct reference *ref);

/* --- assign.c -------------------------------------------------------------- */

void ref_heartbeat(struct reference *ref, int node);
void ref_unreserve(struct reference *ref, int node);
/* NODE is reserved: serve that, wait on, or give it up. */
void ref_retry(struct reference *ref, int node, bool heartbeat);

/* --- model.c --------------------------------------------------------------- */

void ref_init(struct reference *ref, const struct ref_config *config);
void ref_refresh(struct reference *ref, const struct ref_config *config);
void ref_node_add(struct reference *ref, int node, int rack, struct resource total);
void ref_node_remove(struct reference *ref, int node);  /* its containers have been ended */
void ref_node_update(struct reference *ref, int node, struct resource total);
/* Refused (false) if the queue or the user has too many apps. MASTER: NULL if it has none. */
bool ref_app_add(struct reference *ref, int app, int user, int queue, int32_t priority,
                 const struct resource *master);
void ref_app_remove(struct reference *ref, int app);    /* its containers have been ended */
bool ref_app_move(struct reference *ref, int app, int queue);
void ref_app_set_priority(struct reference *ref, int app, int32_t priority);
void ref_ask(struct reference *ref, int app, int key, const struct ref_key *ask);
void ref_drop_key(struct reference *ref, int app, int key);     /* its reservations */
void ref_blacklist(struct reference *ref, int app, int node, bool avoid);
void ref_container_end(struct reference *ref, int container);
/* Its app heard nothing of it, and so wants it once more: one more on each row that it was counted off (4.1;
 * 7.6: "has its request restored"). */
void ref_give_back(struct reference *ref, int container);
int ref_container_enter(struct reference *ref, int app, int node, int key, struct resource size);
void ref_decide(struct reference *ref, struct ref_decision decision);

#endif
