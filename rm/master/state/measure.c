/* SPDX-License-Identifier: Apache-2.0 */
/* measure.c - measures applications, preemption and heartbeats, for the metrics of the resource manager */
#include "rm/master/state/measure.h"

#include "rm/master/state/copy.h"

/* In seconds: a heartbeat is at most as late as a node can be before it counts as lost. */
static const double delay_bounds[] = {
    0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600
};

static bool queue_is_gone(const struct master *m, const char *path)
{
    const struct sched_queue *position;

    return !sched_queue_position(m->sched, path, &position);
}

static bool is_useless(void *context, const struct series *series)
{
    const struct master *m = context;

    switch (series->kind) {
    case SERIES_USER:
        return series->holders == 0;
    case SERIES_PREEMPTION:
        return queue_is_gone(m, series->queue) || queue_is_gone(m, series->name);
    default:
        return queue_is_gone(m, series->queue);
    }
}

void rm_measure_start(struct master *m)
{
    histogram_init(&m->counters.heartbeat_delay, delay_bounds, sizeof(delay_bounds) / sizeof(*delay_bounds));
    m->series = series_table_new(((uint64_t)m->epoch + 1) << 44 | (uint64_t)m->started_ms, is_useless, m);
}

void rm_measure_free(struct master *m)
{
    series_table_free(m->series);
}

/* --- applications ---------------------------------------------------------------- */

static double seconds_between(int64_t from_ms, int64_t to_ms)
{
    return to_ms > from_ms ? (double)(to_ms - from_ms) / 1000 : 0;
}

void rm_measure_app_started(struct master *m, const struct app *app)
{
    struct series *series = series_get(m->series, SERIES_QUEUE, app->queue, "", m->now_ms);

    histogram_add(&series->apps.wait, seconds_between(app->eligible_ms, app->started_ms));
    series_changed(m->series, series);
}

void rm_measure_app_ended(struct master *m, const struct app *app)
{
    struct series *series;

    if (app->started_ms == 0 || app->array)
        return;
    series = series_get(m->series, SERIES_QUEUE, app->queue, "", m->now_ms);
    histogram_add(&series->apps.run, seconds_between(app->started_ms, app->finished_ms));
    series_changed(m->series, series);
}

/* --- use by user ------------------------------------------------------------------ */

static void leave_series(struct master *m, struct app *app)
{
    app->use->memory_mb -= app->used_mb;
    app->use->holders--;
    series_changed(m->series, app->use);
    app->use = NULL;
    app->used_mb = 0;
}

void rm_measure_use(struct master *m, struct app *app)
{
    int64_t used_mb = app->usage.held.value[RESOURCE_MEMORY_MB];

    if (!m->config.user_metrics)
        return;
    if (app->use && (used_mb == 0 || !text_equal(app->use->queue, app->queue)))
        leave_series(m, app);
    if (used_mb == app->used_mb)
        return;
    if (app->use == NULL) {
        app->use = series_get(m->series, SERIES_USER, app->queue, app->user, m->now_ms);
        app->use->holders++;
    }
    app->use->memory_mb += used_mb - app->used_mb;
    app->used_mb = used_mb;
    series_changed(m->series, app->use);
}

void rm_measure_app_gone(struct master *m, struct app *app)
{
    if (app->use)
        leave_series(m, app);
}

/* --- nodes ------------------------------------------------------------------------ */

void rm_measure_heartbeat(struct master *m, const struct node *node)
{
    histogram_add(&m->counters.heartbeat_delay,
                  seconds_between(node->seen_ms + m->config.heartbeat_interval_ms, m->now_ms));
}

/* --- preemption ------------------------------------------------------------------- */

void rm_measure_preempt(struct container *container, const struct sched_decision *decision)
{
    if (container->gainer == NULL || decision->gainer)
        rm_text_set(&container->gainer, decision->gainer ? decision->gainer : SERIES_OTHER);
}

void rm_measure_preempted(struct master *m, const struct container *container)
{
    int64_t began_ms = container->started_ms > 0 ? container->started_ms : container->allocated_ms;
    struct series *series;

    if (container->gainer == NULL) /* a node was drained */
        return;
    series = series_get(m->series, SERIES_PREEMPTION, container->gainer, container->app->queue, m->now_ms);
    series->preempted++;
    series_changed(m->series, series);
    if (began_ms > 0 && container->finished_ms > began_ms)
        m->counters.wasted_ms += (uint64_t)(container->finished_ms - began_ms);
}
