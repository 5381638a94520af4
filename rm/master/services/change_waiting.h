/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change_waiting.h - changes of an application that waits outside its queue (job_wait.h)
 *
 * A change modifies the application's job, which is checked as at submission. It takes effect when the
 * application enters its queue. rm_waiting_place returns 0, or an error of sched_app_test() with a
 * sentence in ERR; the application is unchanged then.
 */
#ifndef CREEL_RM_MASTER_CHANGE_WAITING_H
#define CREEL_RM_MASTER_CHANGE_WAITING_H

#include "rm/master/state.h"

/* Sets the queue and the priority of the job. NULL: leaves it as it is. */
int rm_waiting_place(struct master *m, struct app *app, const char *queue, const int32_t *priority,
                     struct err *err);
/* Sets the lifetime of the job to the time from now to EXPIRES_MS. 0: removes its lifetime and time limit. */
void rm_waiting_set_lifetime(struct master *m, struct app *app, int64_t expires_ms);
/* Makes the queue in which APP is the queue of its job, so that APP enters the same queue again if it is held
 * and released later. */
void rm_waiting_store_queue(struct app *app);

#endif
