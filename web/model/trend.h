/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trend.h - the amounts of the cluster in the last hour, one sample for each step of 15 seconds (pure)
 *
 * The resource manager sends its own samples (ClusterInfo.samples). Of the present step, and if it is too old
 * for samples, a step has the last report of the cluster that arrived in it, by the resource manager's clock.
 * A step without either has no sample. Memory is fixed.
 */
#ifndef CREEL_WEB_MODEL_TREND_H
#define CREEL_WEB_MODEL_TREND_H

#include <stddef.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

#define WEB_TREND_STEP_MS INT64_C(15000)
#define WEB_TREND_STEPS 240

struct web_sample {
    int64_t step; /* now_ms of the report / WEB_TREND_STEP_MS; 0: no sample */
    int64_t used_mb, pending_mb, total_mb;
    int64_t used_vcores, pending_vcores, total_vcores;
    uint32_t apps_running, apps_pending;
};

/* Zeroed: without samples. */
struct web_trend {
    struct web_sample samples[WEB_TREND_STEPS]; /* index: step % WEB_TREND_STEPS */
    int64_t started_ms;                         /* of the resource manager of the last report */
    int64_t last_step;                          /* the newest step of its samples; 0: none */
};

/* Adds the report and its samples. */
void web_trend_add(struct web_trend *trend, const Creel__ClusterInfo *cluster);
/* Returns the step whose samples and later ones to request (GetClusterInfo.samples_since). */
int64_t web_trend_wanted(const struct web_trend *trend);
/* Returns the sample of the step that is BACK steps before that of NOW_MS; NULL: there is none, or BACK is
 * not less than WEB_TREND_STEPS. */
const struct web_sample *web_trend_at(const struct web_trend *trend, int64_t now_ms, size_t back);

#endif
