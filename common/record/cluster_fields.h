/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster_fields.h - the values of the cluster that users see, one row each
 *
 * common/record/container_fields.h explains the rows, and what is made from them. From is the name in
 * ClusterInfo. WHEN is also CLOCK: if a clock was measured.
 */
#ifndef CREEL_RECORD_CLUSTER_FIELDS_H
#define CREEL_RECORD_CLUSTER_FIELDS_H

#define CLUSTER_FIELDS(F) \
    F(1, cluster_ms, cluster_ms, INT64, ALWAYS, "clusterMs", NO_CSV, "part of every id of this cluster") \
    F(2, started_ms, started_ms, TIME, GIVEN, "started", NO_CSV, "start of the RM") \
    F(3, now_ms, now_ms, TIME, GIVEN, "now", NO_CSV, "the RM's clock") \
    F(4, epoch, epoch, UINT32, ALWAYS, "epoch", NO_CSV, "number of the RM's start, from 0") \
    F(5, version, version, TEXT, ALWAYS, "version", NO_CSV, "") \
    F(6, scheduler, scheduler, TEXT, ALWAYS, "scheduler", NO_CSV, "") \
    F(25, user, user, TEXT, GIVEN, "user", NO_CSV, "the user as whom requests are made") \
    F(7, total, total, AMOUNTS, ALWAYS, "total", NO_CSV, "") \
    F(8, used, used, AMOUNTS, ALWAYS, "used", NO_CSV, "") \
    F(9, minimum_allocation, minimum_allocation, AMOUNTS, ALWAYS, "minimumAllocation", NO_CSV, "") \
    F(10, maximum_allocation, maximum_allocation, AMOUNTS, ALWAYS, "maximumAllocation", NO_CSV, "") \
    F(11, nodes_running, nodes_running, UINT32, ALWAYS, "nodesRunning", NO_CSV, "") \
    F(12, nodes_lost, nodes_lost, UINT32, ALWAYS, "nodesLost", NO_CSV, "") \
    F(13, nodes_unhealthy, nodes_unhealthy, UINT32, ALWAYS, "nodesUnhealthy", NO_CSV, "") \
    F(14, nodes_draining, nodes_draining, UINT32, ALWAYS, "nodesDraining", NO_CSV, "") \
    F(15, nodes_drained, nodes_drained, UINT32, ALWAYS, "nodesDrained", NO_CSV, "") \
    F(16, nodes_decommissioning, nodes_decommissioning, UINT32, ALWAYS, "nodesDecommissioning", NO_CSV, "") \
    F(17, nodes_decommissioned, nodes_decommissioned, UINT32, ALWAYS, "nodesDecommissioned", NO_CSV, "") \
    F(18, nodes_waiting, nodes_waiting, UINT32, ADDED, "nodesWaiting", NO_CSV, "") \
    F(33, nodes_silent, nodes_silent, UINT32, ADDED, "nodesSilent", NO_CSV, \
      "nodes in service whose agents have missed several heartbeats") \
    F(34, silent_node, silent_node, TEXT, GIVEN, "silentNode", NO_CSV, \
      "the one that has been silent longest; \"\": none") \
    F(35, nodes_skewed, nodes_skewed, UINT32, ADDED, "nodesSkewed", NO_CSV, \
      "nodes whose clock differs by more than the configured limit") \
    F(31, clock_node, clock_node, TEXT, GIVEN, "clockNode", NO_CSV, \
      "the node whose clock differs most from the RM's; \"\": none was measured") \
    F(32, clock_skew_ms, clock_skew_ms, INT64, CLOCK, "clockSkewMs", NO_CSV, "its clock minus the RM's") \
    F(19, apps_pending, apps_pending, UINT32, ALWAYS, "appsPending", NO_CSV, "") \
    F(20, apps_running, apps_running, UINT32, ALWAYS, "appsRunning", NO_CSV, "") \
    F(21, apps_finished, apps_finished, UINT64, ALWAYS, "appsFinished", NO_CSV, "") \
    F(22, apps_failed, apps_failed, UINT64, ALWAYS, "appsFailed", NO_CSV, "") \
    F(23, apps_killed, apps_killed, UINT64, ALWAYS, "appsKilled", NO_CSV, "") \
    F(24, containers, containers, UINT32, ALWAYS, "containers", NO_CSV, "") \
    F(26, refreshed_ms, refreshed_ms, TIME, GIVEN, "queuesRefreshed", NO_CSV, \
      "last refresh of the queues, successful or not; 0: never") \
    F(27, refreshed_by, refreshed_by, TEXT, GIVEN, "queuesRefreshedBy", NO_CSV, "") \
    F(28, refresh_error, refresh_error, TEXT, GIVEN, "queuesRefreshError", NO_CSV, "\"\": it succeeded") \
    F(36, history_problem, history_problem, TEXT, GIVEN, "historyProblem", NO_CSV, \
      "why the history is incomplete; \"\": it is complete") \
    F(29, labels, labels, OTHER(labels, const struct creel_label *), GIVEN, "", NO_CSV, "") \
    F(30, label_count, n_labels, OTHER(label_count, size_t), NEVER, "", NO_CSV, "") \
    F(37, checks, checks, OTHER(checks, const struct creel_check *), NEVER, "", NO_CSV, "") \
    F(38, check_count, n_checks, OTHER(check_count, size_t), NEVER, "", NO_CSV, \
      "0: the RM is of release 0.2.0, which sends none") \
    F(39, near_limits, near_limits, OTHER(near_limits, const struct creel_user_limit *), GIVEN, "", NO_CSV, \
      "") \
    F(40, near_limit_count, n_near_limits, OTHER(near_limit_count, size_t), NEVER, "", NO_CSV, "")

#endif
