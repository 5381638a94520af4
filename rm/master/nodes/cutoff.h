/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cutoff.h - stops containers whose agent has no contact with the resource manager
 *
 * With creel.container.on-disconnect = stop-after, or the same setting of a job, no task runs twice at the
 * same time. The shim of a container with this setting stops the container at the latest STOP_AFTER after the
 * last heartbeat of its agent that was answered (nm-agent/linux/shim/cutoff.c). The agent sent that heartbeat
 * before the resource manager received it. So the container has ended when the node has been silent for
 * STOP_AFTER, plus an eighth for clocks of different speed, plus the time in which killed processes end. Only
 * then is the node lost, and its tasks run on other nodes. A new attempt requests its first container when no
 * container with this setting is left of an earlier attempt (app->live_alone).
 */
#ifndef CREEL_RM_MASTER_CUTOFF_H
#define CREEL_RM_MASTER_CUTOFF_H

#include "rm/master/state.h"

/* Returns the time without contact after which the containers of APP end; 0: they continue. */
int64_t rm_cutoff_of(const struct master *m, const struct app *app);
/* Returns the time without heartbeats after which NODE is lost. */
int64_t rm_cutoff_silence_ms(const struct master *m, const struct node *node);

#endif
