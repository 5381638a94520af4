/* SPDX-License-Identifier: Apache-2.0 */
/* stopping.h - what an agent reports of a container that it stops, or whose command has ended */
#ifndef CREEL_RM_MASTER_STOPPING_H
#define CREEL_RM_MASTER_STOPPING_H

#include "rm/master/state.h"

/* Records from STATUS that the agent stops CONTAINER: its room is about to be free, so that the scheduler
 * selects no other container for it. If the command has ended before a stop, its exit status decides the
 * outcome, while the agent stops the processes that it left; in YARN the container would be complete. */
void rm_stopping_report(struct master *m, struct container *container, const Creel__ContainerStatus *status);

#endif
