/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_dialogue.h - the RM's and the agents' part of a dialogue with the task master
 *
 * One step is one thing that the master hears; its effects stay in script->effects
 * until the next. What is expected and does not come fails the test (cmocka).
 */
#ifndef CREEL_TESTS_JOB_DIALOGUE_H
#define CREEL_TESTS_JOB_DIALOGUE_H

#include "client/master/task_master.h"

struct script {
    struct task_master *master;
    struct task_effects effects;
    int64_t now_ms;
    uint64_t request_id, response_id;   /* of what was sent to the RM last */
    uint32_t next;                      /* container number */
};

/* A job of TASKS tasks of the command "work", and its start. */
void script_begin(struct script *script, uint32_t tasks, const struct task_options *options);
void script_end(struct script *script);

/* One task, its container granted and its start accepted. */
void script_run_one(struct script *script, const struct task_options *options);

/* The only effect of KIND in the last step, or NULL. */
const struct task_effect *script_only(const struct script *script, enum task_effect_kind kind);
/* The first event of KIND in the last step, or NULL. */
const struct task_event *script_event(const struct script *script, enum task_event_kind kind);
/* What was sent to the RM in the last step: BODY. */
const Creel__Envelope *script_sent(struct script *script, Creel__Envelope__BodyCase body);

/* A step: the clock shows NOW_MS, or the master hears from the RM. */
void script_wait_until(struct script *script, int64_t now_ms);
void script_hear(struct script *script, Creel__Envelope *envelope);
void script_registered(struct script *script);
/* The RM also names container NUMBER as running (0: none), with TOKEN unless it is NULL. */
void script_registered_with(struct script *script, uint32_t number, const char *token);
void script_error(struct script *script, Creel__ErrorCode code, const char *text);
/* An AllocateReply: GRANTS new containers, and the end of ENDED (0: none) with STATUS. */
void script_allocated(struct script *script, uint32_t grants, uint32_t ended, int status,
                      const char *words);
/* The master sent an Allocate in the last step, and hears that reply. */
void script_exchange(struct script *script, uint32_t grants, uint32_t ended, int status, const char *words);
void script_finished(struct script *script);
/* A step: the agent answers the start of container NUMBER, with ERROR unless NULL. */
void script_started(struct script *script, uint32_t number, Creel__Error *error);

#endif
