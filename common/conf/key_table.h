/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_table.h - table of all configuration keys, one row each
 *
 * A row of CONF_KEYS declares a key. docs/hacking.md has the files through which its value gets to the code
 * that uses it.
 * A row: (constant, "name", TYPE, "default", minimum, maximum, "one line").
 *   CONF_INT       minimum..maximum inclusive; decimal or 0x hex
 *   CONF_FLOAT     minimum..maximum
 *   CONF_BOOL      true or false; anything else means the default (as Hadoop)
 *   CONF_TEXT      any text; ${...} is substituted
 *   CONF_ACL       an access list "users groups": as CONF_TEXT, but a leading
 *                  blank is kept, since it means groups only (yarn-behaviour 1.3)
 *   CONF_CHOICE    one of the words in the documentation after "one of: ", any case
 *   CONF_DURATION  stored in ms; a bare number is in seconds if the name ends in
 *                  -sec, .sec, -secs, .secs, -seconds or .seconds, else in ms
 *   CONF_CUTOFF    keep, or stop-after and a duration: stored in ms, 0 is keep
 *   CONF_SIZE      stored in bytes; a bare number is bytes
 */
#ifndef CREEL_CONF_KEY_TABLE_H
#define CREEL_CONF_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum conf_type {
    CONF_INT,
    CONF_FLOAT,
    CONF_BOOL,
    CONF_TEXT,
    CONF_ACL,
    CONF_CHOICE,
    CONF_DURATION,
    CONF_SIZE,
    CONF_CUTOFF
};

#define CONF_NO_MAX INT64_MAX
#define CONF_NO_MIN INT64_MIN /* with CONF_NO_MAX as maximum: any number */

#define CONF_KEYS(X) \
    /* --- addresses ---------------------------------------------------------------- */ \
    X(RM_HOSTNAME, "yarn.resourcemanager.hostname", CONF_TEXT, "0.0.0.0", 0, 0, \
      "host on which the resource manager listens, and to which others connect") \
    X(RM_CLIENT_ADDRESS, "yarn.resourcemanager.address", CONF_TEXT, "${yarn.resourcemanager.hostname}:8032", \
      0, 0, "address of the resource manager for clients") \
    X(RM_AM_ADDRESS, "yarn.resourcemanager.scheduler.address", CONF_TEXT, \
      "${yarn.resourcemanager.hostname}:8030", 0, 0, \
      "address of the resource manager for application masters") \
    X(RM_AGENT_ADDRESS, "yarn.resourcemanager.resource-tracker.address", CONF_TEXT, \
      "${yarn.resourcemanager.hostname}:8031", 0, 0, "address of the resource manager for agents") \
    X(RM_ADMIN_ADDRESS, "yarn.resourcemanager.admin.address", CONF_TEXT, \
      "${yarn.resourcemanager.hostname}:8033", 0, 0, "address of the resource manager for administrators") \
    X(NM_ADDRESS, "yarn.nodemanager.address", CONF_TEXT, "${yarn.nodemanager.hostname}:8041", 0, 0, \
      "host and port of the agent; together they are the node's id") \
    X(NM_HOSTNAME, "yarn.nodemanager.hostname", CONF_TEXT, "0.0.0.0", 0, 0, \
      "host of the agent; 0.0.0.0: it listens on all addresses, and its name is the host name") \
    X(NM_WEB_ADDRESS, "yarn.nodemanager.webapp.address", CONF_TEXT, "${yarn.nodemanager.hostname}:8042", 0, \
      0, "address of the agent's REST interface and pages of logs; empty: none") \
    X(NM_WEB_HTTPS_ADDRESS, "yarn.nodemanager.webapp.https.address", CONF_TEXT, \
      "${yarn.nodemanager.hostname}:8044", 0, 0, "the same with HTTPS_ONLY") \
    /* --- allocation --------------------------------------------------------------- */ \
    X(SCHEDULER_CLASS, "yarn.resourcemanager.scheduler.class", CONF_TEXT, "CapacityScheduler", 0, 0, \
      "scheduler; its last component counts: CapacityScheduler, FairScheduler, FifoScheduler") \
    X(SCHEDULER_STORE, "yarn.scheduler.configuration.store.class", CONF_TEXT, "file", 0, 0, \
      "file: queues are configured in files alone; any other value: capacity scheduler, also over " \
      "/ws/v1/cluster/scheduler-conf, kept in the state store") \
    X(SCHEDULER_STORE_POLICY, "yarn.scheduler.configuration.mutation.acl-policy.class", CONF_TEXT, \
      "DefaultConfigurationMutationACLPolicy", 0, 0, \
      "users of scheduler-conf: administrators; with QueueAdminConfigurationMutationACLPolicy those of a " \
      "queue, too, for that queue") \
    X(MIN_ALLOCATION_MB, "yarn.scheduler.minimum-allocation-mb", CONF_INT, "1024", 0, CONF_NO_MAX, \
      "smallest container, and the step that memory is rounded up to, in MiB") \
    X(MAX_ALLOCATION_MB, "yarn.scheduler.maximum-allocation-mb", CONF_INT, "8192", 1, CONF_NO_MAX, \
      "largest container, in MiB") \
    X(MIN_ALLOCATION_VCORES, "yarn.scheduler.minimum-allocation-vcores", CONF_INT, "1", 0, 1000000, \
      "minimum of vcores of a container") \
    X(MAX_ALLOCATION_VCORES, "yarn.scheduler.maximum-allocation-vcores", CONF_INT, "4", 1, 1000000, \
      "maximum of vcores of a container") \
    X(AM_MAX_ATTEMPTS, "yarn.resourcemanager.am.max-attempts", CONF_INT, "2", 1, 1000, \
      "maximum number of attempts of an application") \
    X(AM_BLACKLISTING_2, "yarn.am.blacklisting.enabled", CONF_BOOL, "true", 0, 0, \
      "the older name of yarn.resourcemanager.am-scheduling.node-blacklisting-enabled") \
    X(AM_BLACKLISTING, "yarn.resourcemanager.am-scheduling.node-blacklisting-enabled", CONF_BOOL, \
      "${yarn.am.blacklisting.enabled}", 0, 0, \
      "the first container of an attempt is not placed on nodes where those of earlier attempts failed") \
    X(AM_BLACKLISTING_THRESHOLD_2, "yarn.am.blacklisting.disable-failure-threshold", CONF_FLOAT, "0.8", 0, \
      1, "the older name of yarn.resourcemanager.am-scheduling.node-blacklisting-disable-threshold") \
    X(AM_BLACKLISTING_THRESHOLD, "yarn.resourcemanager.am-scheduling.node-blacklisting-disable-threshold", \
      CONF_FLOAT, "${yarn.am.blacklisting.disable-failure-threshold}", 0, 1, \
      "share of the open nodes with the same label: if this share or more would be avoided, none is") \
    X(MAX_COMPLETED_APPS, "yarn.resourcemanager.max-completed-applications", CONF_INT, "1000", 0, 10000000, \
      "ended applications that the resource manager keeps in its lists") \
    X(RESOURCE_TYPES, "yarn.resource-types", CONF_TEXT, "", 0, 0, \
      "countable resources beside memory and vcores, comma-separated") \
    X(NODE_LABELS_ENABLED, "yarn.node-labels.enabled", CONF_BOOL, "false", 0, 0, "nodes may have labels") \
    X(NODE_LABELS, "creel.node-labels", CONF_TEXT, "", 0, 0, \
      "labels, comma-separated; LABEL(exclusive=false): idle nodes also serve other queues") \
    X(AM_NON_EXCLUSIVE, "yarn.resourcemanager.node-labels.am.allow-non-exclusive-allocation", CONF_BOOL, \
      "false", 0, 0, \
      "application masters that name no label may run on nodes with a label that is not exclusive, where " \
      "they are the first to be preempted") \
    X(MAX_APP_PRIORITY, "yarn.cluster.max-application-priority", CONF_INT, "0", 0, 1000000, \
      "highest priority of an application") \
    /* --- preemption (capacity scheduler) -------------------------------------------- */ \
    X(MONITOR_ENABLED, "yarn.resourcemanager.scheduler.monitor.enable", CONF_BOOL, "false", 0, 0, \
      "preempt containers for queues of the capacity scheduler that are below their guarantee") \
    X(MONITOR_POLICIES, "yarn.resourcemanager.scheduler.monitor.policies", CONF_TEXT, \
      "ProportionalCapacityPreemptionPolicy", 0, 0, \
      "policy of preemption; last component: ProportionalCapacityPreemptionPolicy") \
    X(PREEMPT_OBSERVE_ONLY, "yarn.resourcemanager.monitor.capacity.preemption.observe_only", CONF_BOOL, \
      "false", 0, 0, "compute what would be preempted, and preempt nothing") \
    X(PREEMPT_INTERVAL, "yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval", \
      CONF_DURATION, "3000", 10, 3600000, "time between two rounds of preemption") \
    X(PREEMPT_WAIT_MS, "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill", CONF_INT, \
      "15000", 0, 86400000, "from the notice to the kill, in ms") \
    X(PREEMPT_PER_ROUND, "yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", \
      CONF_FLOAT, "0.1", 0, 1, "maximum that one round preempts, as a fraction of the cluster") \
    X(PREEMPT_IGNORED, "yarn.resourcemanager.monitor.capacity.preemption.max_ignored_over_capacity", \
      CONF_FLOAT, "0.1", 0, 1000, \
      "a queue is not preempted while it uses less than this fraction above its guarantee") \
    X(PREEMPT_TERMINATION, "yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor", \
      CONF_FLOAT, "0.2", 0, 1, "fraction of the resources to preempt that one round preempts") \
    X(PREEMPT_RESERVED, \
      "yarn.resourcemanager.monitor.capacity.preemption" \
      ".select_based_on_reserved_containers", \
      CONF_BOOL, "false", 0, 0, "also preempt to make reserved containers fit") \
    X(PREEMPT_RESERVED_BALANCE, \
      "yarn.resourcemanager.monitor.capacity.preemption" \
      ".additional_res_balance_based_on_reserved_containers", \
      CONF_BOOL, "false", 0, 0, "count reserved containers as wanted, without damping") \
    X(PREEMPT_BALANCE, \
      "yarn.resourcemanager.monitor.capacity.preemption" \
      ".preemption-to-balance-queue-after-satisfied.enabled", \
      CONF_BOOL, "false", 0, 0, "also balance what queues have above their guarantees") \
    X(PREEMPT_BALANCE_WAIT_MS, \
      "yarn.resourcemanager.monitor.capacity.preemption" \
      ".preemption-to-balance-queue-after-satisfied.max-wait-before-kill", \
      CONF_INT, "300000", 0, 86400000, "from the notice to the kill where that is for balance, in ms") \
    X(PREEMPT_CONSERVATIVE, "yarn.resourcemanager.monitor.capacity.preemption.conservative-drf", CONF_BOOL, \
      "false", 0, 0, "between queues, preempt only while every resource type is needed") \
    X(PREEMPT_INTRA, \
      "yarn.resourcemanager.monitor.capacity.preemption" \
      ".intra-queue-preemption.enabled", \
      CONF_BOOL, "false", 0, 0, "also preempt inside of queues") \
    X(PREEMPT_INTRA_THRESHOLD, \
      "yarn.resourcemanager.monitor.capacity.preemption" \
      ".intra-queue-preemption.minimum-threshold", \
      CONF_FLOAT, "0.5", 0, 1, "inside of a queue only if it uses such a fraction of its guarantee") \
    X(PREEMPT_INTRA_LIMIT, \
      "yarn.resourcemanager.monitor.capacity.preemption" \
      ".intra-queue-preemption.max-allowable-limit", \
      CONF_FLOAT, "0.2", 0, 1, \
      "most that one round preempts inside of a queue, as a fraction of its guarantee") \
    X(PREEMPT_INTRA_ORDER, \
      "yarn.resourcemanager.monitor.capacity.preemption" \
      ".intra-queue-preemption.preemption-order-policy", \
      CONF_CHOICE, "userlimit_first", 0, 0, \
      "order of preemption within a queue, one of: userlimit_first priority_first") \
    X(PREEMPT_INTRA_CONSERVATIVE, \
      "yarn.resourcemanager.monitor.capacity.preemption" \
      ".intra-queue-preemption.conservative-drf", \
      CONF_BOOL, "true", 0, 0, "inside of a queue, preempt only while every resource type is still needed") \
    /* --- fair scheduler ----------------------------------------------------------- */ \
    X(INCREMENT_ALLOCATION_MB, "yarn.scheduler.increment-allocation-mb", CONF_INT, "1024", 0, CONF_NO_MAX, \
      "fair scheduler: the step that memory is rounded up to, in MiB") \
    X(INCREMENT_ALLOCATION_VCORES, "yarn.scheduler.increment-allocation-vcores", CONF_INT, "1", 0, 1000000, \
      "fair scheduler: the step that vcores are rounded up to") \
    X(FAIR_RESERVATION_MULTIPLE, "yarn.scheduler.reservation-threshold.increment-multiple", CONF_FLOAT, "2", \
      0, CONF_NO_MAX, \
      "fair scheduler: nodes are reserved only for containers of at least this number of increments") \
    X(FAIR_ALLOCATION_FILE, "yarn.scheduler.fair.allocation.file", CONF_TEXT, "fair-scheduler.xml", 0, 0, \
      "the fair scheduler's queues; if relative, in the configuration directory") \
    X(FAIR_USER_AS_DEFAULT_QUEUE, "yarn.scheduler.fair.user-as-default-queue", CONF_BOOL, "true", 0, 0, \
      "a submission without a queue goes to the queue root.USER, if the file has no placement policy") \
    X(FAIR_UNDECLARED_POOLS, "yarn.scheduler.fair.allow-undeclared-pools", CONF_BOOL, "true", 0, 0, \
      "submissions may create queues, if the file has no placement policy") \
    X(FAIR_PREEMPTION, "yarn.scheduler.fair.preemption", CONF_BOOL, "false", 0, 0, \
      "starved applications get containers of others that are above their fair share") \
    X(FAIR_PREEMPTION_THRESHOLD, "yarn.scheduler.fair.preemption.cluster-utilization-threshold", CONF_FLOAT, \
      "0.8", CONF_NO_MIN, CONF_NO_MAX, \
      "no container is preempted unless more than this part of the cluster is in use") \
    X(FAIR_WAIT_BEFORE_KILL, "yarn.scheduler.fair.waitTimeBeforeKill", CONF_INT, "15000", 0, 86400000000, \
      "time from the notice of preemption to the kill, in ms") \
    X(FAIR_WAIT_BEFORE_CHECK, "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", CONF_INT, "10000", 0, \
      86400000000, "time for which an application is not considered again after a preemption for it, in ms") \
    X(FAIR_AM_PREEMPTION, "yarn.scheduler.fair.am.preemption", CONF_BOOL, "true", 0, 0, \
      "application masters may be preempted; with .<queue> behind it, in that queue") \
    X(FAIR_SIZE_BASED_WEIGHT, "yarn.scheduler.fair.sizebasedweight", CONF_BOOL, "false", 0, 0, \
      "the weight of an application grows with the size of its requests") \
    X(FAIR_ASSIGN_MULTIPLE, "yarn.scheduler.fair.assignmultiple", CONF_BOOL, "false", 0, 0, \
      "more than one container may be placed on a node at each heartbeat") \
    X(FAIR_DYNAMIC_MAX_ASSIGN, "yarn.scheduler.fair.dynamic.max.assign", CONF_BOOL, "true", 0, 0, \
      "a heartbeat allocates at most half of the free resources, if assignmultiple is true") \
    X(FAIR_MAX_ASSIGN, "yarn.scheduler.fair.max.assign", CONF_INT, "-1", -1, 1000000, \
      "maximum of containers allocated at a heartbeat, if dynamic.max.assign is false; -1: no limit") \
    X(FAIR_LOCALITY_NODE, "yarn.scheduler.fair.locality.threshold.node", CONF_FLOAT, "-1", -1, CONF_NO_MAX, \
      "part of the cluster's nodes that a request skips while it waits for its node; -1: none") \
    X(FAIR_LOCALITY_RACK, "yarn.scheduler.fair.locality.threshold.rack", CONF_FLOAT, "-1", -1, CONF_NO_MAX, \
      "the same for its rack") \
    X(FAIR_DELAY_NODE, "yarn.scheduler.fair.locality-delay-node-ms", CONF_INT, "-1", -1, CONF_NO_MAX, \
      "continuous scheduling: how long a request waits for its node; -1: not at all") \
    X(FAIR_DELAY_RACK, "yarn.scheduler.fair.locality-delay-rack-ms", CONF_INT, "-1", -1, CONF_NO_MAX, \
      "the same for its rack") \
    X(FAIR_CONTINUOUS, "yarn.scheduler.fair.continuous-scheduling-enabled", CONF_BOOL, "false", 0, 0, \
      "nodes are offered continuously, those with the most free memory first, and not only at heartbeats") \
    X(FAIR_CONTINUOUS_SLEEP, "yarn.scheduler.fair.continuous-scheduling-sleep-ms", CONF_INT, "5", 1, 60000, \
      "pause between two passes of continuous scheduling, in ms") \
    X(FAIR_CONTINUOUS_BATCH, "creel.scheduler.fair.continuous-scheduling-batch", CONF_INT, "100", 1, \
      1000000, "nodes offered at a time in continuous scheduling") \
    X(FAIR_RELOAD_INTERVAL, "creel.scheduler.fair.reload-interval", CONF_DURATION, "10000", 10, 3600000, \
      "time between two checks whether the allocation file has changed") \
    X(FAIR_RELOAD_QUIET, "creel.scheduler.fair.reload-quiet", CONF_DURATION, "5000", 0, 3600000, \
      "a changed allocation file is read this time after its last change") \
    X(FAIR_UPDATE_INTERVAL, "yarn.scheduler.fair.update-interval-ms", CONF_INT, "500", 1, 3600000, \
      "time between two computations of demand and fair shares, in ms") \
    X(FAIR_RESERVABLE_NODES, "yarn.scheduler.fair.reservable-nodes", CONF_FLOAT, "0.05", 0, 1, \
      "maximum of nodes that are reserved for one application, as a part of the cluster") \
    /* --- liveness ----------------------------------------------------------------- */ \
    X(NM_HEARTBEAT_INTERVAL, "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", CONF_DURATION, \
      "1000", 10, 3600000, "time between an agent's heartbeats") \
    X(NM_EXPIRY_INTERVAL, "yarn.nm.liveness-monitor.expiry-interval-ms", CONF_DURATION, "600000", 100, \
      CONF_NO_MAX, "an agent without a heartbeat for this time is lost, with its containers") \
    X(AM_EXPIRY_INTERVAL, "yarn.am.liveness-monitor.expiry-interval-ms", CONF_DURATION, "600000", 100, \
      CONF_NO_MAX, "an application master without a request for this time has failed") \
    X(CONTAINER_EXPIRY_INTERVAL, "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", \
      CONF_DURATION, "600000", 100, CONF_NO_MAX, \
      "an allocated container that is not started within this time is released") \
    X(SCHEDULING_WAIT, "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", CONF_DURATION, \
      "10000", 0, CONF_NO_MAX, \
      "time after the start in which requests larger than any node are accepted, while nodes register") \
    /* --- nodes of the cluster */ \
    X(CLUSTER_ID, "yarn.resourcemanager.cluster-id", CONF_TEXT, "creel", 0, 0, \
      "name of the cluster: SLURM_CLUSTER_NAME of the jobs of Slurm scripts, as the agents have it") \
    X(NODES_INCLUDE_PATH, "yarn.resourcemanager.nodes.include-path", CONF_TEXT, "", 0, 0, \
      "file with the hosts that may be part of the cluster; empty: all may") \
    X(NODES_EXCLUDE_PATH, "yarn.resourcemanager.nodes.exclude-path", CONF_TEXT, "", 0, 0, \
      "file with the hosts that may not; .xml: with a timeout for each host") \
    X(UNTRACKED_TIMEOUT, "yarn.resourcemanager.node-removal-untracked.timeout-ms", CONF_DURATION, "60000", \
      0, CONF_NO_MAX, "a node that is gone and is in neither list is forgotten after this time") \
    X(GRACEFUL_TIMEOUT, "yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs", CONF_INT, \
      "3600", -2147483648, 3155760000, \
      "time for containers on a node that is decommissioned gracefully, in seconds; below 0: no limit") \
    X(DRAIN_NOTICE, "creel.resourcemanager.drain-notice-ms", CONF_DURATION, "15000", 0, 86400000, \
      "containers on a drained node get a preemption notice this long before they are killed") \
    X(ON_DISCONNECT, "creel.container.on-disconnect", CONF_CUTOFF, "keep", 0, 0, \
      "whether containers end when their host has lost the resource manager; jobs can choose otherwise") \
    X(USER_METRICS, "creel.metrics.users", CONF_BOOL, "false", 0, 0, \
      "/metrics of creel-web names users, with their memory in each queue") \
    X(CLOCK_SKEW, "creel.resourcemanager.clock-skew-warn-ms", CONF_DURATION, "10000", 1, CONF_NO_MAX, \
      "warn of a node whose clock differs by more from that of the resource manager") \
    X(NODES_PER_CERTIFICATE, "creel.resourcemanager.nodes-per-certificate", CONF_INT, "1", 1, 100000, \
      "nodes that agents with the certificate of one host may register at a time; more for several agents " \
      "on one host. The shared certificate agents/default has no such limit") \
    X(NODE_MAX_MB, "creel.resourcemanager.node-maximum-mb", CONF_INT, "67108864", 1, INT32_MAX, \
      "the registration of a node with more memory is refused") \
    X(NODE_MAX_VCORES, "creel.resourcemanager.node-maximum-vcores", CONF_INT, "16384", 1, INT32_MAX, \
      "the registration of a node with more vcores is refused") \
    /* --- state -------------------------------------------------------------------- */ \
    X(RM_STATE_DIR, "creel.resourcemanager.state-dir", CONF_TEXT, "/var/lib/creel/rm", 0, 0, \
      "directory of the resource manager's state and of submitted files") \
    X(MAX_COMPLETED_CONTAINERS, "creel.resourcemanager.max-completed-containers", CONF_INT, "100000", 1, \
      10000000, \
      "number of ended containers that are remembered of one application that runs; the history has the " \
      "older ones, and shows them when the application has ended") \
    X(FREE_SPACE_MIN, "creel.resourcemanager.free-space-min", CONF_SIZE, "1g", 0, CONF_NO_MAX, \
      "warn if less is free for the state, the history or uploaded files; 0: never") \
    X(UPGRADE_COPIES, "creel.resourcemanager.upgrade-copies", CONF_INT, "3", 0, 1000, \
      "number of copies of the state from before upgrades that are kept; 0: none is made") \
    X(BACKUP_DIR, "creel.state.backup-directory", CONF_TEXT, "", 0, 0, \
      "absolute path of a directory for automatic backups of the state, better on another disk; empty: " \
      "none are made. The unit needs ReadWritePaths= for it") \
    X(BACKUP_INTERVAL, "creel.state.backup-interval-ms", CONF_DURATION, "86400000", 1000, CONF_NO_MAX, \
      "time between two automatic backups of the state") \
    X(BACKUPS_KEPT, "creel.state.backups-kept", CONF_INT, "7", 1, 100000, \
      "number of automatic backups of the state that are kept") \
    X(HISTORY_RETENTION, "creel.history.retention-ms", CONF_DURATION, "31536000000", 0, CONF_NO_MAX, \
      "time for which the history of ended applications is kept; 0: no history is written") \
    X(HISTORY_USER_SIZE_MAX, "creel.history.user-size-max", CONF_SIZE, "10g", 0, CONF_NO_MAX, \
      "maximum size of the rows that the ended applications and containers of one user have in the " \
      "history; 0: none. Beyond it the oldest of this user are deleted, those of ended applications first") \
    X(NOTIFY_COMMAND, "creel.jobs.notify-command", CONF_TEXT, "", 0, 0, \
      "absolute path and arguments of a command that gets each begin, end and failure of a job as JSON on " \
      "standard input; empty: none") \
    X(NOTIFY_USER, "creel.jobs.notify-user", CONF_TEXT, "", 0, 0, \
      "user as whom the notify command runs; empty: the resource manager's own, or nobody if that is root") \
    X(NOTIFY_TIMEOUT, "creel.jobs.notify-timeout-ms", CONF_DURATION, "30000", 1, 3600000, \
      "the notify command is killed when it has not ended after this time") \
    X(PROPAGATE_LIMITS, "creel.submit.propagate-limits", CONF_TEXT, "", 0, 0, \
      "soft limits of the submitting process that its jobs have, as those of --propagate: ALL, NONE, or " \
      "names separated by commas; empty: ALL for Slurm scripts, NONE for others; read on the hosts of " \
      "clients") \
    X(FILE_SIZE_MAX, "creel.submit.file-size-max", CONF_SIZE, "64m", 1, CONF_NO_MAX, \
      "maximum size of one file of a submission") \
    X(FILES_SIZE_MAX, "creel.submit.files-size-max", CONF_SIZE, "256m", 1, CONF_NO_MAX, \
      "maximum size of all files of one submission") \
    X(USER_FILES_SIZE_MAX, "creel.submit.user-files-size-max", CONF_SIZE, "4g", 1, CONF_NO_MAX, \
      "maximum of bytes that one user may upload in ten minutes") \
    X(USER_UPLOADS_SIZE_MAX, "creel.submit.user-uploads-size-max", CONF_SIZE, "16g", 0, CONF_NO_MAX, \
      "maximum size of the uploaded files of one user that no job uses yet; each is removed ten minutes " \
      "after it was last needed, and an hour after its upload; 0: none") \
    X(USER_JOBS_MAX, "creel.submit.user-jobs-max", CONF_INT, "10000", 0, INT32_MAX, \
      "maximum of jobs of one user that have not ended, waiting ones and tasks of arrays too; 0: none. " \
      "An accepted array goes on, with one task at a time; administrators listed by name are exempt") \
    X(USER_JOBS_SIZE_MAX, "creel.submit.user-jobs-size-max", CONF_SIZE, "256m", 0, CONF_NO_MAX, \
      "maximum size of these jobs together, as they are stored: commands, environments, states of " \
      "application masters, 128 bytes for each dependency, 64 for each argument, variable and file, no " \
      "contents of files; 0: none. Ended jobs of the user beyond the same size are forgotten") \
    X(USER_JOBS_FILES_SIZE_MAX, "creel.submit.user-jobs-files-size-max", CONF_SIZE, "16g", 0, CONF_NO_MAX, \
      "maximum size of the submitted files of the jobs of one user that have not ended, each file counted " \
      "once; 0: none") \
    X(USER_ASKS_MAX, "creel.submit.user-asks-max", CONF_INT, "400000", 0, INT32_MAX, \
      "maximum of the rows (priority, place, size) of the requests for containers that the application " \
      "masters of one user have, and of the names on their blacklists; 0: none") \
    X(TASKS_MAX, "creel.submit.tasks-max", CONF_INT, "100000", 1, 10000000, \
      "maximum of tasks of one submission (-N)") \
    X(AM_MEMORY_MB, "creel.task-master.memory-mb", CONF_INT, "64", 1, CONF_NO_MAX, \
      "memory of the built-in application master, in MiB, before rounding") \
    /* --- keys and users */ \
    X(KEY_DIR, "creel.security.key-dir", CONF_TEXT, "/etc/creel/keys", 0, 0, \
      "CURVE certificates of this cluster, as creel keygen makes them") \
    X(USER_KEY, "creel.security.user-key", CONF_TEXT, "", 0, 0, \
      "certificate with which creel signs in; empty: ~/.creel/key, then users/NAME in the key " \
      "directory") \
    X(IDENTITY, "creel.security.identity", CONF_TEXT, "certificate", 0, 0, \
      "how users sign in: certificate, munge, or both, comma-separated; a client tries them in this order") \
    X(MUNGE_SOCKET, "creel.security.munge-socket", CONF_TEXT, "", 0, 0, \
      "socket of munged; empty: libmunge's, /run/munge/munge.socket.2") \
    X(MUNGE_VALIDITY, "creel.security.munge-validity-ms", CONF_DURATION, "3600000", 1000, 86400000, \
      "validity of a sign-in by MUNGE; commands that run longer sign in again") \
    X(JOB_TOKENS, "creel.security.job-tokens", CONF_BOOL, "true", 0, 0, \
      "containers get a token with which creel acts in them as the user of the application") \
    X(PROXY_USERS, "creel.security.proxy-users", CONF_TEXT, "root creel-web creel-hadoop", 0, 0, \
      "users who may act as another user (--as), blank- or comma-separated") \
    X(ADMIN_ACL, "yarn.admin.acl", CONF_ACL, "*", 0, 0, \
      "cluster administrators: users, a blank, groups; * is all users") \
    X(ACL_ENABLE, "yarn.acl.enable", CONF_BOOL, "false", 0, 0, "access lists are checked") \
    X(TOKEN_ROLL_INTERVAL, "yarn.resourcemanager.container-tokens.master-key-rolling-interval-secs", \
      CONF_DURATION, "86400", 1000, CONF_NO_MAX, "time after which the key of container tokens is renewed") \
    /* --- Hadoop programs ------------------------------------------------------------ */ \
    X(HADOOP_ENABLED, "creel.hadoop.enabled", CONF_BOOL, "false", 0, 0, \
      "creel-hadoop serves Hadoop's RPC, with which unchanged Hadoop programs read the cluster") \
    X(HADOOP_ADDRESS, "creel.hadoop.address", CONF_TEXT, "${yarn.resourcemanager.hostname}:8532", 0, 0, \
      "address at which creel-hadoop serves Hadoop's RPC of clients") \
    X(HADOOP_AUTH, "creel.hadoop.auth", CONF_TEXT, "", 0, 0, \
      "how creel-hadoop identifies the user of a client: local (the owner of the socket, on its own host), " \
      "simple (the name that a client at an address of creel.hadoop.simple-addresses sends), or both; " \
      "empty: no user is served") \
    X(HADOOP_SIMPLE_ADDRESSES, "creel.hadoop.simple-addresses", CONF_TEXT, "", 0, 0, \
      "addresses of hosts whose programs may name their user to creel-hadoop without proof") \
    /* --- the web ------------------------------------------------------------------ */ \
    X(WEB_ADDRESS, "yarn.resourcemanager.webapp.address", CONF_TEXT, \
      "${yarn.resourcemanager.hostname}:8088", 0, 0, "address at which creel-web serves pages and REST") \
    X(WEB_HTTPS_ADDRESS, "yarn.resourcemanager.webapp.https.address", CONF_TEXT, \
      "${yarn.resourcemanager.hostname}:8090", 0, 0, "the same with HTTPS_ONLY") \
    X(WEB_POLICY, "yarn.http.policy", CONF_CHOICE, "HTTP_ONLY", 0, 0, \
      "whether creel-web and agents serve HTTP or HTTPS; one of: HTTP_ONLY HTTPS_ONLY") \
    X(WEB_TLS_CERTIFICATE, "creel.http.tls-certificate", CONF_TEXT, "/etc/creel/tls/creel-web.pem", 0, 0, \
      "certificate of creel-web, and on other hosts of the agent, with HTTPS_ONLY, and those that " \
      "sign it, as PEM") \
    X(WEB_TLS_KEY, "creel.http.tls-key", CONF_TEXT, "/etc/creel/tls/creel-web.key", 0, 0, \
      "its private key, as PEM, which only creel-web (or root, for an agent) may read") \
    X(WEB_TLS_CLIENT_CA, "creel.http.tls-client-ca", CONF_TEXT, "", 0, 0, \
      "file with the authorities, as PEM, whose certificates of clients name users of creel-web by their " \
      "common name, with HTTPS_ONLY; empty: none") \
    X(WEB_AUTH, "creel.http.auth", CONF_CHOICE, "none", 0, 0, \
      "how creel-web identifies the user: no user may change anything (none), a proxy names the user " \
      "in a header (proxy), users sign in with tokens of creel token create (token), or by HTTP Basic " \
      "over TLS with a password that PAM checks (basic), or REST believes user.name, as YARN without " \
      "Kerberos, from creel.http.proxy-addresses (simple); one of: none proxy token basic simple") \
    X(PAM_SERVICE, "creel.http.pam-service", CONF_TEXT, "creel", 0, 0, \
      "PAM service, a file in /etc/pam.d, that checks passwords if creel.http.auth is basic") \
    X(BASIC_SCOPE, "creel.http.basic-scope", CONF_CHOICE, "submit", 0, 0, \
      "the most that users of creel.http.auth = basic may do: read, also change applications (submit), or " \
      "also change nodes and queues (admin), as far as access lists permit; one of: read submit admin") \
    X(WEB_SUBMISSIONS, "yarn.webapp.enable-rest-app-submissions", CONF_BOOL, "true", 0, 0, \
      "applications may be submitted over REST") \
    X(WEB_STALE_AFTER, "creel.http.stale-after", CONF_DURATION, "60000", 0, 86400000, \
      "age of the copy of the cluster in creel-web from which on REST answers 503; the copy ages while the " \
      "resource manager does not answer; 0: REST always answers") \
    X(WEB_CROSS_ORIGIN, "yarn.resourcemanager.webapp.cross-origin.enabled", CONF_BOOL, "false", 0, 0, \
      "pages of other sites may use REST of creel-web (CORS)") \
    X(CROSS_ORIGINS, "hadoop.http.cross-origin.allowed-origins", CONF_TEXT, "*", 0, 0, \
      "these sites, comma-separated, as https://ui.example.org or https://*.example.org; those that only a " \
      "name for every site matches, as *, may read") \
    X(CROSS_ORIGIN_METHODS, "hadoop.http.cross-origin.allowed-methods", CONF_TEXT, "GET,POST,HEAD", 0, 0, \
      "methods that browsers let these pages use") \
    X(CROSS_ORIGIN_HEADERS, "hadoop.http.cross-origin.allowed-headers", CONF_TEXT, \
      "X-Requested-With,Content-Type,Accept,Origin", 0, 0, \
      "headers that browsers let these pages send; Authorization for access tokens") \
    X(CROSS_ORIGIN_MAX_AGE, "hadoop.http.cross-origin.max-age", CONF_INT, "1800", 0, 86400, \
      "seconds for which a browser remembers this") \
    X(WEB_PROXIES, "creel.http.proxy-addresses", CONF_TEXT, "127.0.0.1 ::1", 0, 0, \
      "addresses of reverse proxies, whose X-Forwarded-For names the client and whose users are " \
      "authenticated (proxy), or of clients with creel.http.auth = simple; blank- or comma-separated") \
    X(WEB_PROXY_HEADER, "creel.http.proxy-user-header", CONF_TEXT, "X-Remote-User", 0, 0, \
      "header in which such a proxy names the user; it must drop this header of its own clients") \
    /* --- gateways ----------------------------------------------------------------- */ \
    X(GATEWAY_HANDSHAKE_MS, "creel.gateway.handshake-timeout-ms", CONF_DURATION, "15000", 100, 600000, \
      "a connection whose handshake takes longer is closed") \
    X(GATEWAY_HANDSHAKES_SIZE, "creel.gateway.handshakes-size-max", CONF_SIZE, "128m", 1048576, CONF_NO_MAX, \
      "maximum memory of a gateway for connections that have sent no message yet; above it they are closed") \
    X(GATEWAY_ADDRESS_CONNECTIONS, "creel.gateway.connections-per-address-max", CONF_INT, "0", 0, 1000000, \
      "maximum of connections of one address to one gateway; 0: a quarter of its descriptors") \
    X(GATEWAY_KEY_CONNECTIONS, "creel.gateway.connections-per-key-max", CONF_INT, "4096", 0, 1000000, \
      "maximum of connections with one key of a user or an application master to one daemon; 0: no limit") \
    /* --- the agent ---------------------------------------------------------------- */ \
    X(NM_MEMORY_MB, "yarn.nodemanager.resource.memory-mb", CONF_INT, "-1", -1, CONF_NO_MAX, \
      "memory that the node offers, in MiB; -1: detected if detection is enabled, else 8192") \
    X(NM_VCORES, "yarn.nodemanager.resource.cpu-vcores", CONF_INT, "-1", -1, 1000000, \
      "vcores that the node offers; -1: detected if detection is enabled, else 8") \
    X(NM_DETECT, "yarn.nodemanager.resource.detect-hardware-capabilities", CONF_BOOL, "false", 0, 0, \
      "detect memory and vcores that are -1") \
    X(NM_RESERVED_MEMORY_MB, "yarn.nodemanager.resource.system-reserved-memory-mb", CONF_INT, "-1", -1, \
      CONF_NO_MAX, "part of the detected memory that the node does not offer, in MiB; -1: a fifth") \
    X(NM_RACK, "creel.nodemanager.rack", CONF_TEXT, "/default-rack", 0, 0, "rack of this node") \
    X(NM_LABEL, "yarn.nodemanager.node-labels.provider.configured-node-partition", CONF_TEXT, "", 0, 0, \
      "label (partition) of this node; empty: none") \
    X(NM_STATE_DIR, "creel.nodemanager.state-dir", CONF_TEXT, "/var/lib/creel/nm", 0, 0, \
      "where the agent keeps the records of its containers") \
    X(NM_LOCAL_DIRS, "yarn.nodemanager.local-dirs", CONF_TEXT, "${creel.nodemanager.state-dir}/local", 0, 0, \
      "working directories, comma-separated") \
    X(NM_LOG_DIRS, "yarn.nodemanager.log-dirs", CONF_TEXT, "${creel.nodemanager.state-dir}/logs", 0, 0, \
      "containers' log files, comma-separated") \
    X(NM_LOG_RETAIN, "yarn.nodemanager.log.retain-seconds", CONF_DURATION, "10800", 0, CONF_NO_MAX, \
      "time for which logs are kept after the end of their application") \
    X(LOG_AGGREGATION, "yarn.log-aggregation-enable", CONF_BOOL, "false", 0, 0, \
      "after the end of an application, its logs are moved from the nodes to remote-app-log-dir") \
    X(REMOTE_LOG_DIR, "yarn.nodemanager.remote-app-log-dir", CONF_TEXT, "/tmp/logs", 0, 0, \
      "directory on shared storage, mode 1777, a path or a file: URI, for logs of ended applications") \
    X(REMOTE_LOG_SUFFIX, "yarn.nodemanager.remote-app-log-dir-suffix", CONF_TEXT, "logs", 0, 0, \
      "logs of an application are in remote-app-log-dir/USER/SUFFIX/APPLICATION") \
    X(REMOTE_LOG_RETAIN_S, "yarn.log-aggregation.retain-seconds", CONF_INT, "-1", -1, 315360000, \
      "time for which logs are kept in remote-app-log-dir, in seconds; -1: no limit") \
    X(REMOTE_LOG_CHECK_S, "yarn.log-aggregation.retain-check-interval-seconds", CONF_INT, "-1", -1, \
      315360000, "time between two deletions of older logs, in seconds; -1 or 0: a tenth of retain-seconds") \
    X(LOG_SERVER_URL, "yarn.log.server.url", CONF_TEXT, "", 0, 0, \
      "http://HOST/PATH to which requests for pages of aggregated logs are redirected; empty: none") \
    X(LOG_SERVER_REST_URL, "yarn.log.server.web-service.url", CONF_TEXT, "", 0, 0, \
      "the same for requests of their REST interface") \
    X(REMOTE_LOG_TIMEOUT, "creel.log-aggregation.timeout-ms", CONF_DURATION, "600000", 1000, 86400000, \
      "time limit for writing the logs of one application from one node") \
    X(REMOTE_LOG_RETRY, "creel.log-aggregation.retry-ms", CONF_DURATION, "604800000", 0, CONF_NO_MAX, \
      "an agent tries for this time after the end of an application to write its logs; then they stay on " \
      "the node for log.retain-seconds") \
    X(LOG_STATUS_TIMEOUT, "yarn.log-aggregation-status.time-out.ms", CONF_DURATION, "600000", 0, \
      CONF_NO_MAX, \
      "state of logs is TIME_OUT if a node has not moved them within this time after the application") \
    X(NM_DEBUG_DELAY, "yarn.nodemanager.delete.debug-delay-sec", CONF_DURATION, "0", 0, CONF_NO_MAX, \
      "time for which working directories are kept after the end of their container, for debugging") \
    X(NM_CGROUP_ROOT, "yarn.nodemanager.linux-container-executor.cgroups.hierarchy", CONF_TEXT, "/creel", 0, \
      0, "control group that only this agent uses, with one below it for each container") \
    X(NM_KILL_DELAY, "yarn.nodemanager.sleep-delay-before-sigkill.ms", CONF_DURATION, "10000", 0, 3600000, \
      "time between SIGTERM and SIGKILL for a container that is to end") \
    X(NM_STRICT_CPU, "yarn.nodemanager.linux-container-executor.cgroups.strict-resource-usage", CONF_BOOL, \
      "false", 0, 0, "vcores are a hard limit, not only a share") \
    X(NM_MEMORY_KILL, "creel.container.memory-kill", CONF_CHOICE, "container", 0, 0, \
      "what ends when the kernel kills a process for the memory limit of its container: the whole " \
      "container, with exit status -104, so that the job fails (container); or this process alone, and " \
      "the job ends as its command does (process); the same on cgroup v1 and v2; one of: container " \
      "process") \
    X(NM_PIDS_MAX, "creel.container.pids-max", CONF_INT, "4096", 1, 4194304, \
      "maximum of processes and threads of a container") \
    X(NM_MIN_USER_ID, "creel.container.min-user-id", CONF_INT, "1000", 0, 4294967294, \
      "containers of users with a lower id are refused, unless listed in allowed-system-users") \
    X(NM_ALLOWED_USERS, "creel.container.allowed-system-users", CONF_TEXT, "", 0, 0, \
      "users with an id below min-user-id who may run containers, comma-separated") \
    X(NM_BANNED_USERS, "creel.container.banned-users", CONF_TEXT, "", 0, 0, \
      "users who may not run containers, comma-separated") \
    X(NM_CACHE_SIZE_MB, "yarn.nodemanager.localizer.cache.target-size-mb", CONF_INT, "10240", 0, \
      CONF_NO_MAX, "maximum size of the agent's cache of submitted files, in MiB") \
    X(NM_ENV_WHITELIST, "yarn.nodemanager.env-whitelist", CONF_TEXT, "PATH,LANG,TZ", 0, 0, \
      "variables of the agent that containers get, comma-separated") \
    X(NM_CORES_MULTIPLIER, "yarn.nodemanager.resource.pcores-vcores-multiplier", CONF_FLOAT, "1.0", 0, 1000, \
      "vcores for each detected core") \
    X(NM_LOGICAL_CORES, "yarn.nodemanager.resource.count-logical-processors-as-cores", CONF_BOOL, "false", \
      0, 0, "every hyperthread counts as a core") \
    X(NM_CPU_PERCENT, "yarn.nodemanager.resource.percentage-physical-cpu-limit", CONF_INT, "100", 1, 100, \
      "part of the CPUs that all containers together may use") \
    X(NM_MEMORY_CGROUP, "yarn.nodemanager.resource.memory.enabled", CONF_BOOL, "true", 0, 0, \
      "limits of memory are set in the container's control group") \
    X(NM_MEMORY_ENFORCED, "yarn.nodemanager.resource.memory.enforced", CONF_BOOL, "true", 0, 0, \
      "the kernel enforces these limits; otherwise the monitor does, see pmem-check-enabled") \
    X(NM_SOFT_LIMIT, "yarn.nodemanager.resource.memory.cgroups.soft-limit-percentage", CONF_FLOAT, "90.0", \
      0, 100, "soft limit (on cgroup v2: protected memory), as a part of the hard limit") \
    X(NM_SWAPPINESS, "yarn.nodemanager.resource.memory.cgroups.swappiness", CONF_INT, "0", 0, 100, \
      "readiness to swap (cgroup v1); at 0 containers never swap") \
    X(NM_MONITOR, "yarn.nodemanager.container-monitor.enabled", CONF_BOOL, "true", 0, 0, \
      "measure containers, and enforce limits that the kernel does not enforce") \
    X(NM_RESOURCE_MONITOR_INTERVAL, "yarn.nodemanager.resource-monitor.interval-ms", CONF_DURATION, "3000", \
      10, 3600000, "default of container-monitor.interval-ms, in ms") \
    X(NM_MONITOR_INTERVAL, "yarn.nodemanager.container-monitor.interval-ms", CONF_DURATION, \
      "${yarn.nodemanager.resource-monitor.interval-ms}", 10, 3600000, \
      "time between two measurements of every container, in ms") \
    X(NM_SMAPS, "yarn.nodemanager.container-monitor.procfs-tree.smaps-based-rss.enabled", CONF_BOOL, \
      "false", 0, 0, "count shared memory once: exact, and much slower") \
    X(NM_PMEM_CHECK, "yarn.nodemanager.pmem-check-enabled", CONF_BOOL, "true", 0, 0, \
      "end containers above their physical memory, where the kernel does not enforce it; where it " \
      "does, only if this key is set to true and memory.enforced is not set") \
    X(NM_VMEM_CHECK, "yarn.nodemanager.vmem-check-enabled", CONF_BOOL, "true", 0, 0, \
      "the same for their virtual memory") \
    X(NM_VMEM_RATIO, "yarn.nodemanager.vmem-pmem-ratio", CONF_FLOAT, "2.1", 0, 1000000, \
      "virtual memory allowed for each byte of physical memory; above 0.99") \
    X(NM_OPEN_FILES, "creel.container.open-files-max", CONF_INT, "65536", 64, 1073741816, \
      "hard limit of open files of a container's processes; the soft one is 1024 at most") \
    X(NM_FETCH_MAX, "creel.nodemanager.fetch.max-mb", CONF_INT, "1024", 0, 1048576, \
      "maximum size of the results (creel run --fetch) that a container may pack, in MiB; they are kept " \
      "with its logs") \
    X(NM_DISK_CHECK, "yarn.nodemanager.disk-health-checker.enable", CONF_BOOL, "true", 0, 0, \
      "check the disks of local-dirs and log-dirs") \
    X(NM_DISK_INTERVAL, "yarn.nodemanager.disk-health-checker.interval-ms", CONF_DURATION, "120000", 10, \
      CONF_NO_MAX, "time between two checks whether a healthy disk can be written, in ms") \
    X(NM_DISKS_HEALTHY, "yarn.nodemanager.disk-health-checker.min-healthy-disks", CONF_FLOAT, "0.25", 0, 1, \
      "the node is unhealthy if a smaller part of the directories than this is healthy") \
    X(NM_DISK_PERCENT, "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", \
      CONF_FLOAT, "90.0", 0, 100, "a disk fuller than this is not used") \
    X(NM_DISK_WATERMARK, \
      "yarn.nodemanager.disk-health-checker.disk-utilization-watermark-low-per-disk-percentage", CONF_FLOAT, \
      "${yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage}", 0, 100, \
      "a disk that was too full is used again below this") \
    X(NM_DISK_FREE_MB, "yarn.nodemanager.disk-health-checker.min-free-space-per-disk-mb", CONF_INT, "0", 0, \
      CONF_NO_MAX, "a disk with less free space than this is not used, in MiB") \
    X(NM_SCRIPT, "yarn.nodemanager.health-checker.script.path", CONF_TEXT, "", 0, 0, \
      "program that checks the node: if it prints a line that begins with ERROR, the node " \
      "is unhealthy, and the line is the reason") \
    X(NM_SCRIPT_OPTIONS, "yarn.nodemanager.health-checker.script.opts", CONF_TEXT, "", 0, 0, \
      "its arguments, comma-separated") \
    X(NM_SCRIPT_INTERVAL, "yarn.nodemanager.health-checker.interval-ms", CONF_DURATION, "600000", 10, \
      CONF_NO_MAX, "time between two runs of it, in ms") \
    X(NM_SCRIPT_TIMEOUT, "yarn.nodemanager.health-checker.script.timeout-ms", CONF_DURATION, "1200000", 10, \
      CONF_NO_MAX, "the node is unhealthy if it takes longer, in ms") \
    X(NM_LOG_MONITOR, "yarn.nodemanager.container-log-monitor.enable", CONF_BOOL, "false", 0, 0, \
      "end containers whose logs grow too large (exit status -109)") \
    X(NM_LOG_MONITOR_INTERVAL, "yarn.nodemanager.container-log-monitor.interval-ms", CONF_DURATION, "60000", \
      10, CONF_NO_MAX, "time between two measurements of their sizes, in ms") \
    X(NM_LOG_DIR_MAX, "yarn.nodemanager.container-log-monitor.dir-size-limit-bytes", CONF_SIZE, \
      "1000000000", 0, CONF_NO_MAX, "maximum size of one log directory of a container") \
    X(NM_LOG_TOTAL_MAX, "yarn.nodemanager.container-log-monitor.total-size-limit-bytes", CONF_SIZE, \
      "10000000000", 0, CONF_NO_MAX, "maximum size of all log directories of a container") \
    X(NM_DISK_LIMIT, "creel.container.disk-limit-mb", CONF_INT, "0", 0, 1099511627776, \
      "maximum working directory of a container, in MiB; above it the container ends (-110); 0: any") \
    X(NM_QUOTA_FIRST, "creel.container.quota-project-first", CONF_INT, "0", 0, 4000000000, \
      "first id of the project quotas with which the kernel enforces disk-limit-mb; 0: it is only measured") \
    X(NM_QUOTA_COUNT, "creel.container.quota-project-count", CONF_INT, "10000", 1, 100000000, \
      "number of project ids for containers, beginning at quota-project-first") \
    X(LOG_LEVEL, "creel.log.level", CONF_CHOICE, "info", 0, 0, \
      "level of the logs of daemons, one of: error warning info debug")

enum conf_key {
#define CONF_ENUM(constant, ...) CONF_##constant,
    CONF_KEYS(CONF_ENUM)
#undef CONF_ENUM
        CONF_KEY_COUNT
};

struct conf_key_info {
    const char *name;
    enum conf_type type;
    const char *default_text;
    int64_t minimum, maximum; /* in the stored unit (ms, bytes) */
    const char *doc;
};

/* Returns the row KEY of the table. */
const struct conf_key_info *conf_key_info(enum conf_key key);

/* Finds the row with the name NAME. Returns false, and leaves *KEY untouched, if there is none. */
bool conf_key_find(const char *name, enum conf_key *key);

/* Search for the name that a user may have meant by NAME: the candidate with the fewest bytes to insert,
 * delete or change; of several, the first. Names of more than 128 bytes match nothing. */
struct conf_nearest {
    const char *name, *found; /* borrowed; FOUND is NULL if no candidate is near enough */
    size_t distance;          /* a candidate must have a smaller distance to replace FOUND */
};
/* Starts a search. A candidate is near enough if it differs in at most DISTANCE_MAX bytes, and in at most
 * 1/PART of NAME. */
struct conf_nearest conf_nearest_begin(const char *name, size_t distance_max, size_t part);
void conf_nearest_offer(struct conf_nearest *nearest, const char *candidate);

/* Returns the key of the table that is nearest to NAME, or NULL. The result differs from NAME in at most
 * DISTANCE_MAX bytes, and in at most a fifth of NAME. */
const char *conf_key_nearest(const char *name, size_t distance_max);

#endif
