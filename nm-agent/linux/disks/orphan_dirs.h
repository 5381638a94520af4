/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orphan_dirs.h - removes directories below local-dirs that belong to no container
 *
 * Private to nm-agent/linux. The start of an agent and the end of an application leave such directories on a
 * local directory that does not answer. They are removed when it answers again, which is tried each
 * DISK_RETRY_MS. With debug-delay-sec the deletion of working directories is delayed from then on.
 */
#ifndef CREEL_NM_ORPHAN_DIRS_H
#define CREEL_NM_ORPHAN_DIRS_H

#include "nm-agent/linux/runtime_state.h"

/* Removes them in all local dirs, later in those that do not answer or could not be opened. All containers of
 * earlier agents must be in the table. */
void orphan_dirs_remove(struct runtime *runtime);
/* DISK, of local-dirs, did not answer when an application ended: removes its directories later. */
void orphan_dirs_postpone(struct runtime *runtime, struct disk *disk);
/* Removes a part of what was postponed, if that is due at NOW_MS (monotonic). */
void orphan_dirs_go_on(struct runtime *runtime, int64_t now_ms);
/* Ends the removal; the next agent continues. */
void orphan_dirs_forget(struct runtime *runtime);

#endif
