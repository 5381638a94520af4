/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cleanup.h - removes the directories of containers and applications that have ended
 *
 * Private to nm-agent/linux. On a disk that does not answer, orphan_dirs.h removes them later.
 */
#ifndef CREEL_NM_CLEANUP_H
#define CREEL_NM_CLEANUP_H

#include "nm-agent/linux/runtime_state.h"

/* Returns true if the container with the state directory STATE_FD neither starts nor runs. */
bool container_is_over(struct runtime *runtime, const char *id, int state_fd);
/* Removes the container's directory in every local dir. */
void cleanup_work(struct runtime *runtime, const struct meta *meta, const char *id);

#endif
