/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delayed_delete.h - deletes working directories some time after the end of their container
 *
 * Private to nm-agent/linux. yarn.nodemanager.delete.debug-delay-sec sets the delay, in which a person can
 * examine the directories.
 */
#ifndef CREEL_NM_DELAYED_DELETE_H
#define CREEL_NM_DELAYED_DELETE_H

#include "nm-agent/linux/runtime_state.h"

/* Deletes the directory PATH of the ended container ID after the delay; at once if it cannot be moved
 * aside. */
void delayed_delete_add(struct runtime *runtime, const char *path, const char *id);
/* Deletes the directories that are due at NOW_MS (wall clock). */
void delayed_delete_expire(struct runtime *runtime, int64_t now_ms);

#endif
