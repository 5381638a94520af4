/* SPDX-License-Identifier: Apache-2.0 */
/* wire_rules.c - tables of the values that each field of the schema may have */
#include "common/io/wire/wire_rules.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/histogram.h"
#include "common/base/job/job_field.h"
#include "common/base/job/mail.h"
#include "common/base/job/soft_limits.h"
#include "common/io/wire/token.h"
#include "common/io/wire/wire.h"

#define HASH_BYTES 32
#define MAC_BYTES 32
#define MEMORY_MB_MAX ((int64_t)1 << 40) /* so that bytes fit 64 bits */
#define TASKS_MAX 1000000
#define LIFETIME_S_MAX 3155760000       /* a century */
#define FILTERS_MAX 256                 /* each filter is compared with every application or node */
#define CLOCK_MS_MAX ((int64_t)1 << 61) /* so that sums and negations of differences fit 64 bits */
#define SECONDS_MAX (CLOCK_MS_MAX / 1000)
#define GROUPS_MAX 65536  /* maximum number of groups of a Linux process */
#define AMOUNTS_MAX 16    /* amounts of resource types; there are at most 8 types */
#define PARTITIONS_MAX 64 /* of a cluster; SCHED_LABELS_MAX are in use */
#define NODES_MAX 10000   /* nodes that one command changes */
#define REASON_MAX 4096   /* why a user or an administrator does something */
#define UPDATES_MAX 1000  /* updates in one Allocate: their errors must fit into the reply */
#define EXEC_KEY_BYTES 16
#define ENTRIES_MAX 25000   /* keys in one page of a configuration, which has half a MiB */
#define ROWS_MAX 10000      /* rows of one page of a list; the resource manager sends 1000 at most */
#define ORDERS_MAX 2000     /* orders of a kind; the resource manager sends no more */
#define REQUESTS_MAX 1000   /* requests for containers in the report of an application */
#define JOINS_MAX 100000    /* hosts that one token admits */
#define CERTIFICATES_MAX 64 /* that one creel-web reports */
#define KEYS_MAX 256        /* keys in one request of an agent */
#define HISTORY_ID_BYTES 16
#define SIGNAL_MAX 64   /* the highest real-time signal of Linux */
#define EDITS_MAX 10000 /* edits of one change of the configuration, and keys of one edit */
#define STARTS_MAX \
    1024 /* the agent verifies a signature for each, before the sender is
            authenticated */

#define OF(m, f) .message = (m), .field = (f)
#define ANY(f) .field = (f)
#define TEXT(kind) .text = WIRE_##kind
#define REQUIRED .required = true
#define PATH TEXT(EXACT), .size_max = JOB_PATH_MAX
#define ARGUMENT TEXT(EXACT), .size_max = WIRE_ARGUMENT_BYTES_MAX
#define REASON .size_max = REASON_MAX
#define EXACTLY(bytes) .size_min = (bytes), .size_max = (bytes)
#define WITHIN(least, most) .low = (least), .high = (most)

/* Rules for the plain fields of a job, by their kinds (job_field.h). A number may be absent, which is 0. */
#define RULE_TEXT(low, high) TEXT(NAME)
#define RULE_LIST(low, high) TEXT(EXACT)
#define RULE_PATH(low, high) PATH
#define RULE_SIGNAL(low, high) TEXT(NAME)
#define RULE_LIMIT_SIGNAL(low, high) TEXT(NAME)
#define RULE_PATTERN(low, high) PATH
#define RULE_RESULTS(low, high) TEXT(EXACT)
#define RULE_SIGNAL_TO(low, high) TEXT(NAME)
#define RULE_OPEN_MODE(low, high) TEXT(NAME)
#define RULE_LIMITS(low, high) TEXT(NAME), .size_max = SOFT_LIMITS_TEXT_MAX
#define RULE_MAIL_TYPE(low, high) TEXT(NAME)
#define RULE_MAIL_USER(low, high) TEXT(NAME), .size_max = MAIL_USERS_BYTES_MAX
#define RULE_RETRY(low, high) TEXT(NAME)
#define RULE_SYSTEM(low, high) TEXT(NAME)
#define RULE_NUMBER(low, high) WITHIN((low) < 0 ? (low) : 0, high)
#define RULE_ROOT_NEGATIVE(low, high) RULE_NUMBER(low, high)
#define RULE_OCTAL(low, high) TEXT(NAME)
#define RULE_SECONDS(low, high) RULE_NUMBER(low, high)
#define RULE_DISCONNECT(low, high) RULE_NUMBER(low, high)
#define RULE_TIME(low, high) RULE_NUMBER(low, high)
#define RULE_FLAG(low, high) RULE_NUMBER(low, high)
#define SPEC_ROW(member, kind, letter, option, argument, json, low, high, help, manual) \
    { OF("JobSpec", #member), RULE_##kind(low, high) },
#define LAUNCH_ROW(member, kind, letter, option, argument, json, low, high, help, manual) \
    { OF("LaunchContext", #member), RULE_##kind(low, high) },

/* Sorted by message: required fields, and fields whose rule differs from the rows of name_rules. */
static const struct wire_rule message_rules[] = {
    { OF("AccessToken", "created_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { OF("AccessToken", "hash"), TEXT(NAME), REQUIRED },
    { OF("AccessToken", "note"), TEXT(NAME) },
    { OF("Allocate", "updates"), .count_max = UPDATES_MAX },
    { OF("AmAccess", "app_id"), TEXT(APP_ID), REQUIRED },
    { OF("AmAccess", "token"), .size_max = TOKEN_BYTES_MAX, REQUIRED },
    { OF("AmGrant", "attempt_id"), TEXT(ATTEMPT_ID), REQUIRED },
    { OF("AppExplanation", "app"), REQUIRED },
    { OF("AppLaunch", "directory"), PATH },
    { OF("AppLaunch", "err_file"), PATH },
    { OF("AppLaunch", "in_file"), PATH },
    { OF("AppLaunch", "out_file"), PATH },
    { OF("AppLaunch", "script"), PATH },
    { OF("AppLaunch", "script_hash"), .size_max = HASH_BYTES },
    { OF("AppLaunch", "script_system"), TEXT(NAME) },
    { OF("AppLaunch", "submit_host"), TEXT(EXACT), .size_max = WIRE_NAME_MAX },
    { OF("AppList", "apps"), .count_max = ROWS_MAX },
    { OF("AppReport", "app_id"), TEXT(APP_ID), REQUIRED },
    { OF("AppReport", "requests"), .count_max = REQUESTS_MAX },
    { OF("AppReport", "rerun_of"), TEXT(APP_ID) },
    { OF("Ask", "resource_name"), TEXT(NAME), REQUIRED },
    { OF("Certificate", "name"), TEXT(NAME), REQUIRED },
    { OF("ChangeApp", "app_id"), TEXT(NAME), REQUIRED },
    { OF("ChangeLabels", "labels"), .count_max = FILTERS_MAX, REQUIRED },
    { OF("ChangeNodes", "nodes"), TEXT(NAME), .count_max = NODES_MAX, REQUIRED },
    { OF("ChangeNodes", "reason"), REASON },
    { OF("ChangeSchedulerConf", "edits"), .count_max = EDITS_MAX },
    { OF("Changes", "apps_gone"), TEXT(APP_ID) },
    { OF("Changes", "nodes_gone"), TEXT(NAME) },
    { OF("ClusterInfo", "version"), TEXT(NAME) },
    { OF("ConfOverride", "by"), TEXT(NAME) },
    { OF("ConfOverride", "key"), REQUIRED },
    { OF("Configuration", "entries"), .count_max = ENTRIES_MAX },
    { OF("Container", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("Container", "node_id"), TEXT(ENDPOINT), REQUIRED },
    { OF("ContainerGrant", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("ContainerGrant", "node_id"), TEXT(ENDPOINT), REQUIRED },
    { OF("ContainerGrant", "user"), TEXT(NAME), REQUIRED },
    { OF("ContainerList", "containers"), .count_max = ROWS_MAX },
    { OF("ContainerReport", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("ContainerStatus", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("ContainerUpdate", "capability"), REQUIRED },
    { OF("ContainerUpdate", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("ContainerUpdateError", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("CreateAccessToken", "hash"), TEXT(NAME), REQUIRED },
    { OF("CreateAccessToken", "note"), TEXT(NAME) },
    { OF("CreateAccessToken", "valid_ms"), WITHIN(1, LIFETIME_S_MAX * 1000), REQUIRED },
    { OF("CreateJoinToken", "id"), TEXT(NAME), REQUIRED },
    { OF("CreateJoinToken", "public_key"), TEXT(CURVE_KEY), REQUIRED },
    { OF("CreateJoinToken", "uses"), WITHIN(1, JOINS_MAX), REQUIRED },
    { OF("CreateJoinToken", "valid_ms"), WITHIN(1, LIFETIME_S_MAX * 1000), REQUIRED },
    { OF("Dependency", "condition"), TEXT(NAME), REQUIRED },
    { OF("EndExec", "key"), EXACTLY(EXEC_KEY_BYTES), REQUIRED },
    { OF("Event", "by"), TEXT(NAME) },
    { OF("Event", "number"), REQUIRED },
    { OF("EventList", "events"), .count_max = ROWS_MAX },
    { OF("ExplainApp", "app_id"), TEXT(NAME), REQUIRED },
    { OF("FileRef", "hash"), EXACTLY(HASH_BYTES), REQUIRED },
    { OF("FileRef", "mode"), WITHIN(0, 0777) },
    { OF("FileRef", "name"), TEXT(FILE_NAME), REQUIRED },
    { OF("FindAccessToken", "hash"), TEXT(NAME), REQUIRED },
    { OF("FindKeys", "public_keys"), TEXT(CURVE_KEY), .count_max = KEYS_MAX, REQUIRED },
    { OF("FindKeysReply", "known_keys"), TEXT(CURVE_KEY), .count_max = KEYS_MAX },
    { OF("FindKeysReply", "known_users"), TEXT(NAME), .count_max = KEYS_MAX },
    { OF("FindKeysReply", "withdrawn_keys"), TEXT(CURVE_KEY), .count_max = KEYS_MAX },
    { OF("GetAmAccess", "app_id"), TEXT(NAME), REQUIRED },
    { OF("GetBlob", "hash"), EXACTLY(HASH_BYTES), REQUIRED },
    { OF("GetClusterInfo", "certificates"), .count_max = CERTIFICATES_MAX },
    { OF("GetClusterInfo", "service"), TEXT(NAME) },
    { OF("GetLogAccess", "app_id"), TEXT(APP_ID), REQUIRED },
    { OF("GetLogAccess", "nodes"), TEXT(ENDPOINT), .count_max = WIRE_LOG_NODES_MAX },
    { OF("GetQueueAccess", "queue"), TEXT(NAME), REQUIRED },
    { OF("GetRerun", "app_id"), TEXT(NAME), REQUIRED },
    { OF("HaveBlobs", "hashes"), EXACTLY(HASH_BYTES), REQUIRED },
    { OF("HaveBlobsReply", "missing"), EXACTLY(HASH_BYTES) },
    { OF("Heartbeat", "node_id"), TEXT(ENDPOINT), REQUIRED },
    { OF("Histogram", "buckets"), .count_max = HISTOGRAM_BUCKETS_MAX },
    { OF("History", "start_id"), EXACTLY(HISTORY_ID_BYTES), REQUIRED },
    { OF("History", "store_id"), EXACTLY(HISTORY_ID_BYTES), REQUIRED },
    { OF("Hold", "by"), TEXT(NAME), REQUIRED },
    { OF("HoldApp", "app_id"), TEXT(NAME), REQUIRED },
    { OF("HoldApp", "reason"), REASON },
    { OF("Identity", "method"), TEXT(NAME), REQUIRED },
    { OF("Identity", "user"), TEXT(NAME), REQUIRED },
    { OF("Identity", "valid_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { OF("JobHistory", "apps"), .count_max = ROWS_MAX },
    { OF("JobHistorySums", "sums"), .count_max = ROWS_MAX },
    { OF("JobSpec", "launch"), REQUIRED },
    { OF("JobSpec", "rerun_of"), TEXT(APP_ID) },
    { OF("JobSpec", "task_count"), WITHIN(0, TASKS_MAX) },
    { OF("JobSpec", "whole_array"), TEXT(EXACT) },
    JOB_SPEC_FIELDS(SPEC_ROW){ OF("JoinNode", "host"), TEXT(NAME), REQUIRED },
    { OF("JoinNode", "public_key"), TEXT(CURVE_KEY), REQUIRED },
    { OF("JoinToken", "id"), TEXT(NAME), REQUIRED },
    { OF("JoinedHost", "host"), TEXT(NAME), REQUIRED },
    { OF("JoinedHost", "token"), TEXT(NAME) },
    { OF("KillApp", "app_id"), TEXT(APP_ID), REQUIRED },
    { OF("KillApp", "reason"), REASON },
    { OF("KillTasks", "app_id"), TEXT(NAME), REQUIRED },
    { OF("KillTasks", "reason"), REASON },
    { OF("KillTasks", "tasks"), TEXT(EXACT), REQUIRED },
    { OF("LabelList", "labels"), .count_max = PARTITIONS_MAX },
    { OF("LabelSpec", "name"), TEXT(NAME), REQUIRED },
    { OF("LaunchContext", "command"), ARGUMENT, .count_max = WIRE_ARGUMENTS_MAX, REQUIRED },
    JOB_LAUNCH_FIELDS(LAUNCH_ROW){ OF("LaunchContext", "script"), PATH },
    { OF("LaunchContext", "submit_directory"), PATH },
    { OF("LimitOrder", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    /* In requests for lists, an id may be only a part of an id. */
    { OF("ListApps", "app_id"), TEXT(NAME) },
    { OF("ListApps", "queues"), TEXT(NAME), .count_max = FILTERS_MAX },
    { OF("ListApps", "states"), .count_max = FILTERS_MAX },
    { OF("ListApps", "users"), TEXT(NAME), .count_max = FILTERS_MAX },
    { OF("ListContainers", "app_id"), TEXT(NAME) },
    { OF("ListContainers", "container_id"), TEXT(NAME) },
    { OF("ListContainers", "node_id"), TEXT(NAME) },
    { OF("ListEvents", "after"), WITHIN(0, INT64_MAX) },
    { OF("ListEvents", "before"), WITHIN(0, INT64_MAX) },
    { OF("ListEvents", "kinds"), .count_max = FILTERS_MAX },
    { OF("ListEvents", "nodes"), TEXT(NAME), .count_max = NODES_MAX },
    { OF("ListJobHistory", "after"), TEXT(NAME) },
    { OF("ListJobHistory", "queues"), TEXT(NAME), .count_max = FILTERS_MAX },
    { OF("ListJobHistory", "states"), .count_max = FILTERS_MAX },
    { OF("ListJobHistory", "users"), TEXT(NAME), .count_max = FILTERS_MAX },
    { OF("ListNodes", "node_id"), TEXT(NAME) },
    { OF("ListNodes", "states"), .count_max = FILTERS_MAX },
    { OF("ListQueueUsers", "queue"), TEXT(NAME), REQUIRED },
    { OF("LogAccess", "token"), .size_max = TOKEN_BYTES_MAX },
    { OF("LogAccess", "tokens"), .size_max = TOKEN_BYTES_MAX, .count_max = WIRE_LOG_NODES_MAX },
    { OF("LogGrant", "app_id"), TEXT(APP_ID), REQUIRED },
    { OF("MoveApp", "app_id"), TEXT(NAME), REQUIRED },
    { OF("MoveApp", "queue"), TEXT(NAME), REQUIRED },
    { OF("NamedAmount", "amount"), WITHIN(0, INT64_MAX) },
    { OF("NamedAmount", "name"), TEXT(NAME), REQUIRED },
    { OF("NamedAmount", "unit"), TEXT(NAME) },
    { OF("NewAppReply", "app_id"), TEXT(APP_ID), REQUIRED },
    { OF("NodeAdminState", "by"), TEXT(NAME) },
    { OF("NodeList", "nodes"), .count_max = ROWS_MAX },
    { OF("NodeOrders", "finished_apps"), TEXT(APP_ID), .count_max = ORDERS_MAX },
    { OF("NodeOrders", "limits"), .count_max = ORDERS_MAX },
    { OF("NodeOrders", "preempt"), .count_max = ORDERS_MAX },
    { OF("NodeOrders", "resizes"), .count_max = ORDERS_MAX },
    { OF("NodeOrders", "start"), .count_max = ORDERS_MAX },
    { OF("NodeOrders", "stop"), .count_max = ORDERS_MAX },
    /* For an excluded host without a known node, node_id is the name in the list of hosts. */
    { OF("NodeReport", "node_id"), TEXT(NAME), REQUIRED },
    { OF("NodeReport", "resources_by"), TEXT(NAME) },
    { OF("NodeReport", "version"), TEXT(NAME) },
    { OF("PreemptOrder", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("PreemptOrder", "deadline_ms"), WITHIN(0, CLOCK_MS_MAX), REQUIRED },
    { OF("PreemptedContainer", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("PreemptionMetrics", "victim_queue"), TEXT(NAME) },
    { OF("PutBlob", "hash"), EXACTLY(HASH_BYTES), REQUIRED },
    { OF("QueueList", "queues"), .count_max = ROWS_MAX },
    { OF("QueueUserList", "users"), .count_max = ROWS_MAX },
    { OF("ReadExec", "key"), EXACTLY(EXEC_KEY_BYTES), REQUIRED },
    { OF("ReadLog", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("ReadLog", "file"), TEXT(FILE_NAME), REQUIRED },
    { OF("RegisterAm", "after"), TEXT(NAME) },
    { OF("RegisterAmReply", "after"), TEXT(NAME) },
    { OF("RegisterAmReply", "next"), TEXT(NAME) },
    { OF("RegisterContainers", "after"), TEXT(CONTAINER_ID) },
    { OF("RegisterContainers", "containers"), REQUIRED },
    { OF("RegisterContainers", "node_id"), TEXT(ENDPOINT), REQUIRED },
    { OF("RegisterContainersReply", "after"), TEXT(CONTAINER_ID) },
    { OF("RegisterNode", "after"), TEXT(CONTAINER_ID) },
    { OF("RegisterNode", "node_id"), TEXT(ENDPOINT), REQUIRED },
    { OF("RegisterNode", "total"), REQUIRED },
    { OF("RegisterNode", "version"), TEXT(NAME) },
    { OF("ReleaseApp", "app_id"), TEXT(NAME), REQUIRED },
    { OF("RequeueApp", "app_id"), TEXT(NAME), REQUIRED },
    { OF("RequeueApp", "reason"), REASON },
    { OF("Rerun", "job"), REQUIRED },
    { OF("ResizeContainer", "container_id"), TEXT(NAME), REQUIRED },
    { OF("ResizeContainerReply", "container"), REQUIRED },
    { OF("ResizeOrder", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("ResizeOrder", "resource"), REQUIRED },
    { OF("Resource", "memory_mb"), WITHIN(0, MEMORY_MB_MAX) },
    { OF("Resource", "others"), .count_max = AMOUNTS_MAX },
    { OF("Resource", "vcores"), WITHIN(0, INT32_MAX) },
    { OF("RevokeAccessToken", "id"), TEXT(NAME), REQUIRED },
    { OF("RevokeJoin", "name"), TEXT(NAME), REQUIRED },
    { OF("SchedulerConfEdit", "keys"), .count_max = EDITS_MAX },
    { OF("SetArray", "app_id"), TEXT(NAME), REQUIRED },
    { OF("SetArray", "at_once"), WITHIN(0, TASKS_MAX) },
    { OF("SetLifetime", "app_id"), TEXT(NAME), REQUIRED },
    { OF("SetLifetime", "time_limit_s"), WITHIN(-1, LIFETIME_S_MAX) },
    { OF("SetLogLevel", "nodes"), TEXT(NAME), .count_max = NODES_MAX },
    { OF("SetName", "app_id"), TEXT(NAME), REQUIRED },
    { OF("SetName", "name"), TEXT(NAME), REQUIRED },
    { OF("SetNodeLabel", "label"), TEXT(NAME) },
    { OF("SetNodeLabel", "node"), TEXT(NAME), REQUIRED },
    { OF("SetNodeResources", "for_ms"), WITHIN(0, LIFETIME_S_MAX * 1000) },
    { OF("SetNodeResources", "nodes"), TEXT(NAME), .count_max = NODES_MAX, REQUIRED },
    { OF("SetPriority", "app_id"), TEXT(NAME), REQUIRED },
    { OF("SetQueueState", "queue"), TEXT(NAME), REQUIRED },
    { OF("SignIn", "credential"), TEXT(EXACT), REQUIRED },
    { OF("SignInReply", "user"), TEXT(NAME), REQUIRED },
    { OF("SignInReply", "valid_ms"), WITHIN(1, CLOCK_MS_MAX), REQUIRED },
    { OF("SignalContainer", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("SignalContainer", "signal"), WITHIN(0, SIGNAL_MAX), REQUIRED },
    { OF("SignedToken", "key_id"), REQUIRED },
    { OF("SignedToken", "mac"), EXACTLY(MAC_BYTES), REQUIRED },
    { OF("SignedToken", "payload"), .size_max = TOKEN_BYTES_MAX },
    { OF("StartContainers", "containers"), .count_max = STARTS_MAX },
    { OF("StartExec", "columns"), WITHIN(0, UINT16_MAX) },
    { OF("StartExec", "command"), ARGUMENT, .count_max = WIRE_ARGUMENTS_MAX },
    { OF("StartExec", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("StartExec", "escaped_command"), ARGUMENT, .count_max = WIRE_ARGUMENTS_MAX },
    { OF("StartExec", "key"), EXACTLY(EXEC_KEY_BYTES), REQUIRED },
    { OF("StartExec", "rows"), WITHIN(0, UINT16_MAX) },
    { OF("StartExec", "term"), TEXT(NAME) },
    { OF("StartOrder", "grant"), REQUIRED },
    { OF("StartRequest", "launch"), REQUIRED },
    { OF("StartRequest", "token"), .size_max = TOKEN_BYTES_MAX, REQUIRED },
    { OF("StopContainers", "tokens"), .size_max = TOKEN_BYTES_MAX, .count_max = STARTS_MAX, REQUIRED },
    { OF("StopOrder", "container_id"), TEXT(CONTAINER_ID), REQUIRED },
    { OF("StoredApp", "app_id"), TEXT(APP_ID), REQUIRED },
    { OF("StoredApp", "array_states"), .size_max = (1 << 20) },
    { OF("StoredAttempt", "attempt_id"), TEXT(ATTEMPT_ID), REQUIRED },
    { OF("StoredNode", "node_id"), TEXT(ENDPOINT), REQUIRED },
    { OF("SubmitApp", "job"), REQUIRED },
    { OF("SubmitAppReply", "app_id"), TEXT(APP_ID), REQUIRED },
    { OF("SumJobHistory", "filter"), REQUIRED },
    { OF("SumJobHistory", "offset_s"), WITHIN(-3600, 3600) },
    { OF("TestApp", "job"), REQUIRED },
    { OF("TokenKey", "key"), EXACTLY(TOKEN_KEY_BYTES), REQUIRED },
    { OF("TokenKey", "key_id"), REQUIRED },
    { OF("Variable", "name"), TEXT(VARIABLE_NAME), REQUIRED },
    { OF("Variable", "value"), ARGUMENT },
    { OF("WaitApp", "app_id"), TEXT(APP_ID), REQUIRED },
    { OF("WriteExec", "columns"), WITHIN(0, UINT16_MAX) },
    { OF("WriteExec", "key"), EXACTLY(EXEC_KEY_BYTES), REQUIRED },
    { OF("WriteExec", "rows"), WITHIN(0, UINT16_MAX) },
    { OF("WriteExec", "signal"), WITHIN(0, SIGNAL_MAX) },
};

/* Sorted by field. */
static const struct wire_rule name_rules[] = {
    { ANY("accepted_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("address"), TEXT(ENDPOINT) },
    { ANY("after"), TEXT(NAME) },
    { ANY("agent_key"), TEXT(CURVE_KEY) },
    { ANY("allocated_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("am_token"), .size_max = TOKEN_BYTES_MAX },
    { ANY("app_id"), TEXT(APP_ID) },
    { ANY("array_id"), TEXT(APP_ID) },
    { ANY("as_user"), TEXT(NAME) },
    { ANY("at_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("attempt_id"), TEXT(ATTEMPT_ID) },
    { ANY("begin_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("blacklist_add"), TEXT(NAME), .count_max = NODES_MAX },
    { ANY("blacklist_remove"), TEXT(NAME), .count_max = NODES_MAX },
    { ANY("certificate_expires_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("cgroup_mode"), TEXT(NAME) },
    { ANY("clock_error_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("clock_skew_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("cluster_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("container_id"), TEXT(CONTAINER_ID) },
    { ANY("created_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("deadline_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("eligible_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("end_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("environment"), .count_max = WIRE_VARIABLES_MAX },
    { ANY("err_offset"), WITHIN(0, INT64_MAX) },
    { ANY("expires_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("files"), .count_max = WIRE_FILES_MAX },
    { ANY("finished_apps"), TEXT(APP_ID) },
    { ANY("finished_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("groups"), TEXT(NAME), .count_max = GROUPS_MAX },
    { ANY("host"), TEXT(NAME) },
    { ANY("http_address"), TEXT(ENDPOINT) },
    { ANY("job_token"), .size_max = TOKEN_BYTES_MAX },
    { ANY("kill_delay_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("label"), TEXT(NAME) },
    { ANY("last_heartbeat_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("lifetime_s"), WITHIN(-SECONDS_MAX, SECONDS_MAX) },
    { ANY("limit_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("limit_signal_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("master_container_id"), TEXT(CONTAINER_ID) },
    { ANY("master_node_id"), TEXT(ENDPOINT) },
    { ANY("name"), TEXT(NAME) },
    { ANY("next"), TEXT(NAME) },
    { ANY("node_address"), TEXT(ENDPOINT) },
    { ANY("node_id"), TEXT(ENDPOINT) },
    { ANY("now_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("offset"), WITHIN(0, INT64_MAX) },
    { ANY("out_offset"), WITHIN(0, INT64_MAX) },
    { ANY("overcommit_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("partitions"), .count_max = PARTITIONS_MAX },
    { ANY("path"), TEXT(NAME) },
    { ANY("preempt_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("preempt_notice_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("preempt_own_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("preempt_void_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("progress"), WITHIN(0, 1) },
    { ANY("queue"), TEXT(NAME) },
    { ANY("rack"), TEXT(NAME) },
    { ANY("reason_code"), TEXT(NAME) },
    { ANY("refreshed_by"), TEXT(NAME) },
    { ANY("refreshed_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("registered_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("releases"), TEXT(CONTAINER_ID) },
    { ANY("scheduler"), TEXT(NAME) },
    { ANY("since_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("size_bytes"), WITHIN(0, INT64_MAX) },
    { ANY("spared_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("started_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("state"), TEXT(NAME) },
    { ANY("stopped_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("submission_key"), TEXT(NAME) },
    { ANY("submitted_in"), TEXT(APP_ID) },
    { ANY("submitted_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("tags"), TEXT(NAME), .count_max = WIRE_VARIABLES_MAX, .sum_max = WIRE_TAGS_MAX },
    { ANY("time_limit_s"), WITHIN(-SECONDS_MAX, SECONDS_MAX) },
    { ANY("title"), TEXT(NAME) },
    { ANY("token"), .size_max = TOKEN_BYTES_MAX },
    { ANY("total_until_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("tracking_url"), .size_max = JOB_PATH_MAX },
    { ANY("type"), TEXT(NAME) },
    { ANY("until_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
    { ANY("user"), TEXT(NAME) },
    { ANY("waiting_since_ms"), WITHIN(0, CLOCK_MS_MAX) },
    { ANY("written_ms"), WITHIN(-CLOCK_MS_MAX, CLOCK_MS_MAX) },
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

const struct wire_rule *wire_rules_of(const char *message, size_t *count)
{
    size_t low = 0, high = LENGTH(message_rules), first;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(message_rules[middle].message, message) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (first = low; low < LENGTH(message_rules); low++)
        if (strcmp(message_rules[low].message, message) != 0)
            break;
    *count = low - first;
    return &message_rules[first];
}

static int compare_field(const void *field, const void *rule)
{
    return strcmp(field, ((const struct wire_rule *)rule)->field);
}

const struct wire_rule *wire_rule_for(const char *field)
{
    return bsearch(field, name_rules, LENGTH(name_rules), sizeof(name_rules[0]), compare_field);
}

const struct wire_rule *wire_rule_of(const struct wire_rule *own, size_t count, const char *field)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(own[i].field, field) == 0)
            return &own[i];
    return NULL;
}

const struct wire_rule *wire_rule_find(const struct wire_rule *own, size_t count, const char *field)
{
    const struct wire_rule *rule = wire_rule_of(own, count, field);

    return rule != NULL ? rule : wire_rule_for(field);
}

size_t wire_rule_text_max(const struct wire_rule *rule)
{
    if (rule != NULL && rule->size_max > 0)
        return rule->size_max;
    return wire_text_max(rule != NULL ? rule->text : WIRE_TEXT);
}

const struct wire_rule *wire_rules_all(bool of_messages, size_t *count)
{
    *count = of_messages ? LENGTH(message_rules) : LENGTH(name_rules);
    return of_messages ? message_rules : name_rules;
}
