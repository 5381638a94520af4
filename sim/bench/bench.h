/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - creel-sim bench: measures the scheduler core with a full cluster
 *
 * One process, one thread, no network: only the core is timed. All decisions follow from the options and the
 * seed, so the checksum of all decisions is the same on every run; only the times differ.
 *
 *   bench.c         the command line, and growth tables
 *   bench_common.c  heap usage, and names of resource types
 *   bench_config.c  configuration of the scheduler under test
 *   bench_fair.c    the same for the fair scheduler
 *   bench_world.c   nodes, apps, requests, and accounting of decisions
 *   bench_measure.c the phases: fill, churn, idle, blocked
 *   bench_print.c   figures as text and as JSON
 */
#ifndef CREEL_SIM_BENCH_H
#define CREEL_SIM_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/err.h"
#include "common/base/rng.h"
#include "rm/sched/preempt/preempt.h"
#include "rm/sched/sched.h"

enum bench_mode {
    BENCH_HEARTBEAT,  /* a node reports an ended container and sends its heartbeat, one node
                         after the other */
    BENCH_CONTINUOUS, /* many containers end, then every node is offered in turn */
    BENCH_DEMAND,     /* the core places containers as soon as one ends */
};

enum bench_limit { /* limit that keeps the waiting apps from getting containers */
                   BENCH_NO_LIMIT,
                   BENCH_QUEUE_LIMIT, /* their queue uses its maximum */
                   BENCH_USER_LIMIT,  /* their users are at their limits */
                   BENCH_AM_LIMIT,    /* application masters use all resources allowed for them */
};

/* MIXED: requests of several sizes, some name hosts and racks. LOCAL: all requests are <1024 MiB, 1 vcore>,
 * some name hosts and racks. PLAIN: all are <1024 MiB, 1 vcore> on any node. */
enum bench_asks { BENCH_MIXED, BENCH_LOCAL, BENCH_PLAIN };

struct bench_options {
    const char *scheduler; /* "fifo", "capacity", "fair" */
    enum bench_mode mode;
    int64_t nodes, racks, queues, depth, users, apps, containers, types, pairs, seed;
    enum bench_asks asks;
    bool json;
    enum bench_limit limit; /* not an option: set by a phase */
};

struct bench_node {
    struct sched_node *handle;
    struct sched_container **live; /* owned; large enough for the maximum number */
    uint32_t count, capacity;
};

#define BENCH_HOSTS 3 /* hosts named by a request with locality */

struct bench_app {
    struct sched_app *handle;
    uint32_t hosts[BENCH_HOSTS]; /* hosts named by the pending requests */
    bool local;                  /* the pending requests name hosts */
};

struct bench_world {
    struct bench_options options;
    struct rng rng;
    struct sched *sched;
    void *config;                       /* created by bench_config_fill, freed by bench_config_free */
    struct preempt_settings preemption; /* for capacity: rounds only observe */
    size_t bytes_before;                /* heap bytes allocated when the scheduler was created */
    struct bench_node *nodes;
    struct bench_app *apps;
    uint32_t *given; /* by app: containers allocated since its last request */
    uint32_t *order; /* order of nodes' heartbeats */
    size_t next;     /* index in ORDER of the next node */
    struct sched_decisions decisions;
    uint64_t checksum, allocated, reserved, preempted, killed;
};

/* Results of the benchmark. A negative result was not measured, since the scheduler lacks the feature. */
struct bench_result {
    int64_t containers; /* running in the full cluster */
    double pairs_per_s, ns_per_pair;
    double allocations_per_s, heartbeats_per_s, heartbeats_idle_per_s;
    double fill_ns_per_container, ask_ns;
    double decision_p50_ns, decision_p99_ns, decision_max_ns;
    double heartbeat_idle_ns, heartbeat_full_ns, heartbeat_blocked_ns;
    double heartbeat_blocked_queue_ns, heartbeat_blocked_user_ns, heartbeat_blocked_am_ns;
    double preemption_round_ms, update_ms, update_all_ms;
    double bytes_per_container, bytes_per_node, bytes_per_app, bytes_per_queue;
    double peak_rss_bytes;
    double reservations; /* number of reservations during the churn phase */
    uint64_t decisions_checksum;
};

/* Fills *RET for OPTIONS. WORLD->config gets the data that must live as long as the scheduler. */
int bench_config_fill(struct bench_world *world, struct sched_config *ret, struct err *err);
void bench_config_free(struct bench_world *world);
bool bench_config_limits(const char *scheduler, enum bench_limit limit); /* true if SCHEDULER has LIMIT */
int64_t bench_config_queue_count(const struct bench_options *options);   /* leaves and parents together */
/* Writes the queue of app INDEX to TEXT. Returns TEXT. */
const char *bench_config_queue(const struct bench_options *options, int64_t index, char text[64]);
int bench_fair_fill(struct bench_world *world, struct sched_config *ret, struct err *err);
const char *bench_fair_queue(const struct bench_options *options, int64_t leaf, char text[64]);

int bench_world_new(const struct bench_options *options, struct bench_world **ret, struct err *err);
void bench_world_free(struct bench_world *world);
void bench_world_add_nodes(struct bench_world *world);
int bench_world_add_apps(struct bench_world *world, struct err *err);
/* Makes every app request containers, far more than the cluster can run. */
int bench_world_ask_all(struct bench_world *world, struct err *err);
/* Repeats the requests of apps that were allocated some containers (RENEW_AFTER in bench_world.c) since their
 * last request. Adds the number of these apps to *ASKED. */
int bench_world_renew(struct bench_world *world, uint64_t *asked, struct err *err);
/* Runs the periodic update of the fair scheduler's shares. */
void bench_world_update(struct bench_world *world);
/* Adds the decisions to the accounting and the checksum, and ends the containers that are to be killed. */
void bench_world_absorb(struct bench_world *world);
void bench_world_heartbeat_next(struct bench_world *world);
/* Ends one container of the node at INDEX. Returns false if the node has none. */
bool bench_world_end_one(struct bench_world *world, size_t index);
/* Ends one container of the next node in ORDER. Returns false if the node has none. */
bool bench_world_end_next(struct bench_world *world);
/* Opens all nodes, and sends heartbeats until nothing more is allocated. */
void bench_world_fill(struct bench_world *world);

/* Writes the types beyond memory and vcores, in the format of yarn.resource-types, to TEXT. Returns TEXT. */
const char *bench_types_text(const struct bench_options *options, char text[64]);
size_t bench_allocated_bytes(void); /* allocated on the heap */

int bench_measure(const struct bench_options *options, struct bench_result *ret, struct err *err);

void bench_print_text(FILE *out, const struct bench_options *options, const struct bench_result *result);
void bench_print_json(FILE *out, const struct bench_options *options, const struct bench_result *result);
/* Prints one line of a growth table; the table's head if RESULT is NULL. */
void bench_print_row(FILE *out, const char *what, int64_t size, const struct bench_result *result);

#endif
