/* SPDX-License-Identifier: Apache-2.0 */
/* cluster.c - /ws/v1/cluster, /info, /userinfo, /metrics, /scheduler-overview */
#include <inttypes.h>
#include <string.h>

#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "web/rest/parts/amounts.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/lists.h"
#include "web/rest/parts/parts.h"
#include "web/rest/parts/sums.h"
#include "web/rest/parts/reply.h"
#include "yarn/node.h"
#include "yarn/resource.h"

/* Metrics exporters expect one of YARN's version numbers. The version of creel is in creelVersion. */
#define YARN_VERSION "3.4.1"

static const char *first_known(const char *one, const char *other)
{
    return one != NULL && *one != '\0' ? one : other;
}

/* Also answers from an old copy, since monitors read the state here. */
void rest_cluster_info(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);
    bool active = rest_rm_answers(exchange);
    const Creel__ClusterInfo *cluster;
    struct document *document;
    const char *build;

    if (!rest_model_is_complete(exchange) ||
        (document = rest_begin_plain(exchange, "clusterInfo", REST_NATURAL)) == NULL)
        return;
    cluster = web_model_cluster(view->model);
    build = arena_printf(exchange_arena(exchange), YARN_VERSION " from creel %s by creel source checksum -",
                         first_known(cluster->version, view->version));
    document_int(document, "id", cluster->started_ms);
    document_int(document, "startedOn", cluster->started_ms);
    document_text(document, "state", active ? "STARTED" : "STOPPED");
    document_text(document, "haState", active ? "ACTIVE" : "STANDBY");
    document_text(document, "rmStateStoreName", "creel.store.SQLite");
    document_text(document, "resourceManagerVersion", YARN_VERSION);
    document_text(document, "resourceManagerBuildVersion", build);
    document_text(document, "resourceManagerVersionBuiltOn", "");
    document_text(document, "hadoopVersion", YARN_VERSION);
    document_text(document, "hadoopBuildVersion", build);
    document_text(document, "hadoopVersionBuiltOn", "");
    document_text(document, "haZooKeeperConnectionState", "creel uses no ZooKeeper");
    document_text(document, "creelVersion", first_known(cluster->version, view->version));
    rest_send(exchange, 200, document);
}

void rest_user_info(struct exchange *exchange)
{
    struct document *document = rest_begin(exchange, "userInfo", REST_MAPPED);

    if (document == NULL)
        return;
    document_text(document, "rmLoginUser", "creel");
    document_text(document, "requestedUser", exchange_user(exchange));
    rest_send(exchange, 200, document);
}

/* --- metrics ----------------------------------------------------------------- */

static int64_t percent(int64_t part, int64_t whole)
{
    return whole > 0 ? part * 100 / whole : 0;
}

static void add_apps(struct document *document, const Creel__ClusterInfo *cluster)
{
    document_uint(document, "appsSubmitted", cluster->counters ? cluster->counters->apps_submitted : 0);
    document_uint(document, "appsCompleted", cluster->apps_finished);
    document_uint(document, "appsPending", cluster->apps_pending);
    document_uint(document, "appsRunning", cluster->apps_running);
    document_uint(document, "appsFailed", cluster->apps_failed);
    document_uint(document, "appsKilled", cluster->apps_killed);
}

/* Queues and cluster are read one after the other: containers may have ended in between. */
static uint64_t unlabelled_containers(uint64_t all, const struct rest_sums *sums)
{
    return all > sums->containers_labelled ? all - sums->containers_labelled : 0;
}

static void add_amounts(struct document *document, const Creel__ClusterInfo *cluster,
                        const struct rest_amounts *amounts, const struct rest_sums *sums)
{
    int64_t total_mb = yarn_memory_mb(amounts->total), total_vcores = yarn_vcores(amounts->total);
    int64_t utilized_vcores = rest_sums_vcores(sums);

    document_int(document, "reservedMB", yarn_memory_mb(amounts->reserved));
    document_int(document, "availableMB", yarn_memory_mb(amounts->available));
    document_int(document, "allocatedMB", yarn_memory_mb(amounts->allocated));
    document_int(document, "pendingMB", yarn_memory_mb(amounts->pending));
    document_int(document, "reservedVirtualCores", yarn_vcores(amounts->reserved));
    document_int(document, "availableVirtualCores", yarn_vcores(amounts->available));
    document_int(document, "allocatedVirtualCores", yarn_vcores(amounts->allocated));
    document_int(document, "pendingVirtualCores", yarn_vcores(amounts->pending));
    document_uint(document, "containersAllocated", unlabelled_containers(cluster->containers, sums));
    document_uint(document, "containersReserved", sums->containers_reserved);
    document_uint(document, "containersPending", sums->containers_pending);
    document_int(document, "totalMB", total_mb);
    document_int(document, "utilizedMB", sums->physical_mb);
    document_int(document, "totalVirtualCores", total_vcores);
    document_int(document, "utilizedVirtualCores", utilized_vcores);
    document_int(document, "utilizedMBPercent", percent(sums->physical_mb, total_mb));
    document_int(document, "utilizedVirtualCoresPercent", percent(utilized_vcores, total_vcores));
    document_int(document, "rmSchedulerBusyPercent", 0);
}

static void add_nodes(struct document *document, const Creel__ClusterInfo *cluster)
{
    struct yarn_node_counts nodes = yarn_node_counts(cluster);

    document_int(document, "totalNodes", nodes.total);
    document_int(document, "lostNodes", nodes.lost);
    document_int(document, "unhealthyNodes", nodes.unhealthy);
    document_int(document, "decommissioningNodes", nodes.decommissioning);
    document_int(document, "decommissionedNodes", nodes.decommissioned);
    document_int(document, "rebootedNodes", nodes.rebooted);
    document_int(document, "activeNodes", nodes.active);
    document_int(document, "shutdownNodes", nodes.shut_down);
}

void rest_metrics(struct exchange *exchange)
{
    struct document *document = rest_begin(exchange, "clusterMetrics", REST_NATURAL);
    struct arena *arena = exchange_arena(exchange);
    const Creel__ClusterInfo *cluster;
    struct rest_amounts amounts, all;
    struct rest_sums sums;
    bool is_capacity;

    if (document == NULL)
        return;
    cluster = web_model_cluster(rest_model(exchange));
    is_capacity = text_equal(cluster->queue_model, "capacity");
    amounts = rest_shown_amounts(arena, rest_model(exchange));
    all = rest_cluster_amounts(arena, rest_model(exchange));
    sums = rest_sums_of(rest_model(exchange), arena);
    add_apps(document, cluster);
    add_amounts(document, cluster, &amounts, &sums);
    add_nodes(document, cluster);
    document_int(document, "containerAssignedPerSecond", 0);
    if (is_capacity) {
        rest_resource(document, "totalUsedResourcesAcrossPartition", cluster,
                      yarn_sum(arena, all.allocated, all.reserved));
        rest_resource(document, "totalClusterResourcesAcrossPartition", cluster, all.total);
        rest_resource(document, "totalReservedResourcesAcrossPartition", cluster, all.reserved);
    }
    document_uint(document, "totalAllocatedContainersAcrossPartition", cluster->containers);
    document_bool(document, "crossPartitionMetricsAvailable", is_capacity);
    document_int(document, "rmEventQueueSize", 0);
    document_int(document, "schedulerEventQueueSize", 0);
    rest_send(exchange, 200, document);
}

/* --- overview ---------------------------------------------------------------- */

static const char *scheduler_title(const Creel__ClusterInfo *cluster)
{
    if (text_equal(cluster->queue_model, "capacity"))
        return "Capacity Scheduler";
    return text_equal(cluster->queue_model, "fair") ? "Fair Scheduler" : "Fifo Scheduler";
}

static const char *types_text(struct arena *arena, const Creel__ClusterInfo *cluster)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);

    text_builder_add(&text, "memory-mb (unit=Mi),vcores");
    for (size_t t = 2; t < cluster->n_types; t++)
        text_builder_printf(&text, *cluster->types[t]->unit != '\0' ? ",%s (unit=%s)" : ",%s",
                            cluster->types[t]->name, cluster->types[t]->unit);
    return text_builder_finish(&text);
}

void rest_scheduler_overview(struct exchange *exchange)
{
    struct document *document = rest_begin(exchange, "scheduler", REST_MAPPED);
    struct arena *arena = exchange_arena(exchange);
    const Creel__ClusterInfo *cluster;

    if (document == NULL)
        return;
    cluster = web_model_cluster(rest_model(exchange));
    document_text(document, "schedulerType", scheduler_title(cluster));
    document_text(document, "schedulingResourceType", types_text(arena, cluster));
    rest_allocation(document, "minimumAllocation", cluster, cluster->minimum_allocation);
    rest_allocation(document, "maximumAllocation", cluster, cluster->maximum_allocation);
    document_int(document, "applicationPriority", 0);
    document_int(document, "schedulerBusy", -1);
    document_int(document, "rmDispatcherEventQueueSize", 0);
    document_int(document, "schedulerDispatcherEventQueueSize", 0);
    rest_send(exchange, 200, document);
}
