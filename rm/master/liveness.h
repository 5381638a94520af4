/* SPDX-License-Identifier: Apache-2.0 */
/* liveness.h - nodes that send no heartbeats any more */
#ifndef CREEL_RM_MASTER_LIVENESS_H
#define CREEL_RM_MASTER_LIVENESS_H

#include "rm/master/state.h"

/* NODE's expiry timer: it is lost, unless a heartbeat came since the timer was set. */
void rm_liveness_on_timer(struct master *m, struct node *node);

#endif
