/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_rows.h - jobs, holds, dependencies and arrays as messages, for rows of the store and for reports; the
 * size of a job
 */
#ifndef CREEL_RM_MASTER_JOB_ROWS_H
#define CREEL_RM_MASTER_JOB_ROWS_H

#include "rm/master/state.h"

/* Return one message for each hold (hold_count) or dependency (dependency_count) of APP, in ARENA. */
Creel__Hold **rm_hold_messages(struct arena *arena, const struct app *app);
Creel__Dependency **rm_depend_messages(struct arena *arena, const struct app *app);
#define JOB_DEPENDENCY_BYTES 128u
#define JOB_VALUE_BYTES 64u
/* Returns what JOB costs in memory and in the row of its application: its packed size, JOB_DEPENDENCY_BYTES
 * for each of its dependencies, and JOB_VALUE_BYTES for each argument, variable, file and other repeated
 * value. In memory the job and its packed bytes (rm_job_keep_packed) take at most three times as much. */
size_t rm_job_bytes(const Creel__JobSpec *job);

/* The job of an application is large and hardly changes: its packed bytes are kept, for the next rows. */
void rm_job_keep_packed(struct app *app);   /* sets app->packed_job, unless it is set */
void rm_job_changed(struct app *app);       /* drops the bytes; also before APP is freed */
bool rm_job_is_kept(const struct app *app); /* false: bytes are kept that are not those of the job */

/* Returns the indexes of the tasks in states of SET (bits 1 << ARRAY_TASK_FAILED, ...), in ARENA, as
 * "3,7-9,20-40:10". If there are more than MOST ranges, "..." follows the first MOST. */
char *rm_array_tasks_in(struct arena *arena, const struct app *array, unsigned set, size_t most);
/* Returns those of the tasks that failed or were killed, at most 32 ranges; "" if APP has none. */
char *rm_array_failed_tasks(struct arena *arena, const struct app *app);
/* Add to ROW the array data of APP, which may be an array, a task or neither: what reports have; the states
 * of its tasks. */
void rm_array_put(struct arena *arena, const struct app *app, Creel__StoredApp *row);
void rm_array_put_states(struct arena *arena, const struct app *app, Creel__StoredApp *row);

#endif
