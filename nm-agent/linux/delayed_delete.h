/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delayed_delete.h - working directories that are deleted some time after their container
 *
 * Private to nm-agent/linux. yarn.nodemanager.delete.debug-delay-sec: a person can look at them
 * meanwhile.
 */
#ifndef CREEL_NM_DELAYED_DELETE_H
#define CREEL_NM_DELAYED_DELETE_H

#include "nm-agent/linux/runtime_state.h"

/* Delete the directory PATH of the ended container ID after the delay; at once if it cannot be moved. */
void delayed_delete_add(struct runtime *runtime, const char *path, const char *id);
/* Delete those that are due at NOW_MS (wall clock). */
void delayed_delete_expire(struct runtime *runtime, int64_t now_ms);

#endif
