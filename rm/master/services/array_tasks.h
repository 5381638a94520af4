/* SPDX-License-Identifier: Apache-2.0 */
/* array_tasks.h - submits the tasks of a job array, and ends the array after its last task */
#ifndef CREEL_RM_MASTER_ARRAY_TASKS_H
#define CREEL_RM_MASTER_ARRAY_TASKS_H

#include "rm/master/state.h"

/* Submits as many tasks of ARRAY (in state TASKS) as its limits allow, forgets the oldest ended tasks, and
 * ends ARRAY if all of its tasks have ended. */
void rm_array_step(struct master *m, struct app *array);
/* Stores ARRAY, which has not ended, and forgets some of its tasks that ended first: at least one, if one can
 * be forgotten. */
void rm_array_forget_oldest(struct master *m, struct app *array);
/* Kills the tasks with the indexes of SPEC, for the reason WHY; waiting tasks count as failed and never run.
 * Returns the number of these tasks that had not ended. */
uint32_t rm_array_kill_tasks(struct master *m, struct app *array, const struct array_spec *spec,
                             const char *why);

#endif
