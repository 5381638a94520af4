/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depend.h - dependencies: applications that wait for other applications to start or end
 *
 * The waiting application (the child) owns a dependency. The dependency is on a list of the other application
 * (the parent) until it is met or has failed. Its state is stored with the child, so that the parent may be
 * forgotten. common/base/job/depends.h describes the syntax.
 */
#ifndef CREEL_RM_MASTER_DEPEND_H
#define CREEL_RM_MASTER_DEPEND_H

#include "rm/master/state.h"

/* Adds the dependencies that the job of APP names. -ENOENT: an application is not known. -EINVAL or
 * -EMSGSIZE: the text is invalid (depend_submit.c). */
int rm_depend_submit(struct master *m, struct app *app, struct err *err);
/* Returns the error that rm_depend_submit and rm_corr_submit would return for JOB, and changes nothing.
 * Applications that only the history has, and the tasks of arrays with "corr", are not examined. *WAITS is
 * false if the dependencies are satisfied, so that JOB enters its queue at its submission. */
int rm_depend_judge(struct master *m, const Creel__JobSpec *job, bool *waits, struct err *err);
/* Returns whether PARENT, which the resource manager remembers, satisfies a dependency. */
bool rm_depend_is_met(enum depends_on on, const struct app *parent);
/* The same for the task INDEX of ARRAY, which may wait in the array, or be forgotten. */
bool rm_depend_task_is_met(enum depends_on on, const struct app *array, uint32_t index);
/* Appends a dependency to app->dependencies, which has room for it. PARENT is NULL for a singleton. */
void rm_depend_add(struct master *m, struct app *app, enum depends_on on, struct app *parent);
/* As rm_depend_add, for the task INDEX of ARRAY. Until the task is an application, the dependency is on the
 * list of the array. */
void rm_depend_add_task(struct master *m, struct app *app, enum depends_on on, struct app *array,
                        uint32_t index);
/* As rm_depend_add, for a parent that has been forgotten. */
void rm_depend_add_ended(struct master *m, struct app *app, enum depends_on on,
                         const struct master_ended *parent);
/* rm_depend_recover restores the dependencies of APP from its stored row. rm_depend_connect links them to
 * their parents when all applications are restored. */
int rm_depend_recover(struct app *app, const Creel__StoredApp *row, struct err *err);
void rm_depend_connect(struct master *m, struct app *app);

/* Returns the combined state of the dependencies of APP: MET (APP may enter its queue), WAITS, or FAILED (APP
 * never may). */
enum dependency_state rm_depend_state(const struct app *app);
/* Return what APP waits for, or why its dependencies can never be satisfied, in the step's arena. */
const char *rm_depend_text(struct master *m, const struct app *app);
const char *rm_depend_short(struct master *m, const struct app *app);

/* Returns the tasks that the tasks of APP, an array, wait for: dependencies "corr" (array_corr.h). */
const char *rm_depend_corr_text(struct master *m, const struct app *app);
/* rm_depend_connect_to puts DEPENDENCY on the list of PARENT; rm_depend_met removes it, in state MET. */
void rm_depend_connect_to(struct dependency *dependency, struct app *parent);
void rm_depend_met(struct dependency *dependency);

void rm_depend_on_start(struct master *m, struct app *parent); /* PARENT has begun to run */
/* TASK of ARRAY has become an application. */
void rm_depend_on_task(struct app *array, struct app *task);
/* Tasks of ARRAY have ended that were no applications: they were killed, or cannot run any more. */
void rm_depend_on_unstarted_ends(struct master *m, struct app *array);
void rm_depend_on_end(struct master *m, struct app *parent); /* the result of PARENT is final */
/* Returns whether PARENT, which has ended, may not be forgotten yet: children of it are not informed, or
 * their rows do not have the result. rm_depend_store_children writes such rows, until the work of this step
 * is done. A row has the results of all parents that have ended, so that it is better written for many at a
 * time. */
bool rm_depend_is_needed(const struct app *parent);
void rm_depend_store_children(struct master *m, struct app *parent);
/* Informs the children that earlier steps have left, until the work of this step is done (turns.h). */
void rm_depend_run_turn(struct master *m);
void rm_depend_clear(struct app *app);                  /* removes APP from the lists of its parents */
void rm_depend_free(struct master *m, struct app *app); /* fails the dependencies on APP, too */

/* --- jobs of the same user and name (singleton) ------------------------------- */

void rm_job_name_enter(struct master *m, struct app *app); /* APP has not ended */
void rm_job_name_leave(struct master *m, struct app *app);

#endif
