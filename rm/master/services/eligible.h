/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eligible.h - enters applications into their queues: at submission, or when they wait for nothing any more
 *
 * job_wait.h lists the reasons for which an application waits outside its queue. The lifetime of an
 * application begins when it enters its queue.
 */
#ifndef CREEL_RM_MASTER_ELIGIBLE_H
#define CREEL_RM_MASTER_ELIGIBLE_H

#include "rm/master/state.h"

/* Handles the submission of APP: APP enters its queue, or waits outside (app->sched is NULL then). Errors as
 * of sched_app_add(), rm_depend_submit and rm_array_new. */
int rm_eligible_submit(struct master *m, struct app *app, struct err *err);
/* Enters APP into its queue now. Errors as of sched_app_add(). */
int rm_eligible_enter(struct master *m, struct app *app, struct err *err);
/* Handles the timer app->recheck. Does nothing if APP does not wait outside its queue. */
void rm_eligible_on_timer(struct master *m, struct app *app);

#endif
