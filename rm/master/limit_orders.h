/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit_orders.h - orders that tell agents the time limit of their containers (time_limit.h)
 *
 * The grant of a container has the limit that was known when the grant was made. An agent reports its limit
 * with each status. If that differs from the application's limit, an order with the new limit is repeated
 * until a status confirms it. So a changed limit reaches the agent also after a restart.
 */
#ifndef CREEL_RM_MASTER_LIMIT_ORDERS_H
#define CREEL_RM_MASTER_LIMIT_ORDERS_H

#include "rm/master/state.h"

/* Takes the limit that the agent of CONTAINER, which is live, reports. */
void rm_limit_reported(struct master *m, struct container *container, int64_t limit_ms);
/* The limit of APP has changed: orders the agents of its containers to take it. */
void rm_limit_changed(struct master *m, struct app *app);

#endif
