/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array.h - arrays: applications whose tasks are applications of their own
 *
 * An array is in no queue. It submits its tasks (array_tasks.c), as many at a time as it may, in the order of
 * their indexes; what a task's end means to it is here. The states of all tasks are two bits each, stored
 * with the array. A task that is live, or has ended and is remembered, has a row of its own, which counts
 * instead; before such a row is forgotten the array is stored. So after a restart no task is lost, and
 * none runs twice.
 */
#ifndef CREEL_RM_MASTER_ARRAY_H
#define CREEL_RM_MASTER_ARRAY_H

#include "rm/master/state.h"

/* APP is an array as its job says. -EINVAL, -EMSGSIZE: it makes no sense. */
int rm_array_new(struct app *app, struct err *err);
void rm_array_free(struct master *m, struct app *app);      /* APP may be an array, a task or neither */
/* TASK is the task at POSITION of ARRAY, in state STATE. */
void rm_array_add_task(struct app *array, struct app *task, uint32_t position, enum array_task state);
/* From the store: ROW belongs to APP, an array or a task. */
int rm_array_recover(struct master *m, struct app *app, const Creel__StoredApp *row, struct err *err);

void rm_array_set(struct app *array, uint32_t position, enum array_task state);
/* It begins no further task, since so many failed. */
bool rm_array_is_stopped(const struct app *array);
bool rm_array_is_over(const struct app *array);             /* no task is live, and none will be */
/* "812 of 1000 tasks wait, 3 failed", in the step's arena */
const char *rm_array_text(struct master *m, const struct app *array);

void rm_array_on_task_start(struct master *m, struct app *task);    /* these do nothing for what is no task */
void rm_array_on_task_end(struct master *m, struct app *task);

#endif
