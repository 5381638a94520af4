/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container_fields.h - the values of a container that users see, one row each
 *
 * From a row come the member of struct creel_container (client/include/creel-container.h, which
 * tools/record-fields writes), its copy in libcreel (client/libcreel/record.h), the key of --json
 * (client/cli/frame/record_json.h) with the property of docs/schema/ContainerList.json (tools/record-fields),
 * and the column of the CSV file of the web page (web/page/record_csv.h). The columns of tables, the HTML
 * of pages and REST are not made from rows: what they show, and how, is decided for each.
 *
 *     F(place, member, from, kind, when, json, csv, help)
 *
 * PLACE is the place in the public struct, from 1: a new row has the next number, and no number changes,
 * since programs have the struct compiled in. MEMBER is the name there, FROM the name in ContainerReport
 * (common/proto/creel.proto). JSON is the key, without the ends "At" and "Ms" of a TIME. CSV(column, name)
 * is the column, from 0, of the CSV file; columns keep their places, too. NO_CSV: there is none. HELP has
 * what the name does not say, in a few words, or "". It is the comment in the struct and the description
 * in the schema.
 *
 * KIND is one of:
 *   TEXT                   a text; APP_ID and CONTAINER_ID: a text with the form of such an id
 *   WORD("A", "B")         one of these texts
 *   TEXTS                  a list of texts
 *   FLAG                   true or false
 *   UINT32, UINT64         a number; INT, INT64: one that may be negative; FRACTION: one from 0 to 1
 *   NUMBER                 a number that may have a fraction; THOUSANDTHS: as an integer, of thousandths
 *   LIMIT                  a limit; 0: there is none, below 0: it is 0
 *   TIME                   milliseconds since 1970; 0: none
 *   EXIT                   an exit status, or CREEL_EXIT_NONE
 *   ENUM(type)             an enum creel_TYPE, with the names of creel_TYPE_name
 *   SIZE                   a resource whose amounts are keys beside the others
 *   AMOUNTS                a resource that is an object of its own
 *   OTHER(name, type)      of the C type TYPE; copied, written by json_NAME(writer, record), and in the
 *                          schema by hand
 *
 * WHEN is the condition under which JSON has the key:
 *   ALWAYS                 always
 *   ADDED                  always, but the schema does not require it: earlier versions did not write it
 *   GIVEN                  if the value is not empty, 0 or false
 *   SET                    the same, for a flag that the schema permits to be false
 *   NEVER                  never
 * Another word is a condition of this record. The rows are in the order of the JSON output.
 */
#ifndef CREEL_RECORD_CONTAINER_FIELDS_H
#define CREEL_RECORD_CONTAINER_FIELDS_H

#define CONTAINER_FIELDS(F) \
    F(1, id, container_id, CONTAINER_ID, ALWAYS, "id", CSV(0, "container"), "") \
    F(2, app_id, app_id, APP_ID, ALWAYS, "appId", CSV(1, "application"), "") \
    F(3, node_id, node_id, TEXT, GIVEN, "nodeId", CSV(4, "node"), "") \
    F(4, user, user, TEXT, GIVEN, "user", CSV(2, "user"), "") \
    F(13, title, title, TEXT, GIVEN, "title", CSV(3, "task"), "the number of the task, for tasks") \
    F(14, master, master, FLAG, ALWAYS, "master", NO_CSV, "the first container of its attempt") \
    F(5, state, state, ENUM(container_state), ALWAYS, "state", CSV(5, "state"), "") \
    F(11, exit_status, exit_status, EXIT, GIVEN, "exitStatus", NO_CSV, "or CREEL_EXIT_NONE") \
    F(12, diagnostics, diagnostics, TEXT, GIVEN, "diagnostics", CSV(13, "diagnostics"), "") \
    F(6, resource, resource, SIZE, ALWAYS, "", NO_CSV, "") \
    F(7, priority, priority, UINT32, ALWAYS, "priority", NO_CSV, "") \
    F(8, allocated_ms, allocated_ms, TIME, GIVEN, "allocated", NO_CSV, "") \
    F(9, started_ms, started_ms, TIME, GIVEN, "started", CSV(11, "started"), "") \
    F(10, finished_ms, finished_ms, TIME, GIVEN, "finished", NO_CSV, "") \
    F(15, memory_peak_bytes, memory_peak_bytes, UINT64, ALWAYS, "memoryPeakBytes", \
      CSV(8, "memory_peak_bytes"), "") \
    F(30, swap_peak_bytes, swap_peak_bytes, UINT64, GIVEN, "swapPeakBytes", CSV(14, "swap_peak_bytes"), \
      "the largest amount of swap in use; 0: none, or not known") \
    F(16, cpu_time_us, cpu_time_us, UINT64, ALWAYS, "cpuTimeUs", NO_CSV, "") \
    F(18, read_bytes, read_bytes, UINT64, ALWAYS, "readBytes", NO_CSV, "from disks") \
    F(19, written_bytes, written_bytes, UINT64, ALWAYS, "writtenBytes", NO_CSV, "to disks") \
    F(17, memory_bytes, memory_bytes, UINT64, GIVEN, "memoryBytes", NO_CSV, \
      "now; 0: not known, or it has ended") \
    F(20, pids, pids, UINT32, GIVEN, "pids", NO_CSV, "processes and threads now") \
    F(21, pids_peak, pids_peak, UINT32, GIVEN, "pidsPeak", NO_CSV, "processes and threads, at most") \
    F(22, figures_ms, figures_ms, TIME, GIVEN, "figures", NO_CSV, \
      "when its agent reported memory and processes of now; 0: never, or it has ended") \
    F(23, node_address, node_address, TEXT, GIVEN, "nodeAddress", NO_CSV, \
      "its agent, from which its logs are read") \
    F(24, node_key, agent_key, TEXT, NEVER, "", NO_CSV, "public key of its agent") \
    F(26, version, version, UINT32, GIVEN, "version", NO_CSV, \
      "how often its size has changed (creel container resize)") \
    F(27, resizing, resizing, FLAG, GIVEN, "resizing", NO_CSV, \
      "its agent has not reported yet that it applies the size") \
    F(28, resized_ms, resized_ms, TIME, NEVER, "", NO_CSV, "when the size changed last; 0: never") \
    F(29, wanted, wanted, AMOUNTS, GIVEN, "wanted", NO_CSV, \
      "the size that it is to have when there is room; all 0: no increase waits") \
    F(25, node_avoided, node_avoided, FLAG, GIVEN, "nodeAvoided", NO_CSV, \
      "the first container of the present attempt is not placed on this node, since this one failed there")

#endif
