/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - reports applications and nodes as messages for clients */
#include <string.h>

#include "common/base/escaped_text.h"
#include "common/base/job/job_field.h"
#include "common/base/text.h"
#include "rm/master/state/app_row.h"
#include "rm/master/orders/admin_state.h"
#include "rm/master/state/amounts.h"
#include "rm/master/jobs/array.h"
#include "rm/master/jobs/array_corr.h"
#include "rm/master/services/authz.h"
#include "rm/master/nodes/clock.h"
#include "rm/master/state/copy.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/nodes/failed_nodes.h"
#include "rm/master/state/index.h"
#include "rm/master/state/job_rows.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/services/liveness.h"
#include "rm/master/state/message.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/queries/report.h"
#include "rm/master/state/retry.h"
#include "rm/master/state/time_limit.h"
#include "rm/master/queries/why.h"

#define NAMES_SHOWN_MAX 64 /* of a blacklist */

/* --- apps ------------------------------------------------------------------ */

static uint32_t sendable_count(uint64_t count)
{
    return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

static void report_figures(struct master *m, const struct app *app, Creel__AppReport *report)
{
    const struct usage *usage = app->array ? &app->array->usage : &app->usage;
    struct usage_sum sum = usage_sum(usage, m->now_ms);
    struct sched_app_figures figures = { .containers = 0 };

    if (app->sched)
        sched_app_figures(m->sched, app->sched, &figures);
    report->running_containers = usage->running;
    report->pending_containers = sendable_count(figures.pending_containers);
    report->labelled_pending_containers = sendable_count(figures.labelled_pending_containers);
    report->allocated = rm_resource_message(m, &usage->held);
    report->pending = rm_resource_message(m, &figures.pending);
    report->memory_mb_seconds = sum.memory_mb_ms / 1000;
    report->vcore_seconds = sum.vcore_ms / 1000;
    report->reserved = rm_resource_message(m, &figures.reserved);
    report->reserved_containers = figures.reserved_containers;
    report->labelled_reserved_containers = figures.labelled_reserved_containers;
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

/* Reports why tasks of an array in state TASKS wait. */
static void report_array_wait(struct master *m, const struct app *app, Creel__AppReport *report)
{
    rm_array_report_reason(m, app, report);
    report->reason_short = rm_message_text(m->out->arena, rm_array_text(m, app));
    if (rm_text_is_empty(report->reason))
        report->reason = report->reason_short;
}

/* Returns the node of the first container of APP, if APP does not run yet and that node is silent; else
 * NULL. */
static const struct node *silent_first_node(const struct app *app)
{
    const struct container *first = app->attempt ? app->attempt->am_container : NULL;

    if (first == NULL || first->state == CONTAINER_COMPLETED || app->shown != CREEL__APP_STATE__APP_ACCEPTED)
        return NULL;
    return first->node->silent ? first->node : NULL;
}

static void report_reason(struct master *m, const struct app *app, Creel__AppReport *report)
{
    struct arena *arena = m->out->arena;
    const struct attempt *attempt = app->attempt;
    const struct node *silent = silent_first_node(app);
    struct sched_why why = { .reason = SCHED_REASON_NONE };
    const char *avoided, *earlier;

    if (app->sched == NULL)
        return;
    if (silent) {
        report->reason_code = rm_message_text(arena, RM_WHY_SILENT);
        report->reason = rm_message_text(arena, rm_liveness_of_app(m, app));
        report->reason_short = rm_message_text(arena, silent->id);
        return;
    }
    if (attempt && attempt->am_container && attempt->am_container->node->state == NODE_STATE_NEW &&
        !rm_attempt_is_over(attempt)) {
        report->reason_code = rm_message_text(arena, "RmRecovering");
        report->reason = rm_message_text(arena, rm_liveness_absence(m, attempt->am_container->node));
        return;
    }
    if ((earlier = rm_retry_wait_text(m, app)) != NULL) {
        report->reason_code = rm_message_text(arena, RM_RETRY_WAIT);
        report->reason = rm_message_text(arena, earlier);
        report->reason_short = rm_message_text(arena, "earlier attempt ends");
        return;
    }
    rm_why_ask(m, app, &why);
    if (why.reason == SCHED_REASON_NONE && rm_why_unmanaged(app)) {
        report->reason_code = rm_message_text(arena, RM_WHY_UNMANAGED);
        report->reason = rm_message_text(arena, rm_why_unmanaged(app));
        report->reason_short = rm_message_text(arena, "not registered");
    }
    if (why.reason == SCHED_REASON_NONE && rm_retry_pause_text(m, app)) {
        report->reason_code = rm_message_text(arena, RM_WHY_PAUSE);
        report->reason = rm_message_text(arena, rm_retry_pause_text(m, app));
        report->reason_short = rm_message_text(arena, "pause after failed disks");
    }
    if (why.reason == SCHED_REASON_NONE || why.reason == SCHED_REASON_NEXT_OFFER)
        return; /* a wait until the next heartbeat needs no reason */
    report->reason_code = rm_message_text(arena, sched_reason_name(why.reason));
    report->reason = rm_message_text(arena, rm_why_text(m, &why));
    if (why.reason == SCHED_REASON_NODE_BLACKLISTED && (avoided = rm_failed_nodes_waiting(m, app)) != NULL)
        report->reason = arena_printf(arena, "%s: %s", report->reason, avoided);
    report->reason_short = rm_message_text(arena, rm_why_short(m, &why));
}

/* Reports why tasks of ARRAY that are not submitted yet wait. */
static void report_unsubmitted(struct master *m, const struct app *app, Creel__AppReport *report)
{
    const struct job_array *array = app->array;
    const uint32_t *counts = array->states.counts;
    struct arena *arena = m->out->arena;

    if (app->refusal) {
        report->reason_code = rm_message_text(arena, rm_job_wait_code(app, JOB_WAIT_QUEUE));
        report->reason = rm_message_text(arena, app->refusal);
    } else if (rm_corr_blocks(app->array)) {
        report->reason_code = rm_message_text(arena, rm_job_wait_code(app, JOB_WAIT_DEPENDENCY));
        report->reason = rm_message_text(arena, rm_depend_corr_text(m, app));
    } else if (array->at_once > 0 && counts[ARRAY_TASK_WAITS] > 0 &&
               counts[ARRAY_TASK_LIVE] >= array->at_once) {
        report->reason_code = rm_message_text(arena, RM_WHY_AT_ONCE);
        report->reason = arena_printf(arena, "%u of its tasks may run at a time", array->at_once);
    }
}

const struct app *rm_array_first_waiting(const struct app *app)
{
    const struct app *first = TAILQ_FIRST(&app->array->waiting);

    while (first != NULL && first->sched == NULL) /* it is held */
        first = TAILQ_NEXT(first, in_array_waiting);
    return first;
}

void rm_array_report_reason(struct master *m, const struct app *app, Creel__AppReport *report)
{
    const struct app *first = rm_array_first_waiting(app);

    if (first != NULL)
        report_reason(m, first, report);
    if (!rm_text_is_empty(report->reason))
        report->reason = arena_printf(m->out->arena, "task %u: %s", first->array_index, report->reason);
    if (rm_text_is_empty(report->reason_code))
        report_unsubmitted(m, app, report);
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

bool master_lists_are_short(char *const *words, size_t count, size_t dependencies)
{
    size_t left = MASTER_COMMAND_SHORT_MAX;

    if (dependencies > MASTER_DEPENDENCIES_SHORT_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t length = strnlen(words[i], left);

        if (length == left)
            return false;
        left -= length + 1;
    }
    return true;
}

/* Returns true if the command or the list of dependencies of APP is long. */
static bool has_long_lists(const struct app *app)
{
    const Creel__LaunchContext *launch = app->job->launch;

    return !master_lists_are_short(launch ? launch->command : NULL, launch ? launch->n_command : 0,
                                   app->dependency_count);
}

/* Reports APP. As in YARN, all users see that an application exists, its owner and its resource use. Only
 * users who may see the application get its command, its hosts and its diagnostics. */
Creel__AppReport *rm_app_report(struct master *m, const struct app *app, const char *asker,
                                bool no_long_commands)
{
    struct arena *arena = m->out->arena;
    bool whole = rm_authz_app(m, asker, AUTHZ_SEE_APP, app);
    bool short_only = no_long_commands && has_long_lists(app), lists = whole && !short_only;
    struct app_facts facts;
    Creel__AppReport *report;

    rm_app_facts(m, app, &facts);
    if (app->state == APP_STATE_FINAL_SAVING) { /* the outcome is known but may yet be lost */
        facts.row.state = app->shown;
        facts.row.final_status = CREEL__FINAL_STATUS__FINAL_UNDEFINED;
        facts.row.exit_status = CONTAINER_EXIT_NONE;
        facts.row.finished_ms = 0;
    }
    if (lists) {
        facts.row.dependencies = rm_depend_messages(arena, app);
        facts.row.n_dependencies = app->dependency_count;
    }
    report = master_row_report(arena, &facts.row, lists ? SIZE_MAX : 0, SIZE_MAX);
    report->command_left_out = whole && short_only;
    report->version = app->version;
    report_figures(m, app, report);
    report_partitions(m, app, report);
    if (app->state == APP_STATE_WAITING)
        report_wait(m, app, report, whole);
    else
        report_reason(m, app, report);
    if (app->array != NULL && app->state == APP_STATE_TASKS)
        report_array_wait(m, app, report);
    if (!whole) {
        rm_report_hide(report, NULL);
        return report;
    }
    if (app->hold_count > 0 && report->n_holds == 0 && !rm_app_is_ended(app)) { /* requeued with a hold */
        report->holds = rm_hold_messages(arena, app);
        report->n_holds = app->hold_count;
    }
    if (app->attempt) {
        rm_failed_nodes_report(m, app, report);
        report->silent_nodes = rm_message_text(arena, rm_liveness_of_app(m, app));
        report_blacklist(m, app, report);
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
    return node->state != NODE_STATE_NEW || node->silent || !rm_node_serves(node) || node->waiting != NULL;
}

static void add_stuck(struct master *m, Creel__NodeReport *report, const char *container_id,
                      const char *stuck)
{
    if (stuck != NULL && report->containers_stuck++ == 0)
        report->stuck_report = arena_printf(m->out->arena, "%s: %s", container_id, stuck);
}

/* Adds the memory in use by the containers of NODE, as the agent reported last, and those that do not end. */
static void add_containers(struct master *m, const struct node *node, Creel__NodeReport *report)
{
    const struct container *container;
    const struct orphan *orphan;

    TAILQ_FOREACH(container, &node->containers, of_node) {
        report->containers_memory_bytes += container->memory_bytes;
        add_stuck(m, report, container->text, container->stuck);
    }
    TAILQ_FOREACH(orphan, &node->orphan_turns, in_turn)
        add_stuck(m, report, orphan->container_id, orphan->stuck);
}

static void report_reserved_for(struct master *m, const struct node *node, Creel__NodeReport *report)
{
    const struct sched_app *by = sched_node_reserved_by(node->sched);

    if (by)
        report->reserved_for =
            rm_message_text(m->out->arena, ((const struct app *)sched_app_owner(by))->text);
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
        report_reserved_for(m, node, report);
    }
    report->reserved = rm_resource_message(m, &reserved);
    add_containers(m, node, report);
    report->total = rm_resource_message(m, &node->total);
    report->used = rm_resource_message(m, &used);
    report->last_heartbeat_ms = node->seen_ms;
    report->lost_at_ms = rm_liveness_lost_at_ms(m, node);
    report->version = rm_message_text(arena, node->version);
    report->health_report = rm_message_text(arena, rm_missing_accounts_report(m, node));
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

/* --- how the command is started ------------------------------------------------------- */

static char *shown_text(struct arena *arena, const Creel__LaunchContext *launch, const char *text)
{
    char *copy = rm_message_text(arena, text);

    if (launch->escaped && *copy != '\0')
        escaped_text_show(copy);
    return copy;
}

/* Returns the value of the variable NAME of LAUNCH; "": there is none. */
static const char *variable(const Creel__LaunchContext *launch, const char *name)
{
    for (size_t i = 0; i < launch->n_environment; i++)
        if (strcmp(launch->environment[i]->name, name) == 0)
            return launch->environment[i]->value;
    return "";
}

/* Returns the number that the variable NAME of LAUNCH has; 0: there is none. */
static uint32_t number_of(const Creel__LaunchContext *launch, const char *name)
{
    int64_t number = 0;

    if (!text_parse_int64(variable(launch, name), &number))
        return 0;
    return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* Sets the hash of the script of Slurm that LAUNCH sends, which is the command. */
static void report_script(struct arena *arena, const Creel__LaunchContext *from, Creel__AppLaunch *launch)
{
    const char *command = from->n_command > 0 ? from->command[0] : "";

    for (size_t i = 0; i < from->n_files && text_skip_word(&command, "./"); i++, command = from->command[0])
        if (text_equal(from->files[i]->name, command)) {
            launch->script_hash.data = arena_dup(arena, from->files[i]->hash.data, from->files[i]->hash.len);
            launch->script_hash.len = from->files[i]->hash.len;
        }
}

void rm_report_launch(struct master *m, const char *asker, const struct app *app, Creel__AppReport *report)
{
    const Creel__LaunchContext *from = app->job->launch;
    struct arena *arena = m->out->arena;
    Creel__AppLaunch *launch;
    const char *directory;

    if (!rm_authz_app(m, asker, AUTHZ_SEE_APP, app))
        return;
    directory = rm_text_is_empty(from->directory) ? from->submit_directory : from->directory;
    launch = arena_new0(arena, Creel__AppLaunch);
    creel__app_launch__init(launch);
    launch->directory = shown_text(arena, from, directory);
    launch->out_file = shown_text(arena, from, from->out_file);
    launch->err_file = shown_text(arena, from, from->err_file);
    launch->in_file = shown_text(arena, from, from->in_file);
    launch->script_system = rm_message_text(arena, from->script_system);
    launch->script = shown_text(arena, from, from->script);
    if (text_equal(from->script_system, "slurm")) {
        launch->script_tasks = number_of(from, "SLURM_NTASKS");
        launch->script_cpus = number_of(from, "SLURM_CPUS_PER_TASK");
        if (strlen(variable(from, "SLURM_SUBMIT_HOST")) <= JOB_PATTERN_NAME_LONGEST)
            launch->submit_host = shown_text(arena, from, variable(from, "SLURM_SUBMIT_HOST"));
        if (rm_authz_app(m, asker, AUTHZ_RERUN_APP, app))
            report_script(arena, from, launch);
    }
    report->launch = launch;
}
