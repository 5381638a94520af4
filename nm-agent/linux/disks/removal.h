/* SPDX-License-Identifier: Apache-2.0 */
/*
 * removal.h - removes directory trees of any size, with a limited time in each call
 *
 * Private to nm-agent/linux. A container may leave more files than can be removed while other containers wait
 * for the agent. The runtime's timer removes the rest in parts. All of it happens in the thread of the tree's
 * disk (disk_io.h); what is on a disk that does not answer waits until it does.
 */
#ifndef CREEL_NM_REMOVAL_H
#define CREEL_NM_REMOVAL_H

#include "nm-agent/linux/runtime_state.h"

/* Removes the tree PATH: small trees at once, large ones in parts. */
void removal_start(struct runtime *runtime, const char *path);
/* Cancels an unfinished removal of the tree PATH, because PATH is about to be created again. Returns false if
 * a part of it is being removed on a disk that does not answer. */
bool removal_cancel(struct runtime *runtime, const char *path);
/* Removes a part of the first tree, if that is due at NOW_MS (monotonic). */
void removal_go_on(struct runtime *runtime, int64_t now_ms);
/* Frees the list of trees; the trees stay on disk. */
void removal_forget_all(struct runtime *runtime);

#endif
