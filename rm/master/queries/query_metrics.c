/* SPDX-License-Identifier: Apache-2.0 */
/* query_metrics.c - GetMetrics: what the resource manager measures, and the series that have changed */
#include <errno.h>

#include "common/proto/histogram_message.h"
#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/page.h"

static void add_queue(struct arena *arena, const struct series *series, Creel__Metrics *reply)
{
    Creel__QueueMetrics *message = arena_new0(arena, Creel__QueueMetrics);

    creel__queue_metrics__init(message);
    message->queue = rm_message_text(arena, series->queue);
    message->wait = histogram_to_message(arena, &series->apps.wait);
    message->run = histogram_to_message(arena, &series->apps.run);
    page_append(arena, (void ***)&reply->queues, &reply->n_queues, message);
}

static void add_user(struct arena *arena, const struct series *series, Creel__Metrics *reply)
{
    Creel__UserMetrics *message = arena_new0(arena, Creel__UserMetrics);

    creel__user_metrics__init(message);
    message->queue = rm_message_text(arena, series->queue);
    message->user = rm_message_text(arena, series->name);
    message->memory_mb = (uint64_t)series->memory_mb;
    page_append(arena, (void ***)&reply->users, &reply->n_users, message);
}

static void add_preemption(struct arena *arena, const struct series *series, Creel__Metrics *reply)
{
    Creel__PreemptionMetrics *message = arena_new0(arena, Creel__PreemptionMetrics);

    creel__preemption_metrics__init(message);
    message->queue = rm_message_text(arena, series->queue);
    message->victim_queue = rm_message_text(arena, series->name);
    message->containers = series->preempted;
    page_append(arena, (void ***)&reply->preemptions, &reply->n_preemptions, message);
}

/* Adds the series that have changed since the request before. */
static void add_series(const struct master *m, const Creel__GetMetrics *body, Creel__Metrics *reply)
{
    static void (*const add[SERIES_KINDS])(struct arena * arena, const struct series *series,
                                           Creel__Metrics *reply) = {
        [SERIES_QUEUE] = add_queue,
        [SERIES_USER] = add_user,
        [SERIES_PREEMPTION] = add_preemption,
    };
    const struct series *series;
    uint64_t since = body->since;

    reply->session = series_session(m->series);
    reply->version = series_version(m->series);
    reply->reset = body->session != reply->session;
    if (reply->reset)
        since = 0;
    for (series = series_last(m->series); series && series->version > since; series = series_before(series))
        add[series->kind](m->out->arena, series, reply);
}

static Creel__PoolUse *pool_use(struct master *m, const struct wait_pool *pool)
{
    Creel__PoolUse *use = arena_new0(m->out->arena, Creel__PoolUse);

    creel__pool_use__init(use);
    use->name = arena_strdup(m->out->arena, pool->name);
    use->used = pool->count;
    use->limit = pool->max;
    use->refused_full = pool->refused_full;
    use->refused_owner = pool->refused_owner;
    return use;
}

static void add_pools(struct master *m, Creel__Metrics *reply)
{
    reply->pools = arena_array0(m->out->arena, 2, sizeof(*reply->pools));
    reply->pools[reply->n_pools++] = pool_use(m, &m->app_waits);
    reply->pools[reply->n_pools++] = pool_use(m, &m->node_waits);
}

Creel__Envelope *rm_query_metrics(struct master *m, const char *user, const Creel__Envelope *in)
{
    Creel__Metrics *reply = arena_new0(m->out->arena, Creel__Metrics);
    Creel__Envelope *envelope;
    struct err err;

    if (!rm_authz_cluster(m, user, AUTHZ_FOLLOW_CHANGES)) {
        err_set(&err, EPERM,
                "user %s may not read the metrics: it is not among creel.security.proxy-users, and no "
                "administrator (yarn.admin.acl)",
                user);
        return rm_error_envelope(m, in->request_id, &err);
    }
    creel__metrics__init(reply);
    add_series(m, in->get_metrics, reply);
    reply->has_users = m->config.user_metrics;
    reply->preemption_wasted_ms = m->counters.wasted_ms;
    reply->preemption_rounds = m->counters.preemption_rounds;
    reply->scheduler_allocations = m->counters.decided_allocations;
    reply->heartbeat_delay = histogram_to_message(m->out->arena, &m->counters.heartbeat_delay);
    add_pools(m, reply);
    if (m->config.metrics)
        m->config.metrics(m->config.context, m->out->arena, reply);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_METRICS);
    envelope->metrics = reply;
    return envelope;
}
