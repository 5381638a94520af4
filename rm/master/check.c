/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - checks the invariants: applications, attempts, containers, nodes and the scheduler agree */
#include <errno.h>
#include <string.h>

#include "rm/master/jobs/array.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/nodes/failed_nodes.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/state.h"
#include "rm/master/state/account.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"
#include "rm/master/state/job_rows.h"
#include "rm/master/state/time_limit.h"

static bool is_live(const struct container *container)
{
    return container->state != CONTAINER_COMPLETED;
}

static int check_order(const struct container *container, struct err *err)
{
    bool stopping = container->state == CONTAINER_STOPPING;

    if (stopping != (container->order == ORDER_STOP))
        return err_set(err, EINVAL, "%s: is %s, but a stop is %sordered", container->text,
                       rm_container_state_name(container->state), stopping ? "not " : "");
    if (container->order == ORDER_START && (container->state != CONTAINER_ACQUIRED || !container->is_am))
        return err_set(err, EINVAL, "%s: its start is ordered in state %s", container->text,
                       rm_container_state_name(container->state));
    return 0;
}

static int check_container(const struct master *m, struct container *container, struct err *err)
{
    bool in_scheduler = is_live(container) && container->node->sched != NULL;
    struct sched_container_info info;

    if (container->state == CONTAINER_NEW)
        return err_set(err, EINVAL, "%s: was left half made", container->text);
    if (in_scheduler != (container->sched != NULL))
        return err_set(err, EINVAL, "%s: is %s on node %s, but %s the scheduler", container->text,
                       rm_container_state_name(container->state), container->node->id,
                       container->sched ? "in" : "not in");
    if (is_live(container) &&
        (container->node->state == NODE_STATE_LOST || container->node->state == NODE_STATE_RETIRED))
        return err_set(err, EINVAL, "%s: lives on a node that is lost, or left", container->text);
    if (is_live(container) && container->node->admin.state != ADMIN_SERVING &&
        container->allocated_ms > container->node->admin.since_ms)
        return err_set(err, EINVAL, "%s: was allocated on node %s, which accepts no new containers",
                       container->text, container->node->id);
    if (container->evicting && container->preempt_ms == 0)
        return err_set(err, EINVAL, "%s: has to go, but not when", container->text);
    if (container->state == CONTAINER_RUNNING && !container->seen)
        return err_set(err, EINVAL, "%s: runs, but was never seen", container->text);
    if (container->is_am && is_live(container) && container->attempt->am_container != container)
        return err_set(err, EINVAL, "%s: is not its attempt's master", container->text);
    if (container->state == CONTAINER_ALLOCATED && !container->am_news)
        return err_set(err, EINVAL, "%s: no AM will receive it", container->text);
    if (container->sched) {
        sched_container_info(container->sched, &info);
        if (sched_container_owner(container->sched) != container || info.app != container->app->sched ||
            info.node != container->node->sched || !resource_equal(&info.resource, &container->resource))
            return err_set(err, EINVAL, "%s: the scheduler thinks otherwise of it", container->text);
    }
    (void)m;
    if ((container->notice_pending || container->am_preempting) &&
        ((container->preempt_ms == 0 && container->spare_ms == 0) || !is_live(container) ||
         container->state == CONTAINER_STOPPING))
        return err_set(err, EINVAL, "%s: a notice of its preemption waits, which is past", container->text);
    return check_order(container, err);
}

static int check_pair(const struct app *app, struct err *err)
{
    const struct attempt *attempt = app->attempt;
    bool over = attempt == NULL || rm_attempt_is_over(attempt);
    bool wrong = false;

    switch (app->state) {
    case APP_STATE_NEW:
    case APP_STATE_SUBMITTED:
        wrong = true; /* a transient state within a step */
        break;
    case APP_STATE_NEW_SAVING:
        wrong = attempt != NULL;
        break;
    case APP_STATE_WAITING:
        wrong = !over || app->sched != NULL || app->eligible_ms != 0 || app->live > 0 ||
                (app->hold_count == 0 && rm_depend_state(app) != DEPENDENCY_WAITS && !app->recheck.armed);
        break;
    case APP_STATE_TASKS:
        wrong = attempt != NULL || app->sched != NULL || app->array == NULL ||
                (rm_array_is_over(app) && !app->recheck.armed);
        break;
    case APP_STATE_ACCEPTED:
        wrong = over || attempt->state == ATTEMPT_FINISHING;
        break;
    case APP_STATE_RUNNING:
        wrong = over || (attempt->state != ATTEMPT_RUNNING && attempt->state != ATTEMPT_FINAL_SAVING);
        break;
    case APP_STATE_KILLING:
        wrong = attempt == NULL || attempt->state != ATTEMPT_FINAL_SAVING;
        break;
    case APP_STATE_FINISHING:
        wrong = attempt == NULL || attempt->state != ATTEMPT_FINISHING;
        break;
    case APP_STATE_FINAL_SAVING:
    case APP_STATE_FINISHED:
    case APP_STATE_FAILED:
    case APP_STATE_KILLED:
    case APP_STATES:
        break;
    }
    if (wrong)
        return err_set(err, EINVAL, "%s: is %s while its attempt is %s", app->text,
                       rm_app_state_name(app->state),
                       attempt ? rm_attempt_state_name(attempt->state) : "not there");
    return 0;
}

/* Checks that each live task of an array is an application that has not ended, and that no task has two
 * applications. */
static int check_array(const struct app *app, struct err *err)
{
    const struct array_states *states = &app->array->states;
    uint32_t counts[ARRAY_TASK_STATES] = { 0 }, live = 0, ended = 0, waiting = 0;
    struct resource held = { .value = { 0 } };
    const struct app *task;

    for (uint32_t i = 0; i < states->count; i++)
        counts[array_states_get(states, i)]++;
    TAILQ_FOREACH(task, &app->array->tasks, in_array) {
        bool is_live = array_states_get(states, task->array_position) == ARRAY_TASK_LIVE;

        if (is_live == rm_app_is_ended(task))
            return err_set(err, EINVAL, "%s: task %u is counted as %s", app->text, task->array_index,
                           is_live ? "live" : "ended");
        live += is_live;
        ended += !is_live;
        waiting += is_live && task->shown < CREEL__APP_STATE__APP_RUNNING;
        held = resource_add(held, task->usage.held);
    }
    if (memcmp(counts, states->counts, sizeof(counts)) != 0 || counts[ARRAY_TASK_LIVE] != live ||
        app->array->ended_count != ended || app->array->waiting_count != waiting ||
        !resource_equal(&held, &app->array->usage.held) || app->array->killed > counts[ARRAY_TASK_FAILED])
        return err_set(err, EINVAL, "%s: the counts of its tasks do not add up", app->text);
    return 0;
}

static int check_time_limit(const struct app *app, struct err *err)
{
    bool ends = rm_app_is_ended(app) || app->kill_requested || app->state == APP_STATE_FINAL_SAVING ||
                rm_attempt_has_ended_command(app->attempt);

    if (!ends && app->lifetime.armed != (rm_time_limit_end_ms(app) > 0))
        return err_set(err, EINVAL, "%s: its timer differs from its end", app->text);
    if (app->limit_ms > 0 && app->attempt == NULL)
        return err_set(err, EINVAL, "%s: its time limit counts without an attempt", app->text);
    return 0;
}

/* Checks that the list of nodes where first containers failed has the nodes of those that ended, and no
 * others. */
static int check_failed_nodes(const struct master *m, const struct app *app, struct err *err)
{
    const struct attempt *attempt;
    struct failed_node *failed;
    unsigned firsts = 0;

    TAILQ_FOREACH(attempt, &app->attempts, link) {
        const struct container *am = attempt->am_container;

        if (!m->config.avoid_failed_nodes || am == NULL || is_live(am) ||
            !rm_failed_nodes_counts(am->exit_status))
            continue;
        HASH_FIND_STR(app->failed_nodes, am->node->id, failed);
        if (failed == NULL)
            return err_set(err, EINVAL, "%s: failed on node %s, which is not avoided", am->text,
                           am->node->id);
        firsts += failed->attempt == attempt->id.attempt;
    }
    if (HASH_COUNT(app->failed_nodes) != firsts)
        return err_set(err, EINVAL, "%s: avoids nodes where no first container failed", app->text);
    return 0;
}

static int check_app(const struct master *m, struct app *app, struct err *err)
{
    struct container first = { .id = { .attempt = { .app = app->id } } }, *container;
    struct sched_app_figures figures = { .containers = 0 };
    struct resource held = resource_of(0, 0);
    uint32_t live = 0, running = 0, placed = 0;
    struct app_node *on_node, *next;

    for (container =
             RB_NFIND(rm_container_tree, (struct rm_container_tree *)(uintptr_t)&m->containers, &first);
         container && container->app == app;
         container = RB_NEXT(rm_container_tree, &m->containers, container)) {
        if (!is_live(container))
            continue;
        live++;
        running += container->seen ? 1 : 0;
        if (container->sched)
            held = resource_add(held, container->resource);
    }
    HASH_ITER(hh, app->nodes, on_node, next)
        placed += on_node->live;
    if (live != app->live || running != app->usage.running || placed != live)
        return err_set(err, EINVAL, "%s: counts %u live and %u running containers, has %u and %u", app->text,
                       app->live, app->usage.running, live, running);
    if (!rm_job_is_kept(app))
        return err_set(err, EINVAL, "%s: the packed bytes of its job are out of date", app->text);
    if (m->config.user_metrics && app->used_mb != app->usage.held.value[RESOURCE_MEMORY_MB])
        return err_set(err, EINVAL, "%s: its user has %lld MiB of it in the metrics", app->text,
                       (long long)app->used_mb);
    if (app->sched)
        sched_app_figures(m->sched, app->sched, &figures);
    if (!resource_equal(&held, &app->usage.held) || !resource_equal(&held, &figures.used))
        return err_set(err, EINVAL, "%s: what it holds does not add up", app->text);
    if (live > 0 && app->sched == NULL)
        return err_set(err, EINVAL, "%s: has containers, but the scheduler forgot it", app->text);
    if (app->eligible_ms > 0 && !rm_app_is_ended(app) && rm_depend_state(app) != DEPENDENCY_MET)
        return err_set(err, EINVAL, "%s: went on, though what it depends on has not come", app->text);
    if ((app->array && check_array(app, err) < 0) || check_failed_nodes(m, app, err) < 0)
        return -EINVAL;
    return check_time_limit(app, err) < 0 ? -EINVAL : check_pair(app, err);
}

static bool counts_as_used(const struct sched_node *node)
{
    struct resource total = sched_node_total(node), used = sched_node_used(node);

    return resource_equal(&total, &used);
}

static int check_node(const struct node *node, struct err *err)
{
    const struct orphan *orphan;
    struct container *container;
    uint32_t count = 0, orders = 0, listed = 0, live = 0, ended = 0, stuck = 0;

    TAILQ_FOREACH(container, &node->containers, of_node) {
        if (container->node != node || !is_live(container))
            return err_set(err, EINVAL, "node %s: lists %s, which is not there", node->id, container->text);
        count++;
        orders += container->order != ORDER_NONE ? 1 : 0;
        stuck += container->stuck != NULL;
    }
    TAILQ_FOREACH(orphan, &node->orphan_turns, in_turn)
        stuck += orphan->stuck != NULL;
    if (stuck != node->stuck_count)
        return err_set(err, EINVAL, "node %s: the number of stuck containers is wrong", node->id);
    RB_FOREACH(container, rm_node_container_tree, (struct rm_node_container_tree *)(uintptr_t)&node->live)
        live++;
    RB_FOREACH(container, rm_node_container_tree, (struct rm_node_container_tree *)(uintptr_t)&node->ended)
        ended += !is_live(container) && container->node == node;
    if (live != count || live + ended != node->references)
        return err_set(err, EINVAL, "node %s: its containers in the order of their ids are wrong", node->id);
    TAILQ_FOREACH(container, &node->orders, in_orders)
        listed++;
    if (count != node->container_count || orders != listed)
        return err_set(err, EINVAL, "node %s: counts of containers or orders are wrong", node->id);
    if ((node->sched != NULL) != (node->state == NODE_STATE_RUNNING || node->state == NODE_STATE_UNHEALTHY))
        return err_set(err, EINVAL, "node %s: its state and the scheduler disagree", node->id);
    if (node->sched && node->admin.state != ADMIN_SERVING && !counts_as_used(node->sched))
        return err_set(err, EINVAL,
                       "node %s: accepts no new containers, but its free resources count as available",
                       node->id);
    if (node->to_check || (node->admin.state == ADMIN_DRAINED && node->container_count > 0) ||
        (node->admin.state == ADMIN_DECOMMISSIONED && node->state != NODE_STATE_RETIRED))
        return err_set(err, EINVAL, "node %s: is %s, or is not", node->id, rm_admin_name(node->admin.state));
    if (node->sched && !node->expiry.armed)
        return err_set(err, EINVAL, "node %s: would never be lost", node->id);
    if (node->sched && sched_node_containers(node->sched) != count)
        return err_set(err, EINVAL, "node %s: the scheduler counts %u containers, there are %u", node->id,
                       sched_node_containers(node->sched), count);
    return 0;
}

static int check_shown(const struct master *m, struct err *err)
{
    uint32_t counts[APP_STATES_SHOWN] = { 0 };
    struct app *app;

    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps)
        counts[app->shown]++;
    for (size_t i = 0; i < APP_STATES_SHOWN; i++)
        if (counts[i] != m->apps_shown[i])
            return err_set(err, EINVAL, "%u applications are shown in state %zu, %u are counted", counts[i],
                           i, m->apps_shown[i]);
    return 0;
}

/* The lists of faults have what the nodes have (node_faults.h). */
static int check_faults(const struct master *m, struct err *err)
{
    uint32_t stuck = 0, versions = 0, reports = 0, crashing = 0, registered = 0;
    struct node *node;

    RB_FOREACH(node, rm_node_tree, (struct rm_node_tree *)(uintptr_t)&m->nodes) {
        bool reports_fault = node->session != 0 && node->state == NODE_STATE_RUNNING &&
                             (!rm_text_is_empty(node->health_report) || node->faulty.missing.text != NULL);

        if (rm_node_list_has(&node->faulty.in_reports) != reports_fault ||
            node->faulty.stuck != (node->session != 0 ? node->stuck_count : 0) ||
            node->faulty.certificate.expires_ms != (node->session != 0 ? node->certificate_expires_ms : 0))
            return err_set(err, EINVAL, "node %s: its faults are not those that are listed", node->id);
        stuck += node->faulty.stuck;
        registered += node->session != 0;
        versions += rm_node_list_has(&node->faulty.in_versions);
        reports += rm_node_list_has(&node->faulty.in_reports);
        crashing += rm_node_list_has(&node->faulty.in_crashing);
    }
    if (stuck != m->node_faults.stuck_containers || versions != m->node_faults.versions.count ||
        reports != m->node_faults.reports.count || crashing != m->node_faults.crashing.count ||
        registered != m->node_faults.registered)
        return err_set(err, EINVAL, "the counts of faults are wrong");
    return 0;
}

int master_check(const struct master *m, struct err *err)
{
    struct rm_container_tree *containers = (struct rm_container_tree *)(uintptr_t)&m->containers;
    struct container *container;
    struct saving *saving;
    uint64_t before = 0;
    struct app *app;
    struct node *node;
    int r;

    RB_FOREACH(container, rm_container_tree, containers)
        if ((r = check_container(m, container, err)) < 0)
            return r;
    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps)
        if ((r = check_app(m, app, err)) < 0)
            return r;
    if ((r = check_shown(m, err)) < 0 || (r = rm_account_check(m, err)) < 0 || (r = check_faults(m, err)) < 0)
        return r;
    RB_FOREACH(node, rm_node_tree, (struct rm_node_tree *)(uintptr_t)&m->nodes)
        if ((r = check_node(node, err)) < 0)
            return r;
    TAILQ_FOREACH(saving, &m->savings, link) {
        if (saving->store_seq <= m->stored_seq || saving->store_seq < before)
            return err_set(err, EINVAL, "a row that is stored, or out of order, is waited for");
        before = saving->store_seq;
    }
    return sched_check(m->sched, err);
}

const struct sched *master_sched(const struct master *m)
{
    return m->sched;
}

bool master_node_is_drained(const struct master *m, const char *node_id)
{
    const struct node *node = rm_node_find(m, node_id);

    return node && node->admin.state == ADMIN_DRAINED && node->state == NODE_STATE_RUNNING;
}
