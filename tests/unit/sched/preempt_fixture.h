/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt_fixture.h - fixture: a small cluster of queues, apps and containers for the preemption policy
 *
 * Built by hand (fixture_queue, fixture_app, fixture_containers: parents before children, then apps, then
 * containers) or from a random seed. The fixture serves as the policy's snapshot and as its source of
 * containers.
 */
#ifndef CREEL_TESTS_PREEMPT_FIXTURE_H
#define CREEL_TESTS_PREEMPT_FIXTURE_H

#include "common/base/rng.h"
#include "rm/sched/preempt/preempt.h"

#define FIXTURE_QUEUES 64
#define FIXTURE_APPS 256
#define FIXTURE_CONTAINERS 8192
#define FIXTURE_PARTITIONS 3
#define FIXTURE_NODES 64

struct fixture_app {
    uint32_t leaf, user;
    int32_t priority;
    struct resource pending;
    bool waits;
};

struct fixture_container {
    struct preempt_container container;
    struct resource size, growth; /* GROWTH: its pending increase; zero: none */
    uint32_t app, node;
    bool gone;
    bool borrows; /* requested without a label, runs on a labelled node */
};

struct fixture_node {
    struct resource available;
    uint32_t partition;
};

struct fixture {
    struct resource partitions[FIXTURE_PARTITIONS];
    struct preempt_queue queues[FIXTURE_QUEUES];
    struct preempt_figures figures[FIXTURE_PARTITIONS * FIXTURE_QUEUES];
    struct resource user_limits[FIXTURE_QUEUES];
    struct fixture_app apps[FIXTURE_APPS];
    struct fixture_container containers[FIXTURE_CONTAINERS];
    struct fixture_node nodes[FIXTURE_NODES];
    uint32_t queue_count, app_count, container_count, node_count, partition_count;
    struct preempt_settings settings;
    struct preempt_snapshot snapshot;
    size_t leaf_fetches; /* number of times that the policy read the apps of a leaf */
};

/* Returns an empty cluster: one partition of TOTAL and the root queue. The limit per round is 100 %,
 * without damping. */
struct fixture *fixture_new(struct resource total);
void fixture_free(struct fixture *fixture);
/* Adds a queue: a leaf until a child is added. GUARANTEED_MB applies to the unlabelled partition. */
uint32_t fixture_queue(struct fixture *fixture, uint32_t parent, int64_t guaranteed_mb);
uint32_t fixture_app(struct fixture *fixture, uint32_t leaf, uint32_t user, int32_t priority,
                     int64_t pending_mb);
/* Adds COUNT containers of MB and one vcore. Returns the index of the first container. */
uint32_t fixture_containers(struct fixture *fixture, uint32_t app, uint32_t count, int64_t mb);
/* Sums up used and pending amounts of the queues (all pending requests, without user limits). */
void fixture_sum_up(struct fixture *fixture);
/* Returns a random tree with apps and containers. */
struct fixture *fixture_random(struct rng *rng, bool dominant);

/* Returns a random cluster with all features on and unusual factors. */
struct fixture *fixture_drawn(uint64_t seed);
/* Has some containers of a random cluster request more on their nodes. */
void fixture_add_increases(struct fixture *fixture, uint64_t seed);
/* Adds a third type, of which the cluster has few: some containers and requests need it, the guarantees of
 * many queues come to 0. The calculator is the dominant one. */
void fixture_add_gpus(struct fixture *fixture, uint64_t seed);
/* Runs a round of a new policy. The caller frees the items. */
struct preempt_marks fixture_first_round(struct fixture *fixture);

/* Returns the number of marks of ACT on containers of LEAF. */
size_t fixture_count(const struct preempt_marks *marks, enum preempt_act act, uint32_t leaf);

#endif
