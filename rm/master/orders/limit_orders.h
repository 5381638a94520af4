/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit_orders.h - orders that send agents the time limit of their containers (time_limit.h)
 *
 * The grant of a container has the limit that was known when the grant was made. An agent reports the limit
 * of a container with each status. If the reported limit differs from the application's limit, an order with
 * the application's limit is repeated until a status confirms it. So a changed limit reaches the agent also
 * after a restart.
 */
#ifndef CREEL_RM_MASTER_LIMIT_ORDERS_H
#define CREEL_RM_MASTER_LIMIT_ORDERS_H

#include "rm/master/state.h"

/* Notes the limit LIMIT_MS that the agent of CONTAINER reports. Adds an order if it is wrong; removes the
 * order if it is right. */
void rm_limit_reported(struct master *m, struct container *container, int64_t limit_ms);
/* Orders the agents of the containers of APP to apply its limit, which has changed. */
void rm_limit_changed(struct master *m, struct app *app);

#endif
