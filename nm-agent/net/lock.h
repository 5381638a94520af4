/* SPDX-License-Identifier: Apache-2.0 */
/* lock.h - one agent alone works in a state directory */
#ifndef CREEL_NM_LOCK_H
#define CREEL_NM_LOCK_H

#include "common/base/err.h"

/* Make DIRECTORY if it is absent (0755) and lock it for this process: the descriptor
 * that holds the lock, or -EBUSY with the pid of who has it. */
int lock_take(const char *directory, struct err *err);

#endif
