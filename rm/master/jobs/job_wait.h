/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_wait.h - the reasons for which an application waits outside its queue: holds, begin time, dependencies
 *
 * An application that waits for one of these reasons (APP_STATE_WAITING) is not known to the scheduler and
 * costs it no time. Each change that may end the wait sets the timer app->recheck (rm_job_check_at). When the
 * timer fires, eligible.c checks whether the application may enter its queue.
 *
 * Texts are allocated in the step's arena.
 */
#ifndef CREEL_RM_MASTER_JOB_WAIT_H
#define CREEL_RM_MASTER_JOB_WAIT_H

#include "rm/master/state.h"

enum job_wait {
    JOB_WAIT_NONE,
    JOB_WAIT_HELD,
    JOB_WAIT_BEGIN,      /* until job->begin_ms */
    JOB_WAIT_DEPENDENCY, /* depend.h */
    JOB_WAIT_NEVER,      /* a dependency that can never be satisfied */
    JOB_WAIT_QUEUE,      /* the queue refused the application for now: app->refusal */
};

/* Returns the first reason for which APP may not enter its queue now. */
enum job_wait rm_job_wait(const struct master *m, const struct app *app);
const char *rm_job_wait_code(const struct app *app, enum job_wait wait); /* "Held", "BeginTime" */
const char *rm_job_wait_text(struct master *m, const struct app *app, enum job_wait wait);
const char *rm_job_wait_short(struct master *m, const struct app *app, enum job_wait wait);

/* Begin times and deadlines of jobs are times of the wall clock, which may be ahead of or behind m->now_ms,
 * on which timers run. */
static inline int64_t rm_job_wall_ms(const struct master *m)
{
    return m->now_ms + m->wall_ahead_ms;
}

/* Sets or clears the timer of job->deadline_ms of APP. */
void rm_job_set_deadline(struct master *m, struct app *app);
/* Checks the begin times and deadlines of all applications again, after the wall clock was set. */
void rm_job_wall_set(struct master *m);

/* --- holds ------------------------------------------------------------------ */

/* Adds a hold of the user BY. A user has at most one hold on an application: if BY has one, only its reason
 * and kind change. REASON may be empty. Returns the hold if it is new or its reason changed, else NULL. */
const struct hold *rm_hold_add(struct app *app, const char *by, bool administrator, const char *reason,
                               int64_t since_ms);
void rm_hold_remove(struct app *app, size_t index);
void rm_holds_free(struct app *app);

#endif
