/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - reports applications and nodes as messages for clients */
#include <string.h>

#include "common/base/text.h"
#include "rm/master/app_logs.h"
#include "rm/master/admin_state.h"
#include "rm/master/amounts.h"
#include "rm/master/array.h"
#include "rm/master/array_corr.h"
#include "rm/master/authz.h"
#include "rm/master/clock.h"
#include "rm/master/copy.h"
#include "rm/master/depend.h"
#include "rm/master/failed_nodes.h"
#include "rm/master/index.h"
#include "rm/master/job_rows.h"
#include "rm/master/job_wait.h"
#include "rm/master/liveness.h"
#include "rm/master/message.h"
#include "rm/master/report.h"
#include "rm/master/retry.h"
#include "rm/master/time_limit.h"
#include "rm/master/why.h"

#define NAMES_SHOWN_MAX 64 /* of a blacklist */

/* --- apps ------------------------------------------------------------------ */

static void report_figures(struct master *m, const struct app *app, Creel__AppReport *report)
{
    struct sched_app_figures figures = { .containers = 0 };
    int64_t passed = m->now_ms > app->held_since_ms ? m->now_ms - app->held_since_ms : 0;

    if (app->sched)
        sched_app_figures(m->sched, app->sched, &figures);
    report->running_containers = app->running;
    report->pending_containers =
        figures.pending_containers > UINT32_MAX ? UINT32_MAX : (uint32_t)figures.pending_containers;
    report->allocated = rm_resource_message(m, &app->held);
    report->pending = rm_resource_message(m, &figures.pending);
    report->memory_mb_seconds =
        (app->memory_mb_ms + (uint64_t)(app->held.value[RESOURCE_MEMORY_MB] * passed)) / 1000;
    report->vcore_seconds = (app->vcore_ms + (uint64_t)(app->held.value[RESOURCE_VCORES] * passed)) / 1000;
    report->reserved = rm_resource_message(m, &figures.reserved);
    report->reserved_containers = figures.reserved_containers;
    report->preempted_containers = app->preempted.containers;
    report->preempted_ams = app->preempted.ams;
    report->preempted = rm_resource_message(m, &app->preempted.amount);
    report->preempted_memory_mb_seconds = app->preempted.memory_mb_ms / 1000;
    report->preempted_vcore_seconds = app->preempted.vcore_ms / 1000;
}

/* Reports the use of APP by node label, if it used or requested anything on nodes with a label. The AM runs
 * in the partition of its node. */
static void report_partitions(struct master *m, const struct app *app, Creel__AppReport *report)
{
    const struct container *am = app->attempt ? app->attempt->am_container : NULL;
    int count = app->sched != NULL ? sched_label_count(m->sched) : 0;
    struct sched_app_figures figures = { .containers = 0 };
    struct arena *arena = m->out->arena;

    if (count < 2 || sched_app_only_unlabelled(app->sched))
        return;
    report->partitions = arena_array0(arena, (size_t)count, sizeof(*report->partitions));
    for (int l = 0; l < count; l++) {
        Creel__AppPartition *part;
        struct sched_label label = { .name = NULL };

        if (!sched_app_partition_figures(app->sched, l, &figures) && l > 0)
            continue;
        part = arena_new0(arena, Creel__AppPartition);
        creel__app_partition__init(part);
        part->label = rm_message_text(arena, l > 0 && sched_label_at(m->sched, l, &label) ? label.name : "");
        part->used = rm_resource_message(m, &figures.used);
        part->reserved = rm_resource_message(m, &figures.reserved);
        part->pending = rm_resource_message(m, &figures.pending);
        if (am != NULL && am->node->sched != NULL &&
            text_equal(sched_node_label(am->node->sched), part->label))
            part->am_used = rm_resource_message(m, &am->resource);
        report->partitions[report->n_partitions++] = part;
    }
}

/* Reports why APP waits. Holds, and texts about them, are only for users who may see the application. */
static void report_wait(struct master *m, const struct app *app, Creel__AppReport *report, bool whole)
{
    struct arena *arena = m->out->arena;
    enum job_wait wait = rm_job_wait(m, app);

    report->reason_code = rm_message_text(arena, rm_job_wait_code(app, wait));
    if (!whole)
        return;
    report->reason = rm_message_text(arena, rm_job_wait_text(m, app, wait));
    report->reason_short = rm_message_text(arena, rm_job_wait_short(m, app, wait));
    report->holds = rm_hold_messages(arena, app);
    report->n_holds = app->hold_count;
}

static void report_array(struct master *m, const struct app *app, Creel__AppReport *report)
{
    struct arena *arena = m->out->arena;
    char id[ID_TEXT_MAX];

    if (app->array_id.seq > 0) {
        app_id_format(&app->array_id, id);
        report->array_id = rm_message_text(arena, id);
        report->array_index = app->array_index;
    }
    if (app->array == NULL)
        return;
    report->array = rm_message_text(arena, app->job->array);
    report->array_at_once = app->array->at_once;
    if (app->state != APP_STATE_TASKS)
        return;
    report->reason = rm_message_text(arena, app->refusal ? app->refusal : rm_array_text(m, app));
    report->reason_short = rm_message_text(arena, rm_array_text(m, app));
    if (app->refusal) {
        report->reason_code = rm_message_text(arena, rm_job_wait_code(app, JOB_WAIT_QUEUE));
    } else if (rm_corr_blocks(app->array)) {
        report->reason_code = rm_message_text(arena, rm_job_wait_code(app, JOB_WAIT_DEPENDENCY));
        report->reason = rm_message_text(arena, rm_depend_corr_text(m, app));
    }
}

static void report_reason(struct master *m, const struct app *app, Creel__AppReport *report)
{
    struct arena *arena = m->out->arena;
    const struct attempt *attempt = app->attempt;
    struct sched_why why = { .reason = SCHED_REASON_NONE };
    const char *avoided;

    if (app->sched == NULL)
        return;
    if (attempt && attempt->am_container && attempt->am_container->node->state == NODE_STATE_NEW &&
        !rm_attempt_is_over(attempt)) {
        report->reason_code = rm_message_text(arena, "RmRecovering");
        report->reason = arena_printf(arena, "waits until node %s, where it ran, registers again",
                                      attempt->am_container->node->id);
        return;
    }
    rm_why_ask(m, app, &why);
    if (why.reason == SCHED_REASON_NONE && rm_why_unmanaged(app)) {
        report->reason_code = rm_message_text(arena, RM_WHY_UNMANAGED);
        report->reason = rm_message_text(arena, rm_why_unmanaged(app));
        report->reason_short = rm_message_text(arena, "not registered");
    }
    if (why.reason == SCHED_REASON_NONE || why.reason == SCHED_REASON_NEXT_OFFER)
        return; /* a wait until the next heartbeat needs no reason */
    report->reason_code = rm_message_text(arena, sched_reason_name(why.reason));
    report->reason = rm_message_text(arena, rm_why_text(m, &why));
    if (why.reason == SCHED_REASON_NODE_BLACKLISTED && (avoided = rm_failed_nodes_waiting(m, app)) != NULL)
        report->reason = arena_printf(arena, "%s: %s", report->reason, avoided);
    report->reason_short = rm_message_text(arena, rm_why_short(m, &why));
}

static void report_blacklist(struct master *m, const struct app *app, Creel__AppReport *report)
{
    const char *names[NAMES_SHOWN_MAX];
    size_t count = app->sched ? sched_app_blacklist(app->sched, names, NAMES_SHOWN_MAX) : 0;

    if (count == 0)
        return;
    report->blacklisted = arena_array0(m->out->arena, count, sizeof(char *));
    for (size_t i = 0; i < count; i++)
        report->blacklisted[report->n_blacklisted++] = arena_strdup(m->out->arena, names[i]);
}

static void report_attempt(struct master *m, const struct app *app, Creel__AppReport *report, bool whole)
{
    const struct attempt *attempt = app->attempt;
    struct arena *arena = m->out->arena;

    if (attempt == NULL)
        return;
    report->attempt = attempt->id.attempt;
    report->registered = attempt->registered;
    report->retries_used = app->retries_used;
    if (!whole)
        return;
    report->restart_reason = rm_message_text(arena, rm_retry_reason(app));
    /* (what was stored before addresses were checked is not shown) */
    if (!rm_text_is_empty(attempt->tracking_url) && text_is_web_address(attempt->tracking_url))
        report->tracking_url = rm_message_text(arena, attempt->tracking_url);
    report->am_host = rm_message_text(arena, attempt->am_host);
    rm_failed_nodes_report(m, app, report);
    report->silent_nodes = rm_message_text(arena, rm_liveness_of_app(m, app));
    report_blacklist(m, app, report);
    if (attempt->am_container) {
        report->master_container_id = rm_message_text(arena, attempt->am_container->text);
        report->master_node_id = rm_message_text(arena, attempt->am_container->node->id);
    }
}

static bool is_short(const Creel__LaunchContext *launch)
{
    size_t left = COMMAND_SHORT_MAX;

    for (size_t i = 0; i < launch->n_command; i++) {
        size_t length = strnlen(launch->command[i], left);

        if (length == left)
            return false;
        left -= length + 1;
    }
    return true;
}

static void report_command(struct master *m, const Creel__LaunchContext *launch, Creel__AppReport *report)
{
    struct arena *arena = m->out->arena;

    report->command = arena_array0(arena, launch->n_command + 1, sizeof(char *));
    for (size_t i = 0; i < launch->n_command; i++)
        report->command[report->n_command++] = arena_strdup(arena, launch->command[i]);
}

void rm_app_report_command(struct master *m, const struct app *app, Creel__AppReport *report)
{
    if (!report->command_left_out)
        return;
    report_command(m, app->job->launch, report);
    report->command_left_out = false;
}

static void report_job(struct master *m, const struct app *app, Creel__AppReport *report, bool whole)
{
    struct arena *arena = m->out->arena;
    const Creel__JobSpec *job = app->job;
    struct resource resource = rm_resource_from(m, job->resource);

    /* Rounded as for its next containers; the limits may have changed since the submission. */
    sched_normalise(m->sched, &resource, &resource, NULL);
    report->name = rm_message_text(arena, job->name);
    report->type = rm_message_text(arena, rm_text_is_empty(job->type) ? "CREEL" : job->type);
    report->priority = app->priority;
    report->label = rm_message_text(arena, job->label);
    report->expires_ms = rm_time_limit_end_ms(app);
    report->time_limit_s = job->time_limit_s;
    report->eligible_ms = app->eligible_ms;
    report->begin_ms = job->begin_ms;
    report->deadline_ms = job->deadline_ms;
    if (whole) {
        report->dependencies = rm_depend_messages(arena, app);
        report->n_dependencies = app->dependency_count;
    }
    report->kind = job->kind;
    report->unmanaged = job->unmanaged;
    report->retries = job->retries;
    report->max_attempts = rm_app_max_attempts(m, app);
    report->resource = rm_resource_message(m, &resource);
    report->tags = arena_array0(arena, job->n_tags + 1, sizeof(char *));
    for (size_t i = 0; i < job->n_tags; i++)
        report->tags[report->n_tags++] = arena_strdup(arena, job->tags[i]);
    if (!whole || job->launch == NULL)
        return;
    report->command_left_out = !is_short(job->launch);
    if (!report->command_left_out)
        report_command(m, job->launch, report);
}

/* Reports APP. As in YARN, all users see that an application exists, its owner and its resource use. Only
 * users who may see the application get its command, its hosts and its diagnostics. */
Creel__AppReport *rm_app_report(struct master *m, const struct app *app, const char *asker)
{
    struct arena *arena = m->out->arena;
    Creel__AppReport *report = arena_new0(arena, Creel__AppReport);
    bool whole = rm_authz_app(m, asker, AUTHZ_SEE_APP, app);

    creel__app_report__init(report);
    report->app_id = rm_message_text(arena, app->text);
    report->user = rm_message_text(arena, app->user);
    report->queue = rm_message_text(arena, app->queue);
    report->state = app->shown;
    report->final_status = app->final_status;
    report->exit_status = app->exit_status;
    report->progress = app->progress;
    report->diagnostics = rm_message_text(arena, whole ? app->diagnostics : NULL);
    report->submitted_ms = app->submitted_ms;
    report->started_ms = app->started_ms;
    report->finished_ms = app->finished_ms;
    report->version = app->version;
    report->kill_requested = app->kill_requested;
    report->log_aggregation = rm_app_logs_state(m, app);
    report->tasks = rm_task_counts(arena, app);
    report_figures(m, app, report);
    report_partitions(m, app, report);
    report_attempt(m, app, report, whole);
    report_job(m, app, report, whole);
    if (app->state == APP_STATE_WAITING)
        report_wait(m, app, report, whole);
    else
        report_reason(m, app, report);
    report_array(m, app, report);
    /* In FINAL_SAVING the outcome is known but may yet be lost, so it is not reported. */
    if (app->state == APP_STATE_FINAL_SAVING) {
        report->final_status = CREEL__FINAL_STATUS__FINAL_UNDEFINED;
        report->exit_status = CONTAINER_EXIT_NONE;
        report->finished_ms = 0;
    }
    return report;
}

#define REQUESTS_MAX 1000

void rm_app_report_requests(struct master *m, const struct app *app, const char *asker,
                            Creel__AppReport *report)
{
    struct arena *arena = m->out->arena;
    struct sched_ask *asks;
    size_t count;

    if (app->sched == NULL || !rm_authz_app(m, asker, AUTHZ_SEE_APP, app))
        return;
    asks = arena_array0(arena, REQUESTS_MAX, sizeof(*asks));
    count = sched_app_asks(app->sched, asks, REQUESTS_MAX);
    report->requests = arena_array0(arena, count + 1, sizeof(*report->requests));
    for (size_t i = 0; i < count; i++) {
        Creel__Ask *ask = arena_new0(arena, Creel__Ask);

        creel__ask__init(ask);
        ask->priority = asks[i].priority;
        ask->allocation_id = asks[i].allocation_id;
        ask->resource_name = rm_message_text(arena, asks[i].resource_name);
        ask->capability = rm_resource_message(m, &asks[i].capability);
        ask->count = asks[i].count;
        ask->strict_locality = asks[i].strict_locality;
        ask->label = rm_message_text(arena, asks[i].label);
        report->requests[report->n_requests++] = ask;
    }
}

/* --- nodes ----------------------------------------------------------------- */

bool rm_node_is_listed(const struct node *node)
{
    return node->state != NODE_STATE_NEW || !rm_node_serves(node) || node->waiting != NULL;
}

/* A lost node is reported as lost, whatever its administrative state. */
Creel__NodeState rm_node_shown(const struct node *node)
{
    static const Creel__NodeState states[NODE_STATES] = {
        [NODE_STATE_NEW] = CREEL__NODE_STATE__NODE_LOST,
        [NODE_STATE_RUNNING] = CREEL__NODE_STATE__NODE_RUNNING,
        [NODE_STATE_UNHEALTHY] = CREEL__NODE_STATE__NODE_UNHEALTHY,
        [NODE_STATE_LOST] = CREEL__NODE_STATE__NODE_LOST,
        [NODE_STATE_RETIRED] = CREEL__NODE_STATE__NODE_SHUT_DOWN,
    };
    static const Creel__NodeState duties[ADMIN_STATES] = {
        [ADMIN_DRAINING] = CREEL__NODE_STATE__NODE_DRAINING,
        [ADMIN_DRAINED] = CREEL__NODE_STATE__NODE_DRAINED,
        [ADMIN_DECOMMISSIONING] = CREEL__NODE_STATE__NODE_DECOMMISSIONING,
        [ADMIN_DECOMMISSIONED] = CREEL__NODE_STATE__NODE_DECOMMISSIONED,
    };

    if (node->waiting != NULL)
        return CREEL__NODE_STATE__NODE_WAITING;
    if (rm_node_serves(node) || node->state == NODE_STATE_LOST)
        return states[node->state];
    return duties[node->admin.state];
}

/* Adds the memory in use by the containers of NODE, as the agent reported last, and those that do not end. */
static void add_containers(struct master *m, const struct node *node, Creel__NodeReport *report)
{
    const struct container *container;

    TAILQ_FOREACH(container, &node->containers, of_node) {
        report->containers_memory_bytes += container->memory_bytes;
        if (container->stuck != NULL && report->containers_stuck++ == 0)
            report->stuck_report = arena_printf(m->out->arena, "%s: %s", container->text, container->stuck);
    }
}

Creel__NodeReport *rm_node_report(struct master *m, const struct node *node)
{
    struct arena *arena = m->out->arena;
    Creel__NodeReport *report = arena_new0(arena, Creel__NodeReport);
    struct resource used = resource_of(0, 0), reserved = resource_of(0, 0);

    creel__node_report__init(report);
    report->node_id = rm_message_text(arena, node->id);
    report->rack = rm_message_text(arena, node->rack);
    report->state = rm_node_shown(node);
    report->containers = node->waiting != NULL ? node->waiting_containers : node->container_count;
    if (node->sched) {
        used = sched_node_used(node->sched);
        reserved = sched_node_reserved(node->sched);
    }
    report->reserved = rm_resource_message(m, &reserved);
    add_containers(m, node, report);
    report->total = rm_resource_message(m, &node->total);
    report->used = rm_resource_message(m, &used);
    report->last_heartbeat_ms = node->seen_ms;
    report->lost_at_ms = rm_liveness_lost_at_ms(m, node);
    report->version = rm_message_text(arena, node->version);
    report->health_report = rm_message_text(arena, node->health_report);
    report->cgroup_mode = rm_message_text(arena, node->cgroup_mode);
    report->address = rm_message_text(arena, node->address);
    report->http_address = rm_message_text(arena, node->http_address);
    report->warning = rm_message_text(arena, node->warning);
    report->agent_key = rm_message_text(arena, node->agent_key);
    report->registered_ms = node->registered_ms;
    report->used_memory_bytes = node->used_memory_bytes;
    if (node->session != 0) { /* the figures of a lost node are out of date */
        report->node_memory_bytes = node->node_memory_bytes;
        report->cpu_millicores = node->cpu_millicores;
        report->node_cpu_millicores = node->node_cpu_millicores;
    }
    report->label = rm_message_text(arena, node->label);
    rm_clock_report(node, report);
    report->admin_state = rm_admin_message(m, node);
    if (node->size.by) {
        report->offered = rm_resource_message(m, &node->offered);
        report->resources_until_ms = node->size.until_ms;
        report->resources_by = rm_message_text(arena, node->size.by);
    }
    return report;
}
