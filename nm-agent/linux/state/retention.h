/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retention.h - keeps the logs of ended applications for a time, then deletes them
 *
 * Private to nm-agent/linux. The RM sends the retention time. The time of deletion is written to the state
 * directory, so that it survives a restart.
 */
#ifndef CREEL_NM_RETENTION_H
#define CREEL_NM_RETENTION_H

#include "nm-agent/linux/runtime_state.h"

int retention_load(struct runtime *runtime, struct err *err);
void retention_free(struct runtime *runtime);
/* Keeps the logs of APP_ID for RETAIN_MS from now; a repeated call does not extend the time. */
void retention_add(struct runtime *runtime, const char *app_id, int64_t retain_ms);
/* Writes what could not be written while the state directory did not answer. */
void retention_write(struct runtime *runtime);
int64_t retention_next_ms(const struct runtime *runtime); /* wall clock; 0: none */
/* Deletes the logs that are due at NOW_MS (wall clock), within a limited time. */
void retention_expire(struct runtime *runtime, int64_t now_ms);
/* Keeps the logs of APP_ID until they are on shared storage (aggregation.h); RETRY_MS from now is the time at
 * which the agent stops trying. Then they are kept for RETAIN_MS. A repeated call does nothing. */
void retention_add_pending(struct runtime *runtime, const char *app_id, int64_t retain_ms, int64_t retry_ms);
/* Returns the pending application with the earliest next_ms; NULL: none. */
struct retention *retention_first_pending(struct runtime *runtime);
struct retention *retention_find_pending(struct runtime *runtime, const char *app_id); /* NULL: not pending */
void retention_postpone(struct runtime *runtime, struct retention *retention, int64_t next_ms);
/* The logs of a pending application are on shared storage (SAVED), and are deleted here soon; or they stay
 * here for their time. */
void retention_end_pending(struct runtime *runtime, struct retention *retention, bool saved);
/* A client has read logs of APP_ID here: after they were saved, they stay for some minutes. */
void retention_note_read(struct runtime *runtime, const char *app_id);
const struct retention *retention_find(const struct runtime *runtime, const char *app_id);

#endif
