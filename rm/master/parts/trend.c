/* SPDX-License-Identifier: Apache-2.0 */
/* trend.c - a ring of samples of the cluster's amounts */
#include "rm/master/parts/trend.h"

#include "common/base/mem.h"

struct trend {
    int64_t step; /* the present one, which has not ended */
    struct trend_sample {
        int64_t step; /* 0: no sample */
        struct resource used, pending, total;
        uint32_t apps_running, apps_pending;
    } samples[TREND_STEPS]; /* index: step % TREND_STEPS */
};

void rm_trend_start(struct master *m)
{
    m->trend = mem_new0(struct trend);
    m->trend->step = m->now_ms / TREND_STEP_MS;
}

void rm_trend_free(struct master *m)
{
    free(m->trend);
}

uint32_t rm_trend_apps_pending(const struct master *m)
{
    uint32_t count = 0;

    for (size_t state = 0; state < CREEL__APP_STATE__APP_RUNNING; state++)
        count += m->apps_shown[state];
    return count;
}

static struct trend_sample take_sample(const struct master *m)
{
    struct sched_queue_figures root = { .path = NULL };
    struct sched_cluster cluster;
    struct trend_sample sample = {
        .apps_running = m->apps_shown[CREEL__APP_STATE__APP_RUNNING],
        .apps_pending = rm_trend_apps_pending(m),
    };

    sched_cluster(m->sched, &cluster);
    sample.used = cluster.used;
    sample.total = cluster.total;
    if (sched_queue_find_figures(m->sched, "root", &root))
        sample.pending = root.pending;
    return sample;
}

void rm_trend_update(struct master *m)
{
    struct trend *trend = m->trend;
    int64_t step = m->now_ms / TREND_STEP_MS;
    struct trend_sample sample;

    if (step <= trend->step)
        return;
    sample = take_sample(m);
    if (step - trend->step > TREND_STEPS)
        trend->step = step - TREND_STEPS;
    for (; trend->step < step; trend->step++) {
        sample.step = trend->step;
        trend->samples[trend->step % TREND_STEPS] = sample;
    }
}

static Creel__ClusterSample *message_of(struct arena *arena, const struct trend_sample *sample)
{
    Creel__ClusterSample *message = arena_new0(arena, Creel__ClusterSample);

    creel__cluster_sample__init(message);
    message->step = sample->step;
    message->used_mb = sample->used.value[RESOURCE_MEMORY_MB];
    message->used_vcores = sample->used.value[RESOURCE_VCORES];
    message->pending_mb = sample->pending.value[RESOURCE_MEMORY_MB];
    message->pending_vcores = sample->pending.value[RESOURCE_VCORES];
    message->total_mb = sample->total.value[RESOURCE_MEMORY_MB];
    message->total_vcores = sample->total.value[RESOURCE_VCORES];
    message->apps_running = sample->apps_running;
    message->apps_pending = sample->apps_pending;
    return message;
}

void rm_trend_report(const struct master *m, int64_t since, Creel__ClusterInfo *info)
{
    const struct trend *trend = m->trend;
    int64_t first = since > trend->step - TREND_STEPS ? since : trend->step - TREND_STEPS;

    if (since <= 0 || first >= trend->step)
        return;
    info->samples = arena_array0(m->out->arena, (size_t)(trend->step - first), sizeof(*info->samples));
    for (int64_t step = first > 0 ? first : 0; step < trend->step; step++) {
        const struct trend_sample *sample = &trend->samples[step % TREND_STEPS];

        if (sample->step == step && step > 0)
            info->samples[info->n_samples++] = message_of(m->out->arena, sample);
    }
}
