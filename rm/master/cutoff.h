/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cutoff.h - containers that end when their host has lost the resource manager
 *
 * With creel.container.on-disconnect = stop-after, or a job's own choice of it, no task runs twice at a
 * time. The shim of such a container ends it at the latest STOP_AFTER after the last heartbeat of
 * its agent that was answered (nm-agent/linux/shim/cutoff.c). That heartbeat was sent before the RM received
 * it. So the container is over when the node has been silent for as long, plus an eighth for clocks
 * that run at different speeds, plus the time in which killed processes end. Only after
 * that is the node lost, and its tasks run elsewhere. A new attempt requests its first container when no such
 * container of an earlier one is left (app->live_alone).
 */
#ifndef CREEL_RM_MASTER_CUTOFF_H
#define CREEL_RM_MASTER_CUTOFF_H

#include "rm/master/state.h"

/* After so long without contact the containers of APP end; 0: they go on. */
int64_t rm_cutoff_of(const struct master *m, const struct app *app);
/* A node silent for so long is lost. */
int64_t rm_cutoff_silence_ms(const struct master *m, const struct node *node);

#endif
