/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reports.c - converts replies of the RM into the public structs of creel.h */
#include "client/libcreel/reports.h"

#include <errno.h>

#include "client/include/creel-history.h"
#include "client/libcreel/record.h"
#include "client/libcreel/result.h"
#include "common/base/job/exit_status.h"
#include "common/proto/task_counts.h"
#include "common/record/app_fields.h"
#include "common/record/container_fields.h"
#include "common/record/node_fields.h"
#include "yarn/app.h"

_Static_assert((int)CREEL_EXIT_NONE == (int)CONTAINER_EXIT_NONE, "libcreel shows the protocol's statuses");

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

struct creel_label *reports_labels(void *shown, Creel__LabelReport *const *reports, size_t count)
{
    struct creel_label *labels = RESULT_ARRAY(shown, count, struct creel_label);

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
            .is_of_task = report->dependencies[i]->is_of_task,
            .task_index = report->dependencies[i]->task_index,
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
    struct creel_launch *launches;
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

static const struct creel_launch *show_launch(const Creel__AppLaunch *from, struct next_lists *next)
{
    struct creel_launch *launch = next->launches;

    if (!from)
        return NULL;
    next->launches++;
    *launch = (struct creel_launch){
        .directory = from->directory,
        .out_file = from->out_file,
        .err_file = from->err_file,
        .in_file = from->in_file,
        .script_system = from->script_system,
        .script = from->script,
        .script_tasks = from->script_tasks,
        .script_cpus = from->script_cpus,
        .submit_host = from->submit_host,
        .script_hash = from->script_hash.len > 0 ? from->script_hash.data : NULL,
    };
    return launch;
}

static void show_tasks(const Creel__AppReport *report, struct creel_app *app)
{
    const Creel__TaskCounts *tasks = report->tasks;

    if (!tasks)
        return;
    app->tasks_total = tasks->total;
    app->tasks_running = task_counts_running(tasks);
    if (report->state < CREEL__APP_STATE__APP_FINISHED)
        app->tasks_waiting = task_counts_waiting(tasks);
    app->tasks_succeeded = tasks->succeeded;
    app->tasks_failed = task_counts_failed(tasks);
    app->tasks_killed = tasks->killed;
}

static void show_app(const Creel__AppReport *report, struct creel_app *app, struct next_lists *next)
{
    *app = (struct creel_app){ APP_FIELDS(RECORD_COPY) };
    show_tasks(report, app);
    app->log_aggregation = yarn_log_aggregation(report->log_aggregation);
    app->used = show_used(report, next);
    app->launch = show_launch(report->launch, next);
    app->holds = list_holds(&next->holds, report);
    app->hold_count = report->n_holds;
    app->dependencies = list_dependencies(&next->dependencies, report);
    app->dependency_count = report->n_dependencies;
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
    if (page->body_case == CREEL__ENVELOPE__BODY_APP_EXPLANATION) {
        *apps = &page->app_explanation->app;
        return page->app_explanation->app != NULL;
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
    struct creel_apps *shown = RESULT_NEW(struct creel_apps, NULL);
    struct next_lists next = {
        .texts = result_array_try(shown, counts.texts, sizeof(*next.texts)),
        .holds = result_array_try(shown, counts.holds, sizeof(*next.holds)),
        .dependencies = result_array_try(shown, counts.dependencies, sizeof(*next.dependencies)),
        .used = result_array_try(shown, counts.apps, sizeof(*next.used)),
        .launches = result_array_try(shown, counts.apps, sizeof(*next.launches)),
    };

    shown->items = result_array_try(shown, counts.apps, sizeof(*shown->items));
    if (!shown->items || !next.texts || !next.holds || !next.dependencies || !next.used || !next.launches) {
        result_free(shown);
        return no_memory(err);
    }
    for (size_t i = 0; i < pages->count; i++) {
        Creel__AppReport *const *apps;
        size_t count = apps_of(pages->items[i], &apps);

        for (size_t k = 0; k < count; k++)
            show_app(apps[k], &shown->items[shown->count++], &next);
    }
    result_take(shown, pages);
    *ret = shown;
    return 0;
}

CREEL_EXPORT
void creel_apps_free(struct creel_apps *apps)
{
    result_free(apps);
}

/* --- containers ------------------------------------------------------------ */

void reports_container(const Creel__ContainerReport *report, struct creel_container *shown)
{
    *shown = (struct creel_container){ CONTAINER_FIELDS(RECORD_COPY) };
}

int reports_containers(struct pages *pages, struct creel_containers **ret, struct err *err)
{
    struct creel_containers *shown = RESULT_NEW(struct creel_containers, NULL);
    size_t count = 0;

    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i]->container_list->n_containers;
    shown->items = result_array_try(shown, count, sizeof(*shown->items));
    if (!shown->items) {
        result_free(shown);
        return no_memory(err);
    }
    for (size_t i = 0; i < pages->count; i++) {
        const Creel__ContainerList *list = pages->items[i]->container_list;

        for (size_t k = 0; k < list->n_containers; k++)
            reports_container(list->containers[k], &shown->items[shown->count++]);
    }
    result_take(shown, pages);
    *ret = shown;
    return 0;
}

CREEL_EXPORT
void creel_containers_free(struct creel_containers *containers)
{
    result_free(containers);
}

/* --- nodes ----------------------------------------------------------------- */

static void show_node(const Creel__NodeReport *report, int64_t now_ms, struct creel_node *shown)
{
    *shown = (struct creel_node){ NODE_FIELDS(RECORD_COPY) };
    if (*shown->rack == '\0')
        shown->rack = "/default-rack";
    shown->in_service = report->admin_state == NULL;
    shown->resized = report->offered != NULL;
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
    int r = reports_nodes_borrowed(pages, ret, err);

    if (r == 0)
        result_take(*ret, pages);
    return r;
}

int reports_nodes_borrowed(const struct pages *pages, struct creel_nodes **ret, struct err *err)
{
    struct creel_nodes *shown = RESULT_NEW(struct creel_nodes, NULL);
    Creel__NodeReport *const *nodes;
    size_t count = 0;

    for (size_t i = 0; i < pages->count; i++)
        count += nodes_of(pages->items[i], &nodes);
    shown->items = result_array_try(shown, count, sizeof(*shown->items));
    if (!shown->items) {
        result_free(shown);
        return no_memory(err);
    }
    for (size_t i = 0; i < pages->count; i++) {
        const Creel__Envelope *page = pages->items[i];
        const Creel__NodeList *list =
            page->body_case == CREEL__ENVELOPE__BODY_NODE_LIST ? page->node_list : NULL;

        count = nodes_of(page, &nodes);
        for (size_t k = 0; k < count; k++)
            show_node(nodes[k], list ? list->now_ms : 0, &shown->items[shown->count++]);
        if (i == 0)
            shown->version = list ? list->version : 0;
    }
    *ret = shown;
    return 0;
}

CREEL_EXPORT
void creel_nodes_free(struct creel_nodes *nodes)
{
    result_free(nodes);
}
