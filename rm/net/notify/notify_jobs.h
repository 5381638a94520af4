/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify_jobs.h - writes the events of jobs for the notify command, as variables and as JSON
 *
 * No I/O and no clock. A job begins once, however many attempts it has: when its first container runs (for an
 * array, the first container of its first task). A task of an array has no events. A restart of the resource
 * manager repeats no event.
 */
#ifndef CREEL_RM_NOTIFY_JOBS_H
#define CREEL_RM_NOTIFY_JOBS_H

#include <stddef.h>

#include "common/proto/creel.pb-c.h"

/* Returns the name of EVENT, the start or the end of the application of ROW: "begin", "end" (the job
 * succeeded or was killed) or "fail" (it failed, or was killed at its time limit, lifetime or deadline). */
const char *notify_jobs_name(const Creel__Event *event, const Creel__StoredApp *row);

/* Returns the variables that the command gets for EVENT of the job of ROW; the caller frees the array and its
 * texts. CREEL_EVENT is EVENT. A job with --mail-type also has CREEL_MAIL_TYPE and CREEL_MAIL_USER (without
 * --mail-user its user), and CREEL_MAIL_TO, the same as CREEL_MAIL_USER, if it wants mail about EVENT. */
char **notify_jobs_variables(const char *event, const Creel__StoredApp *row);

/* Returns EVENT of the job of ROW as one line of JSON, with the keys of creel status --json. The caller frees
 * the text. Sets *LENGTH to its length in bytes. */
char *notify_jobs_json(const char *event, const Creel__StoredApp *row, size_t *length);

#endif
