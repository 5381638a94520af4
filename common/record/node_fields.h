/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_fields.h - the values of a node that users see, one row each
 *
 * common/record/container_fields.h explains the rows, and what is made from them. From is the name in
 * NodeReport. The JSON object of a node out of service, adminState, is in docs/schema/lists.txt. The columns
 * 5 to 8, 18 and 19 of the CSV file are in web/page/nodes.c.
 *
 * WHEN is also MEASURED: if the clock of the node was compared with the resource manager's.
 */
#ifndef CREEL_RECORD_NODE_FIELDS_H
#define CREEL_RECORD_NODE_FIELDS_H

#define NODE_FIELDS(F) \
    F(1, id, node_id, TEXT, ALWAYS, "nodeId", CSV(0, "node"), "") \
    F(2, rack, rack, TEXT, ALWAYS, "rack", CSV(1, "rack"), "") \
    F(14, label, label, TEXT, GIVEN, "label", CSV(3, "label"), "its partition; \"\": none") \
    F(3, state, state, ENUM(node_state), ALWAYS, "state", CSV(2, "state"), "") \
    F(4, total, total, AMOUNTS, ALWAYS, "total", NO_CSV, "") \
    F(5, used, used, AMOUNTS, ALWAYS, "used", NO_CSV, "") \
    F(6, containers, containers, UINT32, ALWAYS, "containers", CSV(4, "containers"), "") \
    F(13, used_memory_bytes, used_memory_bytes, UINT64, ALWAYS, "usedMemoryBytes", \
      CSV(9, "measured_memory_bytes"), "memory in use by its containers, as measured last") \
    F(28, cpu_millicores, cpu_millicores, THOUSANDTHS, ADDED, "containersCPUUsage", CSV(10, "measured_cpu"), \
      "processors that its containers use") \
    F(29, node_cpu_millicores, node_cpu_millicores, THOUSANDTHS, ADDED, "nodeCPUUsage", CSV(12, "node_cpu"), \
      "processors in use on the whole node") \
    F(27, node_memory_bytes, node_memory_bytes, UINT64, GIVEN, "nodeMemoryBytes", \
      CSV(11, "node_memory_bytes"), "in use on the whole node; 0: not known") \
    F(7, last_heartbeat_ms, last_heartbeat_ms, TIME, GIVEN, "lastHeartbeat", CSV(16, "heartbeat"), "") \
    F(22, lost_in_ms, lost_at_ms, OTHER(lost_in, int64_t), GIVEN, "", NO_CSV, \
      "above 0: its agent is silent, and the node counts as lost after this time") \
    F(8, registered_ms, registered_ms, TIME, GIVEN, "registered", CSV(15, "registered"), "") \
    F(9, version, version, TEXT, GIVEN, "version", CSV(14, "version"), "of its agent") \
    F(11, cgroup_mode, cgroup_mode, WORD("v1", "v2", "hybrid"), GIVEN, "cgroupMode", NO_CSV, "") \
    F(12, address, address, TEXT, GIVEN, "address", NO_CSV, "") \
    F(26, http_address, http_address, TEXT, GIVEN, "httpAddress", CSV(13, "http_address"), \
      "host:port of its REST interface; \"\": none") \
    F(31, warning, warning, TEXT, GIVEN, "warning", NO_CSV, "of its agent, about its configuration") \
    F(10, health_report, health_report, TEXT, GIVEN, "healthReport", CSV(17, "health_report"), "") \
    F(15, in_service, admin_state, OTHER(in_service, bool), NEVER, "", NO_CSV, "") \
    F(17, resized, offered, OTHER(resized, bool), NEVER, "", NO_CSV, \
      "an administrator, RESOURCES_BY, set TOTAL") \
    F(18, offered, offered, AMOUNTS, GIVEN, "offered", NO_CSV, \
      "if it was resized: resources that its agent offers") \
    F(20, resources_by, resources_by, TEXT, GIVEN, "resourcesBy", NO_CSV, "") \
    F(19, resources_until_ms, resources_until_ms, TIME, GIVEN, "resourcesUntil", NO_CSV, \
      "if it was resized: end of TOTAL; 0: at the next change") \
    F(23, clock_measured, clock_measured, FLAG, NEVER, "", NO_CSV, "") \
    F(24, clock_skew_ms, clock_skew_ms, INT64, MEASURED, "clockSkewMs", NO_CSV, \
      "its clock minus the resource manager's") \
    F(25, clock_error_ms, clock_error_ms, INT64, MEASURED, "clockErrorMs", NO_CSV, \
      "maximum error of the difference") \
    F(36, reserved, reserved, AMOUNTS, GIVEN, "reserved", NO_CSV, "") \
    F(35, reserved_for, reserved_for, TEXT, GIVEN, "reservedFor", NO_CSV, \
      "the application whose request the node is reserved for") \
    F(34, containers_stuck, containers_stuck, UINT32, GIVEN, "containersStuck", NO_CSV, \
      "containers with a process that was killed and does not end") \
    F(32, stuck_report, stuck_report, TEXT, GIVEN, "stuckReport", NO_CSV, \
      "names the first of them, and the process") \
    F(16, admin_state, admin_state, OTHER(admin_state, struct creel_node_admin_state), GIVEN, "", NO_CSV, \
      "if it is not in service") \
    F(21, silent_ms, last_heartbeat_ms, OTHER(silent, int64_t), NEVER, "", NO_CSV, \
      "since its last heartbeat, by the RM's clock") \
    F(30, containers_memory_bytes, containers_memory_bytes, UINT64, NEVER, "", NO_CSV, \
      "in use by its containers, as its agent reported last") \
    F(33, containers_end_ms, admin_state, OTHER(containers_end, int64_t), NEVER, "", NO_CSV, \
      "out of service with a deadline or kill_now: latest end of its containers")

#endif
