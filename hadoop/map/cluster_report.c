/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_report.c - nodes, sums of the cluster and queues as Hadoop's reports */
#include "hadoop/map/reports.h"

#include <string.h>

#include "common/base/text.h"
#include "common/proto/value_name.h"
#include "yarn/node.h"
#include "yarn/queue.h"
#include "yarn/resource.h"

#define ANY_LABEL "*"

/* --- nodes ---------------------------------------------------------------------- */

static Hadoop__NodeState node_state(const Creel__NodeReport *node)
{
    return (Hadoop__NodeState)value_find(&hadoop__node_state__descriptor, yarn_node_state(node->state));
}

bool hadoop_node_passes(const Hadoop__GetNodes *query, const Creel__NodeReport *node)
{
    for (size_t i = 0; i < query->n_states; i++)
        if (query->states[i] == node_state(node))
            return true;
    return query->n_states == 0;
}

static Hadoop__Utilization *utilization(struct arena *arena, int64_t used_mb, int64_t virtual_mb,
                                        uint32_t millicores)
{
    Hadoop__Utilization *message = arena_new0(arena, Hadoop__Utilization);

    hadoop__utilization__init(message);
    HADOOP_SET(message, physical_mb, hadoop_count(used_mb));
    HADOOP_SET(message, virtual_mb, hadoop_count(virtual_mb));
    HADOOP_SET(message, cpu, (float)yarn_cores(millicores));
    return message;
}

static void add_label(struct arena *arena, Hadoop__NodeReport *report, char *label)
{
    report->labels = arena_array0(arena, 1, sizeof(*report->labels));
    report->labels[report->n_labels++] = label;
}

Hadoop__NodeReport *hadoop_node_report(struct arena *arena, const Creel__ClusterInfo *cluster,
                                       const Creel__NodeReport *node)
{
    Hadoop__NodeReport *report = arena_new0(arena, Hadoop__NodeReport);
    int64_t used_mb = yarn_node_used_mb(node->node_memory_bytes, node->used_memory_bytes);

    hadoop__node_report__init(report);
    report->node = hadoop_node_id(arena, node->node_id);
    report->http_address = node->http_address;
    report->rack = hadoop_text(*node->rack != '\0' ? node->rack : "/default-rack");
    report->used = hadoop_amount(arena, cluster, node->used);
    report->capability = hadoop_amount(arena, cluster, node->total);
    HADOOP_SET(report, containers, hadoop_count(node->containers));
    HADOOP_SET(report, state, node_state(node));
    report->health_report = node->health_report;
    HADOOP_SET(report, health_ms, node->last_heartbeat_ms);
    if (*node->label != '\0')
        add_label(arena, report, node->label);
    report->containers_utilization =
        utilization(arena, (int64_t)(node->containers_memory_bytes >> 20), 0, node->cpu_millicores);
    report->node_utilization = utilization(arena, used_mb, used_mb, node->node_cpu_millicores);
    return report;
}

Hadoop__ClusterMetrics *hadoop_cluster_metrics(struct arena *arena, const Creel__ClusterInfo *cluster)
{
    Hadoop__ClusterMetrics *metrics = arena_new0(arena, Hadoop__ClusterMetrics);
    struct yarn_node_counts counts = yarn_node_counts(cluster);

    hadoop__cluster_metrics__init(metrics);
    HADOOP_SET(metrics, nodes, hadoop_count(counts.active));
    HADOOP_SET(metrics, decommissioned, hadoop_count(counts.decommissioned));
    HADOOP_SET(metrics, active, hadoop_count(counts.active));
    HADOOP_SET(metrics, lost, hadoop_count(counts.lost));
    HADOOP_SET(metrics, unhealthy, hadoop_count(counts.unhealthy));
    HADOOP_SET(metrics, rebooted, hadoop_count(counts.rebooted));
    HADOOP_SET(metrics, decommissioning, hadoop_count(counts.decommissioning));
    HADOOP_SET(metrics, shut_down, hadoop_count(counts.shut_down));
    return metrics;
}

/* --- queues --------------------------------------------------------------------- */

const char *hadoop_queue_name(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL ? dot + 1 : path;
}

static Hadoop__QueueState queue_state(const Creel__QueueReport *queue)
{
    int state = value_find(&hadoop__queue_state__descriptor, queue->state);

    return state > 0 ? (Hadoop__QueueState)state : HADOOP__QUEUE_STATE__QUEUE_RUNNING;
}

static Hadoop__QueueStatistics *statistics(struct arena *arena, const Creel__ClusterInfo *cluster,
                                           const Creel__QueueReport *queue)
{
    Hadoop__QueueStatistics *of = arena_new0(arena, Hadoop__QueueStatistics);
    const Creel__Resource *free_of = yarn_difference(arena, queue->maximum, queue->used);
    bool has_maximum = queue->maximum != NULL && cluster != NULL;

    hadoop__queue_statistics__init(of);
    HADOOP_SET(of, apps_submitted, (int64_t)queue->apps_running + queue->apps_pending);
    HADOOP_SET(of, apps_running, queue->apps_running);
    HADOOP_SET(of, apps_pending, queue->apps_pending);
    HADOOP_SET(of, active_users, queue->active_users);
    HADOOP_SET(of, available_mb, has_maximum ? yarn_memory_mb(free_of) : 0);
    HADOOP_SET(of, available_vcores, has_maximum ? yarn_vcores(free_of) : 0);
    HADOOP_SET(of, allocated_mb, yarn_memory_mb(queue->used));
    HADOOP_SET(of, allocated_vcores, yarn_vcores(queue->used));
    HADOOP_SET(of, pending_mb, yarn_memory_mb(queue->pending));
    HADOOP_SET(of, pending_vcores, yarn_vcores(queue->pending));
    HADOOP_SET(of, reserved_mb, yarn_memory_mb(queue->reserved));
    HADOOP_SET(of, reserved_vcores, yarn_vcores(queue->reserved));
    HADOOP_SET(of, allocated_containers, queue->containers);
    return of;
}

static void set_labels(struct arena *arena, Hadoop__QueueInfo *info, const Creel__QueueSettings *settings)
{
    if (settings != NULL) {
        info->accessible_labels = settings->labels;
        info->n_accessible_labels = settings->n_labels;
        info->default_label = *settings->default_label != '\0' ? settings->default_label : NULL;
        return;
    }
    info->accessible_labels = arena_array0(arena, 1, sizeof(*info->accessible_labels));
    info->accessible_labels[info->n_accessible_labels++] = hadoop_text(ANY_LABEL);
}

Hadoop__QueueInfo *hadoop_queue_info(struct arena *arena, const Creel__ClusterInfo *cluster,
                                     const Creel__QueueReport *queue)
{
    Hadoop__QueueInfo *info = arena_new0(arena, Hadoop__QueueInfo);
    const Creel__QueueSettings *settings = queue->settings;
    bool within = settings != NULL && settings->intra_queue_preemption;

    hadoop__queue_info__init(info);
    info->name = hadoop_text(hadoop_queue_name(queue->path));
    info->path = queue->path;
    HADOOP_SET(info, capacity, queue->capacity);
    HADOOP_SET(info, maximum_capacity, queue->max_capacity);
    HADOOP_SET(info, current_capacity, queue->used_capacity);
    HADOOP_SET(info, state, queue_state(queue));
    HADOOP_SET(info, weight, queue->weight);
    HADOOP_SET(info, preemption_disabled, !queue->preemption);
    HADOOP_SET(info, inner_preemption_disabled, !within);
    HADOOP_SET(info, parallel_apps_max,
               hadoop_count(yarn_running_limit(settings != NULL ? settings->max_parallel_apps : 0)));
    info->statistics = statistics(arena, cluster, queue);
    info->scheduler =
        hadoop_text(text_equal(cluster->queue_model, "fair") ? "FairScheduler" : "CapacityScheduler");
    set_labels(arena, info, settings);
    return info;
}
