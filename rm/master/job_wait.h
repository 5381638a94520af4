/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_wait.h - what keeps an application out of the queues: holds, and a time to begin
 *
 * An application that waits for one of these is no application of the scheduler yet (APP_STATE_WAITING), and
 * costs it nothing. Each change that may end the wait sets app->look; when that deadline comes, eligible.h
 * looks whether the application may enter its queue.
 *
 * Texts are in the step's arena.
 */
#ifndef CREEL_RM_MASTER_JOB_WAIT_H
#define CREEL_RM_MASTER_JOB_WAIT_H

#include "rm/master/state.h"

enum job_wait {
    JOB_WAIT_NONE,
    JOB_WAIT_HELD,
    JOB_WAIT_BEGIN,                     /* until job->begin_ms */
    JOB_WAIT_DEPENDENCY,                /* depend.h */
    JOB_WAIT_NEVER,                     /* the same, and it can never be met */
    JOB_WAIT_QUEUE,                     /* its queue refused it for now: app->refusal */
};

/* The first reason for which APP may not enter its queue now. */
enum job_wait rm_job_wait(const struct master *m, const struct app *app);
const char *rm_job_wait_code(const struct app *app, enum job_wait wait);       /* "Held", "BeginTime" */
const char *rm_job_wait_text(struct master *m, const struct app *app, enum job_wait wait);
const char *rm_job_wait_short(struct master *m, const struct app *app, enum job_wait wait);

/* Look again at AT_MS whether APP may enter its queue. */
void rm_job_look(struct master *m, struct app *app, int64_t at_ms);

/* --- holds ------------------------------------------------------------------ */

/* A user has one hold on an application at most: a further one changes its reason. REASON may be empty. */
void rm_hold_add(struct app *app, const char *by, bool administrator, const char *reason, int64_t since_ms);
void rm_hold_remove(struct app *app, size_t index);
void rm_holds_free(struct app *app);

#endif
