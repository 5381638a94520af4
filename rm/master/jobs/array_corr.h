/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_corr.h - dependencies between the tasks of two arrays ("corr:41", Slurm's aftercorr)
 *
 * The task with an index waits for the task of the other array (the parent) with the same index. The array
 * itself does not wait: it enters its queue and submits the tasks whose parents' tasks have succeeded. A task
 * whose parent's task has failed, or will not run any more, fails without being submitted.
 *
 * A dependency is in state WAITS until its parent has ended and all tasks have been judged by the parent's
 * results, then MET; its WHY names the first task that failed. The tasks for which each task waits are not
 * stored: they follow from the states of the tasks of both arrays.
 *
 * A change of the parent judges no task at once: it lists the arrays that depend on it, with the task or with
 * all tasks, and turns judge them (turns.h). So a step takes no longer if arrays have a million tasks, or
 * thousands of arrays depend on one. While a parent that has ended is on such a list, it is not forgotten.
 */
#ifndef CREEL_RM_MASTER_ARRAY_CORR_H
#define CREEL_RM_MASTER_ARRAY_CORR_H

#include "rm/master/state.h"

#define CORR_MAX 100 /* dependencies "corr" of one array */

/* Checks the dependencies of APP, which was just submitted, and connects them to their parents. -EINVAL: APP
 * or a parent is no array, the parent has no task of an index, or has ended and its tasks are not known.
 * -EMSGSIZE: more than CORR_MAX. */
int rm_corr_submit(struct master *m, struct app *app, struct err *err);
/* The same for an array that was restored. */
void rm_corr_recover(struct master *m, struct app *app);

/* Sets POSITION to that of the next task of ARRAY to submit. Returns false if none may be submitted now. */
bool rm_corr_next(struct job_array *array, uint32_t *position);
/* Returns true if all tasks of ARRAY that have not ended wait for tasks of other arrays. */
bool rm_corr_blocks(struct job_array *array);
/* Returns the first task that failed and that a task of ARRAY waited for: "task 3 of _0041 failed"; NULL:
 * none. */
const char *rm_corr_reason(const struct app *array);

/* Judges tasks that changes of their parents have listed, until the work of the step is done. */
void rm_corr_run_turn(struct master *m);

/* TASK has ended. Ignored unless TASK is one of an array. */
void rm_corr_on_task_end(struct master *m, struct app *task);
/* Waiting tasks of PARENT were killed. */
void rm_corr_on_kill(struct master *m, struct app *parent);
/* The result of PARENT is final. Called before rm_depend_on_end. */
void rm_corr_on_end(struct master *m, struct app *parent);

#endif
