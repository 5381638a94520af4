/* SPDX-License-Identifier: Apache-2.0 */
/* liveness.h - detects nodes that send no heartbeats any more */
#ifndef CREEL_RM_MASTER_LIVENESS_H
#define CREEL_RM_MASTER_LIVENESS_H

#include "rm/master/state.h"

/* Handles the expiry timer of NODE: NODE is lost, unless a heartbeat arrived since the timer was set. */
void rm_liveness_on_timer(struct master *m, struct node *node);

#endif
