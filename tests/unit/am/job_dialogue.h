/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_dialogue.h - plays the RM and the agents in a message-by-message dialogue with the task master
 *
 * Each step gives the task master one message or event; the effects stay in script->effects until the next
 * step. A missing expected effect fails the test (cmocka).
 */
#ifndef CREEL_TESTS_JOB_DIALOGUE_H
#define CREEL_TESTS_JOB_DIALOGUE_H

#include "client/am/task_master.h"

struct script {
    struct task_master *master;
    struct task_effects effects;
    int64_t now_ms;
    uint64_t request_id, response_id; /* of the last request to the RM */
    uint32_t next;                    /* number of the next container */
    bool elsewhere;                   /* of the end that script_allocated reports: retry_elsewhere */
    bool restores;                    /* the node of containers that script_allocated grants restores texts */
    uint32_t cluster_nodes;           /* of AllocateReply */
    char *title;                      /* of the container that script_registered_with lists; NULL: "" */
};

/* Begins a job of TASKS tasks of the command "work" and starts the task master. */
void script_begin(struct script *script, uint32_t tasks, const struct task_options *options);
/* The same for a job in which task TASK, or ALL tasks, read standard input. */
struct script_input {
    bool none, all;
    uint32_t task;
    bool escaped;    /* LaunchContext.escaped */
    bool no_requeue; /* JobSpec.no_requeue */
};
void script_begin_input(struct script *script, uint32_t tasks, const struct task_options *options,
                        const struct script_input *input);
void script_end(struct script *script);

/* Begins a job of one task, grants its container and accepts the start. */
void script_run_one(struct script *script, const struct task_options *options);

/* Returns the only effect of KIND in the last step, or NULL. */
const struct task_effect *script_only(const struct script *script, enum task_effect_kind kind);
/* Returns the first event of KIND in the last step, or NULL. */
const struct task_event *script_event(const struct script *script, enum task_event_kind kind);
/* Returns the message with the body BODY that was sent to the RM in the last step. */
const Creel__Envelope *script_sent(struct script *script, Creel__Envelope__BodyCase body);

/* One step: the clock shows NOW_MS, or a message from the RM arrives. */
void script_wait_until(struct script *script, int64_t now_ms);
void script_hear(struct script *script, Creel__Envelope *envelope);
void script_registered(struct script *script);
/* The registration reply also lists container NUMBER as running (0: none), with TOKEN unless NULL. */
void script_registered_with(struct script *script, uint32_t number, const char *token);
void script_error(struct script *script, Creel__ErrorCode code, const char *text);
/* An AllocateReply: GRANTS new containers, and the end of container ENDED (0: none) with exit status
 * STATUS. */
void script_allocated(struct script *script, uint32_t grants, uint32_t ended, int status, const char *words);
/* Checks that the master sent an Allocate in the last step, and answers it as script_allocated does. */
void script_exchange(struct script *script, uint32_t grants, uint32_t ended, int status, const char *words);
void script_finished(struct script *script);
/* One step: the agent answers the start of container NUMBER, with ERROR unless NULL. */
void script_started(struct script *script, uint32_t number, Creel__Error *error);

#endif
