/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storm.h - random events for one scheduler core, which is audited after each event
 *
 * A storm does not compare decisions with a reference implementation (the duel tests do). It checks
 * consistency: sums are correct, no node is allocated more than its total, nothing is placed on a closed
 * node or for a removed application, no KILL precedes the deadline of its PREEMPT, removed objects leave
 * nothing behind, and the capacity scheduler preempts containers only for a request (preempt_audit.h). The
 * capacity scheduler must also make the same decisions without the shortcuts of its index. The seed
 * determines the configuration (for capacity with labels, refreshes and rounds of preemption) and the events.
 * Storms of odd seeds are scarce: the cluster has few vcores, some queues are so small that their guarantee
 * has none, and from time to time only one queue asks.
 */
#ifndef CREEL_SIM_STORM_H
#define CREEL_SIM_STORM_H

#include <stdint.h>
#include <stdio.h>

#include "common/base/err.h"
#include "common/base/rng.h"
#include "rm/sched/sched.h"

#define STORM_EVENTS 1000
#define STORM_THIRD_MAX 4 /* maximum of the third resource type in one request */
#define STORM_LABELS 3    /* "", "gpu" (exclusive), "spot" (shared) */

struct storm_count {
    uint64_t allocated, reserved, preempted, killed, refused, refreshed, resized;
};

/* Runs one seed of SCHEDULER. Writes every event of the first run to STORY (may be NULL). -EINVAL: ERR has
 * the event and the error. */
int storm_run(const char *scheduler, uint64_t seed, FILE *story, struct storm_count *count, struct err *err);

const char *storm_label(unsigned index);

/* Random configurations; each lives as long as the scheduler that uses it. */
struct storm_config;
/* What the queues of the capacity scheduler are like: the configurations of one storm have one shape. */
enum storm_shape {
    STORM_PERCENT, /* percentages */
    STORM_BY_TYPE, /* amounts, percentages and weights side by side, also by type */
    STORM_DYNAMIC, /* weights; submissions create queues, which end when they have been empty for a time */
    STORM_MANAGED, /* submissions create queues below managed parents */
};
/* SCARCE: dominant calculator, and small queues, whose guarantees come to 0 of some types. */
struct storm_config *storm_config_new(bool scarce, enum storm_shape shape);
/* Fills *RET for SCHEDULER. For capacity, each call makes a new configuration of the same queues. */
int storm_config_fill(struct storm_config *config, const char *scheduler, struct rng *rng,
                      struct sched_config *ret, struct err *err);
void storm_config_free(struct storm_config *config);
/* Returns a queue for a submission at random: the path of a leaf, which may not exist yet, or "default". */
const char *storm_config_leaf(const struct storm_config *config, struct rng *rng);
/* Returns the path of a random queue, parents included. */
const char *storm_config_queue(const struct storm_config *config, struct rng *rng);

#endif
