/* SPDX-License-Identifier: Apache-2.0 */
/* job_world_parts.h - interface between the agents, the RM and the network of the simulation job_world */
#ifndef CREEL_TESTS_JOB_WORLD_PARTS_H
#define CREEL_TESTS_JOB_WORLD_PARTS_H

#include "tests/unit/am/job_world.h"

#define BOXES_MAX 60000
#define MESSAGES_MAX 8192

enum { TO_RM = -2, FROM_RM = -1, FROM_AGENT = 100 }; /* 0 and up: to that agent */

/* One container, with the state known to its agent and the state known to the RM. */
struct box {
    uint32_t node;
    int task; /* task started in the container; -1: none yet */
    bool rm_knows, rm_complete, reported;
    bool started, agent_ended; /* agent_ended without started: a start is refused */
    bool release;
    int status;
    int64_t ends_ms;
};

struct message {
    bool used;
    int64_t at_ms;
    int route;
    uint8_t *bytes;
    size_t size;
};

struct world {
    const struct world_options *options;
    struct rng rng;
    int64_t now_ms;
    struct task_master *master;
    struct task_effects effects;
    struct world_result result;

    struct box *boxes;
    uint32_t box_count, first_open; /* index of the first container that has not ended on both sides */
    struct message messages[MESSAGES_MAX];
    size_t message_end;
    bool node_up[WORLD_NODES];
    int64_t node_back_ms[WORLD_NODES];

    bool rm_up, registered;
    uint32_t rm_epoch;
    int64_t rm_back_ms, rm_recovered_ms;
    int64_t wanted, response_id;
    uint8_t *last_reply;
    size_t last_reply_size;

    uint32_t *running, *succeeded, *ended; /* number of containers, by task */
};

/* Sends ENVELOPE over the network, which loses, repeats and delays messages as the options say. */
void world_send(struct world *world, int route, const Creel__Envelope *envelope);

uint32_t world_box_of_id(const char *id);
char *world_id_of_box(struct arena *arena, uint32_t box);
/* Returns whether every container of TASK exits with 3. */
bool world_task_fails(const struct world *world, uint32_t task);

/* Advance the agents or the RM by one clock tick, or deliver a message (job_world_agents.c,
 * job_world_rm.c). */
void world_play_nodes(struct world *world);
void world_agent_receives(struct world *world, int node, const Creel__Envelope *envelope);
void world_play_rm(struct world *world);
void world_rm_receives(struct world *world, const Creel__Envelope *envelope);

#endif
