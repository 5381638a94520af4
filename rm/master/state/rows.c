/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - writes applications, attempts, containers, nodes and settings as rows of the store
 */
#include <string.h>

#include "rm/master/state/amounts.h"
#include "rm/master/state/app_row.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"
#include "rm/master/state/message.h"
#include "rm/master/state/rows.h"

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

/* Returns the units of work of copying and packing the row of APP: those of its long parts. */
static uint64_t units_of_row(const struct app *app)
{
    uint64_t bytes = app->job_bytes + app->am_state_size;

    if (app->diagnostics)
        bytes += strlen(app->diagnostics);
    if (app->array)
        bytes += app->array->states.count / 4; /* two bits of each task are packed */
    for (size_t i = 0; i < app->hold_count; i++)
        bytes += app->holds[i].reason ? strlen(app->holds[i].reason) : 0;
    for (size_t i = 0; i < app->group_count; i++)
        bytes += strlen(app->groups[i]);
    return rm_work_of(bytes);
}

uint64_t rm_store_app(struct master *m, struct app *app)
{
    struct master_effect *effect;

    if (app->unwritten.marked)
        return m->out->items[app->unwritten.effect].store_seq;
    rm_work_add(m, units_of_row(app));
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
    m->out->items[app->unwritten.effect].app_id = arena_strdup(m->out->arena, app->text);
    m->out->items[app->unwritten.effect].app = rm_app_row(m, app);
    note_dependencies_stored(app);
    m->unwritten.apps[app->unwritten.index] = NULL;
    app->unwritten.marked = false;
}

void rm_rows_write_since(struct master *m, size_t first)
{
    for (size_t i = first; i < m->unwritten.count; i++)
        if (m->unwritten.apps[i])
            rm_rows_write(m, m->unwritten.apps[i]);
    m->unwritten.count = first;
}

void rm_rows_write_all(struct master *m)
{
    rm_rows_write_since(m, 0);
}

uint64_t rm_store_attempt(struct master *m, const struct attempt *attempt)
{
    struct master_effect *effect = rm_effect_add(m, MASTER_STORE_ATTEMPT);
    Creel__StoredAttempt row;

    rm_attempt_facts(attempt, &row);
    if (attempt->diagnostics)
        row.diagnostics = attempt->diagnostics;
    if (attempt->am_container)
        row.master_grant = rm_grant_message(m, attempt->am_container);
    effect->attempt = (Creel__StoredAttempt *)rm_message_copy_in(m->out->arena, &row.base);
    return effect->store_seq = ++m->store_seq;
}

uint64_t rm_store_container(struct master *m, struct container *container)
{
    Creel__StoredContainer *row = arena_new0(m->out->arena, Creel__StoredContainer);
    struct master_effect *effect = rm_effect_add(m, MASTER_STORE_CONTAINER);

    creel__stored_container__init(row);
    row->report = rm_container_report(m, container);
    row->report->wanted =
        resource_is_zero(&container->asked) ? NULL : rm_resource_message(m, &container->asked);
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

const char *rm_store_refusal(const struct master *m)
{
    return m->store_trouble != NULL ? m->store_trouble : m->store_lost;
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
    row->registered = node->registered;
    row->last_contact_ms = node->silent ? node->seen_ms : 0;
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

uint64_t rm_store_forget_container(struct master *m, const struct container *container)
{
    struct master_effect *effect = rm_effect_add(m, MASTER_FORGET_CONTAINER);

    effect->container_id = arena_strdup(m->out->arena, container->text);
    return effect->store_seq = ++m->store_seq;
}
