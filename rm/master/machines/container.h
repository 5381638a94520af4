/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.h - the state machine of a container
 *
 * Containers are the lowest of the state machines: changes that concern the attempt are emitted as events
 * (events.h).
 */
#ifndef CREEL_RM_MASTER_CONTAINER_H
#define CREEL_RM_MASTER_CONTAINER_H

#include "rm/master/state.h"

struct container *rm_container_new(struct master *m, struct attempt *attempt, const struct container_id *id,
                                   struct node *node);
void rm_container_free(struct master *m, struct container *container);
void rm_container_event(struct master *m, struct container *container, enum container_event event);

/* --- events --- ------------------------------------------------------------- */

void rm_container_allocated(struct master *m, const struct sched_decision *decision);
/* Stops CONTAINER with exit status STATUS. Discards it if neither node nor AM has received it. */
void rm_container_stop(struct master *m, struct container *container, int32_t status, const char *reason);
/* Orders the node of the first CONTAINER of an attempt to start it; stops it instead if the agent would start
 * another command: one of 0.2.0 that joined after the submission ignores LaunchContext.escaped. The next
 * attempt avoids that node (failed_nodes.h). */
void rm_container_order_start(struct master *m, struct container *container);
/* Stops all containers of APP, and discards its pending requests; SPARE_AM: except the container of the
 * AM. */
void rm_container_stop_all(struct master *m, struct app *app, bool spare_am, int32_t status,
                           const char *reason);
void rm_container_lost(struct master *m, struct container *container, int32_t status, const char *reason);
void rm_container_on_expiry(struct master *m, struct container *container);
/* Handles a container that its node does not list when it registers: repeats the start order, or, for a
 * container that the AM starts, continues to wait for that start. */
void rm_container_unseen(struct master *m, struct container *container);
void rm_container_report_status(struct master *m, struct container *container,
                                const Creel__ContainerStatus *status);
void rm_container_report_figures(struct master *m, struct container *container,
                                 const Creel__ContainerFigures *figures);

/* --- accounting ------------------------------------------------------------ */

/* Adds CONTAINER to the list of its node and to the counts of its application. */
void rm_container_enter_node(struct master *m, struct container *container);
/* Adds CONTAINER to the scheduler's accounting. */
void rm_container_enter_scheduler(struct master *m, struct container *container);

#endif
