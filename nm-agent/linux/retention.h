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
int64_t retention_next_ms(const struct runtime *runtime); /* wall clock; 0: none */
/* Deletes the logs that are due at NOW_MS (wall clock), within a limited time. */
void retention_expire(struct runtime *runtime, int64_t now_ms);
const struct retention *retention_find(const struct runtime *runtime, const char *app_id);

#endif
