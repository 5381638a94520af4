/* SPDX-License-Identifier: Apache-2.0 */
/* agent_fixture.h - fixture: the node agent's core without processes or sockets, with helpers to send
 * events */
#ifndef CREEL_TEST_AGENT_FIXTURE_H
#define CREEL_TEST_AGENT_FIXTURE_H

#include "nm-agent/core/agent.h"

#define NODE "n1:8041"
#define APP "application_1700000000000_0001"
#define SESSION 10
#define TOKEN "token" /* AM token in start orders for first containers */
#define CONTAINER(n) "container_1700000000000_0001_01_00000" #n

struct fixture {
    struct agent *agent;
    struct agent_effects effects; /* effects of the newest event */
    struct agent_time now;
    int64_t rm_offset_ms;    /* RM's clock minus the monotonic clock, in ms; 0: the RM sends no
                             time */
    bool state_lost;         /* the next agent starts with a new state directory */
    uint64_t session;        /* session that the RM has given the agent */
    const char *user;        /* of the containers that fixture_ask starts; NULL: ann */
    const char *file;        /* name of the file of fixture_ask; NULL: data */
    const char *stop_reason; /* of fixture_order_stop; NULL: why */
    const char *variable[2]; /* of the job of fixture_order_start: name and value; NULL: none */
    int64_t expires_ms;      /* expiry time of AM grants on the RM's clock, ms; 0: ten minutes
                             from now, node clock */
};

void fixture_init(struct fixture *fixture, int64_t memory_mb);
void fixture_done(struct fixture *fixture);
/* For cmocka: *STATE is a fixture of 4096 MB until the tear-down; the second function also registers the
 * agent as SESSION. */
int fixture_set_up(void **state);
int fixture_set_up_registered(void **state);
int fixture_tear_down(void **state);
/* Replaces the agent by a new agent. Frees all memory of the old agent. */
void fixture_restart(struct fixture *fixture, int64_t memory_mb);

/* Returns the only effect of KIND. The test fails if there is no such effect or more than one. */
const struct agent_effect *fixture_one(struct fixture *fixture, enum agent_effect_kind kind);
size_t fixture_count(const struct fixture *fixture, enum agent_effect_kind kind);

/* Each of these functions clears the effects, then sends one event to the agent (time passes, start, ...). */
void fixture_step(struct fixture *fixture);
void fixture_wait(struct fixture *fixture, int64_t ms);
void fixture_start(struct fixture *fixture);
/* Starts the agent, answers the registration with SESSION, and acknowledges the first heartbeat. */
void fixture_register(struct fixture *fixture, uint64_t session);
void fixture_reply_register(struct fixture *fixture, uint64_t request_id, uint64_t session,
                            Creel__NodeAction action, const char *diagnostics);
void fixture_reply_heartbeat(struct fixture *fixture, uint64_t request_id, uint64_t acked_seq,
                             Creel__NodeAction action);
void fixture_push(struct fixture *fixture, Creel__NodeOrders *orders);
/* Runs timers until the next SEND effect and returns the message. The test fails if none follows within 20
 * s. */
const Creel__Envelope *fixture_next_send(struct fixture *fixture);

/* An AM starts one container with a file whose 32 hash bytes all are HASH (0: without a file). */
void fixture_ask(struct fixture *fixture, const char *container_id, int64_t memory_mb, uint8_t hash);
void fixture_saved(struct fixture *fixture, const char *container_id, int code);
void fixture_launched(struct fixture *fixture, const char *container_id, int code);
void fixture_running(struct fixture *fixture, const char *container_id);
void fixture_exited(struct fixture *fixture, const char *container_id, int exit_status);
/* Like fixture_exited, for an exit at FINISHED_MS that the agent detects later. */
void fixture_exited_at(struct fixture *fixture, const char *container_id, int exit_status,
                       int64_t finished_ms);
void fixture_ask_stop(struct fixture *fixture, const char *container_id);
/* Runs fixture_ask, fixture_saved, fixture_launched and fixture_running. */
void fixture_run(struct fixture *fixture, const char *container_id, int64_t memory_mb);

/* Returns the status of CONTAINER_ID in the next heartbeat (NULL: none), which is acknowledged if ACK. */
const Creel__ContainerStatus *fixture_status(struct fixture *fixture, const char *container_id, bool ack);
const Creel__ContainerStatus *fixture_find_status(Creel__ContainerStatus *const *statuses, size_t count,
                                                  const char *container_id);
/* Returns the error in the only result of the only reply; NULL: accepted. */
const Creel__Error *fixture_answer(struct fixture *f);

/* The RM pushes an order: start the first container CONTAINER(1), with or without a job for the built-in
 * AM; stop a container; clean up an application. */
void fixture_order_start(struct fixture *f, uint64_t session, int64_t memory_mb, bool job);
void fixture_order_stop(struct fixture *f, const char *container_id, int exit_status);
/* Like fixture_order_stop, without a grace period. */
void fixture_order_kill(struct fixture *f, const char *container_id, int exit_status);
void fixture_order_finished(struct fixture *f, const char *app_id);

/* Returns whether the environment has ENTRY, in the form "NAME=value". */
bool fixture_has_variable(const struct launch *plan, const char *entry);
/* Checks the agent's invariants with agent_check; the test fails if one is violated. */
void fixture_check(const struct fixture *fixture);

#endif
