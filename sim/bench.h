/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - creel-sim bench: a full cluster around the scheduler core, measured
 *
 * One process, one thread, no network: what is timed is the core alone. Everything
 * that is decided follows from the options and the seed, so the checksum of all decisions
 * is the same on every run; only the times differ.
 *
 *   bench.c         the command line, and growth tables
 *   bench_common.c  what several of these need
 *   bench_config.c  what the scheduler under test is configured with
 *   bench_fair.c    the same for the fair scheduler
 *   bench_world.c   nodes, apps, asks, and what was decided
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
    BENCH_HEARTBEAT,                    /* a node reports an end and is offered, one by one */
    BENCH_CONTINUOUS,                   /* many ends, then every node is offered in turn */
    BENCH_DEMAND,                       /* the core places as soon as it hears of an end */
};

enum bench_limit {                      /* what holds the waiting apps back */
    BENCH_NO_LIMIT,
    BENCH_QUEUE_LIMIT,                  /* their queue is at its maximum */
    BENCH_USER_LIMIT,                   /* their users are at theirs */
    BENCH_AM_LIMIT,                     /* application masters hold all they may */
};

/* Several sizes, and some name hosts and racks; each <1024 MiB, 1 vcore>, and some do; or anywhere. */
enum bench_asks { BENCH_MIXED, BENCH_LOCAL, BENCH_PLAIN };

struct bench_options {
    const char *scheduler;              /* "fifo", "capacity", "fair" */
    enum bench_mode mode;
    int64_t nodes, racks, queues, depth, users, apps, containers, types, pairs, seed;
    enum bench_asks asks;
    bool json;
    enum bench_limit limit;             /* not an option: set by the phase that needs it */
};

struct bench_node {
    struct sched_node *handle;
    struct sched_container **live;      /* owned; room for more than ever fit */
    uint32_t count, capacity;
};

#define BENCH_HOSTS 3                   /* how many hosts an ask with locality names */

struct bench_app {
    struct sched_app *handle;
    uint32_t hosts[BENCH_HOSTS];        /* named by the asks that stand */
    bool local;                         /* they name any */
};

struct bench_world {
    struct bench_options options;
    struct rng rng;
    struct sched *sched;
    void *config;                       /* of bench_config_fill, for bench_config_free */
    struct preempt_settings preemption; /* of capacity: rounds look, and change nothing */
    size_t bytes_before;                /* allocated when the scheduler was made */
    struct bench_node *nodes;
    struct bench_app *apps;
    uint32_t *given;                    /* by app: containers since it asked last */
    uint32_t *order;                    /* in which nodes come round */
    size_t next;                        /* whose turn it is in ORDER */
    struct sched_decisions decisions;
    uint64_t checksum, allocated, reserved, preempted, killed;
};

/* Figures; a negative one was not measured (the scheduler has no such thing). */
struct bench_result {
    int64_t containers;                 /* that ran in the full cluster */
    double pairs_per_s, ns_per_pair;
    double allocations_per_s, heartbeats_per_s, heartbeats_idle_per_s;
    double fill_ns_per_container, ask_ns;
    double decision_p50_ns, decision_p99_ns, decision_max_ns;
    double heartbeat_idle_ns, heartbeat_full_ns, heartbeat_blocked_ns;
    double heartbeat_blocked_queue_ns, heartbeat_blocked_user_ns, heartbeat_blocked_am_ns;
    double preemption_round_ms, update_ms, update_all_ms;
    double bytes_per_container, bytes_per_node, bytes_per_app, bytes_per_queue;
    double peak_rss_bytes;
    double reservations;                /* during the churn */
    uint64_t decisions_checksum;
};

/* Fill *RET for OPTIONS. WORLD->config gets what must live as long as the scheduler. */
int bench_config_fill(struct bench_world *world, struct sched_config *ret, struct err *err);
void bench_config_free(struct bench_world *world);
bool bench_config_limits(const char *scheduler, enum bench_limit limit);    /* knows such a limit? */
int64_t bench_config_queue_count(const struct bench_options *options);      /* leaves and parents */
/* The queue that app INDEX goes to. Returns TEXT. */
const char *bench_config_queue(const struct bench_options *options, int64_t index, char text[64]);
int bench_fair_fill(struct bench_world *world, struct sched_config *ret, struct err *err);
const char *bench_fair_queue(const struct bench_options *options, int64_t leaf, char text[64]);

int bench_world_new(const struct bench_options *options, struct bench_world **ret, struct err *err);
void bench_world_free(struct bench_world *world);
void bench_world_add_nodes(struct bench_world *world);
int bench_world_add_apps(struct bench_world *world, struct err *err);
/* Every app states what it wants, far more than there is. */
int bench_world_ask_all(struct bench_world *world, struct err *err);
/* Ask again for those who were given some since. */
int bench_world_renew(struct bench_world *world, uint64_t *asked, struct err *err);
/* Periodic work: the shares of the fair scheduler. */
void bench_world_update(struct bench_world *world);
/* Enter what was decided into the books and the checksum. */
void bench_world_absorb(struct bench_world *world);
void bench_world_heartbeat_next(struct bench_world *world);
/* End one container of the node at INDEX, if it has any. */
bool bench_world_end_one(struct bench_world *world, size_t index);
/* The same of the node whose turn it is. */
bool bench_world_end_next(struct bench_world *world);
/* Heartbeats until nothing more is placed. */
void bench_world_fill(struct bench_world *world);

/* What is named beside memory and vcores, as yarn.resource-types has it; TEXT. */
const char *bench_types_text(const struct bench_options *options, char text[64]);
size_t bench_allocated_bytes(void);     /* of the heap */

int bench_measure(const struct bench_options *options, struct bench_result *ret, struct err *err);

const char *bench_mode_name(enum bench_mode mode);
const char *bench_asks_name(enum bench_asks asks);
void bench_print_text(FILE *out, const struct bench_options *options,
                      const struct bench_result *result);
void bench_print_json(FILE *out, const struct bench_options *options,
                      const struct bench_result *result);
/* One line of a growth table; the head if RESULT is NULL. */
void bench_print_row(FILE *out, const char *what, int64_t size, const struct bench_result *result);

#endif
