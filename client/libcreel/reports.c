/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reports.c - converts replies of the RM into the public structs of creel.h
 *
 * One block for each list: the public struct first, so that a pointer to the list is a pointer to the block;
 * then the replies that contain its strings.
 */
#include "client/libcreel/reports.h"

#include <errno.h>
#include <stdlib.h>

#include "client/include/creel-history.h"
#include "client/libcreel/client.h"
#include "common/base/exit_status.h"
#include "common/base/mem.h"
#include "common/proto/value_name.h"

#define BOX(type) \
    struct type##_box { \
        struct creel_##type shown; \
        struct pages pages; \
        const char **texts; /* owned; lists that end with NULL, one after another */ \
    }

_Static_assert((int)CREEL_EXIT_NONE == (int)CONTAINER_EXIT_NONE, "libcreel shows the protocol's statuses");

struct apps_box {
    struct creel_apps shown;
    struct pages pages;
    const char **texts;       /* owned; lists that end with NULL, one after another */
    struct creel_hold *holds; /* owned, as the next two: the lists of all applications, one after another */
    struct creel_dependency *dependencies;
    struct creel_used *used;
};
BOX(containers);
BOX(nodes);

static int no_memory(struct err *err)
{
    return err_set(err, ENOMEM, "out of memory");
}

/* --- parts ----------------------------------------------------------------- */

struct creel_resource reports_resource(const Creel__Resource *resource)
{
    struct creel_resource shown = { 0 };

    if (resource) {
        shown.memory_mb = resource->memory_mb;
        shown.vcores = resource->vcores;
        for (size_t i = 0; i < resource->n_others && i < CREEL_OTHERS_MAX; i++)
            shown.others[shown.other_count++] = (struct creel_amount){
                .name = resource->others[i]->name,
                .amount = resource->others[i]->amount,
                .unit = resource->others[i]->unit,
            };
    }
    return shown;
}

const char *const *reports_texts(char **texts, size_t count)
{
    const char **list = mem_array0(count + 1, sizeof(*list));

    for (size_t i = 0; i < count; i++)
        list[i] = texts[i];
    return list;
}

/* Copies N strings and a NULL to *NEXT, and moves *NEXT behind them. */
static const char *const *list_texts(const char ***next, char **texts, size_t n)
{
    const char **list = *next;

    for (size_t i = 0; i < n; i++)
        list[i] = texts[i];
    list[n] = NULL;
    *next = list + n + 1;
    return list;
}

/* --- labels ---------------------------------------------------------------- */

static const char *label_source_name(Creel__LabelSource source)
{
    static const char *const names[] = {
        [CREEL__LABEL_SOURCE__LABEL_CONFIGURED] = "configuration",
        [CREEL__LABEL_SOURCE__LABEL_ADDED] = "command",
        [CREEL__LABEL_SOURCE__LABEL_OF_QUEUE] = "queue",
        [CREEL__LABEL_SOURCE__LABEL_OF_NODE] = "node",
    };

    return (size_t)source < sizeof(names) / sizeof(names[0]) ? names[source] : "";
}

struct creel_label *reports_labels(Creel__LabelReport *const *reports, size_t count)
{
    struct creel_label *labels = mem_array0(count + 1, sizeof(*labels));

    for (size_t i = 0; i < count; i++)
        labels[i] = (struct creel_label){
            .name = reports[i]->name,
            .exclusive = reports[i]->exclusive,
            .nodes = reports[i]->nodes,
            .total = reports_resource(reports[i]->total),
            .source = label_source_name(reports[i]->source),
            .by = reports[i]->by,
            .since_ms = reports[i]->since_ms,
        };
    return labels;
}

/* --- applications ---------------------------------------------------------- */

static const struct creel_hold *list_holds(struct creel_hold **next, const Creel__AppReport *report)
{
    struct creel_hold *holds = *next;

    for (size_t i = 0; i < report->n_holds; i++)
        holds[i] = (struct creel_hold){
            .by = report->holds[i]->by,
            .administrator = report->holds[i]->administrator,
            .reason = report->holds[i]->reason,
            .since_ms = report->holds[i]->since_ms,
        };
    *next += report->n_holds;
    return holds;
}

static const struct creel_dependency *list_dependencies(struct creel_dependency **next,
                                                        const Creel__AppReport *report)
{
    struct creel_dependency *list = *next;

    for (size_t i = 0; i < report->n_dependencies; i++)
        list[i] = (struct creel_dependency){
            .app_id = report->dependencies[i]->app_id,
            .condition = report->dependencies[i]->condition,
            .met = report->dependencies[i]->state == CREEL__DEPENDENCY_STATE__DEPENDENCY_MET,
            .failed = report->dependencies[i]->state == CREEL__DEPENDENCY_STATE__DEPENDENCY_FAILED,
            .reason = report->dependencies[i]->reason,
        };
    *next += report->n_dependencies;
    return list;
}

/* Positions at which the lists of the next application are stored. */
struct next_lists {
    const char **texts;
    struct creel_hold *holds;
    struct creel_dependency *dependencies;
    struct creel_used *used;
};

static const struct creel_used *show_used(const Creel__AppReport *report, struct next_lists *next)
{
    struct creel_used *used = next->used;

    if (!report->from_history)
        return NULL;
    next->used++;
    *used = (struct creel_used){
        .containers = report->ended_containers,
        .failed_containers = report->failed_containers,
        .cpu_time_us = report->cpu_time_us,
        .read_bytes = report->read_bytes,
        .written_bytes = report->written_bytes,
        .memory_peak_bytes = report->memory_peak_bytes,
        .memory_used_mb_seconds = report->memory_used_mb_seconds,
        .node_count = report->node_count,
        .nodes = list_texts(&next->texts, report->nodes, report->n_nodes),
    };
    return used;
}

static void show_app(const Creel__AppReport *report, struct creel_app *app, struct next_lists *next)
{
    const Creel__TaskCounts *tasks = report->tasks;

    *app = (struct creel_app){
        .id = report->app_id,
        .name = report->name,
        .user = report->user,
        .queue = report->queue,
        .type = report->type,
        .state = (enum creel_app_state)report->state,
        .final_status = (enum creel_final_status)report->final_status,
        .exit_status = report->exit_status,
        .progress = (double)report->progress,
        .diagnostics = report->diagnostics,
        .submitted_ms = report->submitted_ms,
        .started_ms = report->started_ms,
        .finished_ms = report->finished_ms,
        .running_containers = report->running_containers,
        .pending_containers = report->pending_containers,
        .allocated = reports_resource(report->allocated),
        .reserved = reports_resource(report->reserved),
        .reserved_containers = report->reserved_containers,
        .pending = reports_resource(report->pending),
        .requested = reports_resource(report->resource),
        .memory_mb_seconds = report->memory_mb_seconds,
        .vcore_seconds = report->vcore_seconds,
        .attempt = report->attempt,
        .max_attempts = report->max_attempts,
        .master_container_id = report->master_container_id,
        .master_node_id = report->master_node_id,
        .tracking_url = report->tracking_url,
        .priority = report->priority,
        .reason_code = report->reason_code,
        .reason = report->reason,
        .tasks_total = tasks ? tasks->total : 0,
        .tasks_running = tasks ? tasks->running : 0,
        .tasks_succeeded = tasks ? tasks->succeeded : 0,
        .tasks_failed = tasks && tasks->killed <= tasks->failed ? tasks->failed - tasks->killed : 0,
        .tasks_killed = tasks ? tasks->killed : 0,
        .kind = (enum creel_job_kind)report->kind,
        .version = report->version,
        .reason_short = report->reason_short,
        .label = report->label,
        .expires_ms = report->expires_ms,
        .eligible_ms = report->eligible_ms,
        .begin_ms = report->begin_ms,
        .deadline_ms = report->deadline_ms,
        .hold_count = report->n_holds,
        .dependency_count = report->n_dependencies,
        .array = report->array,
        .array_at_once = report->array_at_once,
        .array_id = report->array_id,
        .array_index = report->array_index,
        .time_limit_s = report->time_limit_s,
        .retries = report->retries,
        .retries_used = report->retries_used,
        .unmanaged = report->unmanaged,
        .log_aggregation = value_name(&creel__log_aggregation__descriptor, (int)report->log_aggregation),
        .restart_reason = report->restart_reason,
        .preempted_memory_mb_seconds = report->preempted_memory_mb_seconds,
        .preempted_vcore_seconds = report->preempted_vcore_seconds,
        .am_host = report->am_host,
        .silent_nodes = report->silent_nodes,
    };
    app->used = show_used(report, next);
    app->holds = list_holds(&next->holds, report);
    app->dependencies = list_dependencies(&next->dependencies, report);
    app->tags = list_texts(&next->texts, report->tags, report->n_tags);
    app->command = list_texts(&next->texts, report->command, report->n_command);
    app->avoided_nodes = list_texts(&next->texts, report->avoided_nodes, report->n_avoided_nodes);
}

/* Returns the number of applications in a page, and the applications in *APPS. */
static size_t apps_of(const Creel__Envelope *page, Creel__AppReport *const **apps)
{
    if (page->body_case == CREEL__ENVELOPE__BODY_JOB_HISTORY) {
        *apps = page->job_history->apps;
        return page->job_history->n_apps;
    }
    if (page->body_case == CREEL__ENVELOPE__BODY_CHANGES) {
        *apps = page->changes->apps;
        return page->changes->n_apps;
    }
    *apps = page->app_list->apps;
    return page->app_list->n_apps;
}

struct list_counts {
    size_t apps, texts, holds, dependencies;
};

static struct list_counts count_lists(const struct pages *pages)
{
    struct list_counts counts = { 0 };

    for (size_t i = 0; i < pages->count; i++) {
        Creel__AppReport *const *apps;
        size_t count = apps_of(pages->items[i], &apps);

        counts.apps += count;
        for (size_t k = 0; k < count; k++) {
            counts.texts +=
                apps[k]->n_tags + apps[k]->n_command + apps[k]->n_nodes + apps[k]->n_avoided_nodes + 4;
            counts.holds += apps[k]->n_holds;
            counts.dependencies += apps[k]->n_dependencies;
        }
    }
    return counts;
}

int reports_apps(struct pages *pages, struct creel_apps **ret, struct err *err)
{
    struct list_counts counts = count_lists(pages);
    struct apps_box *box = calloc(1, sizeof(*box));
    struct next_lists next;

    if (!box)
        return no_memory(err);
    box->shown.items = calloc(counts.apps + 1, sizeof(*box->shown.items));
    box->texts = calloc(counts.texts + 1, sizeof(*box->texts));
    box->holds = calloc(counts.holds + 1, sizeof(*box->holds));
    box->dependencies = calloc(counts.dependencies + 1, sizeof(*box->dependencies));
    box->used = calloc(counts.apps + 1, sizeof(*box->used));
    if (!box->shown.items || !box->texts || !box->holds || !box->dependencies || !box->used) {
        creel_apps_free(&box->shown);
        return no_memory(err);
    }
    next = (struct next_lists){ box->texts, box->holds, box->dependencies, box->used };
    for (size_t i = 0; i < pages->count; i++) {
        Creel__AppReport *const *apps;
        size_t count = apps_of(pages->items[i], &apps);

        for (size_t k = 0; k < count; k++)
            show_app(apps[k], &box->shown.items[box->shown.count++], &next);
    }
    pages_move(&box->pages, pages);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_apps_free(struct creel_apps *apps)
{
    struct apps_box *box = (struct apps_box *)(void *)apps;

    if (!box)
        return;
    pages_done(&box->pages);
    free(box->texts);
    free(box->used);
    free(box->holds);
    free(box->dependencies);
    free(box->shown.items);
    free(box);
}

/* --- containers ------------------------------------------------------------ */

void reports_container(const Creel__ContainerReport *report, struct creel_container *shown)
{
    *shown = (struct creel_container){
        .id = report->container_id,
        .app_id = report->app_id,
        .node_id = report->node_id,
        .user = report->user,
        .state = (enum creel_container_state)report->state,
        .resource = reports_resource(report->resource),
        .priority = report->priority,
        .allocated_ms = report->allocated_ms,
        .started_ms = report->started_ms,
        .finished_ms = report->finished_ms,
        .exit_status = report->exit_status,
        .diagnostics = report->diagnostics,
        .title = report->title,
        .master = report->master,
        .memory_peak_bytes = report->memory_peak_bytes,
        .cpu_time_us = report->cpu_time_us,
        .memory_bytes = report->memory_bytes,
        .read_bytes = report->read_bytes,
        .written_bytes = report->written_bytes,
        .pids = report->pids,
        .pids_peak = report->pids_peak,
        .figures_ms = report->figures_ms,
        .node_avoided = report->node_avoided,
        .node_address = report->node_address,
        .node_key = report->agent_key,
        .version = report->version,
        .resized_ms = report->resized_ms,
        .resizing = report->resizing,
    };
    if (report->wanted)
        shown->wanted = reports_resource(report->wanted);
}

int reports_containers(struct pages *pages, struct creel_containers **ret, struct err *err)
{
    struct containers_box *box = calloc(1, sizeof(*box));
    size_t count = 0;

    if (!box)
        return no_memory(err);
    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i]->container_list->n_containers;
    box->shown.items = calloc(count + 1, sizeof(*box->shown.items));
    if (!box->shown.items) {
        free(box);
        return no_memory(err);
    }
    for (size_t i = 0; i < pages->count; i++) {
        const Creel__ContainerList *list = pages->items[i]->container_list;

        for (size_t k = 0; k < list->n_containers; k++)
            reports_container(list->containers[k], &box->shown.items[box->shown.count++]);
    }
    pages_move(&box->pages, pages);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_containers_free(struct creel_containers *containers)
{
    struct containers_box *box = (struct containers_box *)(void *)containers;

    if (!box)
        return;
    pages_done(&box->pages);
    free(box->shown.items);
    free(box);
}

/* --- nodes ----------------------------------------------------------------- */

static void show_node(const Creel__NodeReport *report, int64_t now_ms, struct creel_node *shown)
{
    *shown = (struct creel_node){
        .id = report->node_id,
        .rack = report->rack,
        .state = (enum creel_node_state)report->state,
        .total = reports_resource(report->total),
        .used = reports_resource(report->used),
        .containers = report->containers,
        .last_heartbeat_ms = report->last_heartbeat_ms,
        .registered_ms = report->registered_ms,
        .version = report->version,
        .health_report = report->health_report,
        .cgroup_mode = report->cgroup_mode,
        .http_address = report->http_address,
        .warning = report->warning,
        .containers_stuck = report->containers_stuck,
        .stuck_report = report->stuck_report,
        .address = report->address,
        .used_memory_bytes = report->used_memory_bytes,
        .containers_memory_bytes = report->containers_memory_bytes,
        .label = report->label,
        .in_service = report->admin_state == NULL,
        .resized = report->offered != NULL,
        .offered = reports_resource(report->offered),
        .resources_until_ms = report->resources_until_ms,
        .resources_by = report->resources_by,
        .clock_measured = report->clock_measured,
        .clock_skew_ms = report->clock_skew_ms,
        .clock_error_ms = report->clock_error_ms,
        .node_memory_bytes = report->node_memory_bytes,
        .cpu_millicores = report->cpu_millicores,
        .node_cpu_millicores = report->node_cpu_millicores,
    };
    if (report->last_heartbeat_ms && now_ms > report->last_heartbeat_ms)
        shown->silent_ms = now_ms - report->last_heartbeat_ms;
    if (report->lost_at_ms > 0)
        shown->lost_in_ms = report->lost_at_ms > now_ms ? report->lost_at_ms - now_ms : 1;
    if (report->admin_state) {
        const Creel__NodeAdminState *admin_state = report->admin_state;

        shown->containers_end_ms = admin_state->end_ms;
        shown->admin_state = (struct creel_node_admin_state){
            .by = admin_state->by,
            .reason = admin_state->reason,
            .since_ms = admin_state->since_ms,
            .deadline_ms = admin_state->deadline_ms,
            .by_file = admin_state->by_file,
            .containers_notified = admin_state->containers_notified,
            .apps_left = admin_state->apps_left,
            .leaving = admin_state->leaving,
        };
    }
}

/* Returns the number of nodes in a page, and the nodes in *NODES. */
static size_t nodes_of(const Creel__Envelope *page, Creel__NodeReport *const **nodes)
{
    if (page->body_case == CREEL__ENVELOPE__BODY_CHANGES) {
        *nodes = page->changes->nodes;
        return page->changes->n_nodes;
    }
    *nodes = page->node_list->nodes;
    return page->node_list->n_nodes;
}

int reports_nodes(struct pages *pages, struct creel_nodes **ret, struct err *err)
{
    struct nodes_box *box = calloc(1, sizeof(*box));
    Creel__NodeReport *const *nodes;
    size_t count = 0;

    if (!box)
        return no_memory(err);
    for (size_t i = 0; i < pages->count; i++)
        count += nodes_of(pages->items[i], &nodes);
    box->shown.items = calloc(count + 1, sizeof(*box->shown.items));
    if (!box->shown.items) {
        free(box);
        return no_memory(err);
    }
    for (size_t i = 0; i < pages->count; i++) {
        const Creel__Envelope *page = pages->items[i];
        const Creel__NodeList *list =
            page->body_case == CREEL__ENVELOPE__BODY_NODE_LIST ? page->node_list : NULL;

        count = nodes_of(page, &nodes);
        for (size_t k = 0; k < count; k++)
            show_node(nodes[k], list ? list->now_ms : 0, &box->shown.items[box->shown.count++]);
        if (i == 0)
            box->shown.version = list ? list->version : 0;
    }
    pages_move(&box->pages, pages);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_nodes_free(struct creel_nodes *nodes)
{
    struct nodes_box *box = (struct nodes_box *)(void *)nodes;

    if (!box)
        return;
    pages_done(&box->pages);
    free(box->shown.items);
    free(box);
}
