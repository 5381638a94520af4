/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eligible.h - applications enter their queues: at once, or when what they wait for has come
 *
 * job_wait.h has what an application may wait for. Its lifetime counts from when it enters its queue.
 */
#ifndef CREEL_RM_MASTER_ELIGIBLE_H
#define CREEL_RM_MASTER_ELIGIBLE_H

#include "rm/master/state.h"

/* A submission: APP enters its queue, or has to wait (app->sched stays NULL then). Refused as by
 * sched_app_add(). */
int rm_eligible_submit(struct master *m, struct app *app, struct err *err);
/* APP enters its queue now. Refused as by sched_app_add(). */
int rm_eligible_enter(struct master *m, struct app *app, struct err *err);
/* app->look has come: of one that waits, or of an array. */
void rm_eligible_on_timer(struct master *m, struct app *app);

#endif
