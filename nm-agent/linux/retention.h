/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retention.h - logs of applications that are over
 *
 * Private to nm-agent/linux. The logs of an ended application stay for the retention that the RM sent.
 * When they go is written to the state directory, so that it survives a restart.
 */
#ifndef CREEL_NM_RETENTION_H
#define CREEL_NM_RETENTION_H

#include "nm-agent/linux/runtime_state.h"

int retention_load(struct runtime *runtime, struct err *err);
void retention_free(struct runtime *runtime);
/* Keep the logs of APP_ID for RETAIN_MS from now; it counts from the first time. */
void retention_add(struct runtime *runtime, const char *app_id, int64_t retain_ms);
int64_t retention_next_ms(const struct runtime *runtime);      /* wall clock; 0: none */
/* Delete what is due at NOW_MS (wall clock), as much as there is time for. */
void retention_expire(struct runtime *runtime, int64_t now_ms);
const struct retention *retention_find(const struct runtime *runtime, const char *app_id);

#endif
