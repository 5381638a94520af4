/* SPDX-License-Identifier: Apache-2.0 */
/* sim_machine.h - a node of a world: its agent, its containers and its disk */
#ifndef CREEL_SIM_MACHINE_H
#define CREEL_SIM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <bsd/sys/queue.h>

#include "common/base/id.h"
#include "nm-agent/core/agent.h"

struct sim_am;
struct sim_sender;
struct world;

/* A container on the virtual machine: its files and its process. */
struct machine_container {
    char id[ID_TEXT_MAX];
    uint8_t *record; /* owned; NULL: not saved */
    size_t record_size;
    bool started, running, acked;
    bool warned; /* it got a preemption notice, so after a failure the task runs again */
    int exit_status;
    int64_t started_ms, finished_ms;
    int64_t stop_after_ms; /* the process is stopped after this time without contact to the RM; 0: never */
    uint64_t sent_life;    /* life of the agent to which the exit was reported */
    struct sim_am *am;     /* owned; freed at the end of the world */
    TAILQ_ENTRY(machine_container) link;
};

struct sim_node {
    struct world *world;
    unsigned index;
    char address[32];
    struct resource total;
    struct agent *agent; /* owned; NULL while it is down */
    struct agent_effects effects;
    uint64_t life, lives;
    bool cut, stop_ordered;
    int64_t contact_ms; /* last contact to the RM, as stored by the agent; steady clock */
    int64_t timer_ms;
    TAILQ_HEAD(, machine_container) containers; /* owned */
    char (*past)[ID_TEXT_MAX];                  /* applications that were cleaned up, stored on disk; owned */
    size_t past_count, past_capacity;
    struct sim_am **ams; /* owned: all AMs created so far */
    size_t am_count, am_capacity;
    struct sim_sender *connections;
    size_t connection_count, connection_capacity;
};

enum answer_kind {
    ANSWER_SAVED,
    ANSWER_FETCHED,
    ANSWER_LAUNCHED,
    ANSWER_RUNNING,
    ANSWER_COMMAND_ENDED, /* the command has ended, and the processes that it left have not */
    ANSWER_EXITED
};

#endif
