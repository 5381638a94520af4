/* SPDX-License-Identifier: Apache-2.0 */
/* app_document.c - an application as YARN's AppInfo */
#include "web/rest/apps/app_document.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/proto/task_counts.h"
#include "web/rest/parts/parts.h"
#include "web/rest/parts/reply.h"
#include "web/text/html.h"
#include "yarn/app.h"
#include "yarn/container.h"
#include "yarn/resource.h"

/* --- the writer -------------------------------------------------------------- */

struct rest_app_writer rest_app_writer_of(struct exchange *exchange)
{
    const struct web_model *model = rest_model(exchange);

    return (struct rest_app_writer){
        .model = model,
        .cluster = web_model_cluster(model),
        .arena = exchange_arena(exchange),
        .base_url = rest_base_url(exchange),
        .secure = exchange_is_secure(exchange),
        .agents_have_logs = !web_model_cluster(model)->acl_enabled && !exchange_accepts_tokens(exchange) &&
                            !exchange_is_authenticated(exchange),
    };
}

static bool select_out(struct rest_deselects *ret, const char *word)
{
    const struct {
        const char *name;
        bool *flag;
    } names[] = {
        { "resourceRequests", &ret->resource_requests }, { "timeouts", &ret->timeouts },
        { "appNodeLabelExpression", &ret->app_label },   { "amNodeLabelExpression", &ret->am_label },
        { "resourceInfo", &ret->resource_info },
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(names[i].name, word) == 0) {
            *names[i].flag = true;
            return true;
        }
    }
    return false;
}

bool rest_read_deselects(struct exchange *exchange, struct rest_deselects *ret)
{
    struct arena *arena = exchange_arena(exchange);
    const char *value;

    *ret = (struct rest_deselects){ .timeouts = false };
    for (size_t i = 0; (value = exchange_parameter(exchange, "deSelects", i)) != NULL; i++) {
        char *rest = arena_strdup(arena, value), *word;

        while ((word = text_next_word(&rest)) != NULL) {
            if (select_out(ret, word))
                continue;
            rest_bad_request(exchange,
                             arena_printf(arena,
                                          "Invalid deSelects string %s specified. It should be "
                                          "one of [resourceRequests, timeouts, appNodeLabelExpression, "
                                          "amNodeLabelExpression, resourceInfo]",
                                          word));
            return false;
        }
    }
    return true;
}

const char *rest_node_url(const struct rest_app_writer *to, const char *node_id)
{
    const Creel__NodeReport *node = web_model_node(to->model, node_id);

    if (node == NULL || *node->http_address == '\0')
        return "";
    return arena_printf(to->arena, "%s://%s", to->secure ? "https" : "http", node->http_address);
}

const char *rest_log_url(const struct rest_app_writer *to, const char *container_id, const char *node_id,
                         const char *user, bool is_over)
{
    const char *node_url = rest_node_url(to, node_id);

    if (is_over || !to->agents_have_logs || *node_url == '\0')
        return arena_printf(to->arena, "%s/cluster/container/%s", to->base_url, container_id);
    return arena_printf(to->arena, "%s/node/containerlogs/%s/%s", node_url, container_id,
                        html_url(to->arena, user));
}

/* --- members ------------------------------------------------------------------ */

static bool has_master(const Creel__AppReport *app)
{
    return *app->master_container_id != '\0';
}

static void add_tracking(const struct rest_app_writer *to, const Creel__AppReport *app)
{
    struct document *document = to->document;
    bool has_own = *app->tracking_url != '\0';

    document_text(document, "trackingUI", yarn_app_tracking_ui(app));
    if (!yarn_app_has_tracking_url(app))
        return;
    document_text(document, "trackingUrl",
                  has_own ? app->tracking_url
                          : arena_printf(to->arena, "%s/cluster/app/%s", to->base_url, app->app_id));
}

static const char *tags_text(struct arena *arena, const Creel__AppReport *app)
{
    return text_builder_join(arena, (const char *const *)app->tags, app->n_tags, ",");
}

static void add_identity(const struct rest_app_writer *to, const Creel__AppReport *app)
{
    struct document *document = to->document;

    document_text(document, "id", app->app_id);
    document_text(document, "user", app->user);
    document_text(document, "name", app->name);
    document_text(document, "queue", app->queue);
    document_text(document, "state", yarn_app_state(app->state));
    document_text(document, "finalStatus", yarn_final_status(app->final_status));
    document_float(document, "progress", (float)(yarn_app_progress(app->state, (double)app->progress) * 100));
    add_tracking(to, app);
    document_text(document, "diagnostics", app->diagnostics);
    document_int(document, "clusterId", to->cluster->cluster_ms);
    document_text(document, "applicationType", app->type);
    document_text(document, "applicationTags", tags_text(to->arena, app));
    document_int(document, "priority", app->priority);
}

static void add_times(const struct rest_app_writer *to, const Creel__AppReport *app)
{
    struct document *document = to->document;

    document_int(document, "startedTime", app->submitted_ms);
    document_int(document, "launchTime", yarn_app_launched_ms(app));
    document_int(document, "finishedTime", app->finished_ms);
    document_int(document, "elapsedTime",
                 yarn_elapsed_ms(app->submitted_ms, app->finished_ms, to->cluster->now_ms));
}

/* Returns the address of the REST interface of the master's node; if it is not known, the id of the node. */
static const char *master_http_address(const struct rest_app_writer *to, const Creel__AppReport *app)
{
    const Creel__NodeReport *node = web_model_node(to->model, app->master_node_id);

    return node != NULL && *node->http_address != '\0' ? node->http_address : app->master_node_id;
}

static void add_master(const struct rest_app_writer *to, const Creel__AppReport *app)
{
    struct document *document = to->document;

    if (has_master(app)) {
        document_text(document, "amContainerLogs",
                      rest_log_url(to, app->master_container_id, app->master_node_id, app->user,
                                   yarn_app_is_over(app->state)));
        document_text(document, "amHostHttpAddress", master_http_address(to, app));
    }
    if (app->registered && *app->am_host != '\0')
        document_text(document, "amRPCAddress", arena_printf(to->arena, "%s:-1", app->am_host));
    document_text(document, "masterNodeId", app->master_node_id);
}

static void add_amounts(const struct rest_app_writer *to, const Creel__AppReport *app)
{
    struct document *document = to->document;
    struct yarn_app_held held = yarn_app_held(app);

    document_int(document, "allocatedMB", held.memory_mb);
    document_int(document, "allocatedVCores", held.vcores);
    document_int(document, "reservedMB", held.reserved_mb);
    document_int(document, "reservedVCores", held.reserved_vcores);
    document_int(document, "runningContainers", held.containers);
    document_uint(document, "memorySeconds", app->memory_mb_seconds);
    document_uint(document, "vcoreSeconds", app->vcore_seconds);
}

static void add_shares(const struct rest_app_writer *to, const Creel__AppReport *app)
{
    const Creel__QueueReport *queue = web_model_queue(to->model, app->queue);
    double cluster_mb = (double)yarn_memory_mb(to->cluster->total);
    double queue_mb = queue != NULL ? cluster_mb * (double)queue->absolute_capacity : 0;

    document_float(to->document, "queueUsagePercentage", yarn_app_memory_percent(app, queue_mb));
    document_float(to->document, "clusterUsagePercentage", yarn_app_memory_percent(app, cluster_mb));
}

static void add_seconds(const struct rest_app_writer *to, const char *name, uint64_t memory_mb,
                        uint64_t vcores)
{
    struct document *document = to->document;

    document_begin_map(document, name, 2);
    document_entry(document, "memory-mb", arena_printf(to->arena, "%" PRIu64, memory_mb));
    document_entry(document, "vcores", arena_printf(to->arena, "%" PRIu64, vcores));
    document_end_map(document);
}

static void add_preemption(const struct rest_app_writer *to, const Creel__AppReport *app)
{
    struct document *document = to->document;

    document_int(document, "preemptedResourceMB", yarn_memory_mb(app->preempted));
    document_int(document, "preemptedResourceVCores", yarn_vcores(app->preempted));
    document_uint(document, "numNonAMContainerPreempted", app->preempted_containers);
    document_uint(document, "numAMContainerPreempted", app->preempted_ams);
    document_uint(document, "preemptedMemorySeconds", app->preempted_memory_mb_seconds);
    document_uint(document, "preemptedVcoreSeconds", app->preempted_vcore_seconds);
    if (app->preempted_containers + app->preempted_ams == 0)
        document_empty(document, "preemptedResourceSecondsMap");
    else
        add_seconds(to, "preemptedResourceSecondsMap", app->preempted_memory_mb_seconds,
                    app->preempted_vcore_seconds);
}

static void add_partition(const struct rest_app_writer *to, const Creel__AppPartition *part)
{
    struct document *document = to->document;

    document_begin(document, NULL);
    document_text(document, "partitionName", part->label);
    rest_resource(document, "used", to->cluster, part->used);
    rest_resource(document, "reserved", to->cluster, part->reserved);
    rest_resource(document, "pending", to->cluster, part->pending);
    rest_resource(document, "amUsed", to->cluster, part->am_used);
    rest_resource(document, "amLimit", to->cluster, NULL);
    rest_resource(document, "userAmLimit", to->cluster, NULL);
    document_end(document);
}

/* Adds the resources of the application by node label: as YARN, the nodes without a label are always
 * there. */
static void add_resource_info(const struct rest_app_writer *to, const Creel__AppReport *app)
{
    struct document *document = to->document;
    Creel__AppPartition only = CREEL__APP_PARTITION__INIT;

    only.used = app->allocated;
    only.reserved = app->reserved;
    only.pending = app->pending;
    only.am_used = has_master(app) ? app->resource : NULL;
    document_begin(document, "resourceInfo");
    document_begin_list(document, "resourceUsagesByPartition", app->n_partitions > 0 ? app->n_partitions : 1);
    for (size_t i = 0; i < app->n_partitions; i++)
        add_partition(to, app->partitions[i]);
    if (app->n_partitions == 0)
        add_partition(to, &only);
    document_end_list(document);
    document_end(document);
}

void rest_timeout_members(struct document *document, struct arena *arena, const Creel__AppReport *app,
                          int64_t now_ms)
{
    document_text(document, "type", "LIFETIME");
    document_text(document, "expiryTime",
                  app->expires_ms > 0 ? rest_expiry_text(arena, app->expires_ms) : "UNLIMITED");
    document_int(document, "remainingTimeInSeconds", yarn_app_remaining_s(app->expires_ms, now_ms));
}

static void add_timeouts(const struct rest_app_writer *to, const Creel__AppReport *app)
{
    struct document *document = to->document;

    document_begin(document, "timeouts");
    document_begin_list(document, "timeout", 1);
    document_begin(document, NULL);
    rest_timeout_members(document, to->arena, app, to->cluster->now_ms);
    document_end(document);
    document_end_list(document);
    document_end(document);
}

static void add_request(const struct rest_app_writer *to, const Creel__Ask *ask)
{
    struct document *document = to->document;

    document_begin(document, NULL);
    document_uint(document, "priority", ask->priority);
    document_uint(document, "allocationRequestId", ask->allocation_id);
    document_text(document, "resourceName", ask->resource_name);
    rest_resource(document, "capability", to->cluster, ask->capability);
    document_uint(document, "numContainers", ask->count);
    document_bool(document, "relaxLocality", !ask->strict_locality);
    document_text(document, "nodeLabelExpression", ask->label);
    document_begin(document, "executionTypeRequest");
    document_text(document, "executionType", YARN_EXECUTION_TYPE);
    document_bool(document, "enforceExecutionType", false);
    document_end(document);
    document_end(document);
}

static void add_requests(const struct rest_app_writer *to, const Creel__AppReport *app)
{
    document_begin_list(to->document, "resourceRequests", app->n_requests);
    for (size_t i = 0; i < app->n_requests; i++)
        add_request(to, app->requests[i]);
    document_end_list(to->document);
}

/* Adds the counts of the tasks of an array. YARN has no arrays. */
static void add_tasks(struct document *document, const Creel__AppReport *app)
{
    const Creel__TaskCounts *tasks = app->tasks;

    if (*app->array == '\0' || tasks == NULL)
        return;
    document_begin(document, "creelTasks");
    document_uint(document, "total", tasks->total);
    document_uint(document, "running", task_counts_running(tasks));
    document_uint(document, "waiting", yarn_app_is_over(app->state) ? 0 : task_counts_waiting(tasks));
    document_uint(document, "succeeded", tasks->succeeded);
    document_uint(document, "failed", task_counts_failed(tasks));
    document_uint(document, "killed", tasks->killed);
    if (*app->failed_tasks != '\0')
        document_text(document, "failedTasks", app->failed_tasks);
    document_end(document);
}

void rest_app_members(const struct rest_app_writer *to, const Creel__AppReport *app)
{
    struct document *document = to->document;

    add_identity(to, app);
    add_times(to, app);
    add_master(to, app);
    add_amounts(to, app);
    add_shares(to, app);
    add_seconds(to, "resourceSecondsMap", app->memory_mb_seconds, app->vcore_seconds);
    add_preemption(to, app);
    if (!to->deselects.resource_requests)
        add_requests(to, app);
    document_text(document, "logAggregationStatus", yarn_log_aggregation(app->log_aggregation));
    document_bool(document, "unmanagedApplication", app->unmanaged);
    if (!to->deselects.app_label)
        document_text(document, "appNodeLabelExpression", app->label);
    if (!to->deselects.am_label)
        document_text(document, "amNodeLabelExpression", app->label);
    if (!to->deselects.resource_info && text_equal(to->cluster->queue_model, "capacity") &&
        !yarn_app_is_over(app->state))
        add_resource_info(to, app);
    if (!to->deselects.timeouts)
        add_timeouts(to, app);
    add_tasks(document, app);
    if (*app->rerun_of != '\0')
        document_text(document, "creelRerunOf", app->rerun_of);
    if (app->no_requeue)
        document_bool(document, "creelNoRequeue", true);
}
