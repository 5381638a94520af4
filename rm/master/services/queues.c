/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.c - creates and drives the scheduler, and enters applications into its queues
 *
 * The scheduler is called through rm/sched/sched.h alone. These functions do not depend on its policy;
 * m->features has the properties that the policy reports.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "rm/master/machines/attempt.h"
#include "rm/master/services/decisions.h"
#include "rm/master/services/queues.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/settings.h"

#define TICK_MS 1000 /* period of the scheduler's time-dependent work */

/* --- life ------------------------------------------------------------------ */

void rm_queues_apply_config(struct master *m, const struct sched_config *config)
{
    m->minimum = config->minimum;
    m->maximum = config->maximum;
    m->memory_only = config->calculator == SCHED_MEMORY_ONLY;
    m->features = *sched_features(m->sched);
}

int rm_queues_new(struct master *m, const struct master_config *config, struct err *err)
{
    struct sched_config own = config->sched
                                  ? *config->sched
                                  : sched_config_fifo(config->minimum_allocation, config->maximum_allocation,
                                                      config->assign_on_demand);
    int r;

    own.now_ms = m->now_ms;
    r = sched_new(&own, &m->sched, err);
    if (r < 0)
        return r;
    m->types = own.names ? *own.names : resource_types_basic();
    rm_queues_apply_config(m, &own);
    rm_deadline_init(&m->tick, DEADLINE_TICK, m);
    rm_deadline_init(&m->preemption, DEADLINE_PREEMPTION, m);
    rm_deadline_init(&m->update, DEADLINE_UPDATE, m);
    rm_deadline_init(&m->batch, DEADLINE_BATCH, m);
    return 0;
}

void rm_queues_free(struct master *m)
{
    rm_settings_free(m);
    sched_free(m->sched);
    free(m->refreshed_by);
    free(m->refresh_error);
    for (size_t i = 0; i < MASTER_PARTS; i++)
        free(m->part_errors[i]);
}

void rm_queues_tick(struct master *m)
{
    sched_tick(m->sched, m->now_ms, &m->decisions);
    rm_decisions_apply(m);
}

void rm_queues_start_timers(struct master *m)
{
    const struct sched_features *features = &m->features;

    if (features->ticks)
        rm_deadline_set(m, &m->tick, m->now_ms + TICK_MS);
    if (features->update_interval_ms > 0)
        rm_deadline_set(m, &m->update, m->now_ms + features->update_interval_ms);
    if (features->preempt_interval_ms > 0)
        rm_deadline_set(m, &m->preemption, m->now_ms + features->preempt_interval_ms);
    else
        rm_deadline_clear(m, &m->preemption);
}

static void preempt(struct master *m)
{
    rm_deadline_set(m, &m->preemption, m->now_ms + m->features.preempt_interval_ms);
    rm_decisions_apply(m);
    sched_preempt(m->sched, &m->decisions);
    m->counters.preemption_rounds++;
    rm_decisions_apply(m);
}

void rm_queues_on_timer(struct master *m, enum deadline_kind kind)
{
    switch (kind) {
    case DEADLINE_TICK: /* every step calls rm_queues_tick */
        rm_deadline_set(m, &m->tick, m->now_ms + TICK_MS);
        break;
    case DEADLINE_PREEMPTION:
        preempt(m);
        break;
    case DEADLINE_UPDATE:
        rm_deadline_set(m, &m->update, m->now_ms + m->features.update_interval_ms);
        sched_update(m->sched, &m->decisions);
        break;
    case DEADLINE_BATCH: /* the end of the step decides whether another batch follows */
        sched_node_batch(m->sched, m->features.batch_nodes, &m->decisions);
        break;
    default:
        break;
    }
}

/* --- offers ---------------------------------------------------------------- */

static bool is_continuous(const struct master *m)
{
    return m->features.batch_nodes > 0;
}

void rm_queues_on_heartbeat(struct master *m, struct sched_node *node)
{
    /* With continuous scheduling batches offer the nodes. No batch offers reserved nodes without room, so the
     * heartbeats of reserved nodes offer them. */
    if (!is_continuous(m) || sched_node_reserved_by(node))
        sched_node_heartbeat(m->sched, node, &m->decisions);
}

void rm_queues_step_end(struct master *m)
{
    if (is_continuous(m) && !m->batch.armed && sched_needs_batch(m->sched))
        rm_deadline_set(m, &m->batch, m->now_ms + m->features.batch_interval_ms);
}

/* --- apps ------------------------------------------------------------------ */

bool rm_queues_have_labels(const struct master *m)
{
    return m->features.labels;
}

const char *rm_queue_name(struct master *m, const char *name)
{
    bool whole = text_equal(name, "root") || text_has_prefix(name, "root.");

    return whole || strchr(name, '.') == NULL ? name : arena_printf(m->out->arena, "root.%s", name);
}

size_t rm_groups_of(struct master *m, const char *user, const char *const **ret)
{
    *ret = NULL;
    if (m->config.groups == NULL)
        return 0;
    return m->config.groups(m->config.context, m->out->arena, user, ret);
}

static struct sched_app_spec spec_of(struct master *m, const Creel__JobSpec *job)
{
    return (struct sched_app_spec){
        .name = job->name,
        .label = rm_text_is_empty(job->label) ? NULL : job->label,
        .queue = rm_queue_name(m, job->queue),
        .priority = job->priority,
        .priority_open = job->priority == 0,
        .tags = (const char *const *)job->tags,
        .tag_count = job->n_tags,
        .manages = job->kind != CREEL__APP_KIND__APP_COMMAND,
    };
}

void rm_queues_copy_groups(struct master *m, struct app *app)
{
    const char *const *groups;
    size_t count;

    if (app->groups)
        return;
    count = rm_groups_of(m, app->user, &groups);

    app->groups = mem_array0(count + 1, sizeof(*app->groups));
    for (size_t i = 0; i < count; i++)
        app->groups[app->group_count++] = mem_strdup(groups[i]);
}

/* Enters APP, which its queue has refused after a restart, into any leaf queue that accepts it, so that its
 * containers can be stopped. */
static void enter_any(struct master *m, struct sched_app_spec *spec, struct app *app)
{
    const struct sched_queue *at = NULL;
    struct sched_queue_figures figures;

    spec->label = NULL; /* other queues may have no access to the label */
    while (app->sched == NULL && sched_queue_next(m->sched, &at, &figures)) {
        spec->queue = figures.path;
        if (!figures.leaf || sched_app_add(m->sched, spec, &app->sched, NULL) < 0)
            app->sched = NULL;
    }
    if (app->sched == NULL) /* every scheduler has a leaf queue */
        abort();
}

int rm_queues_enter(struct master *m, struct app *app, bool recovered, struct err *err)
{
    struct sched_app_spec spec = spec_of(m, app->job);
    struct resource am = rm_attempt_am_asked(m, app);
    int r;

    if (!recovered)
        rm_queues_copy_groups(m, app);
    else
        spec.queue = app->queue;
    spec.id = app->id;
    spec.user = app->user;
    spec.groups = (const char *const *)app->groups;
    spec.group_count = app->group_count;
    spec.priority = app->priority;
    spec.recovered = recovered;
    spec.master = &am;
    spec.owner = app;
    r = sched_app_add(m->sched, &spec, &app->sched, err);
    if (r < 0 && recovered) {
        enter_any(m, &spec, app);
        return r;
    }
    if (r < 0)
        return r;
    rm_text_set(&app->queue, sched_app_queue(app->sched));
    app->priority = sched_app_priority(app->sched);
    return 0;
}

/* Describes JOB as the next application of USER. */
static struct sched_app_spec next_spec(struct master *m, const char *user, const Creel__JobSpec *job)
{
    struct sched_app_spec spec = spec_of(m, job);

    spec.id = (struct app_id){ .cluster_ms = m->cluster_ms, .seq = m->last_app_seq + 1 };
    spec.user = user;
    spec.group_count = rm_groups_of(m, user, &spec.groups);
    return spec;
}

int rm_queues_test(struct master *m, const char *user, const Creel__JobSpec *job,
                   const struct resource *largest, struct err *err)
{
    struct sched_app_spec spec = next_spec(m, user, job);

    return sched_app_test(m->sched, &spec, largest, err);
}

int32_t rm_queues_priority(struct master *m, const char *user, const Creel__JobSpec *job)
{
    struct sched_app_spec spec = next_spec(m, user, job);

    return sched_app_expected_priority(m->sched, &spec);
}

const char *rm_queues_place(struct master *m, const char *user, const Creel__JobSpec *job)
{
    struct sched_app_spec spec = next_spec(m, user, job);
    scoped_free char *path = sched_app_place(m->sched, &spec);

    return path ? arena_strdup(m->out->arena, path) : job->queue;
}
