/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_table.h - table of all keys of capacity-scheduler.xml, one row each
 *
 * To add a key, add a row: the reader (read.c), the warnings about unknown keys (names.c) and
 * capacity-scheduler.xml(5) come from the tables below.
 *
 * CAPACITY_KEYS has the keys that have an effect in creel. N has numbers, B switches, T all else:
 *   N(constant, "name", scope, type, member, default, minimum, maximum, inherits, "one line")
 *   B(constant, "name", scope, type, member, default, inherits, "one line")
 *   T(constant, "name", scope, type, inherits, "one line")
 *   name      <label> and <user> in it stand for any name of one
 *   scope     where the key is written, and what struct the member belongs to:
 *               ALL       yarn.scheduler.capacity.NAME           CONFIG(member of capacity_config)
 *               QUEUE     yarn.scheduler.capacity.<queue>.NAME   OF_QUEUE(member of capacity_queue)
 *               MANAGED   as QUEUE; only read for a queue with auto-create-child-queue.enabled
 *               FLEXIBLE  as QUEUE; only read for the other queues
 *               LABEL     as QUEUE, and <queue>.accessible-node-labels.<label>.NAME
 *                                                               OF_SHARE(member of capacity_share)
 *               TEMPLATE  as QUEUE, with another key of a queue behind it
 *               SITE      NAME itself
 *   member    NO_MEMBER: the code that uses the key reads it
 *   default   CAPACITY_NO_LIMIT is the largest value of the member
 *   minimum, maximum   inclusive
 *   inherits  what a queue without the key gets: DEFAULT, the value of its PARENT, or that of
 *             yarn.scheduler.capacity.NAME (EVERY)
 * The rows of queues are read in this order: a row comes after the rows on which it depends.
 *
 * CAPACITY_KEYS_WITHOUT_EFFECT has the keys of YARN that creel accepts and does not act on:
 *   ("name", scope, "value", "reason")
 *   name      with * at its end: all keys that begin so
 *   value     the value that describes what creel does; other values change what the cluster does, which is a
 *             warning. "*": no value changes that; NULL: every value does
 */
#ifndef CREEL_RM_SCHED_CAPACITY_CONFIG_KEY_TABLE_H
#define CREEL_RM_SCHED_CAPACITY_CONFIG_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rm/sched/capacity/config/config.h"

enum capacity_scope {
    CAPACITY_ALL,
    CAPACITY_QUEUE,
    CAPACITY_MANAGED,
    CAPACITY_FLEXIBLE,
    CAPACITY_LABEL,
    CAPACITY_TEMPLATE,
    CAPACITY_SITE
};

enum capacity_inherits { CAPACITY_DEFAULT, CAPACITY_PARENT, CAPACITY_EVERY };

#define CAPACITY_NO_LIMIT 9.3e18

/* (constant, reader function, description of the values for the manual). Reader NULL: the code that uses the
 * key parses its value. */
#define CAPACITY_TYPES(X) \
    X(INT, capacity_read_plain, "whole number") \
    X(FLOAT, capacity_read_plain, "number") \
    X(BOOL, capacity_read_plain, "true or false") \
    X(MS, capacity_read_plain, "duration, a number alone: milliseconds") \
    X(SECONDS, capacity_read_plain, "duration, a number alone: seconds") \
    X(ELSEWHERE, NULL, "text") \
    X(CALCULATOR, capacity_read_calculator, "a class, with or without its package") \
    X(OFFSWITCH, capacity_read_offswitch, "whole number; below 1 counts as 1") \
    X(WORKFLOWS, capacity_read_workflows, "<workflow id>:<path of a queue>:<priority>, ...") \
    X(PREFIX, capacity_read_prefix, "text") \
    X(CREATION, capacity_read_creation, "true or false") \
    X(POLICY, capacity_read_policy, "a class, with or without its package") \
    X(LABELS, capacity_read_labels, "labels, separated by commas, or * for all") \
    X(LABEL_NAME, capacity_read_default_label, "a label") \
    X(CAPACITY, capacity_read_capacity, \
      "12.5 for percent, 3w for a weight, or amounts: [memory=10240,vcores=12]") \
    X(MAXIMUM, capacity_read_maximum, "percent, -1 for none, or amounts") \
    X(FRACTION, capacity_read_fraction, "number, 1 for all") \
    X(STATE, capacity_read_state, "RUNNING or STOPPED") \
    X(ORDER, capacity_read_order, "a word, or YARN's class for it") \
    X(PRIORITIES, capacity_read_priorities, \
      "* or [user=<users> group=<groups> max_priority=<n> default_priority=<n>] ...") \
    X(FACTOR, capacity_read_factor, "number, or -1 for no limit") \
    X(MAX_APPS, capacity_read_max_apps, "whole number; below 0: none") \
    X(ALLOCATION, capacity_read_allocation, "memory-mb=4096,vcores=2") \
    X(LIFETIME, capacity_read_lifetime, "whole number") \
    X(ACL, capacity_read_acl, "access list")

enum capacity_type {
#define CAPACITY_TYPE(constant, reader, shown) CAPACITY_TYPE_##constant,
    CAPACITY_TYPES(CAPACITY_TYPE)
#undef CAPACITY_TYPE
};

#define CAPACITY_KEYS(N, B, T) \
    /* --- of the whole scheduler ------------------------------------------------------ */ \
    T(CALCULATOR, "resource-calculator", ALL, CALCULATOR, DEFAULT, \
      "resources that are compared: DefaultResourceCalculator (default): memory " \
      "alone; DominantResourceCalculator: every type") \
    N(SYSTEM_MAX_APPS, "maximum-applications", ALL, INT, CONFIG(maximum_applications), 10000, 1, INT32_MAX, \
      DEFAULT, "applications in all queues; a queue's part of them is its limit") \
    N(USER_PARALLEL_USUAL, "user.max-parallel-apps", ALL, INT, CONFIG(user_max_parallel_apps), \
      CAPACITY_NO_LIMIT, 0, INT32_MAX, DEFAULT, "applications that a user may run at a time") \
    N(USER_PARALLEL, "user.<user>.max-parallel-apps", ALL, INT, NO_MEMBER, CAPACITY_NO_LIMIT, 0, INT32_MAX, \
      DEFAULT, "the same of one user") \
    N(NODE_DELAY, "node-locality-delay", ALL, INT, CONFIG(node_locality_delay), 40, INT32_MIN, INT32_MAX, \
      DEFAULT, "missed opportunities after which a request for a node accepts its rack; below 0: none") \
    N(RACK_DELAY, "rack-locality-additional-delay", ALL, INT, CONFIG(rack_locality_additional_delay), -1, \
      INT32_MIN, INT32_MAX, DEFAULT, \
      "further ones after which it accepts any node; below 0: in proportion to its request") \
    N(MAX_ASSIGNMENTS, "per-node-heartbeat.maximum-container-assignments", ALL, INT, \
      CONFIG(maximum_container_assignments), 100, -1, INT32_MAX, DEFAULT, \
      "maximum of containers allocated at a heartbeat of a node; -1: no limit") \
    N(MAX_OFFSWITCH, "per-node-heartbeat.maximum-offswitch-assignments", ALL, OFFSWITCH, \
      CONFIG(maximum_offswitch_assignments), 1, INT32_MIN, INT32_MAX, DEFAULT, \
      "the same, of containers on a rack that was not requested") \
    N(EXPIRATION, "auto-queue-creation-v2.queue-expiration-time", ALL, SECONDS, CONFIG(queue_expiration_ms), \
      300000, 0, INT64_MAX, DEFAULT, "a dynamic queue is removed after it has been empty for this time") \
    N(DEAL_INTERVAL, "yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval", SITE, MS, \
      CONFIG(deal_interval_ms), 1500, 1, INT64_MAX, DEFAULT, \
      "interval at which queues with auto-create-child-queue.enabled assign their capacity to the " \
      "queues below them") \
    B(FULL_RESET, "rack-locality-full-reset", ALL, BOOL, CONFIG(rack_locality_full_reset), 1, DEFAULT, \
      "a container on a requested rack resets the missed opportunities") \
    B(CONTINUE_LOOK, "reservations-continue-look-all-nodes", ALL, BOOL, CONFIG(reservations_continue_look), \
      1, DEFAULT, "a reservation may be exchanged for free resources on another node") \
    B(MULTIPLE, "per-node-heartbeat.multiple-assignments-enabled", ALL, BOOL, CONFIG(multiple_assignments), \
      1, DEFAULT, "several containers may be allocated at a heartbeat of a node") \
    B(LEGACY_MODE, "legacy-queue-mode.enabled", ALL, BOOL, CONFIG(legacy_queue_mode), 1, DEFAULT, \
      "the capacities of the queues below one queue have one form; if false, each may have its " \
      "own, by type of resource") \
    B(LAZY_PREEMPTION, "lazy-preemption-enabled", ALL, BOOL, CONFIG(lazy_preemption), 0, DEFAULT, \
      "a preempted container runs after its deadline until another queue can use its resources, and is " \
      "then stopped without a second notice") \
    T(WORKFLOW_PREFIX, "yarn.workflow-id.tag-prefix", SITE, PREFIX, DEFAULT, \
      "the beginning of a tag that names a workflow (default: workflowid:)") \
    B(WORKFLOW_OVERRIDE, "workflow-priority-mappings-override.enable", ALL, BOOL, CONFIG(workflow_override), \
      0, DEFAULT, "the priority of a workflow overrides the priority of the submission") \
    T(WORKFLOWS, "workflow-priority-mappings", ALL, WORKFLOWS, DEFAULT, \
      "application priorities of workflows, by queue") \
    N(QUEUE_MAX_APPS, "global-queue-max-application", ALL, INT, CONFIG(queue_max_apps), -1, INT32_MIN, \
      INT32_MAX, DEFAULT, "maximum-applications of every queue without one; 0 and below: not set") \
    T(MAPPINGS, "queue-mappings", ALL, ELSEWHERE, DEFAULT, \
      "u:<user>:<queue> and g:<group>:<queue>, separated by commas: the queue of a submission; " \
      "%user, %primary_group and %secondary_group stand for names") \
    T(APP_MAPPINGS, "yarn.scheduler.queue-placement-rules.app-name", SITE, ELSEWHERE, DEFAULT, \
      "<application name>:<queue>, separated by commas") \
    B(MAPPINGS_OVERRIDE, "queue-mappings-override.enable", ALL, BOOL, NO_MEMBER, 0, DEFAULT, \
      "mappings apply to submissions that name a queue, too") \
    T(MAPPING_FORMAT, "mapping-rule-format", ALL, ELSEWHERE, DEFAULT, \
      "legacy (default): the mappings above; json: the rules below") \
    T(MAPPING_JSON, "mapping-rule-json", ALL, ELSEWHERE, DEFAULT, "mapping rules as JSON") \
    T(MAPPING_FILE, "mapping-rule-json-file", ALL, ELSEWHERE, DEFAULT, "a file with them") \
    /* --- of a queue: which queues there are ------------------------------------------ */ \
    T(QUEUES, "queues", QUEUE, ELSEWHERE, DEFAULT, \
      "names of the queues below it, separated by commas, without its path") \
    B(AUTO_CREATE, "auto-queue-creation-v2.enabled", QUEUE, BOOL, OF_QUEUE(auto_create), 0, DEFAULT, \
      "submissions may create queues below it, several levels, with weights") \
    B(MANAGED, "auto-create-child-queue.enabled", QUEUE, CREATION, OF_QUEUE(auto_create_legacy), 0, DEFAULT, \
      "submissions may create queues right below it, which get their capacity while they have " \
      "applications; not for a queue that has queues in the file") \
    B(MANAGED_FAILS, "auto-create-child-queue.fail-on-exceeding-parent-capacity", MANAGED, BOOL, \
      OF_QUEUE(auto_create_fails), 0, DEFAULT, \
      "a submission that would create one is refused if there is no capacity left for it") \
    T(MANAGED_POLICY, "auto-create-child-queue.management-policy", MANAGED, POLICY, DEFAULT, \
      "only GuaranteedOrZeroCapacityOverTimePolicy is available") \
    N(MANAGED_MAX_QUEUES, "auto-create-child-queue.max-queues", MANAGED, INT, \
      OF_QUEUE(auto_create_max_queues), 1000, 0, CAPACITY_QUEUES_MAX, DEFAULT, \
      "queues that submissions may create below it") \
    N(AUTO_MAX_QUEUES, "auto-queue-creation-v2.max-queues", FLEXIBLE, INT, OF_QUEUE(auto_create_max_queues), \
      1000, 0, CAPACITY_QUEUES_MAX, DEFAULT, \
      "a submission creates no queue right below it while it has so many, queues of the file included") \
    N(AUTO_MAX_DEPTH, "auto-queue-creation-v2.maximum-queue-depth", QUEUE, INT, \
      OF_QUEUE(auto_create_max_depth), 2, 1, CAPACITY_DEPTH_MAX, DEFAULT, \
      "levels of queues that submissions may create below it") \
    B(AUTO_REMOVAL, "auto-queue-creation-v2.queue-auto-removal.enable", QUEUE, BOOL, OF_QUEUE(auto_remove), \
      1, DEFAULT, "empty queues below it that submissions created are removed") \
    T(TEMPLATE, "auto-queue-creation-v2.template.", TEMPLATE, ELSEWHERE, DEFAULT, \
      "a key of the queues that submissions create below it") \
    T(LEAF_TEMPLATE, "auto-queue-creation-v2.leaf-template.", TEMPLATE, ELSEWHERE, DEFAULT, \
      "the same, of those that run applications; stronger than template") \
    T(PARENT_TEMPLATE, "auto-queue-creation-v2.parent-template.", TEMPLATE, ELSEWHERE, DEFAULT, \
      "the same, of those that have queues below them") \
    T(MANAGED_TEMPLATE, "leaf-queue-template.", TEMPLATE, ELSEWHERE, DEFAULT, \
      "the same, for auto-create-child-queue.enabled") \
    /* --- capacities and labels ------------------------------------------------------- */ \
    T(ACCESS, "accessible-node-labels", QUEUE, LABELS, PARENT, \
      "labels whose nodes it may use; root has all") \
    T(DEFAULT_LABEL, "default-node-label-expression", QUEUE, LABEL_NAME, PARENT, \
      "label of requests that name none; not inherited by a queue that lists fewer labels") \
    T(CAPACITY, "capacity", LABEL, CAPACITY, DEFAULT, \
      "its guaranteed part of the queue above it; has no effect for root (default: 0)") \
    T(MAXIMUM, "maximum-capacity", LABEL, MAXIMUM, DEFAULT, \
      "what it may use at most (default: 100; of a label of which the queue has no key: 0); a capacity " \
      "above it is not used beyond it") \
    N(AM_FRACTION, "maximum-am-resource-percent", LABEL, FRACTION, OF_SHARE(am_fraction), 0.1, 0, 100, \
      EVERY, \
      "the part of it that AM containers may use; 1 in a queue that a submission created by " \
      "auto-queue-creation-v2, unless a template sets it") \
    /* --- state and order ------------------------------------------------------------- */ \
    T(STATE, "state", QUEUE, STATE, PARENT, \
      "a stopped queue, and those below it, accept no applications; running applications continue") \
    T(ORDER, "ordering-policy", QUEUE, ORDER, DEFAULT, \
      "of applications: fifo (default), fair, fifo-with-partitions or fifo-for-pending-apps; of " \
      "queues: utilization (default) or priority-utilization") \
    B(SIZE_WEIGHT, "ordering-policy.fair.enable-size-based-weight", QUEUE, BOOL, \
      OF_QUEUE(size_based_weight), 0, DEFAULT, "fair: the weight of an application grows with its requests") \
    N(PRIORITY, "priority", QUEUE, INT, OF_QUEUE(priority), 0, INT32_MIN, INT32_MAX, DEFAULT, \
      "priority among its siblings, for priority-utilization; higher is first") \
    N(APP_PRIORITY, "default-application-priority", QUEUE, INT, OF_QUEUE(default_app_priority), 0, 0, \
      INT32_MAX, DEFAULT, "priority of applications that are submitted without one") \
    T(PRIORITIES, "acl_application_max_priority", QUEUE, PRIORITIES, DEFAULT, \
      "which users may have which application priority; * and no list: all may have any") \
    /* --- limits ---------------------------------------------------------------------- */ \
    N(USER_PERCENT, "minimum-user-limit-percent", QUEUE, FLOAT, OF_QUEUE(user_limit_percent), 100, 0, 100, \
      EVERY, "the part of it that a user gets at least while others request more, in percent") \
    N(USER_FACTOR, "user-limit-factor", QUEUE, FACTOR, OF_QUEUE(user_limit_factor), 1, 0, 1000000000, EVERY, \
      "the most that one user gets, as a multiple of its capacity") \
    N(USER_WEIGHT, "user-settings.<user>.weight", QUEUE, FLOAT, NO_MEMBER, 1, 0, 10000, DEFAULT, \
      "weight of a user among those of the queue, and of the queues below it") \
    N(MAX_APPS, "maximum-applications", QUEUE, MAX_APPS, NO_MEMBER, -1, INT32_MIN, INT32_MAX, DEFAULT, \
      "applications in it, running or waiting (default: its part of all)") \
    N(MAX_PARALLEL, "max-parallel-apps", QUEUE, INT, OF_QUEUE(max_parallel_apps), CAPACITY_NO_LIMIT, 0, \
      INT32_MAX, EVERY, "applications that it may have started at a time; the oldest of the others is next") \
    T(ALLOCATION, "maximum-allocation", QUEUE, ALLOCATION, PARENT, \
      "the largest container, at most that of the cluster") \
    N(ALLOCATION_MB, "maximum-allocation-mb", QUEUE, INT, NO_MEMBER, 0, 1, INT64_C(1) << 40, PARENT, \
      "the same, memory alone, where maximum-allocation is not set") \
    N(ALLOCATION_VCORES, "maximum-allocation-vcores", QUEUE, INT, NO_MEMBER, 0, 1, INT64_C(1) << 40, PARENT, \
      "the same, vcores alone") \
    N(MAX_LIFETIME, "maximum-application-lifetime", QUEUE, INT, OF_QUEUE(maximum_lifetime_s), -1, \
      -INT64_MAX / 1000, INT64_MAX / 1000, PARENT, \
      "seconds after which an application is killed; 0 and below: none") \
    N(LIFETIME, "default-application-lifetime", QUEUE, LIFETIME, OF_QUEUE(default_lifetime_s), -1, \
      -INT64_MAX / 1000, INT64_MAX / 1000, PARENT, "the same, of applications that name none") \
    B(NO_PREEMPTION, "disable_preemption", QUEUE, BOOL, OF_QUEUE(disable_preemption), 0, PARENT, \
      "no containers are preempted from it") \
    B(NO_INTRA_PREEMPTION, "intra-queue-preemption.disable_preemption", QUEUE, BOOL, \
      OF_QUEUE(disable_intra_preemption), 0, PARENT, "none are preempted for others in the queue") \
    T(ACL_SUBMIT, "acl_submit_applications", QUEUE, ACL, DEFAULT, \
      "users and groups that may submit to it and to the queues below it (default: nobody; of " \
      "root: everybody)") \
    T(ACL_ADMINISTER, "acl_administer_queue", QUEUE, ACL, DEFAULT, \
      "users and groups that may also see, kill and move its applications (default: nobody)") \
    B(ZERO_SUM, "allow-zero-capacity-sum", QUEUE, BOOL, OF_QUEUE(allow_zero_capacity_sum), 0, DEFAULT, \
      "the queues below it may all have a capacity of 0")

#define CAPACITY_NO_RESERVATIONS "creel has no reservations of resources for later times"
#define CAPACITY_ONE_NODE "each node is offered by itself, the one with the most free resources first"
#define CAPACITY_OF_QUEUES "it is a key of queues: <queue>."

#define CAPACITY_KEYS_WITHOUT_EFFECT(X) \
    X("schedule-asynchronously.enable", ALL, "*", "free resources are offered at once") \
    X("schedule-asynchronously.*", ALL, "*", "free resources are offered at once, by one thread") \
    X("application.fail-fast", ALL, "false", "an application whose queue was removed ends, not the RM") \
    X("user-metrics.enable", ALL, "false", "creel queue users has the figures of users") \
    X("multi-node-placement-enabled", ALL, "false", CAPACITY_ONE_NODE) \
    X("multi-node-sorting.*", ALL, "*", CAPACITY_ONE_NODE) \
    X("skip-allocate-on-nodes-with-reserved-containers", ALL, "true", \
      "a reserved node is offered to no other application") \
    X("ordering-policy.priority-utilization.underutilized-preemption.allow-move-reservation", ALL, "false", \
      "a reservation stays on its node until it is served or given up") \
    X("ordering-policy.*", ALL, "*", CAPACITY_OF_QUEUES) \
    X("queue-management-policy.*", ALL, "*", "there is only one policy") \
    X("queue.auto.refresh.*", ALL, NULL, "creel admin refresh queues reads the file again") \
    X("disable_preemption", ALL, "false", CAPACITY_OF_QUEUES) \
    X("default-application-priority", ALL, "0", CAPACITY_OF_QUEUES) \
    X("app.*", ALL, "*", "creel does not have it") \
    X("autoqueue.*", ALL, NULL, "auto-queue-creation-v2 creates queues") \
    X("auto-create-child-queue.*", ALL, "*", CAPACITY_OF_QUEUES) \
    X("node-labels.*", ALL, "*", "creel.node-labels declares labels") \
    X("acl_administer_jobs", QUEUE, "*", "the name of acl_administer_queue in Hadoop 0.21") \
    X("acl_list_reservations", QUEUE, "*", CAPACITY_NO_RESERVATIONS) \
    X("acl_administer_reservations", QUEUE, "*", CAPACITY_NO_RESERVATIONS) \
    X("acl_submit_reservations", QUEUE, "*", CAPACITY_NO_RESERVATIONS) \
    X("reservable", QUEUE, "false", CAPACITY_NO_RESERVATIONS) \
    X("show-reservations-as-queues", QUEUE, "false", CAPACITY_NO_RESERVATIONS) \
    X("average-capacity", QUEUE, "*", CAPACITY_NO_RESERVATIONS) \
    X("instantaneous-max-capacity", QUEUE, "*", CAPACITY_NO_RESERVATIONS) \
    X("reservation-*", QUEUE, "*", CAPACITY_NO_RESERVATIONS) \
    X("multi-node-sorting.policy", QUEUE, "*", CAPACITY_ONE_NODE) \
    X("legacy-auto-queue-creation.max-queues", QUEUE, NULL, \
      "auto-create-child-queue.max-queues is used instead") \
    X("ordering-policy.*", QUEUE, "*", "the policies of creel have no further settings") \
    X("accessible-node-labels.<label>.maximum-applications", QUEUE, "*", \
      "maximum-applications counts the applications of all labels")

#define CAPACITY_KEY(constant, ...) CAPACITY_KEY_##constant,
#define CAPACITY_PLUS_ONE(...) +1
enum capacity_key {
    CAPACITY_KEYS(CAPACITY_KEY, CAPACITY_KEY, CAPACITY_KEY) CAPACITY_KEY_COUNT,
    CAPACITY_ROW_COUNT = CAPACITY_KEY_COUNT CAPACITY_KEYS_WITHOUT_EFFECT(CAPACITY_PLUS_ONE)
};
#undef CAPACITY_KEY
#undef CAPACITY_PLUS_ONE

struct capacity_key_info {
    const char *name;
    enum capacity_scope scope;
    enum capacity_type type;
    size_t offset, size; /* position of the member in its struct; size 0: no member */
    double usual;        /* the default value */
    int64_t minimum, maximum;
    enum capacity_inherits inherits;
    const char *as_here; /* row without effect: the value that describes creel; "*": any; NULL: none */
    const char *doc;     /* description; row without effect: the reason */
};

/* Rows by enum capacity_key, then the rows without effect. */
extern const struct capacity_key_info capacity_keys[CAPACITY_ROW_COUNT];

/* Returns whether creel acts on the key of ROW, a row of capacity_keys. */
bool capacity_key_has_effect(const struct capacity_key_info *row);
/* Finds the row of a key. NAME is the part of the key after "yarn.scheduler.capacity." or, if OF_QUEUE, after
 * the path of a queue and template prefixes. Returns NULL if there is none. *NAMED (may be NULL) is set to
 * the text that NAME has in place of <label> or <user>, owned by the caller; NULL if there is none. */
const struct capacity_key_info *capacity_key_find(const char *name, bool of_queue, char **named);
/* Returns the known key most similar to the unknown NAME, or NULL. Used for suggestions. */
const char *capacity_key_nearest(const char *name, bool of_queue);
/* Returns the part of NAME, a key of a queue, after its template prefixes. */
const char *capacity_key_behind_templates(const char *name);

#endif
