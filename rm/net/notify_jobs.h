/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify_jobs.h - finds the events of jobs in the rows of the state store, and writes them as JSON
 *
 * No I/O and no clock. A job begins once, however many attempts it has: when its first container runs (for an
 * array, the first container of its first task). It ends with the first row that has a final state. A task of
 * an array has no events. A restart of the resource manager repeats no event.
 */
#ifndef CREEL_RM_NOTIFY_JOBS_H
#define CREEL_RM_NOTIFY_JOBS_H

#include <stddef.h>

#include "common/proto/creel.pb-c.h"

struct notify_jobs; /* opaque: the jobs that have not ended */

struct notify_jobs *notify_jobs_new(void);
void notify_jobs_free(struct notify_jobs *jobs); /* NULL is fine */

/* Records the state of a job that was read from the store at the start. */
void notify_jobs_recovered(struct notify_jobs *jobs, const Creel__StoredApp *row);
/* Records a row that is on disk. Returns the event that it shows: "begin", "end" (the job succeeded or was
 * killed), "fail", or NULL. */
const char *notify_jobs_written(struct notify_jobs *jobs, const Creel__StoredApp *row);

/* Returns EVENT of the job of ROW as one line of JSON, with the keys of creel status --json. The caller frees
 * the text. Sets *LENGTH to its length in bytes. */
char *notify_jobs_json(const char *event, const Creel__StoredApp *row, size_t *length);

#endif
