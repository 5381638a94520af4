/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depend.h - applications that wait for others
 *
 * A dependency is owned by the application that waits, and is on a list of the one that it waits for until
 * that has ended. What became of it is stored with the application that waits, so that the other may be
 * forgotten. rm/jobs/depends.h has what users write.
 */
#ifndef CREEL_RM_MASTER_DEPEND_H
#define CREEL_RM_MASTER_DEPEND_H

#include "rm/master/state.h"

/* APP depends on what its job names. -ENOENT: on one that is not known; -EINVAL, -EMSGSIZE: unreadable
 * (depend_submit.c). */
int rm_depend_submit(struct master *m, struct app *app, struct err *err);
/* A further one; app->dependencies has room for it. PARENT is NULL for a singleton. */
void rm_depend_add(struct master *m, struct app *app, enum depends_on on, struct app *parent);
/* As it was stored; then, when all applications are there, connected. */
int rm_depend_recover(struct app *app, const Creel__StoredApp *row, struct err *err);
void rm_depend_connect(struct master *m, struct app *app);

/* May APP begin, as far as these are concerned? FAILED: it never may. */
enum dependency_state rm_depend_state(const struct app *app);
/* What it waits for, or why it never may begin. In the step's arena. */
const char *rm_depend_text(struct master *m, const struct app *app);
const char *rm_depend_short(struct master *m, const struct app *app);

void rm_depend_on_start(struct master *m, struct app *parent);  /* its first container runs */
void rm_depend_on_end(struct master *m, struct app *parent);    /* its result is certain */
void rm_depend_clear(struct app *app);          /* it waits for nothing any more */
void rm_depend_free(struct master *m, struct app *app);         /* also for those that wait for it */

/* --- jobs of the same user and name (singleton) ------------------------------- */

void rm_job_name_enter(struct master *m, struct app *app);      /* it is not over */
void rm_job_name_leave(struct master *m, struct app *app);

#endif
