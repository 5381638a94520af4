/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completed.h - ended containers of applications that run, in the order in which they are forgotten
 *
 * An application may run for months and use millions of containers. Memory and state would grow until it
 * ends. So two kinds of its ended containers are forgotten earlier (forget_completed.h), in the Allocate with
 * which its AM confirms their ends:
 *
 *   1. Containers that the AM released before they started: they have no result.
 *   2. The oldest ones, while the application has more than creel.resourcemanager.max-completed-containers.
 *
 * Never forgotten before their application are containers of AMs, and ends that no AM has confirmed. The row
 * of the first ended container on each node is kept, too: from it a restart knows that the node must clean up
 * after the application. The shell deletes each other row when the history has it (history_writer.h).
 */
#ifndef CREEL_RM_MASTER_COMPLETED_H
#define CREEL_RM_MASTER_COMPLETED_H

#include "rm/master/state.h"

/* Adds CONTAINER, which has ended, to those of its application that may be forgotten. */
void rm_completed_add(struct container *container);
/* Removes CONTAINER, which is about to be freed. */
void rm_completed_remove(struct container *container);

/* Returns true if CONTAINER has ended since its AM released it, and never started. */
bool rm_container_is_unstarted(const struct container *container);
/* Notes that the reply RESPONSE_ID, or one before it, has the end of CONTAINER. */
void rm_container_end_sent(struct container *container, uint64_t response_id);

#endif
