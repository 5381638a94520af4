/* SPDX-License-Identifier: Apache-2.0 */
/* trend.c - a ring of samples of the cluster's amounts */
#include "web/model/trend.h"

static int64_t mb_of(const Creel__Resource *resource)
{
    return resource != NULL && resource->memory_mb > 0 ? resource->memory_mb : 0;
}

void web_trend_add(struct web_trend *trend, const Creel__ClusterInfo *cluster)
{
    int64_t step = cluster->now_ms / WEB_TREND_STEP_MS;

    if (step <= 0)
        return;
    trend->samples[step % WEB_TREND_STEPS] = (struct web_sample){
        .step = step,
        .used_mb = mb_of(cluster->used),
        .pending_mb = mb_of(cluster->pending),
        .total_mb = mb_of(cluster->total),
        .apps_running = cluster->apps_running,
        .apps_pending = cluster->apps_pending,
    };
}

const struct web_sample *web_trend_at(const struct web_trend *trend, int64_t now_ms, size_t back)
{
    int64_t step = now_ms / WEB_TREND_STEP_MS - (int64_t)back;
    const struct web_sample *sample;

    if (step <= 0 || back >= WEB_TREND_STEPS)
        return NULL;
    sample = &trend->samples[step % WEB_TREND_STEPS];
    return sample->step == step ? sample : NULL;
}
