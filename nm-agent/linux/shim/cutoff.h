/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cutoff.h - computes when a container ends because its host has no contact with the resource manager
 *
 * The agent writes the time of the last known contact with the resource manager to a file. The container ends
 * a configured time after that (creel.container.on-disconnect). The resource manager waits longer before it
 * starts the task on another node. The shim decides, not the agent, so that it also works while no agent
 * runs. The processes get TERM before the end of the time, and KILL at its end.
 */
#ifndef CREEL_NM_SHIM_CUTOFF_H
#define CREEL_NM_SHIM_CUTOFF_H

#include <stdint.h>

#include "nm-agent/linux/shim/plan.h"

struct cutoff {
    int64_t stop_after_ms; /* 0: the container runs on without contact */
    int64_t born_ms;       /* monotonic */
    int contact_fd;        /* -1: none */
};

void cutoff_open(struct cutoff *cutoff, const struct plan *plan);
void cutoff_close(struct cutoff *cutoff);
/* Stores the times (monotonic) for SIGTERM and SIGKILL unless there is contact again; 0: never. */
void cutoff_look(const struct cutoff *cutoff, int64_t *term_ms, int64_t *kill_ms);
/* Shortens WAIT_MS to the time after which the shim must look at the contact again. */
int64_t cutoff_limit_wait(const struct cutoff *cutoff, int64_t wait_ms);

#endif
