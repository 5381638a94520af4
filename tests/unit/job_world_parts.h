/* SPDX-License-Identifier: Apache-2.0 */
/* job_world_parts.h - what the agents, the RM and the network of job_world share */
#ifndef CREEL_TESTS_JOB_WORLD_PARTS_H
#define CREEL_TESTS_JOB_WORLD_PARTS_H

#include "tests/unit/job_world.h"

#define BOXES_MAX 60000
#define MESSAGES_MAX 8192

enum { TO_RM = -2, FROM_RM = -1, FROM_AGENT = 100 };    /* 0 and up: to that agent */

/* One container, as its agent and the RM see it. */
struct box {
    uint32_t node;
    int task;                           /* what was started in it; -1: nothing yet */
    bool rm_knows, rm_complete, reported;
    bool started, agent_ended;          /* ended without a start: it will not start any more */
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
    uint32_t box_count, first_open;     /* boxes before it are over everywhere */
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

    uint32_t *running, *succeeded, *ended;      /* by task */
};

/* The network: loses, repeats and delays as the options say. */
void world_send(struct world *world, int route, const Creel__Envelope *envelope);

uint32_t world_box_of_id(const char *id);
char *world_id_of_box(struct arena *arena, uint32_t box);
/* Does TASK exit with 3, wherever it runs? */
bool world_task_fails(const struct world *world, uint32_t task);

/* job_world_agents.c and job_world_rm.c: a tick of the clock, and a message. */
void world_play_nodes(struct world *world);
void world_agent_receives(struct world *world, int node, const Creel__Envelope *envelope);
void world_play_rm(struct world *world);
void world_rm_receives(struct world *world, const Creel__Envelope *envelope);

#endif
