/* SPDX-License-Identifier: Apache-2.0 */
/* reports.h - creel's reports as Hadoop's: applications, attempts, containers, nodes, queues (pure) */
#ifndef CREEL_HADOOP_MAP_REPORTS_H
#define CREEL_HADOOP_MAP_REPORTS_H

#include "hadoop/map/parts.h"

/* CLUSTER has the types of resources and the time; it must exist as long as the result. */
Hadoop__AppReport *hadoop_app_report(struct arena *arena, const Creel__ClusterInfo *cluster,
                                     const Creel__AppReport *app);

/* What an attempt shows of its first container, which creel may have forgotten. */
struct hadoop_master {
    const char *container_id; /* NULL: there is none */
    const char *diagnostics;
    Creel__ContainerState state;
    int64_t allocated_ms, finished_ms;
};
Hadoop__AttemptReport *hadoop_attempt_report(struct arena *arena, const Creel__AppReport *app,
                                             uint32_t number, const struct hadoop_master *master);

/* HTTP_ADDRESS is that of the container's node; "": it has none. */
Hadoop__ContainerReport *hadoop_container_report(struct arena *arena, const Creel__ClusterInfo *cluster,
                                                 const Creel__ContainerReport *container,
                                                 const char *http_address);
Hadoop__NodeReport *hadoop_node_report(struct arena *arena, const Creel__ClusterInfo *cluster,
                                       const Creel__NodeReport *node);
Hadoop__ClusterMetrics *hadoop_cluster_metrics(struct arena *arena, const Creel__ClusterInfo *cluster);
Hadoop__QueueInfo *hadoop_queue_info(struct arena *arena, const Creel__ClusterInfo *cluster,
                                     const Creel__QueueReport *queue);
/* Returns the last part of the path of a queue, by which YARN's capacity scheduler names it. */
const char *hadoop_queue_name(const char *path);

/* Returns whether the application passes the filters of QUERY that the resource manager does not know:
 * types, tags, name, and times. USER: the user of the request. */
bool hadoop_app_passes(const Hadoop__GetApps *query, const char *user, const Creel__AppReport *app);
/* Returns whether QUERY asks for nodes in the state of NODE; without states for all. */
bool hadoop_node_passes(const Hadoop__GetNodes *query, const Creel__NodeReport *node);

#endif
