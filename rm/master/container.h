/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.h - the state machine of a container
 *
 * The lowest of the state machines: what follows for the attempt is emitted (events.h).
 */
#ifndef CREEL_RM_MASTER_CONTAINER_H
#define CREEL_RM_MASTER_CONTAINER_H

#include "rm/master/state.h"

struct container *rm_container_new(struct master *m, struct attempt *attempt,
                                   const struct container_id *id, struct node *node);
void rm_container_free(struct master *m, struct container *container);
void rm_container_event(struct master *m, struct container *container, enum container_event event);

/* --- causes ---------------------------------------------------------------- */

void rm_container_allocated(struct master *m, const struct sched_decision *decision);
/* Orders its stop; it will count as ended with STATUS. */
void rm_container_stop(struct master *m, struct container *container, int32_t status,
                       const char *reason);
/* All of APP, which asks for nothing more; SPARE_AM: but the AM's. */
void rm_container_stop_all(struct master *m, struct app *app, bool spare_am, int32_t status,
                           const char *reason);
void rm_container_lost(struct master *m, struct container *container, int32_t status,
                       const char *reason);
void rm_container_on_expiry(struct master *m, struct container *container);
/* Its node registered and does not list it: the start is ordered again, or the AM's is awaited. */
void rm_container_unseen(struct master *m, struct container *container);
void rm_container_report_status(struct master *m, struct container *container,
                                const Creel__ContainerStatus *status);
void rm_container_report_figures(struct master *m, struct container *container,
                                 const Creel__ContainerFigures *figures);

/* --- accounting ------------------------------------------------------------ */

/* It is on its node's list, and counts for its application. */
void rm_container_enter_node(struct master *m, struct container *container);
/* It is in the scheduler's accounting. */
void rm_container_enter_scheduler(struct master *m, struct container *container);
void rm_container_leave_scheduler(struct master *m, struct container *container);

#endif
