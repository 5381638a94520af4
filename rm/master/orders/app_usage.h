/* SPDX-License-Identifier: Apache-2.0 */
/* app_usage.h - counts the containers and resources of an application, on nodes and in the scheduler */
#ifndef CREEL_RM_MASTER_APP_USAGE_H
#define CREEL_RM_MASTER_APP_USAGE_H

#include "rm/master/state.h"

/* Returns the record of NODE_ID in APP. Creates the record if APP has none. */
struct app_node *rm_app_node_get(struct app *app, const char *node_id);
/* Adds AMOUNT to the usage of APP (SIGN 1) or subtracts AMOUNT (SIGN -1). */
void rm_app_charge_usage(struct master *m, struct app *app, const struct resource *amount, int sign);
/* Adds CHANGE to the number of containers of APP that run. */
void rm_app_count_running(struct app *app, int change);
/* Takes the tasks that the AM of APP has counted. COUNTS NULL: it reported none. */
void rm_app_update_tasks(struct app *app, const Creel__TaskCounts *counts);
/* APP has the outcome of ATTEMPT, its last one. */
void rm_app_set_outcome(struct app *app, const struct attempt *attempt);
/* Removes CONTAINER, which has ended, from the counts of APP. If APP has ended and CONTAINER was its last
 * container on the node, orders the node to clean up after APP. */
void rm_app_container_gone(struct master *m, struct app *app, const struct container *container);
/* Removes APP from the scheduler if APP has ended and has no containers left. Its row has its use at its
 * end: it is written again if the containers used more until they ended. */
void rm_app_settle(struct master *m, struct app *app);
/* Removes APP from the scheduler's decisions that have not been carried out yet. Called before APP is
 * freed. */
void rm_forget_decisions(struct master *m, const struct sched_app *app);

#endif
