/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storm.h - random events for one scheduler core, audited after each event
 *
 * No reference knows what should be decided (the tests' duel has one). A storm checks that nothing
 * contradicts itself: sums add up, no node is given more than it has, nothing is placed on a closed node or
 * for an application that is gone, KILL follows its PREEMPT, and what is removed leaves nothing behind. The
 * capacity scheduler must also decide and count the same without the shortcuts of its index. The seed
 * determines the configuration (for capacity with labels, refreshes and rounds of preemption) and the events.
 */
#ifndef CREEL_SIM_STORM_H
#define CREEL_SIM_STORM_H

#include <stdint.h>
#include <stdio.h>

#include "common/base/err.h"
#include "common/base/rng.h"
#include "rm/sched/sched.h"

#define STORM_EVENTS 1000
#define STORM_THIRD_MAX 4               /* of a third type of resource, in one request */
#define STORM_LABELS 3                  /* "", "gpu" (exclusive), "spot" (shared) */

struct storm_count {
    uint64_t allocated, reserved, preempted, killed, refused, refreshed;
};

/* Run one seed of SCHEDULER. 0, or -EINVAL: ERR has the event and what was wrong. STORY (may be NULL) gets
 * every event. */
int storm_run(const char *scheduler, uint64_t seed, FILE *story, struct storm_count *count,
              struct err *err);

const char *storm_label(unsigned index);

/* Configurations as random as the rest; each lives as long as the scheduler that has it. */
struct storm_config;
struct storm_config *storm_config_new(void);
/* Fill *RET for SCHEDULER. Of capacity a new configuration, of the same queues, each time. */
int storm_config_fill(struct storm_config *config, const char *scheduler, struct rng *rng,
                      struct sched_config *ret, struct err *err);
void storm_config_free(struct storm_config *config);
/* A random leaf's path. */
const char *storm_config_leaf(struct rng *rng);
/* A random queue's, parents too. */
const char *storm_config_queue(struct rng *rng);

#endif
