/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app_logs.h - whether the logs of an ended application have moved to shared storage, as its nodes report
 *
 * YARN's logAggregationStatus. SUCCEEDED and FAILED are stored with the application, and are in the history.
 * For the other applications the time-out begins again with each start of the resource manager: their nodes
 * clean up again when they register, and report again.
 */
#ifndef CREEL_RM_MASTER_APP_LOGS_H
#define CREEL_RM_MASTER_APP_LOGS_H

#include "rm/master/state.h"

/* Takes the reports of a heartbeat of NODE. Reports on applications that are not known are ignored. */
void rm_app_logs_take(struct master *m, const struct node *node, Creel__LogReport *const *reports,
                      size_t count);
void rm_app_logs_free(struct app *app);
void rm_app_logs_recover(struct app *app, Creel__LogAggregation stored);

/* Returns false if no container of APP was sent to a node: it has written nothing. */
bool rm_app_has_run(const struct app *app);
Creel__LogAggregation rm_app_logs_state(const struct master *m, const struct app *app);

#endif
