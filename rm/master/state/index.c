/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.c - finds applications, attempts, containers and nodes, and marks them for the end of the step
 *
 * These functions read the state, or append an object to a list that the end of the step processes.
 */
#include <string.h>

#include "common/proto/value_name.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/index.h"

/* --- applications and attempts ------------------------------------------- */

static int rm_app_compare(const struct app *a, const struct app *b)
{
    return (a->id.seq > b->id.seq) - (a->id.seq < b->id.seq);
}

RB_GENERATE(rm_app_tree, app, link, rm_app_compare)

struct app *rm_app_find(const struct master *m, uint32_t seq)
{
    struct app key = { .id = { .seq = seq } };

    return RB_FIND(rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps, &key);
}

struct attempt *rm_attempt_find(const struct master *m, const struct attempt_id *id)
{
    struct app *app = id->app.cluster_ms == m->cluster_ms ? rm_app_find(m, id->app.seq) : NULL;
    struct attempt *attempt;

    if (app == NULL)
        return NULL;
    TAILQ_FOREACH(attempt, &app->attempts, link)
        if (attempt->id.attempt == id->attempt)
            return attempt;
    return NULL;
}

bool rm_app_is_over(const struct app *app)
{
    return app->state == APP_STATE_FINISHED || app->state == APP_STATE_FAILED ||
           app->state == APP_STATE_KILLED;
}

bool rm_app_is_ended(const struct app *app)
{
    return app->shown == CREEL__APP_STATE__APP_FINISHED || app->shown == CREEL__APP_STATE__APP_FAILED ||
           app->shown == CREEL__APP_STATE__APP_KILLED;
}

void rm_app_show(struct master *m, struct app *app, Creel__AppState state)
{
    m->apps_shown[app->shown]--;
    m->apps_shown[state]++;
    app->shown = state;
    rm_app_list_waiting(app);
}

void rm_app_list_waiting(struct app *task)
{
    struct app *app = task->array_app;
    bool waits = task->shown < CREEL__APP_STATE__APP_RUNNING;

    if (app == NULL || waits == task->waits_in_array)
        return;
    task->waits_in_array = waits;
    if (waits)
        TAILQ_INSERT_TAIL(&app->array->waiting, task, in_array_waiting);
    else
        TAILQ_REMOVE(&app->array->waiting, task, in_array_waiting);
    app->array->waiting_count += waits ? 1 : UINT32_MAX;
}

const char *rm_app_state_word(const struct app *app)
{
    return value_name(&creel__app_state__descriptor, (int)app->shown);
}

bool rm_attempt_is_over(const struct attempt *attempt)
{
    return attempt->state == ATTEMPT_FINISHED || attempt->state == ATTEMPT_FAILED ||
           attempt->state == ATTEMPT_KILLED;
}

bool rm_attempt_has_ended_command(const struct attempt *attempt)
{
    return attempt != NULL && attempt->am_container != NULL && attempt->am_container->command_ended;
}

uint32_t rm_app_max_attempts(const struct master *m, const struct app *app)
{
    uint32_t own = app->job->unmanaged ? 1 : app->job->max_attempts;

    return own > 0 && own < m->config.max_attempts ? own : m->config.max_attempts;
}

void rm_app_touch(struct master *m, struct app *app)
{
    app->version++;
    rm_changes_app(m, app);
    if (!app->changed)
        TAILQ_INSERT_TAIL(&m->changed, app, in_changed);
    app->changed = true;
}

void rm_attempt_wake_up(struct master *m, struct attempt *attempt)
{
    if (attempt->wakeup_sent || attempt->wakeup_due || !attempt->known || attempt->am_connection == 0)
        return;
    attempt->wakeup_due = true;
    mem_grow(m->wakeups, m->wakeup_count, m->wakeup_capacity);
    m->wakeups[m->wakeup_count++] = attempt;
}

/* --- containers ---------------------------------------------------------- */

int rm_container_compare(const struct container *a, const struct container *b)
{
    return container_id_compare(&a->id, &b->id);
}

RB_GENERATE(rm_container_tree, container, link, rm_container_compare)
RB_GENERATE(rm_node_container_tree, container, by_node, rm_container_compare)

struct container *rm_container_find(const struct master *m, const char *text)
{
    struct container key;

    if (!container_id_parse(text, &key.id))
        return NULL;
    return RB_FIND(rm_container_tree, (struct rm_container_tree *)(uintptr_t)&m->containers, &key);
}

/* --- nodes --------------------------------------------------------------- */

static int rm_node_compare(const struct node *a, const struct node *b)
{
    return strcmp(a->id, b->id);
}

RB_GENERATE(rm_node_tree, node, link, rm_node_compare)

struct node *rm_node_find(const struct master *m, const char *id)
{
    struct node key = { .id = (char *)(uintptr_t)id };

    return RB_FIND(rm_node_tree, (struct rm_node_tree *)(uintptr_t)&m->nodes, &key);
}

bool rm_node_serves(const struct node *node)
{
    return node->admin.state == ADMIN_SERVING;
}

/* A lost node is reported as lost, whatever its administrative state. */
Creel__NodeState rm_node_shown(const struct node *node)
{
    static const Creel__NodeState states[NODE_STATES] = {
        [NODE_STATE_NEW] = CREEL__NODE_STATE__NODE_RUNNING,
        [NODE_STATE_RUNNING] = CREEL__NODE_STATE__NODE_RUNNING,
        [NODE_STATE_UNHEALTHY] = CREEL__NODE_STATE__NODE_UNHEALTHY,
        [NODE_STATE_LOST] = CREEL__NODE_STATE__NODE_LOST,
        [NODE_STATE_RETIRED] = CREEL__NODE_STATE__NODE_SHUT_DOWN,
    };
    static const Creel__NodeState decided[ADMIN_STATES] = {
        [ADMIN_DRAINING] = CREEL__NODE_STATE__NODE_DRAINING,
        [ADMIN_DRAINED] = CREEL__NODE_STATE__NODE_DRAINED,
        [ADMIN_DECOMMISSIONING] = CREEL__NODE_STATE__NODE_DECOMMISSIONING,
        [ADMIN_DECOMMISSIONED] = CREEL__NODE_STATE__NODE_DECOMMISSIONED,
    };

    if (node->waiting != NULL)
        return CREEL__NODE_STATE__NODE_WAITING;
    if (rm_node_serves(node) || node->state == NODE_STATE_LOST)
        return states[node->state];
    return decided[node->admin.state];
}

void rm_node_mark_for_check(struct master *m, struct node *node)
{
    if (rm_node_serves(node) || node->to_check)
        return;
    node->to_check = true;
    TAILQ_INSERT_TAIL(&m->to_check, node, in_to_check);
    m->nodes_changed = true;
}
