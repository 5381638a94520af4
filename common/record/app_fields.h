/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app_fields.h - the values of an application that users see, one row each
 *
 * The columns, and what comes from a row, are those of container_fields.h; the message is AppReport, the
 * struct is in client/include/creel-app.h, the schema is docs/schema/AppList.json. The two CSV files of
 * applications and of the history, which have other columns, are in web/page/app_fields.c.
 *
 * WHEN has words of its own: RETRIES, if it may start again after the ends of --retry-on; OF_TASK, if it
 * is a task of an array.
 */
#ifndef CREEL_RECORD_APP_FIELDS_H
#define CREEL_RECORD_APP_FIELDS_H

#define APP_FIELDS(F) \
    F(1, id, app_id, APP_ID, ALWAYS, "id", NO_CSV, "") \
    F(2, name, name, TEXT, ALWAYS, "name", NO_CSV, "") \
    F(3, user, user, TEXT, ALWAYS, "user", NO_CSV, "") \
    F(4, queue, queue, TEXT, ALWAYS, "queue", NO_CSV, "") \
    F(5, type, type, TEXT, GIVEN, "type", NO_CSV, "") \
    F(33, kind, kind, ENUM(job_kind), ALWAYS, "jobKind", NO_CSV, "") \
    F(6, state, state, ENUM(app_state), ALWAYS, "state", NO_CSV, "") \
    F(7, final_status, final_status, ENUM(final_status), ALWAYS, "finalStatus", NO_CSV, "") \
    F(8, exit_status, exit_status, EXIT, GIVEN, "exitStatus", NO_CSV, "of the result, or CREEL_EXIT_NONE") \
    F(9, progress, progress, FRACTION, ALWAYS, "progress", NO_CSV, "0 to 1") \
    F(26, priority, priority, INT, ALWAYS, "priority", NO_CSV, "") \
    F(27, reason_code, reason_code, TEXT, GIVEN, "reasonCode", NO_CSV, "") \
    F(28, reason, reason, TEXT, GIVEN, "reason", NO_CSV, "why it waits; empty: it does not") \
    F(37, reason_short, reason_short, TEXT, GIVEN, "reasonShort", NO_CSV, \
      "the reason, for a column: dev.ml 100% of max 40%") \
    F(38, label, label, TEXT, GIVEN, "label", NO_CSV, "") \
    F(39, expires_ms, expires_ms, TIME, GIVEN, "expires", NO_CSV, \
      "killed at this time, by its lifetime or time limit; 0: never") \
    F(52, time_limit_s, time_limit_s, INT64, GIVEN, "timeLimitSeconds", NO_CSV, \
      "killed so long after the start of the first container of an attempt") \
    F(10, diagnostics, diagnostics, TEXT, GIVEN, "diagnostics", NO_CSV, "") \
    F(43, holds, holds, OTHER(holds, const struct creel_hold *), GIVEN, "", NO_CSV, \
      "holds of users and administrators: it waits until they are released") \
    F(44, dependencies, dependencies, OTHER(dependencies, const struct creel_dependency *), GIVEN, "", \
      NO_CSV, "applications that it waits for, or waited") \
    F(73, one_dependency_is_enough, one_dependency_is_enough, FLAG, SET, "oneDependencyIsEnough", NO_CSV, \
      "one of the dependencies is enough; false: all of them are needed") \
    F(45, hold_count, hold_count, OTHER(hold_count, size_t), NEVER, "", NO_CSV, "") \
    F(46, dependency_count, dependency_count, OTHER(dependency_count, size_t), NEVER, "", NO_CSV, "") \
    F(47, array, array, TEXT, GIVEN, "array", NO_CSV, \
      "indexes of the tasks of an array, which are applications") \
    F(69, failed_tasks, failed_tasks, TEXT, GIVEN, "failedTasks", NO_CSV, \
      "indexes of tasks of an array that failed or were killed; '...': there are more; none in lists") \
    F(50, array_at_once, array_at_once, UINT32, GIVEN, "atOnce", NO_CSV, \
      "number of tasks that an array submits at a time; 0: no limit") \
    F(48, array_id, array_id, APP_ID, GIVEN, "arrayId", NO_CSV, "it is a task of this array") \
    F(49, array_index, array_index, UINT32, OF_TASK, "arrayIndex", NO_CSV, "") \
    F(41, begin_ms, begin_ms, TIME, GIVEN, "begin", NO_CSV, "as in struct creel_job") \
    F(42, deadline_ms, deadline_ms, TIME, GIVEN, "deadline", NO_CSV, "as in struct creel_job") \
    F(11, submitted_ms, submitted_ms, TIME, GIVEN, "submitted", NO_CSV, "") \
    F(40, eligible_ms, eligible_ms, TIME, GIVEN, "eligible", NO_CSV, \
      "when it entered its queue; 0: it waits outside its queue") \
    F(12, started_ms, started_ms, TIME, GIVEN, "started", NO_CSV, "") \
    F(74, attempt_started_ms, attempt_started_ms, TIME, GIVEN, "attemptStarted", NO_CSV, \
      "start of the present attempt; 0: it has not begun") \
    F(13, finished_ms, finished_ms, TIME, GIVEN, "finished", NO_CSV, "") \
    F(14, running_containers, running_containers, UINT32, ALWAYS, "runningContainers", NO_CSV, "") \
    F(15, pending_containers, pending_containers, UINT32, ALWAYS, "pendingContainers", NO_CSV, "") \
    F(16, allocated, allocated, AMOUNTS, ALWAYS, "allocated", NO_CSV, "") \
    F(17, pending, pending, AMOUNTS, ALWAYS, "pending", NO_CSV, "") \
    F(59, reserved, reserved, AMOUNTS, ADDED, "reserved", NO_CSV, \
      "nodes that are reserved for its requests") \
    F(60, reserved_containers, reserved_containers, UINT32, ADDED, "reservedContainers", NO_CSV, \
      "number of these reservations") \
    F(18, requested, resource, AMOUNTS, ALWAYS, "requested", NO_CSV, "of each container") \
    F(19, memory_mb_seconds, memory_mb_seconds, UINT64, ALWAYS, "memoryMbSeconds", NO_CSV, "") \
    F(20, vcore_seconds, vcore_seconds, UINT64, ALWAYS, "vcoreSeconds", NO_CSV, "") \
    F(29, tasks_total, tasks, OTHER(tasks, uint32_t), GIVEN, "", NO_CSV, "") \
    F(30, tasks_running, tasks, OTHER(tasks, uint32_t), NEVER, "", NO_CSV, "") \
    F(31, tasks_succeeded, tasks, OTHER(tasks, uint32_t), NEVER, "", NO_CSV, "") \
    F(32, tasks_failed, tasks, OTHER(tasks, uint32_t), NEVER, "", NO_CSV, "") \
    F(66, tasks_killed, tasks, OTHER(tasks, uint32_t), NEVER, "", NO_CSV, \
      "tasks of an array that were killed; not in tasks_failed") \
    F(68, tasks_waiting, tasks, OTHER(tasks, uint32_t), NEVER, "", NO_CSV, "tasks that have not begun") \
    F(51, used, used, OTHER(used, const struct creel_used *), GIVEN, "", NO_CSV, \
      "creel-history.h; NULL: it is not from the history") \
    F(21, attempt, attempt, UINT32, ALWAYS, "attempt", NO_CSV, "") \
    F(22, max_attempts, max_attempts, UINT32, ALWAYS, "maxAttempts", NO_CSV, "") \
    F(62, no_requeue, no_requeue, FLAG, SET, "noRequeue", NO_CSV, \
      "it never starts a second time (--no-requeue)") \
    F(53, retries, retries, UINT32, GIVEN, "retries", NO_CSV, \
      "how often it starts again after the ends of --retry-on") \
    F(54, retries_used, retries_used, UINT32, RETRIES, "retriesUsed", NO_CSV, "") \
    F(55, restart_reason, restart_reason, TEXT, GIVEN, "restartReason", NO_CSV, \
      "how the attempt before the present one ended; empty: there was none") \
    F(70, submitted_in, submitted_in, APP_ID, GIVEN, "submittedIn", NO_CSV, \
      "the application in a container of which it was submitted, with the token of that application") \
    F(71, rerun_of, rerun_of, APP_ID, GIVEN, "rerunOf", NO_CSV, \
      "the application whose work it repeats (creel app rerun)") \
    F(61, unmanaged, unmanaged, FLAG, SET, "unmanaged", NO_CSV, "its AM runs outside of the cluster") \
    F(63, log_aggregation, log_aggregation, OTHER(log_aggregation, const char *), GIVEN, "", NO_CSV, \
      "logs on shared storage: the word of YARN, as RUNNING or DISABLED") \
    F(23, master_container_id, master_container_id, CONTAINER_ID, GIVEN, "masterContainerId", NO_CSV, "") \
    F(24, master_node_id, master_node_id, TEXT, GIVEN, "masterNodeId", NO_CSV, "") \
    F(64, avoided_nodes, avoided_nodes, TEXTS, GIVEN, "avoidedNodes", NO_CSV, \
      "where first containers failed: that of the present attempt is not placed on these nodes") \
    F(65, silent_nodes, silent_nodes, TEXT, GIVEN, "silentNodes", NO_CSV, \
      "a sentence about silent nodes with its containers; empty: none") \
    F(25, tracking_url, tracking_url, TEXT, GIVEN, "trackingUrl", NO_CSV, "") \
    F(35, tags, tags, TEXTS, ALWAYS, "tags", NO_CSV, "") \
    F(36, command, command, TEXTS, ALWAYS, "command", NO_CSV, "") \
    F(34, version, version, UINT64, NEVER, "", NO_CSV, "grows with each change") \
    F(56, preempted_memory_mb_seconds, preempted_memory_mb_seconds, UINT64, NEVER, "", NO_CSV, \
      "of preempted containers") \
    F(57, preempted_vcore_seconds, preempted_vcore_seconds, UINT64, NEVER, "", NO_CSV, "") \
    F(58, am_host, am_host, TEXT, NEVER, "", NO_CSV, \
      "host from which the AM registered; empty: it has not registered") \
    F(67, command_left_out, command_left_out, FLAG, NEVER, "", NO_CSV, \
      "COMMAND is empty, as it has more than 1,024 bytes: creel_app_get has it") \
    F(72, launch, launch, OTHER(launch, const struct creel_launch *), NEVER, "", NO_CSV, \
      "NULL in lists without creel_app_filter.launch, and if hidden")

#endif
