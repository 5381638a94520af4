/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h - reference implementation of YARN 3.4.1's capacity scheduler, slow and simple, for comparison
 * with rm/sched
 *
 * The model is written from YARN's rules and not from the core's code. All data is in arrays. Each sum is
 * computed and each order is sorted when it is needed. The model keeps only the state that YARN's rules
 * depend on: which users are active, the limit that a queue was last offered, and the missed opportunities of
 * each request key. Only heartbeats assign containers, and the caller decides which containers may be
 * killed. Partitions (node labels) have numbers; 0 is the partition of nodes without a label.
 *
 *   calculator.c  arithmetic (Default- and DominantResourceCalculator)
 *   queues.c      capacities, limits of queues, order (AbstractCSQueue, AbstractParentQueue)
 *   vectors.c     capacities by type (ResourceCalculationDriver)
 *   dynamic.c     queues created by submissions (ParentQueue.addDynamicChildQueue)
 *   managed.c     capacity of the leaves of managed parents (GuaranteedOrZeroCapacityOverTimePolicy)
 *   parallel.c    limits on parallel applications (CSMaxRunningAppsEnforcer)
 *   users.c       users, headroom, limits of AMs, activation (UsersManager, AbstractLeafQueue)
 *   assign.c      offers of a node to queues and applications (CapacityScheduler, AbstractLeafQueue)
 *   place.c       one request on one node (RegularContainerAllocator)
 *   model.c       nodes, apps, requests and containers are added and removed
 *
 * All indexes are small numbers chosen by the caller, below the sizes in the enum below. No memory is
 * allocated: a struct reference may be copied and discarded.
 */
#ifndef CREEL_TESTS_REFERENCE_H
#define CREEL_TESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/resource.h"
#include "rm/sched/sched.h" /* the words for decisions and locality; nothing else */

enum {
    REF_QUEUES = 64,
    REF_NODES = 12,
    REF_RACKS = 3,
    REF_LABELS = 4,
    REF_APPS = 32,
    REF_USERS = 4,
    REF_KEYS = 6,
    REF_TYPES = 3,
    REF_CONTAINERS = 2048,
    REF_DECISIONS = 1024,
};

enum ref_mode { REF_PERCENT, REF_WEIGHT, REF_ABSOLUTE, REF_VECTOR };

/* The configured minimum or maximum of one type, for legacy-queue-mode.enabled false. */
enum ref_unit { REF_UNIT_AMOUNT, REF_UNIT_PERCENT, REF_UNIT_WEIGHT };

struct ref_amount {
    bool given; /* false: 0 as a minimum, the parent's as a maximum */
    enum ref_unit unit;
    double value;
};

/* The configured share of a queue in one partition. */
struct ref_share {
    bool given;                                          /* false: the file has none; capacity and maximum
                                                           are 0 */
    float capacity;                                      /* percent, or weight */
    float maximum;                                       /* for PERCENT and WEIGHT: in percent */
    struct resource minimum_resource, maximum_resource;  /* for ABSOLUTE; maximum 0: none */
    struct ref_amount least[REF_TYPES], most[REF_TYPES]; /* with ref_config.by_type, whatever the mode */
    bool most_is_vector;                                 /* most is written by type, not as one percentage */
    float am_fraction;                                   /* 0.1 is 10 % */
};

/* What a managed parent gives each leaf that it creates (leaf-queue-template), in percent. */
struct ref_template {
    float capacity, maximum;
    float user_limit_percent, user_limit_factor;
    float am_fraction; /* 0.1 is 10 % */
};

/* Preemption for the guarantees of queues (yarn-behaviour 7). */
struct ref_preemption {
    bool on;
    float per_round;              /* total_preemption_per_round */
    double ignored_over_capacity; /* max_ignored_over_capacity */
    double termination_factor;    /* natural_termination_factor */
    bool conservative;            /* conservative-drf */
    int64_t wait_ms;              /* max_wait_before_kill */
};

struct ref_queue_config {
    char path[64];
    int parent; /* -1: root, which is queue 0; parents before children */
    bool leaf, stopped;
    bool dynamic; /* created by a submission */
    bool gone;    /* dynamic, and removed */
    bool manages; /* parent: auto-create-child-queue; its leaves follow its template */
    bool idle;    /* leaf of a managed parent: has no capacity now */
    struct ref_template template;
    int64_t max_children; /* parent: submissions may create leaves while it has fewer children */
    enum ref_mode mode;
    struct ref_share share[REF_LABELS]; /* index: label */
    unsigned labels;                    /* labels that requests may name: a bit for each; bit 0 has no
                                           meaning */
    int default_label;                  /* of requests and applications that name none */
    float user_limit_percent, user_limit_factor;
    float user_weight[REF_USERS];
    int32_t priority;
    bool priority_utilization; /* ordering policy of its children */
    bool fair, size_based;     /* ordering policy of its applications */
    int64_t max_parallel;      /* applications with a place at a time; INT64_MAX: no limit */
    int64_t max_apps;          /* -1: computed from the limit of the system */
    bool disable_preemption;   /* of this queue and of all below */
};

/*
 * Intended differences between the core and YARN. Without any of these flags the model behaves like YARN.
 * Each difference has a comment in the core that begins with "Differs:".
 */
enum ref_difference {
    REF_OFFERED_NOW = 1 << 3,           /* limits on AMs are computed from the limit that the queue would
                                           be offered now, not from the last offer */
    REF_EXCHANGE_NOT_COUNTED = 1 << 4,  /* an offer of use only in exchange for a reservation counts as a
                                           missed opportunity only if there is a reservation and room on
                                           the node */
    REF_GIVES_UP_USELESS = 1 << 5,      /* a reservation that its application cannot use any more is
                                           cancelled */
    REF_MAXIMUM_PER_TYPE = 1 << 6,      /* an absolute maximum is limited to the parent's in each type */
    REF_COUNTED_BY_OFFERS = 1 << 7,     /* each offer counts the waiting users of all leaves, not only of
                                           the leaves that it reaches, once for all partitions */
    REF_EXCHANGE_BY_LABEL = 1 << 9,     /* on a node with a label, a queue at its limit exchanges nothing; the
                                           limit of a user is compared with the use of its partition, and a
                                           reservation makes room in its partition only */
    REF_PLACELESS_COUNT = 1 << 10,      /* an application without a place counts against the limit on
                                           applications of its user in the leaf */
    REF_NOT_SCALED_UP = 1 << 11,        /* minimums of children are never scaled up */
    REF_RETURNED_AS_PENDING = 1 << 12,  /* a container that is given back is added to its request as it is, if
                                           that is pending: size and label stay */
    REF_CREATION_ACTIVATES = 1 << 13,   /* a queue that is created or removed lets waiting applications of all
                                           leaves be activated, not only of those below its parent */
    REF_BORROWER_KILLS_NONE = 1 << 15,  /* no container is killed for a request that borrows the node */
    REF_DROPPED_IS_SKIPPED = 1 << 14,   /* a request whose proposals were rejected for 10 s is skipped */
    REF_TOO_SMALL_NOT_COUNTED = 1 << 8, /* an offer of a node too small for a request without named hosts
                                           or racks is no missed opportunity */
};

struct ref_config {
    unsigned differences; /* flags of enum ref_difference; 0: none */
    bool dominant;
    int types;                        /* 2, or 3 if dominant: number of types in the duel's nodes and
                                         requests */
    struct resource minimum, maximum; /* of one container */
    int64_t maximum_applications;
    int64_t user_parallel[REF_USERS]; /* applications of a user with a place at a time; INT64_MAX: no limit */
    int32_t maximum_app_priority;
    int64_t node_locality_delay, rack_additional_delay;
    bool rack_full_reset, continue_look, multiple_assignments;
    int64_t max_assignments, max_offswitch;
    int labels;                /* number of partitions in use; 0 or 1: no labels */
    bool shared[REF_LABELS];   /* the label is not exclusive */
    bool creates;              /* submissions may create queues; all queues have weights */
    int managed_by[REF_USERS]; /* parent of the leaf in which the user's applications come; 0: none */
    bool by_type;              /* legacy-queue-mode.enabled is false: each type has a capacity of its own */
    struct ref_preemption preemption;
    int queue_count; /* dynamic queues come last */
    struct ref_queue_config queues[REF_QUEUES];
};

/* Values of a queue in one partition, computed from configuration and cluster. */
struct ref_part {
    float capacity, absolute, maximum, absolute_maximum;
    struct resource guarantee, most; /* effective minimum and maximum */
};

struct ref_queue {
    struct ref_part part[REF_LABELS];      /* index: label */
    struct resource offered;               /* limit of the last offer by its parent */
    int users_waiting;                     /* leaf: number of users all of whose applications wait, as last
                                         counted */
    uint64_t users_changes;                /* leaf: number of changes of inputs of the user limits ... */
    uint64_t users_counted[REF_LABELS][2]; /* ... at the last count, by label and mode of the offer */
};

/* A location that an application named: a node, a rack, or "*". */
struct ref_row {
    bool given;  /* there is such a row; its count may be 0 */
    bool strict; /* relax-locality is false */
    uint32_t count;
};

enum { REF_NO_NAME = -1 }; /* as a label: no label is named */

struct ref_key { /* one request; the index is the priority, the allocation id is 0 */
    struct resource size;
    struct ref_row any, node[REF_NODES], rack[REF_RACKS];
    int label;            /* partition that it requests; in a call of ref_ask(): or REF_NO_NAME */
    int64_t missed_plain; /* without label: offers since the last allocation in partition 0 */
    int64_t missed;       /* missed opportunities since the last allocation with good
                       locality */
    int64_t re_reserved;
    bool dropped; /* the last proposal was rejected, as all since dropped_since_ms */
    int64_t dropped_since_ms;
};

struct ref_app {
    bool here, active, has_master;
    bool placed;       /* it has a place among the parallel applications (YARN: is runnable) */
    bool got_master;   /* its AM container was placed */
    bool asked_master; /* its AM container has been requested */
    bool was_active;   /* it is active, or was before; until then the core does not show its
                          AM request */
    int queue, user;
    int label;          /* label of the submission; REF_NO_NAME: none */
    int master_label;   /* partition of its AM, in which limits on AMs count it */
    unsigned requested; /* labels that its requests have named, a bit for each */
    int counts_in;      /* leaf in which it makes its user active; -1: none */
    int32_t priority;
    struct resource master;        /* AM resource of the application counted against limits on AMs */
    struct ref_key keys[REF_KEYS]; /* key 0 is the AM's */
    bool avoids[REF_NODES];
    uint32_t last_number;
    uint64_t order; /* order of submission: the application id */
};

struct ref_node {
    bool here;
    int rack, label;
    struct resource total;
    bool reserved; /* reserved for RESERVED_APP and RESERVED_KEY */
    int reserved_app, reserved_key;
    struct resource reserved_size;
    uint64_t reserved_order;
};

struct ref_container {
    bool here, master;
    bool killable, killed;        /* lazy preemption: may be killed; a kill was decided */
    bool spared, hears;           /* no longer killable; its application must be informed of this */
    bool heard;                   /* acquired by its application: cannot be given back */
    bool took_node, took_rack;    /* its request's row for its node, or for its rack, was reduced by one */
    bool strict_any, strict_rack; /* strictness of its request at that time */
    int app, node, key;
    int label; /* partition of its request; that of the node is another one if the node is borrowed */
    struct resource size;
    uint32_t number;
    uint64_t order;      /* order of creation */
    int64_t notified_ms; /* time of its preemption notice; 0: none */
    bool preempted;      /* its wait has passed: it was killed */
};

struct ref_decision {
    enum sched_decision_kind kind; /* ALLOCATED, RESERVED, UNRESERVED, PREEMPT or KILL */
    enum sched_locality locality;  /* of ALLOCATED */
    int node, app, container;      /* CONTAINER: of ALLOCATED, PREEMPT and KILL */
    int64_t deadline_ms;           /* of PREEMPT */
};

struct reference {
    struct ref_config config;
    struct ref_queue queues[REF_QUEUES];
    struct ref_node nodes[REF_NODES];
    struct ref_app apps[REF_APPS];
    struct ref_container containers[REF_CONTAINERS];
    int container_top; /* all containers have an index below this */
    struct ref_decision decisions[REF_DECISIONS];
    int64_t now_ms;     /* the caller sets it */
    int decision_count; /* the caller sets it to 0 before each call */
    uint64_t last_order;
};

bool ref_differs(const struct reference *ref, enum ref_difference difference);

/* --- calculator.c ---------------------------------------------------------- */

int ref_compare(const struct reference *ref, struct resource total, struct resource a, struct resource b);
struct resource ref_min(const struct reference *ref, struct resource total, struct resource a,
                        struct resource b);
struct resource ref_max(const struct reference *ref, struct resource total, struct resource a,
                        struct resource b);
float ref_divide(const struct reference *ref, struct resource total, struct resource n, struct resource d);
float ref_ratio(const struct reference *ref, struct resource a, struct resource b);
struct resource ref_divide_ceil(const struct reference *ref, struct resource n, float k);
struct resource ref_divide_ceil_int(const struct reference *ref, struct resource n, int64_t k);
struct resource ref_round_up(const struct reference *ref, struct resource r); /* to a multiple of the
                                                                                 minimum */
struct resource ref_round_down(const struct reference *ref, struct resource r);
struct resource ref_multiply_up(const struct reference *ref, struct resource r, double by);
struct resource ref_multiply_down(const struct reference *ref, struct resource r, double by);
struct resource ref_multiply(struct resource r, double by); /* each type truncated */
bool ref_fits(const struct reference *ref, struct resource small, struct resource room);
int64_t ref_available(const struct reference *ref, struct resource room, struct resource size);
struct resource ref_normalise(const struct reference *ref, struct resource asked);

/* --- vectors.c ------------------------------------------------------------- */

/* Computes capacities, minimums and maximums of the children of PARENT, whose own are known. */
void ref_divide_by_type(struct reference *ref, int parent, int label);

/* --- managed.c ------------------------------------------------------------- */

/* Gives a new leaf of a managed parent the settings of the template, and its capacity if that is left. */
void ref_managed_begin(struct reference *ref, int leaf);
/* Applies the templates of a new configuration. */
void ref_managed_refresh(struct reference *ref);
/* Takes capacity from leaves without applications and gives it to leaves whose applications need it. */
void ref_managed_deal(struct reference *ref);
/* Returns what an idle LEAF would have with the capacity of the template. */
struct resource ref_managed_guarantee(const struct reference *ref, int leaf);

/* --- queues.c -------------------------------------------------------------- */

struct resource ref_total(const struct reference *ref); /* of all partitions */
struct resource ref_label_total(const struct reference *ref, int label);
/* Returns the largest container that may be requested (ClusterNodeTracker.getMaxAllowedAllocation). */
struct resource ref_largest(const struct reference *ref);
bool ref_below(const struct reference *ref, int queue, int ancestor); /* or the same queue */
/* In these functions LABEL -1 means all partitions. */
/* Returns the sum of containers and reservations of USER in QUEUE; USER -1: of all users. */
struct resource ref_queue_used(const struct reference *ref, int queue, int label, int user);
/* Returns the sum of killable containers below QUEUE. */
struct resource ref_queue_killable(const struct reference *ref, int queue, int label);
struct resource ref_queue_reserved(const struct reference *ref, int queue, int label);
struct resource ref_queue_pending(const struct reference *ref, int queue, int label);
struct resource ref_app_used(const struct reference *ref, int app, int label); /* without reservations */
struct resource ref_app_reserved(const struct reference *ref, int app, int label);
uint64_t ref_app_pending(const struct reference *ref, int app); /* number of containers */
/* Returns true if requests in QUEUE may name LABEL. */
bool ref_may_name(const struct reference *ref, int queue, int label);
float ref_used_capacity(const struct reference *ref, int queue, int label);
float ref_absolute_used(const struct reference *ref, int queue, int label);
/* Returns the limit of CHILD in the partition of LABEL if its parent may use LIMIT, of which siblings block
 * BLOCKED. */
struct resource ref_child_limit(const struct reference *ref, struct resource limit, struct resource blocked,
                                int child, int label);
/* Returns the limit that a leaf uses when LIMIT is offered to it. */
struct resource ref_kept_limit(const struct reference *ref, struct resource limit, int queue);
/* Returns the limit that QUEUE would use if a node were offered now and no headroom were blocked. */
struct resource ref_offered_now(const struct reference *ref, int queue);
/* Writes the applications of QUEUE in order into ORDER (REF_APPS elements) and returns their number. ACTIVE:
 * the active ones; else the waiting ones. */
int ref_order_apps(const struct reference *ref, int queue, bool active, int *order);
/* Writes the children of PARENT, in the order for a node with LABEL, into ORDER (REF_QUEUES elements). */
int ref_order_queues(const struct reference *ref, int parent, int label, int *order);
/* Recomputes capacities and limits and activates applications, after the cluster or the configuration
 * changed. */
void ref_recompute(struct reference *ref);
/* The same for the leaves below QUEUE, whose children changed. */
void ref_recompute_below(struct reference *ref, int queue);

/* --- dynamic.c ------------------------------------------------------------- */

/* Creates the leaf PATH, a child of PARENT, as a submission to it does. Returns the queue; -1: PARENT has as
 * many children as it may have, or creates none. (The caller takes care that there is an unused queue.) */
int ref_queue_create(struct reference *ref, int parent, const char *path);
bool ref_has_unused_queue(const struct reference *ref);
/* Returns the queue with this path; -1: none. */
int ref_queue_find(const struct reference *ref, const char *path);
/* Removes the dynamic leaves without applications, whose time has passed. */
void ref_queues_expire(struct reference *ref);

/* --- parallel.c ------------------------------------------------------------ */

/* Returns true if APP may have a place among the parallel applications of its user and queues. */
bool ref_may_be_placed(const struct reference *ref, int app);
/* Gives free places to waiting applications, the oldest first, and activates them. */
void ref_give_places(struct reference *ref);

/* --- users.c --------------------------------------------------------------- */

bool ref_user_active(const struct reference *ref, int queue, int user);
/* Called when APP starts to have pending requests, or has none any more. */
void ref_app_pending_changed(struct reference *ref, int app);
void ref_app_rests(struct reference *ref, int app);
/* Notes that an input of the user limits of QUEUE changed. */
void ref_users_changed(struct reference *ref, int queue);
/* Counts waiting users as YARN does when it computes user limits for LABEL, if an input of the limits of
 * QUEUE changed. BORROWS: in an offer to requests without label of a node that has one. */
void ref_users_count(struct reference *ref, int queue, int label, bool borrows);
/* USER -1: a user with weight 1. */
struct resource ref_user_limit(const struct reference *ref, int queue, int label, int user, bool borrows);
struct resource ref_headroom(const struct reference *ref, int app);
struct resource ref_am_limit(const struct reference *ref, int queue, int label);
struct resource ref_am_used(const struct reference *ref, int queue, int label, int user);
struct resource ref_user_am_limit(const struct reference *ref, int queue, int label, int user);
void ref_activate(struct reference *ref, int queue);
void ref_app_request_master(struct reference *ref, int app); /* its AM container */
int64_t ref_max_apps(const struct reference *ref, int queue);
int64_t ref_max_apps_per_user(const struct reference *ref, int queue);

/* --- assign.c -------------------------------------------------------------- */

void ref_heartbeat(struct reference *ref, int node);
void ref_unreserve(struct reference *ref, int node);
/* Offers a reserved node to the application of its reservation: places the container, keeps the reservation,
 * or cancels it. HEARTBEAT: the offer counts as a missed opportunity. */
void ref_retry(struct reference *ref, int node, bool heartbeat);

/* --- model.c --------------------------------------------------------------- */

void ref_init(struct reference *ref, const struct ref_config *config);
void ref_refresh(struct reference *ref, const struct ref_config *config);
void ref_node_add(struct reference *ref, int node, int rack, int label, struct resource total);
/* Moves a node to another partition, with its containers. */
void ref_node_set_label(struct reference *ref, int node, int label);
void ref_node_remove(struct reference *ref, int node); /* the containers on NODE must have been ended */
void ref_node_update(struct reference *ref, int node, struct resource total);
struct ref_app_spec {
    int user, queue;
    int32_t priority;
    int label;                     /* REF_NO_NAME: none */
    const struct resource *master; /* NULL: the application has no AM container */
};

/* Returns false if the application is refused, because the queue is stopped, has too many applications or may
 * not use the label, or the AM is too large. */
bool ref_app_add(struct reference *ref, int app, const struct ref_app_spec *spec);
void ref_app_remove(struct reference *ref, int app); /* the containers of APP must have been ended */
bool ref_app_move(struct reference *ref, int app, int queue);
void ref_app_set_priority(struct reference *ref, int app, int32_t priority);
/* Replaces the rows of the same locations by the given rows of ASK, and the label if the row "*" is given.
 * Returns false if ASK is refused because it is too large, or because the queue may not use the label. */
bool ref_ask(struct reference *ref, int app, int key, const struct ref_key *ask);
void ref_blacklist(struct reference *ref, int app, int node, bool avoid);
void ref_container_end(struct reference *ref, int container);
/* Ends a container that its application has not acquired. The rows that were reduced for it are requested
 * again (AppSchedulingInfo.updateResourceRequests to recover a request). */
void ref_return_container(struct reference *ref, int container);
int ref_container_enter(struct reference *ref, int app, int node, int key, struct resource size);
void ref_decide(struct reference *ref, struct ref_decision decision);

#endif
