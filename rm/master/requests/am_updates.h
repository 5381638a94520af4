/* SPDX-License-Identifier: Apache-2.0 */
/* am_updates.h - other sizes for containers that an AM requests with Allocate, and the news about them */
#ifndef CREEL_RM_MASTER_AM_UPDATES_H
#define CREEL_RM_MASTER_AM_UPDATES_H

#include "rm/master/jobs/am_peer.h"
#include "rm/master/state.h"

/* Applies the updates of BODY. Adds those that are refused to REPLY (YARN:
 * RMServerUtils.validateAndSplitUpdateResourceRequests). */
void rm_am_updates_apply(struct master *m, struct attempt *attempt, const Creel__Allocate *body,
                         Creel__AllocateReply *reply);
/* Adds the containers with a new size to REPLY, as many as fit. Returns true if there are any: their rows
 * must be on disk before REPLY is sent. */
bool rm_am_updates_pull(struct master *m, struct attempt *attempt, Creel__AllocateReply *reply,
                        struct am_room *room);

#endif
