/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trend.h - amounts of the cluster in the last hour, for charts
 *
 * There is one sample for each step of 15 seconds: the amounts at its end. Samples are taken when the first
 * event after a step arrives, before it is handled; the amounts have not changed since the last event. Memory
 * is fixed.
 */
#ifndef CREEL_RM_MASTER_TREND_H
#define CREEL_RM_MASTER_TREND_H

#include "rm/master/state.h"

#define TREND_STEP_MS INT64_C(15000)
#define TREND_STEPS 240

void rm_trend_start(struct master *m); /* called once, by master_new */
void rm_trend_free(struct master *m);
/* Takes the samples of all steps that ended before the present time. Constant time, mostly a comparison. */
void rm_trend_update(struct master *m);
/* Adds the samples of SINCE and later to INFO. */
void rm_trend_report(const struct master *m, int64_t since, Creel__ClusterInfo *info);
/* Counts applications in NEW, NEW_SAVING, SUBMITTED or ACCEPTED. */
uint32_t rm_trend_apps_pending(const struct master *m);

#endif
