/* SPDX-License-Identifier: Apache-2.0 */
/* app_usage.h - what an application has on nodes and in the scheduler */
#ifndef CREEL_RM_MASTER_APP_USAGE_H
#define CREEL_RM_MASTER_APP_USAGE_H

#include "rm/master/state.h"

/* The record of NODE_ID, made if it is not there. */
struct app_node *rm_app_node_get(struct app *app, const char *node_id);
/* SIGN 1: APP has AMOUNT more from now on; -1: less. */
void rm_app_charge_usage(struct master *m, struct app *app, const struct resource *amount,
                         int sign);
/* CONTAINER has ended. If APP is over, its node is to clean up after its last one there. */
void rm_app_container_gone(struct master *m, struct app *app, const struct container *container);
/* Takes APP out of the scheduler if it is over and nothing of it is left. */
void rm_app_settle(struct master *m, struct app *app);
/* Decisions that were not carried out yet do not name APP any more: it is about to go. */
void rm_forget_decisions(struct master *m, const struct sched_app *app);

#endif
