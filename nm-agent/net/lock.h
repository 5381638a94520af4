/* SPDX-License-Identifier: Apache-2.0 */
/* lock.h - locks the state directory for one agent, and numbers the agent's starts */
#ifndef CREEL_NM_LOCK_H
#define CREEL_NM_LOCK_H

#include <stdint.h>

#include "common/base/err.h"

/* Creates DIRECTORY (mode 0711) and its parents (0755) if they are missing, and locks it for this process.
 * Returns the descriptor that has the lock, or -EBUSY; then ERR has the pid of the process that has the
 * lock. */
int lock_acquire(const char *directory, struct err *err);

/* Returns the incarnation, a number that identifies this start of the agent: larger than all earlier ones of
 * DIRECTORY, and not below NOW_MS, the wall clock, so that it also grows if the directory is new. The number
 * is stored in DIRECTORY; if that fails (a full disk), a warning is logged and the clock is used. */
uint64_t lock_next_incarnation(const char *directory, int64_t now_ms);

#endif
