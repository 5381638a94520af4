/* SPDX-License-Identifier: Apache-2.0 */
/* agent_fixture.h - an agent's core in a test's hands, and short ways to talk to it */
#ifndef CREEL_TEST_AGENT_FIXTURE_H
#define CREEL_TEST_AGENT_FIXTURE_H

#include "nm-agent/core/agent.h"

#define NODE "n1:8041"
#define APP "application_1700000000000_0001"
#define SESSION 10
#define TOKEN "token"               /* of first containers that are ordered */
#define CONTAINER(n) "container_1700000000000_0001_01_00000" #n

struct fixture {
    struct agent *agent;
    struct agent_effects effects;       /* of the newest event */
    struct agent_time now;
    int64_t rm_offset_ms;               /* the RM's clock minus the steady one; 0: it tells no time */
    bool state_lost;                    /* the next agent begins with a new state directory */
    uint64_t session;                   /* of the RM, when it granted that */
    int64_t expires_ms;                 /* of what AMs ask for, by the RM; 0: in ten minutes by the node */
};

void fixture_init(struct fixture *fixture, int64_t memory_mb);
void fixture_done(struct fixture *fixture);
/* For cmocka: *STATE is a fixture of 4096 MB, also one that is registered as SESSION, until the tear-down. */
int fixture_set_up(void **state);
int fixture_set_up_registered(void **state);
int fixture_tear_down(void **state);
/* A new agent in place of the old one, which leaves nothing but the caller's memory. */
void fixture_restart(struct fixture *fixture, int64_t memory_mb);

/* The only effect of KIND, failing if there are none or several. */
const struct agent_effect *fixture_one(struct fixture *fixture, enum agent_effect_kind kind);
size_t fixture_count(const struct fixture *fixture, enum agent_effect_kind kind);

/* Forget the effects, let time pass, and so on: each resets the effects first. */
void fixture_step(struct fixture *fixture);
void fixture_wait(struct fixture *fixture, int64_t ms);
void fixture_start(struct fixture *fixture);
/* Start, answer the registration as SESSION, take the first heartbeat and acknowledge it. */
void fixture_register(struct fixture *fixture, uint64_t session);
void fixture_reply_register(struct fixture *fixture, uint64_t request_id, uint64_t session,
                            Creel__NodeAction action, const char *diagnostics);
void fixture_reply_heartbeat(struct fixture *fixture, uint64_t request_id, uint64_t acked_seq,
                             Creel__NodeAction action);
void fixture_push(struct fixture *fixture, Creel__NodeOrders *orders);
/* Run timers until the next SEND and return it; fails if none comes within 20 s. */
const Creel__Envelope *fixture_next_send(struct fixture *fixture);

/* An AM asks for one container, with a file of 32 bytes HASH (0: without one). */
void fixture_ask(struct fixture *fixture, const char *container_id, int64_t memory_mb,
                 uint8_t hash);
void fixture_saved(struct fixture *fixture, const char *container_id, int code);
void fixture_launched(struct fixture *fixture, const char *container_id, int code);
void fixture_running(struct fixture *fixture, const char *container_id);
void fixture_exited(struct fixture *fixture, const char *container_id, int exit_status);
/* The same where the exit is noticed after FINISHED_MS. */
void fixture_exited_at(struct fixture *fixture, const char *container_id, int exit_status,
                       int64_t finished_ms);
void fixture_ask_stop(struct fixture *fixture, const char *container_id);
/* ask, saved, launched, running */
void fixture_run(struct fixture *fixture, const char *container_id, int64_t memory_mb);

/* What the next heartbeat reports of CONTAINER_ID (NULL: nothing); it is acknowledged if ACK. */
const Creel__ContainerStatus *fixture_status(struct fixture *fixture, const char *container_id,
                                             bool ack);
const Creel__ContainerStatus *fixture_find_status(Creel__ContainerStatus *const *statuses,
                                                  size_t count, const char *container_id);
/* The error of the only result of the only reply, NULL: accepted. */
const Creel__Error *fixture_answer(struct fixture *f);

/* Pushed by the RM: the first container CONTAINER(1), with or without a built-in AM's job;
 * a stop; the end of an application. */
void fixture_order_start(struct fixture *f, uint64_t session, int64_t memory_mb, bool job);
void fixture_order_stop(struct fixture *f, const char *container_id, int exit_status);
/* The same, at once. */
void fixture_order_kill(struct fixture *f, const char *container_id, int exit_status);
void fixture_order_finished(struct fixture *f, const char *app_id);

/* Whether the environment has ENTRY, "NAME=value". */
bool fixture_has_variable(const struct launch *plan, const char *entry);
/* agent_check, as a test. */
void fixture_check(const struct fixture *fixture);

#endif
