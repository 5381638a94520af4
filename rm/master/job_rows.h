/* SPDX-License-Identifier: Apache-2.0 */
/* job_rows.h - holds, dependencies and arrays as messages, for rows of the store and for reports */
#ifndef CREEL_RM_MASTER_JOB_ROWS_H
#define CREEL_RM_MASTER_JOB_ROWS_H

#include "rm/master/state.h"

/* As many as APP has; in ARENA. */
Creel__Hold **rm_hold_messages(struct arena *arena, const struct app *app);
Creel__Dependency **rm_depend_messages(struct arena *arena, const struct app *app);
/* What is stored of APP as an array, or as a task of one. */
void rm_array_put(struct arena *arena, const struct app *app, Creel__StoredApp *row);

#endif
