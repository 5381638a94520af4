/* SPDX-License-Identifier: Apache-2.0 */
/* trend.c - a ring of samples of the cluster's amounts */
#include "web/model/trend.h"

static int64_t mb_of(const Creel__Resource *resource)
{
    return resource != NULL && resource->memory_mb > 0 ? resource->memory_mb : 0;
}

static int64_t vcores_of(const Creel__Resource *resource)
{
    return resource != NULL && resource->vcores > 0 ? resource->vcores : 0;
}

static int64_t amount_of(int64_t amount)
{
    return amount > 0 ? amount : 0;
}

static void put(struct web_trend *trend, const struct web_sample *sample)
{
    if (sample->step > 0)
        trend->samples[sample->step % WEB_TREND_STEPS] = *sample;
}

static void put_sample(struct web_trend *trend, const Creel__ClusterSample *sample)
{
    put(trend, &(struct web_sample){
                   .step = sample->step,
                   .used_mb = amount_of(sample->used_mb),
                   .pending_mb = amount_of(sample->pending_mb),
                   .total_mb = amount_of(sample->total_mb),
                   .used_vcores = amount_of(sample->used_vcores),
                   .pending_vcores = amount_of(sample->pending_vcores),
                   .total_vcores = amount_of(sample->total_vcores),
                   .apps_running = sample->apps_running,
                   .apps_pending = sample->apps_pending,
               });
}

void web_trend_add(struct web_trend *trend, const Creel__ClusterInfo *cluster)
{
    if (trend->started_ms != cluster->started_ms)
        trend->last_step = 0; /* another resource manager has other samples */
    trend->started_ms = cluster->started_ms;
    for (size_t i = 0; i < cluster->n_samples; i++) {
        put_sample(trend, cluster->samples[i]);
        if (cluster->samples[i]->step > trend->last_step)
            trend->last_step = cluster->samples[i]->step;
    }
    put(trend, &(struct web_sample){
                   .step = cluster->now_ms / WEB_TREND_STEP_MS,
                   .used_mb = mb_of(cluster->used),
                   .pending_mb = mb_of(cluster->pending),
                   .total_mb = mb_of(cluster->total),
                   .used_vcores = vcores_of(cluster->used),
                   .pending_vcores = vcores_of(cluster->pending),
                   .total_vcores = vcores_of(cluster->total),
                   .apps_running = cluster->apps_running,
                   .apps_pending = cluster->apps_pending,
               });
}

int64_t web_trend_wanted(const struct web_trend *trend)
{
    return trend->last_step + 1;
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
