/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - writes applications, attempts, containers, nodes and settings as rows of the store
 */
#include <string.h>

#include "rm/master/am_state.h"
#include "rm/master/amounts.h"
#include "rm/master/copy.h"
#include "rm/master/effects.h"
#include "rm/master/index.h"
#include "rm/master/job_rows.h"
#include "rm/master/message.h"
#include "rm/master/rows.h"

Creel__StoredAdminState rm_admin_stored(enum admin_state state)
{
    static const Creel__StoredAdminState stored[ADMIN_STATES] = {
        [ADMIN_SERVING] = CREEL__STORED_ADMIN_STATE__STORED_SERVING,
        [ADMIN_DRAINING] = CREEL__STORED_ADMIN_STATE__STORED_DRAINING,
        [ADMIN_DRAINED] = CREEL__STORED_ADMIN_STATE__STORED_DRAINED,
        [ADMIN_DECOMMISSIONING] = CREEL__STORED_ADMIN_STATE__STORED_DECOMMISSIONING,
        [ADMIN_DECOMMISSIONED] = CREEL__STORED_ADMIN_STATE__STORED_DECOMMISSIONED,
    };

    return stored[state];
}

/* Returns the size of the containers of APP, after rounding. */
static Creel__Resource *container_size(struct master *m, const struct app *app)
{
    struct resource size = rm_resource_from(m, app->job->resource);

    sched_normalise(m->sched, &size, &size, NULL);
    return rm_resource_message(m, &size);
}

static Creel__StoredApp *app_row(struct master *m, const struct app *app)
{
    struct arena *arena = m->out->arena;
    Creel__StoredApp *row = arena_new0(arena, Creel__StoredApp);

    creel__stored_app__init(row);
    row->app_id = rm_message_text(arena, app->text);
    row->user = rm_message_text(arena, app->user);
    row->job = (Creel__JobSpec *)rm_message_copy_in(arena, &app->job->base);
    row->submission_key = rm_message_text(arena, app->key ? strchr(app->key, '\n') + 1 : NULL);
    row->submitted_ms = app->submitted_ms;
    row->state = app->state == APP_STATE_FINAL_SAVING ? app->shown_target : app->shown;
    row->final_status = app->final_status;
    row->exit_status = app->exit_status;
    row->diagnostics = rm_message_text(arena, app->diagnostics);
    row->started_ms = app->started_ms;
    row->finished_ms = app->finished_ms;
    if (app->finished_ms != 0)
        row->container_size = container_size(m, app);
    row->memory_mb_seconds = app->memory_mb_ms / 1000;
    row->vcore_seconds = app->vcore_ms / 1000;
    row->queue = rm_message_text(arena, app->queue);
    row->kill_requested = app->kill_requested;
    row->kill_reason = rm_message_text(arena, app->kill_reason);
    row->priority = app->priority;
    row->expires_ms = app->expires_ms;
    row->limit_ms = app->limit_ms;
    row->groups = arena_array0(arena, app->group_count + 1, sizeof(char *));
    for (size_t i = 0; i < app->group_count; i++)
        row->groups[row->n_groups++] = arena_strdup(arena, app->groups[i]);
    row->tasks = rm_task_counts(arena, app);
    row->waiting = app->eligible_ms == 0;
    row->eligible_ms = app->eligible_ms;
    row->holds = rm_hold_messages(arena, app);
    row->n_holds = app->hold_count;
    row->dependencies = rm_depend_messages(arena, app);
    row->n_dependencies = app->dependency_count;
    rm_array_put(arena, app, row);
    row->am_state = rm_am_state_message(arena, app);
    row->logs = app->logs_final;
    row->attempts = app->attempt ? app->attempt->id.attempt : 0;
    return row;
}

uint64_t rm_store_app(struct master *m, struct app *app)
{
    struct master_effect *effect;

    if (app->unwritten.marked)
        return m->out->items[app->unwritten.effect].store_seq;
    rm_work_add(m, 1 + app->job_bytes / WORK_UNIT_BYTES);
    effect = rm_effect_add(m, MASTER_STORE_APP);
    effect->store_seq = ++m->store_seq;
    mem_grow(m->unwritten.apps, m->unwritten.count, m->unwritten.capacity);
    app->unwritten = (struct unwritten){ true, (size_t)(effect - m->out->items), m->unwritten.count };
    m->unwritten.apps[m->unwritten.count++] = app;
    return effect->store_seq;
}

/* The row of CHILD has the states of its dependencies: their parents may be forgotten (depend.h). */
static void note_dependencies_stored(struct app *child)
{
    for (size_t i = 0; i < child->dependency_count; i++) {
        struct dependency *dependency = &child->dependencies[i];

        if (dependency->unstored)
            TAILQ_REMOVE(&dependency->unstored->unstored_children, dependency, link);
        dependency->unstored = NULL;
    }
}

void rm_rows_write(struct master *m, struct app *app)
{
    if (!app->unwritten.marked)
        return;
    m->out->items[app->unwritten.effect].app = app_row(m, app);
    note_dependencies_stored(app);
    m->unwritten.apps[app->unwritten.index] = NULL;
    app->unwritten.marked = false;
}

void rm_rows_write_all(struct master *m)
{
    for (size_t i = 0; i < m->unwritten.count; i++)
        if (m->unwritten.apps[i])
            rm_rows_write(m, m->unwritten.apps[i]);
    m->unwritten.count = 0;
}

uint64_t rm_store_attempt(struct master *m, const struct attempt *attempt)
{
    struct arena *arena = m->out->arena;
    Creel__StoredAttempt *row = arena_new0(arena, Creel__StoredAttempt);
    struct master_effect *effect = rm_effect_add(m, MASTER_STORE_ATTEMPT);
    const struct container *am = attempt->am_container;

    creel__stored_attempt__init(row);
    row->attempt_id = rm_message_text(arena, attempt->text);
    row->master_container_id = rm_message_text(arena, am ? am->text : NULL);
    row->master_node_id = rm_message_text(arena, am ? am->node->id : NULL);
    row->over = rm_attempt_is_over(attempt) ||
                (attempt->state == ATTEMPT_FINAL_SAVING && attempt->target != ATTEMPT_FINISHING);
    row->unregistered = attempt->unregistered;
    row->final_status = attempt->final_status;
    row->exit_status = attempt->exit_status;
    row->diagnostics = rm_message_text(arena, attempt->diagnostics);
    row->registered = attempt->registered;
    row->counts = attempt->counts;
    row->restart = attempt->restart;
    if (am)
        row->master_grant = rm_grant_message(m, am);
    effect->attempt = row;
    return effect->store_seq = ++m->store_seq;
}

uint64_t rm_store_container(struct master *m, struct container *container)
{
    Creel__StoredContainer *row = arena_new0(m->out->arena, Creel__StoredContainer);
    struct master_effect *effect = rm_effect_add(m, MASTER_STORE_CONTAINER);

    creel__stored_container__init(row);
    row->report = rm_container_report(m, container);
    row->grant = rm_grant_message(m, container);
    row->stopped = container->stopped;
    container->stored = true;
    effect->container = row;
    return effect->store_seq = ++m->store_seq;
}

uint64_t rm_store_setting(struct master *m, const struct setting *setting, bool forget)
{
    struct master_effect *effect = rm_effect_add(m, MASTER_STORE_SETTING);
    Creel__StoredSetting *row = arena_new0(m->out->arena, Creel__StoredSetting);

    creel__stored_setting__init(row);
    row->kind = rm_message_text(m->out->arena, setting->kind);
    row->name = rm_message_text(m->out->arena, setting->name);
    row->value = rm_message_text(m->out->arena, forget ? NULL : setting->value);
    row->before = rm_message_text(m->out->arena, setting->before);
    row->by = rm_message_text(m->out->arena, setting->by);
    row->since_ms = setting->since_ms;
    row->uses = setting->uses;
    row->used = setting->used;
    row->expires_ms = setting->expires_ms;
    effect->setting = row;
    return effect->store_seq = ++m->store_seq;
}

uint64_t rm_store_scheduler_conf(struct master *m, const Creel__StoredSchedulerConf *row)
{
    struct master_effect *effect = rm_effect_add(m, MASTER_STORE_SCHEDULER_CONF);

    effect->scheduler_conf =
        (const Creel__StoredSchedulerConf *)rm_message_copy_in(m->out->arena, &row->base);
    return effect->store_seq = ++m->store_seq;
}

uint64_t rm_store_node(struct master *m, const struct node *node)
{
    struct arena *arena = m->out->arena;
    Creel__StoredNode *row = arena_new0(arena, Creel__StoredNode);
    struct master_effect *effect = rm_effect_add(m, MASTER_STORE_NODE);

    creel__stored_node__init(row);
    row->node_id = rm_message_text(arena, node->id);
    row->state = rm_admin_stored(node->admin.state);
    row->by = rm_message_text(arena, node->admin.by);
    row->reason = rm_message_text(arena, node->admin.reason);
    row->since_ms = node->admin.since_ms;
    row->deadline_ms = node->admin.deadline_ms;
    row->by_file = node->admin.by_file;
    row->forced = node->admin.forced;
    row->forgotten = node->forgotten;
    if (node->size.by) {
        row->total = rm_resource_message(m, &node->size.set);
        row->total_until_ms = node->size.until_ms;
        row->overcommit_ms = node->size.overcommit_ms;
        row->total_by = rm_message_text(arena, node->size.by);
    }
    effect->node = row;
    return effect->store_seq = ++m->store_seq;
}

uint64_t rm_store_forget(struct master *m, const struct app *app, bool ended)
{
    struct master_effect *effect = rm_effect_add(m, MASTER_FORGET_APP);

    effect->app_id = arena_strdup(m->out->arena, app->text);
    effect->ended = ended;
    return effect->store_seq = ++m->store_seq;
}
