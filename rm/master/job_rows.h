/* SPDX-License-Identifier: Apache-2.0 */
/* job_rows.h - holds, dependencies and arrays as messages, for rows of the store and for reports */
#ifndef CREEL_RM_MASTER_JOB_ROWS_H
#define CREEL_RM_MASTER_JOB_ROWS_H

#include "rm/master/state.h"

/* Return one message for each hold (hold_count) or dependency (dependency_count) of APP, in ARENA. */
Creel__Hold **rm_hold_messages(struct arena *arena, const struct app *app);
Creel__Dependency **rm_depend_messages(struct arena *arena, const struct app *app);
/* Adds to ROW the array data of APP, which may be an array, a task or neither. */
void rm_array_put(struct arena *arena, const struct app *app, Creel__StoredApp *row);

#endif
