/* SPDX-License-Identifier: Apache-2.0 */
/*
 * removal.h - removing directory trees of any size, a bounded time in one call
 *
 * Private to nm-agent/linux. A container may leave more files than can be removed while other
 * containers wait for the agent. What is left after the first call is removed bit by bit, by the
 * runtime's timer.
 */
#ifndef CREEL_NM_REMOVAL_H
#define CREEL_NM_REMOVAL_H

#include "nm-agent/linux/runtime_state.h"

/* Remove the tree PATH, now or, if it is large, from now on. */
void removal_start(struct runtime *runtime, const char *path);
/* PATH is made anew: do not remove what an older one left. */
void removal_cancel(struct runtime *runtime, const char *path);
/* Remove a part of the first tree, if that is due at NOW_MS (monotonic). */
void removal_go_on(struct runtime *runtime, int64_t now_ms);
/* Free the list; the trees stay. */
void removal_forget_all(struct runtime *runtime);

#endif
