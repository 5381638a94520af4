/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_fields.h - the values of a queue that users see, one row each
 *
 * common/record/container_fields.h explains the rows, and what is made from them. From is the name in
 * QueueReport. QUEUE_LABEL_FIELDS has the values of a queue on the nodes of a label (QueuePartition).
 *
 * WHEN is also:
 *   LEAF       if the queue is a leaf; a limit, or a time, if there is one
 *   SHARES     if the scheduler is the fair scheduler
 *   WEIGHTED   if the queue has a weight
 *   LABELS     if the queue has figures by label
 */
#ifndef CREEL_RECORD_QUEUE_FIELDS_H
#define CREEL_RECORD_QUEUE_FIELDS_H

#define QUEUE_FIELDS(F) \
    F(1, path, path, TEXT, ALWAYS, "path", NO_CSV, "") \
    F(2, state, state, WORD("RUNNING", "STOPPED", "DRAINING"), GIVEN, "state", NO_CSV, "") \
    F(11, leaf, leaf, FLAG, ALWAYS, "leaf", NO_CSV, "applications are submitted to it") \
    F(12, dynamic, dynamic, FLAG, ALWAYS, "dynamic", NO_CSV, "a submission created it") \
    F(13, preemption, preemption, FLAG, ALWAYS, "preemption", NO_CSV, "its containers may be preempted") \
    F(3, capacity, capacity, NUMBER, ALWAYS, "capacity", NO_CSV, "fraction of its parent") \
    F(4, max_capacity, max_capacity, NUMBER, ALWAYS, "maxCapacity", NO_CSV, "fraction of its parent") \
    F(5, used_capacity, used_capacity, NUMBER, ALWAYS, "usedCapacity", NO_CSV, \
      "fraction of its guaranteed resources; above 1: it borrows") \
    F(14, absolute_capacity, absolute_capacity, NUMBER, ALWAYS, "absoluteCapacity", NO_CSV, \
      "fraction of the cluster") \
    F(15, absolute_max_capacity, absolute_max_capacity, NUMBER, ALWAYS, "absoluteMaxCapacity", NO_CSV, \
      "fraction of the cluster") \
    F(16, absolute_used, absolute_used, NUMBER, ALWAYS, "absoluteUsedCapacity", NO_CSV, \
      "fraction of the cluster") \
    F(17, weight, weight, NUMBER, WEIGHTED, "weight", NO_CSV, "below 0: it has none") \
    F(18, priority, priority, INT, ALWAYS, "priority", NO_CSV, "") \
    F(6, used, used, AMOUNTS, ALWAYS, "used", NO_CSV, "") \
    F(7, pending, pending, AMOUNTS, ALWAYS, "pending", NO_CSV, "") \
    F(19, reserved, reserved, AMOUNTS, ALWAYS, "reserved", NO_CSV, "") \
    F(20, minimum, minimum, AMOUNTS, ALWAYS, "minimum", NO_CSV, "guaranteed resources") \
    F(21, maximum, maximum, AMOUNTS, ALWAYS, "maximum", NO_CSV, "limit of its use") \
    F(8, apps_running, apps_running, UINT32, ALWAYS, "appsRunning", NO_CSV, "") \
    F(9, apps_pending, apps_pending, UINT32, ALWAYS, "appsPending", NO_CSV, "") \
    F(10, containers, containers, UINT32, ALWAYS, "containers", NO_CSV, "") \
    F(40, labels, settings, OTHER(labels, const char *const *), GIVEN, "", NO_CSV, \
      "that requests may name, \"*\": all; end with NULL; capacity scheduler") \
    F(41, default_label, settings->default_label, TEXT, LABELS, "defaultLabel", NO_CSV, \
      "of requests that name none; \"\": none") \
    F(44, by_label, partitions, OTHER(by_label, const struct creel_queue_label *), GIVEN, "", NO_CSV, \
      "labels that it may use, or uses; capacity scheduler") \
    F(42, max_parallel_apps, settings->max_parallel_apps, LIMIT, GIVEN, "maxParallelApps", NO_CSV, \
      "running at a time; 0: no limit; -1: the limit is 0") \
    F(22, am_limit, am_limit, AMOUNTS, LEAF, "amLimit", NO_CSV, "leaf: limit of AMs") \
    F(23, am_used, am_used, AMOUNTS, LEAF, "amUsed", NO_CSV, "leaf: resources of AMs") \
    F(24, user_limit, user_limit, AMOUNTS, LEAF, "userLimit", NO_CSV, "leaf: limit of one active user") \
    F(30, active_users, active_users, UINT32, LEAF, "activeUsers", NO_CSV, \
      "users who count for user limits: with requests made while an application of theirs was active") \
    F(28, active_apps, active_apps, UINT32, LEAF, "activeApps", NO_CSV, "") \
    F(29, waiting_apps, waiting_apps, UINT32, LEAF, "waitingApps", NO_CSV, \
      "applications that a limit on applications or AMs blocks") \
    F(26, max_apps, max_apps, LIMIT, LEAF, "maxApps", NO_CSV, "0: no limit; -1: the limit is 0") \
    F(27, max_apps_per_user, max_apps_per_user, LIMIT, LEAF, "maxAppsPerUser", NO_CSV, \
      "0: no limit; -1: the limit is 0") \
    F(31, maximum_lifetime_s, maximum_lifetime_s, INT64, LEAF, "maximumLifetimeSeconds", NO_CSV, \
      "of applications; -1: none") \
    F(32, default_lifetime_s, default_lifetime_s, INT64, LEAF, "defaultLifetimeSeconds", NO_CSV, \
      "of applications; -1: none") \
    F(35, policy, policy, WORD("fair", "drf", "fifo"), GIVEN, "policy", NO_CSV, \
      "of the fair scheduler; \"\": another scheduler, and the other values of shares are 0") \
    F(36, demand, demand, AMOUNTS, SHARES, "demand", NO_CSV, "used and pending, up to the maximum") \
    F(37, fair_share, fair_share, AMOUNTS, SHARES, "fairShare", NO_CSV, \
      "share among the queues that have applications") \
    F(38, steady_fair_share, steady_fair_share, AMOUNTS, SHARES, "steadyFairShare", NO_CSV, \
      "share among all queues") \
    F(39, starved_since_ms, starved_since_ms, TIME, SHARES, "starvedSince", NO_CSV, \
      "below its minimum or fair share since then; 0: it is not") \
    F(33, next, next, OTHER(next, const char *const *), GIVEN, "", NO_CSV, \
      "in the order of service, end with NULL; only of one queue, as EXPLANATION") \
    F(34, explanation, explanation, OTHER(explanation, const char *const *), GIVEN, "", NO_CSV, "sentences") \
    F(25, memory_only, memory_only, FLAG, NEVER, "", NO_CSV, \
      "limits count memory alone: the vcores of MINIMUM and the limits have no effect") \
    F(43, intra_queue_preemption, settings->intra_queue_preemption, FLAG, NEVER, "", NO_CSV, "") \
    F(45, by_label_count, n_partitions, OTHER(by_label_count, uint32_t), NEVER, "", NO_CSV, "") \
    F(46, labelled_containers, labelled_containers, UINT32, NEVER, "", NO_CSV, \
      "those of CONTAINERS that are on nodes with a label")

#define QUEUE_LABEL_FIELDS(F) \
    F(1, label, label, TEXT, ALWAYS, "label", NO_CSV, "") \
    F(2, absolute_capacity, absolute_capacity, NUMBER, ALWAYS, "absoluteCapacity", NO_CSV, \
      "fraction of the partition") \
    F(3, absolute_max_capacity, absolute_max_capacity, NUMBER, ALWAYS, "absoluteMaxCapacity", NO_CSV, \
      "fraction of the partition") \
    F(4, absolute_used, absolute_used, NUMBER, ALWAYS, "absoluteUsedCapacity", NO_CSV, \
      "fraction of the partition") \
    F(5, used, used, AMOUNTS, ALWAYS, "used", NO_CSV, "") \
    F(6, pending, pending, AMOUNTS, ALWAYS, "pending", NO_CSV, "") \
    F(7, reserved, reserved, AMOUNTS, ALWAYS, "reserved", NO_CSV, "") \
    F(8, minimum, minimum, AMOUNTS, ALWAYS, "minimum", NO_CSV, "guaranteed resources") \
    F(9, maximum, maximum, AMOUNTS, ALWAYS, "maximum", NO_CSV, "limit of its use") \
    F(10, containers, containers, UINT32, ADDED, "containers", NO_CSV, "")

#endif
