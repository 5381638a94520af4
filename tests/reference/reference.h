/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h - the capacity scheduler of YARN 3.4.1, slow and obvious, to compare the fast one with
 *
 * The model is written from YARN's rules and not from the core's code. Everything is an array. Each sum
 * is added up and each order is sorted when it is needed. The model keeps only the state that YARN's
 * rules depend on: which users are active, the limit that a queue was last offered, how often a request
 * key was passed over. There is one partition, only heartbeats assign containers, and the caller decides
 * which containers may be killed.
 *
 *   calculator.c  arithmetic (Default- and DominantResourceCalculator)
 *   queues.c      capacities, limits of queues, order (AbstractCSQueue, AbstractParentQueue)
 *   users.c       users, headroom, limits of AMs, activation (UsersManager, AbstractLeafQueue)
 *   assign.c      a node is offered (CapacityScheduler, RegularContainerAllocator)
 *   model.c       nodes, apps, requests and containers come and go
 *
 * All indexes are small numbers below the sizes here, chosen by the caller. Nothing allocates memory: a
 * struct reference may be copied and thrown away.
 */
#ifndef CREEL_TESTS_REFERENCE_H
#define CREEL_TESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/resource.h"
#include "rm/sched/sched.h"             /* the words for decisions and locality; nothing else */

enum {
    REF_QUEUES = 24, REF_NODES = 12, REF_RACKS = 3, REF_APPS = 32, REF_USERS = 4, REF_KEYS = 6,
    REF_CONTAINERS = 2048, REF_DECISIONS = 1024,
};

enum ref_mode { REF_PERCENT, REF_WEIGHT, REF_ABSOLUTE };

struct ref_queue_config {
    char path[64];
    int parent;                         /* -1: root, which is queue 0; parents before children */
    bool leaf, stopped;
    enum ref_mode mode;
    float capacity;                     /* percent, or weight */
    float maximum;                      /* percent; of PERCENT and WEIGHT */
    struct resource minimum_resource, maximum_resource;     /* of ABSOLUTE; maximum 0: none */
    float user_limit_percent, user_limit_factor;
    float am_fraction;                  /* 0.1 is 10 % */
    float user_weight[REF_USERS];
    int32_t priority;
    bool priority_utilization;          /* how its children are ordered */
    bool fair, size_based;              /* how its apps are ordered */
    int64_t max_apps;                   /* -1: follows from the system's */
};

/*
 * Where the core decides otherwise than YARN on purpose. The model without any of these is YARN. Each has a
 * comment in the core that begins with "Differs:".
 */
enum ref_difference {
    REF_OFFERED_NOW = 1 << 3,           /* limits of AMs follow from what the queue would be offered now,
                                           not from what it was offered last */
    REF_EXCHANGE_NOT_COUNTED = 1 << 4,  /* an offer of use only in exchange for a reservation is no missed
                                           opportunity without one, or on a node without room */
    REF_GIVES_UP_USELESS = 1 << 5,      /* a reservation that its app cannot use any more is given up */
    REF_MAXIMUM_PER_TYPE = 1 << 6,      /* an absolute maximum is cut to the parent's in each type */
    REF_COUNTED_BY_OFFERS = 1 << 7,     /* each offer counts the users that wait in all leaves, not only in
                                           those that it reaches */
    REF_TOO_SMALL_NOT_COUNTED = 1 << 8, /* an offer of a node that is too small for a request which names no
                                           places is no missed opportunity */
};

struct ref_config {
    unsigned differences;               /* of enum ref_difference; 0: none */
    bool dominant;
    int types;                          /* 2, or 3 if dominant: the duel's nodes and requests have so many */
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
    struct resource offered;            /* the limit that its parent offered last */
    int users_waiting;                  /* leaf: users whose apps all wait, as counted last ... */
    bool users_changed;                 /* ... before something changed that user limits depend on */
};

/* A location that an app named: a node, a rack, or "*". */
struct ref_row {
    bool given;                         /* there is such a row; its count may be 0 */
    bool strict;                        /* relax-locality is false */
    uint32_t count;
};

struct ref_key {                        /* priority is the index, allocation id 0 */
    struct resource size;
    struct ref_row any, node[REF_NODES], rack[REF_RACKS];
    int64_t missed;                     /* opportunities since the last good allocation */
    int64_t re_reserved;
};

struct ref_app {
    bool here, active, has_master;
    bool asked_master;                  /* its AM container has been requested */
    bool was_active;                    /* at some time: until then the core does not show that */
    int queue, user;
    int counts_in;                      /* the leaf in which it makes its user active; -1: nowhere */
    int32_t priority;
    struct resource master;             /* what it counts for among AMs */
    struct ref_key keys[REF_KEYS];      /* key 0 is the AM's */
    bool avoids[REF_NODES];
    uint32_t last_number;
    uint64_t order;                     /* of submission: the app id */
};

struct ref_node {
    bool here;
    int rack;
    struct resource total;
    bool reserved;                      /* and for which app and key */
    int reserved_app, reserved_key;
    struct resource reserved_size;
    uint64_t reserved_order;
};

struct ref_container {
    bool here, master;
    bool killable, killed;              /* lazy preemption: it may go; it was ordered to */
    bool spared, hears;                 /* it may not go any more; its app is to be informed now */
    bool heard;                         /* its app knows of it: it is not given back */
    bool took_node, took_rack;          /* it was counted off these rows */
    bool strict_any, strict_rack;       /* as its request was then */
    int app, node, key;
    struct resource size;
    uint32_t number;
    uint64_t order;                     /* of arrival */
};

struct ref_decision {
    enum sched_decision_kind kind;      /* ALLOCATED, RESERVED, UNRESERVED or KILL */
    enum sched_locality locality;       /* of ALLOCATED */
    int node, app, container;           /* CONTAINER: of ALLOCATED and KILL */
};

struct reference {
    struct ref_config config;
    struct ref_queue queues[REF_QUEUES];
    struct ref_node nodes[REF_NODES];
    struct ref_app apps[REF_APPS];
    struct ref_container containers[REF_CONTAINERS];
    int container_top;                  /* no container has an index at or above it */
    struct ref_decision decisions[REF_DECISIONS];
    int decision_count;                 /* the caller sets it to 0 before each call */
    uint64_t last_order;
};

bool ref_differs(const struct reference *ref, enum ref_difference difference);

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
/* The largest container that may be requested (ClusterNodeTracker.getMaxAllowedAllocation). */
struct resource ref_largest(const struct reference *ref);
bool ref_below(const struct reference *ref, int queue, int ancestor);   /* or the same */
/* Containers and reservations of all in QUEUE, or of USER alone (-1: of all). */
struct resource ref_queue_used(const struct reference *ref, int queue, int user);
/* What may be killed below QUEUE. */
struct resource ref_queue_killable(const struct reference *ref, int queue);
struct resource ref_queue_reserved(const struct reference *ref, int queue);
struct resource ref_queue_pending(const struct reference *ref, int queue);
struct resource ref_app_used(const struct reference *ref, int app);     /* containers alone */
struct resource ref_app_reserved(const struct reference *ref, int app);
uint64_t ref_app_pending(const struct reference *ref, int app);         /* containers */
float ref_used_capacity(const struct reference *ref, int queue);
/* What CHILD may use if its parent may use LIMIT, of which siblings block a part. */
struct resource ref_child_limit(const struct reference *ref, struct resource limit,
                                struct resource blocked, int child);
/* What a leaf keeps of a limit that it is offered. */
struct resource ref_kept_limit(const struct reference *ref, struct resource limit, int queue);
/* What it would keep if a node were offered now and nothing were blocked. */
struct resource ref_offered_now(const struct reference *ref, int queue);
/* The apps of QUEUE in order, into ORDER (REF_APPS); returns how many. ACTIVE ones, or the waiting ones. */
int ref_order_apps(const struct reference *ref, int queue, bool active, int *order);
int ref_order_queues(const struct reference *ref, int parent, int *order);     /* (REF_QUEUES) */
/* The cluster or the configuration has changed: capacities, limits, activation. */
void ref_recompute(struct reference *ref);

/* --- users.c --------------------------------------------------------------- */

bool ref_user_active(const struct reference *ref, int queue, int user);
/* APP requests something after it requested nothing, or the reverse. */
void ref_app_wants(struct reference *ref, int app);
void ref_app_rests(struct reference *ref, int app);
/* Something changed that the user limits of QUEUE depend on. */
void ref_users_changed(struct reference *ref, int queue);
/* The user limits of QUEUE are needed: YARN computes them, if they have changed. */
void ref_users_count(struct reference *ref, int queue);
/* -1: of a user with weight 1. */
struct resource ref_user_limit(const struct reference *ref, int queue, int user);
struct resource ref_headroom(const struct reference *ref, int app);
struct resource ref_am_limit(const struct reference *ref, int queue);
struct resource ref_am_used(const struct reference *ref, int queue, int user);
struct resource ref_user_am_limit(const struct reference *ref, int queue, int user);
void ref_activate(struct reference *ref, int queue);
void ref_app_request_master(struct reference *ref, int app);    /* its container */
int64_t ref_max_apps(const struct reference *ref, int queue);
int64_t ref_max_apps_per_user(const struct reference *ref, int queue);

/* --- assign.c -------------------------------------------------------------- */

void ref_heartbeat(struct reference *ref, int node);
void ref_unreserve(struct reference *ref, int node);
/* NODE is reserved: place the container, keep the reservation, or give it up. */
void ref_retry(struct reference *ref, int node, bool heartbeat);

/* --- model.c --------------------------------------------------------------- */

void ref_init(struct reference *ref, const struct ref_config *config);
void ref_refresh(struct reference *ref, const struct ref_config *config);
void ref_node_add(struct reference *ref, int node, int rack, struct resource total);
void ref_node_remove(struct reference *ref, int node);  /* its containers have been ended */
void ref_node_update(struct reference *ref, int node, struct resource total);
/* False: refused, because the queue is stopped or has too many apps, or the AM is too large. MASTER: NULL
 * if the app has no AM container. */
bool ref_app_add(struct reference *ref, int app, int user, int queue, int32_t priority,
                 const struct resource *master);
void ref_app_remove(struct reference *ref, int app);    /* its containers have been ended */
bool ref_app_move(struct reference *ref, int app, int queue);
void ref_app_set_priority(struct reference *ref, int app, int32_t priority);
/* The rows of ASK that are given replace those of the same location. False: refused, it is too large. */
bool ref_ask(struct reference *ref, int app, int key, const struct ref_key *ask);
void ref_blacklist(struct reference *ref, int app, int node, bool avoid);
void ref_container_end(struct reference *ref, int container);
/* Its app has not heard of it: what it was counted off is requested again
 * (AppSchedulingInfo.updateResourceRequests to recover a request). */
void ref_give_back(struct reference *ref, int container);
int ref_container_enter(struct reference *ref, int app, int node, int key, struct resource size);
void ref_decide(struct reference *ref, struct ref_decision decision);

#endif
