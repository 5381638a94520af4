/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recover.c - restores the state from the rows of the store at a start
 *
 * Rows restore applications, attempts and the containers that were sent to an AM or node. The nodes of these
 * containers, and those that were registered, have not registered yet (NODE_STATE_NEW): their agents report
 * the present states of the containers. A node that does not register is lost after its expiry, like any
 * node.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rm/master/state/am_state.h"
#include "rm/master/state/amounts.h"
#include "rm/master/machines/app.h"
#include "rm/master/state/app_row.h"
#include "rm/master/services/app_numbers.h"
#include "rm/master/orders/app_usage.h"
#include "rm/master/state/app_logs.h"
#include "rm/master/jobs/array.h"
#include "rm/master/jobs/array_corr.h"
#include "rm/master/machines/attempt.h"
#include "rm/master/orders/completed.h"
#include "rm/master/machines/container.h"
#include "rm/master/state/copy.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/services/drain.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/events.h"
#include "rm/master/nodes/failed_nodes.h"
#include "rm/master/nodes/hosts.h"
#include "rm/master/state/index.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/nodes/web_services.h"
#include "rm/master/orders/node_record.h"
#include "rm/master/services/queues.h"
#include "rm/master/state/retry.h"
#include "rm/master/state/rows.h"
#include "rm/master/state/settings.h"
#include "rm/master/state.h"
#include "rm/master/requests/step.h"
#include "rm/master/state/time_limit.h"

static bool is_final(Creel__AppState state)
{
    return state == CREEL__APP_STATE__APP_FINISHED || state == CREEL__APP_STATE__APP_FAILED ||
           state == CREEL__APP_STATE__APP_KILLED;
}

void master_recover_last_app(struct master *m, uint32_t seq)
{
    if (seq > m->last_app_seq)
        m->last_app_seq = seq;
    m->known_app_seq = m->last_app_seq;
}

/* --- apps ------------------------------------------------------------------ */

static int judge_app(const struct master *m, const Creel__StoredApp *row, struct app_id *id, struct err *err)
{
    if (!app_id_parse(row->app_id, id))
        return err_set(err, EINVAL, "%s: not an application id", row->app_id);
    if (id->cluster_ms != m->cluster_ms)
        return err_set(err, EINVAL, "%s: belongs to another cluster", row->app_id);
    if (rm_app_find(m, id->seq))
        return err_set(err, EINVAL, "%s: is there twice", row->app_id);
    if (row->job == NULL || row->job->launch == NULL || row->job->launch->n_command == 0)
        return err_set(err, EINVAL, "%s: its job has no command", row->app_id);
    if (rm_text_is_empty(row->user))
        return err_set(err, EINVAL, "%s: has no owner", row->app_id);
    if (row->state == CREEL__APP_STATE__APP_STATE_ANY)
        return err_set(err, EINVAL, "%s: has no state", row->app_id);
    return 0;
}

int master_recover_app(struct master *m, const Creel__StoredApp *row, struct err *err)
{
    struct app_id id;
    struct app *app;
    int r = judge_app(m, row, &id, err);

    if (r < 0)
        return r;
    app = rm_app_new(m, &id, row->user, row->job, row->submission_key);
    app->submitted_ms = row->submitted_ms;
    app->started_ms = row->started_ms;
    app->attempt_started_ms = row->attempt_started_ms;
    app->finished_ms = row->finished_ms;
    app->final_status = row->final_status;
    app->exit_status = row->exit_status;
    app->usage.before = (struct usage_sum){ row->memory_mb_seconds * 1000, row->vcore_seconds * 1000 };
    app->kill_requested = row->kill_requested;
    rm_app_update_tasks(app, row->tasks);
    app->progress = row->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED ? 1 : row->progress;
    app->preempted.containers = row->preempted_containers;
    app->preempted.ams = row->preempted_ams;
    app->preempted.amount = rm_resource_from(m, row->preempted);
    app->preempted.memory_mb_ms = row->preempted_memory_mb_seconds * 1000;
    app->preempted.vcore_ms = row->preempted_vcore_seconds * 1000;
    rm_account_set_text(app, &app->diagnostics, row->diagnostics);
    rm_account_set_text(app, &app->kill_reason, row->kill_reason);
    rm_text_set(&app->queue, row->queue);
    app->priority = row->priority;
    app->expires_ms = row->expires_ms;
    rm_app_logs_recover(app, row->logs);
    app->limit_ms = row->limit_ms;
    app->groups = mem_array0(row->n_groups + 1, sizeof(*app->groups));
    for (size_t i = 0; i < row->n_groups; i++)
        app->groups[app->group_count++] = mem_strdup(row->groups[i]);
    app->eligible_ms = row->waiting ? 0 : row->eligible_ms > 0 ? row->eligible_ms : row->submitted_ms;
    for (size_t i = 0; i < row->n_holds; i++)
        rm_hold_add(app, row->holds[i]->by, row->holds[i]->administrator, row->holds[i]->reason,
                    row->holds[i]->since_ms);
    r = rm_array_recover(m, app, row, err);
    app->stored_use = rm_app_use(app);
    if (r == 0)
        r = rm_depend_recover(app, row, err);
    if (r < 0) {
        rm_app_free(m, app);
        return r;
    }
    rm_app_show(m, app, row->state);
    (void)rm_am_state_update(app, &(Creel__AmState){ .data = row->am_state });
    if (!is_final(row->state))
        return 0;
    app->state = row->state == CREEL__APP_STATE__APP_FINISHED ? APP_STATE_FINISHED
                 : row->state == CREEL__APP_STATE__APP_FAILED ? APP_STATE_FAILED
                                                              : APP_STATE_KILLED;
    return 0;
}

/* --- attempts -------------------------------------------------------------- */

int master_recover_attempt(struct master *m, const Creel__StoredAttempt *row, struct err *err)
{
    struct attempt_id id;
    struct attempt *attempt;
    struct app *app;

    if (!attempt_id_parse(row->attempt_id, &id))
        return err_set(err, EINVAL, "%s: not an attempt's id", row->attempt_id);
    app = id.app.cluster_ms == m->cluster_ms ? rm_app_find(m, id.app.seq) : NULL;
    if (app == NULL)
        return err_set(err, EINVAL, "%s: its application is not there", row->attempt_id);
    if (id.attempt != (app->attempt ? app->attempt->id.attempt + 1 : 1))
        return err_set(err, EINVAL, "%s: the attempt before it is not there", row->attempt_id);
    attempt = rm_attempt_new(m, app, id.attempt);
    attempt->registered = row->registered;
    attempt->unregistered = row->unregistered;
    attempt->counts = row->counts;
    rm_retry_set(attempt, row->restart);
    attempt->requeued_soon = row->requeued_soon;
    rm_attempt_set_outcome(attempt, row->final_status, row->exit_status, row->diagnostics);
    rm_account_set_text(app, &attempt->tracking_url, row->tracking_url);
    rm_account_set_text(app, &attempt->am_host, row->am_host);
    if (row->over)
        attempt->state = row->unregistered                                        ? ATTEMPT_FINISHED
                         : row->final_status == CREEL__FINAL_STATUS__FINAL_KILLED ? ATTEMPT_KILLED
                                                                                  : ATTEMPT_FAILED;
    else if (app->job->unmanaged)
        attempt->state = row->unregistered ? ATTEMPT_FINISHED
                         : row->registered ? ATTEMPT_RUNNING
                                           : ATTEMPT_NEW;
    else if (rm_text_is_empty(row->master_container_id))
        attempt->state = ATTEMPT_NEW; /* no container was allocated for it, so it requests one again */
    else
        attempt->state = row->unregistered ? ATTEMPT_FINISHING
                         : row->registered ? ATTEMPT_RUNNING
                                           : ATTEMPT_ALLOCATED;
    return 0;
}

/* --- containers ------------------------------------------------------------ */

static int judge_container(const struct master *m, const Creel__StoredContainer *row, struct container_id *id,
                           struct attempt **ret, struct err *err)
{
    const Creel__ContainerReport *report = row->report;

    if (report == NULL || !container_id_parse(report->container_id, id))
        return err_set(err, EINVAL, "%s: not a container's id",
                       report ? report->container_id : "a row of containers");
    *ret = rm_attempt_find(m, &id->attempt);
    if (*ret == NULL)
        return err_set(err, EINVAL, "%s: its attempt is not there", report->container_id);
    if (rm_container_find(m, report->container_id))
        return err_set(err, EINVAL, "%s: is there twice", report->container_id);
    if (id->epoch >= m->epoch)
        return err_set(err, EINVAL, "%s: was made by a later resource manager", report->container_id);
    if (rm_text_is_empty(report->node_id) || report->resource == NULL || report->resource->memory_mb < 0 ||
        report->resource->vcores < 0 || report->resource->memory_mb > INT32_MAX ||
        report->resource->vcores > INT32_MAX)
        return err_set(err, EINVAL, "%s: has no node, or no sensible size", report->container_id);
    return 0;
}

static void restore_report(const struct master *m, struct container *container,
                           const Creel__StoredContainer *row)
{
    const Creel__ContainerReport *report = row->report;

    container->stored = true;
    container->stopped = row->stopped;
    container->is_am = report->master;
    container->resource = rm_resource_from(m, report->resource);
    container->priority = report->priority;
    container->version = report->version;
    container->resized_ms = report->resized_ms;
    if (report->wanted)
        container->asked = rm_resource_from(m, report->wanted);
    container->allocated_ms = report->allocated_ms;
    container->started_ms = report->started_ms;
    container->finished_ms = report->finished_ms;
    container->exit_status = report->exit_status;
#define T(type, member, step) container->totals.member = report->member;
    CONTAINER_TOTALS(T)
#undef T
    rm_text_set(&container->diagnostics, report->diagnostics);
    rm_text_set(&container->title, report->title);
    if (row->grant) {
        container->allocation_id = row->grant->allocation_id;
        container->expires_ms = row->grant->expires_ms;
        container->stop_after_ms = row->grant->stop_after_ms;
    }
}

int master_recover_container(struct master *m, const Creel__StoredContainer *row, struct err *err)
{
    struct attempt *attempt = NULL;
    struct container *container;
    struct container_id id;
    struct node *node;
    int r = judge_container(m, row, &id, &attempt, err);

    if (r < 0)
        return r;
    node = rm_node_find(m, row->report->node_id);
    if (node == NULL)
        node = rm_node_new(m, row->report->node_id);
    container = rm_container_new(m, attempt, &id, node);
    container->serial = ++m->last_recovered; /* the store has the rows in the order of their ids */
    restore_report(m, container, row);
    if (container->is_am)
        attempt->am_container = container;
    if (row->report->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE) {
        container->state = CONTAINER_COMPLETED;
        container->shown = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
        rm_app_node_get(attempt->app, node->id);
        rm_failed_nodes_add(m, container);
        if (container->started_ms == 0 && container->exit_status == CONTAINER_EXIT_ABORTED)
            rm_node_refuse(m, container);
        rm_completed_add(container);
    } else {
        rm_container_event(m, container, CONTAINER_EVENT_RECOVER);
        rm_container_enter_node(m, container);
    }
    return 0;
}

/* --- nodes ----------------------------------------------------------------- */

static int judge_node(const struct master *m, const Creel__StoredNode *row, struct err *err)
{
    const struct node *node = rm_node_find(m, row->node_id);

    if (rm_text_is_empty(row->node_id))
        return err_set(err, EINVAL, "a row of nodes without a node");
    if (node && (node->admin.state != ADMIN_SERVING || node->size.by || node->registered))
        return err_set(err, EINVAL, "%s: is there twice", row->node_id);
    if (row->state < CREEL__STORED_ADMIN_STATE__STORED_SERVING ||
        row->state > CREEL__STORED_ADMIN_STATE__STORED_DECOMMISSIONED)
        return err_set(err, EINVAL, "%s: state %d is not known here", row->node_id, (int)row->state);
    return 0;
}

int master_recover_node(struct master *m, const Creel__StoredNode *row, struct err *err)
{
    int r = judge_node(m, row, err);
    struct node *node;

    if (r < 0)
        return r;
    if (row->state == CREEL__STORED_ADMIN_STATE__STORED_SERVING && row->total == NULL && !row->registered)
        return 0; /* a row of an earlier version: no administrator's setting is left for the node */
    node = rm_node_find(m, row->node_id);
    if (node == NULL)
        node = rm_node_new(m, row->node_id);
    node->registered = row->registered;
    node->seen_ms = row->last_contact_ms;
    for (enum admin_state state = ADMIN_SERVING; state < ADMIN_STATES; state++)
        if (rm_admin_stored(state) == row->state)
            node->admin.state = state;
    if (!rm_node_serves(node)) {
        rm_text_set(&node->admin.by, row->by);
        rm_text_set(&node->admin.reason, row->reason);
        node->admin.since_ms = row->since_ms;
        node->admin.deadline_ms = row->deadline_ms;
        node->admin.by_file = row->by_file;
        node->admin.forced = row->forced;
        node->admin.forced_ms = row->forced ? m->now_ms : 0;
    }
    if (row->total) {
        node->size.set = rm_resource_from(m, row->total);
        rm_text_set(&node->size.by, rm_text_is_empty(row->total_by) ? "somebody" : row->total_by);
        node->size.until_ms = row->total_until_ms;
        node->size.overcommit_ms = row->overcommit_ms;
    }
    return 0;
}

/* --- when all rows are read ------------------------------------------------ */

/* Sets the state of APP from its last attempt, and continues that attempt. */
static void restore_attempt(struct master *m, struct app *app)
{
    struct attempt *attempt = app->attempt;
    enum attempt_state state = attempt->state;

    /* If the row of the attempt names a container, but the row of that container was refused: */
    if (attempt->am_container == NULL && !app->job->unmanaged &&
        (state == ATTEMPT_ALLOCATED || state == ATTEMPT_RUNNING || state == ATTEMPT_FINISHING))
        attempt->state = state = state == ATTEMPT_FINISHING ? ATTEMPT_FINISHED : ATTEMPT_NEW;
    app->state = state == ATTEMPT_RUNNING ? APP_STATE_RUNNING : APP_STATE_ACCEPTED;
    rm_app_show(m, app,
                state == ATTEMPT_RUNNING ? CREEL__APP_STATE__APP_RUNNING : CREEL__APP_STATE__APP_ACCEPTED);
    if (state == ATTEMPT_NEW) {
        rm_attempt_event(m, attempt, ATTEMPT_EVENT_START);
        return;
    }
    if (state == ATTEMPT_ALLOCATED || state == ATTEMPT_RUNNING) {
        const struct container *am = attempt->am_container;

        sched_app_set_master(m->sched, app->sched, am ? &am->resource : &m->minimum);
        sched_app_start(m->sched, app->sched, NULL, &m->decisions);
        attempt->am_seen_ms = m->now_ms;
        if (app->job->kind != CREEL__APP_KIND__APP_COMMAND && state == ATTEMPT_RUNNING)
            rm_deadline_set(m, &attempt->expiry, m->now_ms + m->config.am_expiry_ms);
        if (am && am->state == CONTAINER_COMPLETED)
            rm_app_on_am_ended(m, attempt);
        return;
    }
    rm_app_set_outcome(app, attempt);
    if (state == ATTEMPT_FINISHING) {
        attempt->am_seen_ms = m->now_ms;
        rm_deadline_set(m, &attempt->expiry, m->now_ms + m->config.am_expiry_ms);
        rm_app_event(m, app, APP_EVENT_ATTEMPT_UNREGISTERED);
        if (attempt->am_container->state == CONTAINER_COMPLETED)
            rm_attempt_event(m, attempt, ATTEMPT_EVENT_ENDED);
    } else if (state == ATTEMPT_FINISHED) {
        rm_app_event(m, app,
                     attempt->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED ||
                             app->job->kind == CREEL__APP_KIND__APP_COMMAND
                         ? APP_EVENT_ATTEMPT_FINISHED
                         : APP_EVENT_ATTEMPT_UNREGISTERED);
    } else {
        rm_app_event(m, app, rm_retry_follows(m, app) ? APP_EVENT_ATTEMPT_RETRY : APP_EVENT_ATTEMPT_FAILED);
    }
}

/* Ends ATTEMPT, whose application may not continue for the reason WHY. Later results of its containers are
 * ignored. */
static void end_attempt(struct master *m, struct attempt *attempt, const char *why)
{
    if (rm_attempt_is_over(attempt))
        return;
    rm_attempt_set_outcome(attempt, CREEL__FINAL_STATUS__FINAL_KILLED, CONTAINER_EXIT_BY_RM, why);
    attempt->state = ATTEMPT_KILLED;
    rm_store_attempt(m, attempt);
}

/* Restores an application that waits outside its queue. An attempt that it had requested there before it was
 * held is void, as it was before the restart (app.c, withdraw). */
static void restore_waiting(struct master *m, struct app *app)
{
    if (app->attempt != NULL && app->attempt->state == ATTEMPT_NEW) {
        rm_attempt_free(m, app->attempt);
        app->attempt = TAILQ_LAST(&app->attempts, attempt_list);
    }
    rm_app_event(m, app, APP_EVENT_RECOVER);
    rm_app_show(m, app, CREEL__APP_STATE__APP_SUBMITTED);
    rm_app_event(m, app, app->kill_requested ? APP_EVENT_KILL : APP_EVENT_WAIT);
    rm_events_run(m);
}

/* Restores an array. Its tasks have higher numbers and are restored after it. */
static void restore_array(struct master *m, struct app *app)
{
    struct app *task;

    rm_app_event(m, app, APP_EVENT_RECOVER);
    rm_app_event(m, app, APP_EVENT_EXPAND);
    if (!app->kill_requested)
        return;
    TAILQ_FOREACH(task, &app->array->tasks, in_array) {
        if (is_final(task->shown))
            continue;
        task->kill_requested = true;
        rm_account_set_text(task, &task->kill_reason, app->kill_reason);
    }
    rm_app_event(m, app, APP_EVENT_KILL);
}

static void restore_app(struct master *m, struct app *app)
{
    struct container first = { .id = { .attempt = { .app = app->id } } }, *container, *next;
    struct err err = { .code = 0 };

    (void)rm_queues_enter(m, app, true, &err);
    if (app->attempt && (app->attempt->state == ATTEMPT_FINISHING || app->attempt->state == ATTEMPT_FINISHED))
        err.code = 0; /* the result of the application is known, so it needs no queue */
    if (err.code != 0 && app->attempt)
        end_attempt(m, app->attempt, err.text);
    rm_app_event(m, app, APP_EVENT_RECOVER);
    if (app->kill_requested || err.code != 0) {
        app->final_status = CREEL__FINAL_STATUS__FINAL_FAILED;
        if (err.code != 0)
            rm_account_set_text(app, &app->diagnostics, err.text);
        rm_app_event(m, app, app->kill_requested ? APP_EVENT_KILL : APP_EVENT_REJECTED);
        return;
    }
    rm_time_limit_recover(m, app);
    for (container = RB_NFIND(rm_container_tree, &m->containers, &first); container && container->app == app;
         container = next) {
        next = RB_NEXT(rm_container_tree, &m->containers, container);
        if (container->attempt != app->attempt || rm_attempt_is_over(container->attempt))
            rm_container_stop(m, container, rm_attempt_stop_status(m, container->attempt),
                              "its attempt is over");
    }
    if (app->attempt)
        restore_attempt(m, app);
    else
        rm_app_event(m, app, APP_EVENT_ACCEPTED);
    rm_events_run(m);
}

/* Restores an application that has ended: its running containers are stopped when their nodes register. */
static void restore_ended(struct master *m, struct app *app)
{
    struct container first = { .id = { .attempt = { .app = app->id } } }, *container, *next;

    for (container = RB_NFIND(rm_container_tree, &m->containers, &first); container && container->app == app;
         container = next) {
        next = RB_NEXT(rm_container_tree, &m->containers, container);
        rm_container_stop(m, container, CONTAINER_EXIT_APP_OVER, "its application is over");
    }
}

static int compare_ends(const void *a, const void *b)
{
    const struct app *first = *(struct app *const *)a, *second = *(struct app *const *)b;

    if (first->finished_ms != second->finished_ms)
        return first->finished_ms < second->finished_ms ? -1 : 1;
    return first->id.seq < second->id.seq ? -1 : first->id.seq > second->id.seq;
}

/* Lists the applications that have ended, in the order of their ends: the oldest are forgotten first. */
static void list_ended(struct master *m)
{
    struct app **ended = NULL, *app;
    size_t count = 0, capacity = 0;

    RB_FOREACH(app, rm_app_tree, &m->apps) {
        if (!is_final(app->shown))
            continue;
        mem_grow(ended, count, capacity);
        ended[count++] = app;
    }
    if (count > 0)
        qsort(ended, count, sizeof(struct app *), compare_ends);
    for (size_t i = 0; i < count; i++)
        rm_app_list_ended(m, ended[i]);
    free(ended);
}

/* Restores the relations between applications, before any of them continues. */
static void restore_relations(struct master *m)
{
    struct app *app;

    RB_FOREACH(app, rm_app_tree, &m->apps) {
        if (is_final(app->shown))
            continue;
        if (app->array_id.seq == 0)
            rm_job_name_enter(m, app);
        if (app->eligible_ms == 0)
            rm_depend_connect(m, app);
        rm_corr_recover(m, app);
    }
}

static void restore(struct master *m, struct app *app)
{
    if (m->config.clock_set_ms != 0 && !is_final(app->shown) &&
        rm_time_limit_shift(app, m->config.clock_set_ms))
        rm_store_app(m, app);
    if (is_final(app->shown)) {
        if (app->live > 0)
            (void)rm_queues_enter(m, app, true, NULL);
        restore_ended(m, app);
    } else if (app->eligible_ms == 0) {
        restore_waiting(m, app);
    } else if (app->array) {
        restore_array(m, app);
    } else {
        restore_app(m, app);
    }
    if (!rm_app_is_ended(app))
        rm_job_set_deadline(m, app);
}

static bool has_master(const struct app *app)
{
    return app->attempt &&
           (app->attempt->state == ATTEMPT_ALLOCATED || app->attempt->state == ATTEMPT_RUNNING ||
            app->attempt->state == ATTEMPT_FINISHING);
}

/* Restores all applications in the order of their ids, those that wait for their first container last: they
 * get what the limits on running applications leave (yarn-behaviour 5.2). An array is restored before its
 * tasks. */
static void restore_all(struct master *m)
{
    scoped_free struct app **waiting = NULL;
    size_t count = 0, capacity = 0;
    struct app *app;

    RB_FOREACH(app, rm_app_tree, &m->apps) {
        if (has_master(app) || app->array) {
            restore(m, app);
            continue;
        }
        mem_grow(waiting, count, capacity);
        waiting[count++] = app;
    }
    for (size_t i = 0; i < count; i++)
        restore(m, waiting[i]);
}

/* Moves the times at which what was set for a while ends, as much as the clock was set. */
static void shift_node(struct master *m, struct node *node, int64_t set_ms)
{
    int64_t *const times[] = { &node->admin.deadline_ms, &node->size.until_ms, &node->size.overcommit_ms };
    bool moved = false;

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        moved = moved || *times[i] > 0;
        *times[i] += *times[i] > 0 ? set_ms : 0;
    }
    if (moved)
        rm_store_node(m, node);
}

void master_recover_scheduler_conf(struct master *m, const Creel__SchedulerConfVersion *version)
{
    rm_event_queues_configured(m, version, true);
}

void master_recover_done(struct master *m, int64_t now_ms, struct master_effects *effects)
{
    const char *const *notes;
    struct node *node;

    rm_step_begin(m, now_ms, effects);
    rm_app_numbers_recover(m);
    restore_relations(m);
    rm_event_queues_restore(m);
    rm_event_log_restore(m);
    list_ended(m);
    rm_contacts_recovered(m); /* before rows of nodes are written again */
    restore_all(m);
    (void)rm_settings_apply(m, &notes);
    rm_settings_shift(m, m->config.clock_set_ms);
    rm_web_services_recovered(m);
    rm_event_queues_begin(m);
    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        if (m->config.clock_set_ms != 0)
            shift_node(m, node, m->config.clock_set_ms);
        rm_drain_recovered(m, node);
    }
    rm_hosts_recovered(m);
    rm_queues_start_timers(m);
    rm_step_end(m);
}
