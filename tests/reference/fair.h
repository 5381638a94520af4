/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair.h - reference implementation of the fair scheduler, slow and simple, for tests of rm/sched/fair
 *
 * Written from yarn-behaviour 8 and 12.3 alone. All data is in arrays; every sum, and every order, is
 * computed each time it is needed; every queue and app is visited for every node, as in YARN. The model
 * stores only what the rules themselves store: demand and shares of the last update, which apps run, how long
 * they have been starved, what is claimed. Where creel differs from YARN on purpose, so does the model: the
 * comments that describe these differences ("Differs:") are in rm/sched/fair.
 *
 *   fair_tree.c        sums, demand, shares, orders, limits (8.5 - 8.7, 8.9)
 *   fair_assign.c      offers of a node (8.8, 12.3)
 *   fair_starvation.c  starvation and preemption (8.11)
 *   fair_model.c       nodes, apps, requests and containers are added and removed
 *
 * All indexes are small numbers that the caller chooses. Queues are those of the file: none are added or
 * removed. Shares at one level are those of rm/sched/fair/shares.h, which has tests of its own.
 */
#ifndef CREEL_TESTS_REFERENCE_FAIR_H
#define CREEL_TESTS_REFERENCE_FAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/resource.h"
#include "rm/sched/fair/shares.h"
#include "rm/sched/sched.h" /* the types of decisions and locality; nothing else */

enum {
    SLOW_QUEUES = 16,
    SLOW_NODES = 10,
    SLOW_RACKS = 3,
    SLOW_APPS = 24,
    SLOW_USERS = 4,
    SLOW_KEYS = 8,
    SLOW_CONTAINERS = 2048,
    SLOW_DECISIONS = 1024,
    SLOW_CLAIMS = 256,
};

struct slow_queue_config {
    char name[32];
    int parent; /* -1: root, which is queue 0; parents before children */
    bool leaf;
    enum fair_policy policy;
    float weight, am_share, threshold;
    struct resource minimum, maximum; /* maximum: INT64_MAX for no limit */
    struct resource container;        /* maxContainerAllocation; memory 0: as in the parent */
    int64_t max_running;
    int64_t minimum_timeout_ms, fair_timeout_ms;
    bool preemptable;
};

struct slow_config {
    int types;
    struct resource minimum, maximum, increment; /* of one container */
    double reservation_multiple;
    float reservable_nodes;
    bool multiple, dynamic_max, size_based;
    int64_t max_assign;
    double locality_node, locality_rack; /* below 0: no delay */
    bool preemption, am_preemption;
    float threshold;
    int64_t wait_kill_ms, wait_check_ms, heartbeat_ms;
    int64_t user_max[SLOW_USERS];
    int queue_count;
    struct slow_queue_config queues[SLOW_QUEUES];
};

struct slow_queue { /* figures as of the last update */
    struct resource demand, share, steady;
    int64_t at_minimum_ms;
    bool below_minimum;
};

/* A location that an application named: a node, a rack, or "*". */
struct slow_row {
    bool given;  /* there is such a row; its count may be 0 */
    bool strict; /* relax-locality is false */
    uint32_t count;
    uint64_t order; /* position in the order of first naming */
};

struct slow_key { /* one request; the index is the priority, the allocation id is 0;
                     key 0 is the AM's */
    struct resource size;
    struct slow_row any, node[SLOW_NODES], rack[SLOW_RACKS];
};

struct slow_level {
    bool known;
    enum sched_locality allowed;
    uint32_t opportunities;
};

enum slow_state { SLOW_RUNS, SLOW_WAITS };

struct slow_app {
    bool here;
    enum slow_state state;
    int queue, user;
    int32_t priority;
    int64_t start_ms;
    uint64_t order; /* order of submission; also the id */
    struct slow_key keys[SLOW_KEYS];
    struct slow_level levels[SLOW_KEYS];
    bool avoids[SLOW_NODES];
    uint64_t listed;               /* when the application was added to its present list */
    struct resource demand, share; /* as of the last update */
    int64_t at_share_ms, next_check_ms;
    bool am_preempted;
    struct resource share_starved, minimum_starved;
};

struct slow_node {
    bool here;
    int rack;
    uint64_t order; /* order of registration */
    struct resource total;
    bool reserved; /* reserved for RESERVED_APP and RESERVED_KEY */
    int reserved_app, reserved_key;
    struct resource reserved_size;
};

struct slow_container {
    bool here, master, marked, notified;
    int app, node;
    struct resource size;
    uint64_t order;
    int64_t deadline_ms;
    uint64_t claim; /* order of the claim for which it is marked; 0: none */
};

struct slow_claim {
    bool here;
    int app, node;
    uint64_t order;
    struct resource left;
    bool kills; /* a container that is marked for it was killed */
};

struct slow_decision {
    enum sched_decision_kind kind;
    enum sched_locality locality; /* of ALLOCATED */
    int node, app, container;     /* CONTAINER: not set for reservations */
};

struct slow {
    struct slow_config config;
    int64_t now_ms;
    bool offered; /* a node is being offered; then AVAILABLE is what was free in the
                     cluster when the offer began */
    struct resource available;
    struct slow_queue queues[SLOW_QUEUES];
    struct slow_node nodes[SLOW_NODES];
    struct slow_app apps[SLOW_APPS];
    struct slow_container containers[SLOW_CONTAINERS];
    int container_top; /* all containers have an index below this */
    struct slow_claim claims[SLOW_CLAIMS];
    struct slow_decision decisions[SLOW_DECISIONS];
    int decision_count; /* the caller must set this to 0 before each call */
    uint64_t last_order;
    uint64_t comparisons; /* total number of comparisons in sorting */
};

/* --- fair_tree.c ----------------------------------------------------------- */

struct resource slow_total(const struct slow *slow);
struct resource slow_used(const struct slow *slow);
struct resource slow_node_free(const struct slow *slow, int node);
bool slow_below(const struct slow *slow, int queue, int ancestor);   /* or the same queue */
struct resource slow_queue_used(const struct slow *slow, int queue); /* without reservations */
struct resource slow_queue_maximum(const struct slow *slow, int queue);
struct resource slow_app_used(const struct slow *slow, int app);
struct resource slow_app_pending(const struct slow *slow, int app);
uint64_t slow_app_pending_count(const struct slow *slow, int app); /* containers */
bool slow_fits(const struct resource *small, const struct resource *room);
/* Compares like the policy of LEAF, by the largest share alone. */
int slow_compare(const struct slow *slow, int leaf, struct resource a, struct resource b);
bool slow_fits_maximum(const struct slow *slow, int leaf, struct resource more);
bool slow_over_am_limit(const struct slow *slow, int app);
/* Returns true if APP's AM would exceed the limit also if more of the cluster were free. */
bool slow_am_is_above_limit(const struct slow *slow, int app);
/* Write the children of a queue, or the applications of a leaf with pending requests, to ORDER in the order
 * of service. Return their number. */
int slow_order_queues(struct slow *slow, int parent, int *order);
int slow_order_apps(struct slow *slow, int leaf, int *order);
void slow_compute(struct slow *slow); /* demand and shares */
void slow_compute_steady(struct slow *slow);
uint32_t slow_running(const struct slow *slow, int queue);
bool slow_may_run(const struct slow *slow, int app);
/* Runs waiting applications after a running application of USER left LEAF. */
void slow_run_next(struct slow *slow, int leaf, int user);
void slow_run_all(struct slow *slow);

/* --- fair_assign.c --------------------------------------------------------- */

void slow_heartbeat(struct slow *slow, int node);
void slow_unreserve(struct slow *slow, int node, bool reported);

/* --- fair_starvation.c --------------------------------------------------------- */

void slow_starve(struct slow *slow); /* finds starved applications, and preempts containers for these
                                        applications */
void slow_kill_due(struct slow *slow);
bool slow_is_starved(const struct slow *slow, int app); /* at this moment */
bool slow_needs_claim(const struct slow *slow, int app);
int slow_claim(const struct slow *slow, int app, int node); /* index, or -1 */
/* Containers that were killed for a claim are ending, on NODE (APP -1) or for APP (NODE -1). */
void slow_victim_gone(struct slow *slow, uint64_t claim); /* a container that was marked for CLAIM ended */
bool slow_awaits_ends(const struct slow *slow, int node, int app);

/* --- fair_model.c ---------------------------------------------------------- */

void slow_init(struct slow *slow, const struct slow_config *config);
void slow_refresh(struct slow *slow, const struct slow_config *config);
void slow_update(struct slow *slow);
void slow_node_add(struct slow *slow, int node, int rack, struct resource total);
void slow_node_remove(struct slow *slow, int node); /* the containers on NODE must have been ended */
/* Returns false if the application is refused because its AM is too large. */
bool slow_app_add(struct slow *slow, int app, int user, int queue, int32_t priority,
                  const struct resource *master);
void slow_app_remove(struct slow *slow, int app);          /* the containers of APP must have been ended */
bool slow_app_move(struct slow *slow, int app, int queue); /* false: refused */
/* Replaces the rows of the same locations by the given rows of ASK. Returns false if ASK is refused because
 * it is too large. */
bool slow_ask(struct slow *slow, int app, int key, const struct slow_key *ask);
void slow_container_end(struct slow *slow, int container);
int slow_container_enter(struct slow *slow, int app, int node, int key, struct resource size);
void slow_decide(struct slow *slow, struct slow_decision decision);

#endif
