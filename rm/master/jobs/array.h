/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array.h - job arrays: an array is an application, and each of its tasks becomes an application, too
 *
 * An array itself is in no queue. array_tasks.c submits its tasks in ascending order of their indexes, up to
 * the limit of live tasks. This file keeps the states of the tasks and updates them when a task starts or
 * ends. The states of all tasks, two bits each, are stored in the row of the array. A task that is live, or
 * has ended and is remembered, has a row of its own; after a restart that row takes precedence over the two
 * bits. Before the row of an ended task is deleted, the row of the array is stored. So no restart loses a
 * task or runs a task twice.
 */
#ifndef CREEL_RM_MASTER_ARRAY_H
#define CREEL_RM_MASTER_ARRAY_H

#include "rm/master/state.h"

/* Makes APP an array if its job has array indexes. -EINVAL or -EMSGSIZE: these are invalid. */
int rm_array_new(struct app *app, struct err *err);
void rm_array_free(struct master *m, struct app *app); /* APP may be an array, a task or neither */
/* Adds the application TASK to ARRAY as the task at POSITION, in state STATE. */
void rm_array_add_task(struct app *array, struct app *task, uint32_t position, enum array_task state);
/* Restores the array data of APP, an array or a task, from its stored ROW. */
int rm_array_recover(struct master *m, struct app *app, const Creel__StoredApp *row, struct err *err);

void rm_array_set(struct app *array, uint32_t position, enum array_task state);
void rm_array_count(struct app *array); /* after array_states_set: as rm_array_set, for many tasks */
/* Returns true if ARRAY submits no further tasks because of the number of failed tasks
 * (stop_after_failures). */
bool rm_array_is_stopped(const struct app *array);
uint32_t rm_array_failed(const struct app *array); /* number of tasks that failed, without killed ones */
bool rm_array_is_over(const struct app *array);    /* true if no task is live and none will be
                                                   submitted */
/* Returns the counts as text, in the step's arena: "40 of 1000 tasks run, 812 wait, 3 failed". */
const char *rm_array_text(struct master *m, const struct app *array);

void rm_array_on_task_start(struct master *m, struct app *task); /* these two ignore applications that are
                                                                    no task */
void rm_array_on_task_end(struct master *m, struct app *task);

#endif
