/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_world.h - simulates a resource manager, agents and a lossy network around the task master
 *
 * The simulation has just enough of the protocol to test the task master. Messages are lost, repeated,
 * delayed and reordered; agents die, the RM is restarted, starts are refused. The world counts the tasks that
 * really ran.
 */
#ifndef CREEL_TESTS_JOB_WORLD_H
#define CREEL_TESTS_JOB_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "client/am/task_master.h"
#include "common/base/rng.h"

#define WORLD_NODES 4

struct world_options {
    uint32_t tasks;
    uint32_t slots;                                 /* containers that run at the same time on a node */
    unsigned lose, repeat, delay;                   /* probability per message, in permille */
    unsigned refuse, node_death, rm_death, preempt; /* probability per occasion, in permille */
    unsigned fail;                                  /* permille of tasks that exit with 3 */
    unsigned over_grant;                            /* permille of grants that the master did not request */
};

struct world_result {
    uint32_t ended_events, done_events;
    uint32_t rm_deaths, node_deaths, refusals;
    int exit_status;
    int64_t ended_ms;
    uint64_t steps;
};

/* Simulates a whole job with SEED. Asserts (cmocka) all invariants after each step. */
struct world_result world_play(const struct world_options *options, uint64_t seed);

#endif
