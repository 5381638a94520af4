/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_world.h - a resource manager, agents and a network, all pretended
 *
 * Just enough of the protocol to judge the task master: messages are lost,
 * repeated, delayed and overtaken; agents die, the RM is restarted, starts are
 * refused. The world counts what really ran.
 */
#ifndef CREEL_TESTS_JOB_WORLD_H
#define CREEL_TESTS_JOB_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "client/master/task_master.h"
#include "common/base/rng.h"

#define WORLD_NODES 4

struct world_options {
    uint32_t tasks;
    uint32_t slots;                     /* containers at once on a node */
    unsigned lose, repeat, delay;       /* permille of messages */
    unsigned refuse, node_death, rm_death, preempt;     /* permille of occasions */
    unsigned fail;                      /* permille of tasks that exit with 3 */
    unsigned over_grant;                /* permille of grants that nobody asked for */
};

struct world_result {
    uint32_t ended_events, done_events;
    uint32_t rm_deaths, node_deaths, refusals;
    int exit_status;
    int64_t ended_ms;
    uint64_t steps;
};

/* Play a whole job with SEED; asserts (cmocka) all that must hold on the way. */
struct world_result world_play(const struct world_options *options, uint64_t seed);

#endif
