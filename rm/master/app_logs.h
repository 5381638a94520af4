/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app_logs.h - whether the logs of an ended application have moved to shared storage, as its nodes report
 *
 * YARN's logAggregationStatus. It is kept in memory only: an application that ended before a restart of the
 * resource manager, and whose nodes have reported before, is TIME_OUT.
 */
#ifndef CREEL_RM_MASTER_APP_LOGS_H
#define CREEL_RM_MASTER_APP_LOGS_H

#include "rm/master/state.h"

/* Takes the reports of a heartbeat of NODE. Reports on applications that are not known are ignored. */
void rm_app_logs_take(struct master *m, const struct node *node, Creel__LogReport *const *reports,
                      size_t count);
void rm_app_logs_free(struct app *app);

Creel__LogAggregation rm_app_logs_state(const struct master *m, const struct app *app);

#endif
