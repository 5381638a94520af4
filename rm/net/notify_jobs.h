/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify_jobs.h - finds the events of jobs in the rows of the state store, and writes them as JSON
 *
 * No I/O and no clock. A job begins when its first container runs (an array: that of its first task), once,
 * however many attempts it has. It ends with the first row that has a final state. A task of an array has no
 * events. A start of the resource manager repeats no event.
 */
#ifndef CREEL_RM_NOTIFY_JOBS_H
#define CREEL_RM_NOTIFY_JOBS_H

#include <stddef.h>

#include "common/proto/creel.pb-c.h"

struct notify_jobs; /* opaque: the jobs that have not ended */

struct notify_jobs *notify_jobs_new(void);
void notify_jobs_free(struct notify_jobs *jobs); /* NULL is fine */

/* Notes the row of a job from the store at the start. */
void notify_jobs_recovered(struct notify_jobs *jobs, const Creel__StoredApp *row);
/* Notes a row that is on disk. Returns its event, "begin", "end" (it succeeded or was killed) or "fail", or
 * NULL. */
const char *notify_jobs_written(struct notify_jobs *jobs, const Creel__StoredApp *row);

/* Returns EVENT of the job of ROW as one line of JSON, with the keys of creel status --json; the caller frees
 * the text. LENGTH: its bytes. */
char *notify_jobs_json(const char *event, const Creel__StoredApp *row, size_t *length);

#endif
