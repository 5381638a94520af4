/* SPDX-License-Identifier: Apache-2.0 */
/* cleanup.h - what is removed when a container is over. Private to nm-agent/linux. */
#ifndef CREEL_NM_CLEANUP_H
#define CREEL_NM_CLEANUP_H

#include "nm-agent/linux/runtime_state.h"

/* The container with the state directory STATE_FD neither starts nor runs. */
bool container_is_over(struct runtime *runtime, const char *id, int state_fd);
/* Remove the container's directory in every local dir. */
void cleanup_work(struct runtime *runtime, const struct meta *meta, const char *id);

#endif
