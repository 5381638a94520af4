/* SPDX-License-Identifier: Apache-2.0 */
/* lock.h - one agent alone works in a state directory */
#ifndef CREEL_NM_LOCK_H
#define CREEL_NM_LOCK_H

#include <stdint.h>

#include "common/base/err.h"

/* Make DIRECTORY if it is absent (0755) and lock it for this process: the descriptor
 * that holds the lock, or -EBUSY with the pid of the process that has it. */
int lock_take(const char *directory, struct err *err);

/* How this start of the agent is distinguished from those before and after it: a number above any that was
 * given before in DIRECTORY, and not below NOW_MS, the wall clock, so that it grows, too, when the directory
 * is new. Kept there; where that fails (a full disk), a warning is logged and the clock alone serves. */
uint64_t lock_next_incarnation(const char *directory, int64_t now_ms);

#endif
