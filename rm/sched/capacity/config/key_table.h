/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_table.h - every key of capacity-scheduler.xml, one row each
 *
 * To add a key, add a row: the reader (read.c), the warnings about unknown keys (names.c) and
 * capacity-scheduler.xml(5) come from the tables below.
 *
 * CAPACITY_KEYS has the keys that creel acts on:
 *   (constant, "name", scope, type, member, default, minimum, maximum, inherits, "one line")
 *   scope     where the key is written, and what struct the member belongs to:
 *               ALL       yarn.scheduler.capacity.NAME           CONFIG(member of capacity_config)
 *               QUEUE     yarn.scheduler.capacity.<queue>.NAME   OF_QUEUE(member of capacity_queue)
 *               MANAGED   as QUEUE; only read for a queue with auto-create-child-queue.enabled
 *               FLEXIBLE  as QUEUE; only read for the other queues
 *               LABEL     as QUEUE, and <queue>.accessible-node-labels.<label>.NAME
 *                                                               OF_SHARE(member of capacity_share)
 *               TEMPLATE  as QUEUE, with another key of a queue behind it
 *               SITE      NAME itself
 *   type      how the value is read (enum capacity_type)
 *   default   0 and 1 for BOOL; CAPACITY_NO_LIMIT is the largest value of the member
 *   minimum, maximum   inclusive, for numbers
 *   inherits  what a queue without the key gets: DEFAULT, the value of its PARENT, or that of
 *             yarn.scheduler.capacity.NAME (EVERY)
 * The rows of queues are read in this order, so what a row depends on comes before it.
 *
 * CAPACITY_KEYS_WITHOUT_EFFECT has the keys of YARN that creel accepts and does not act on:
 *   ("name", scope, "value", "reason")
 *   name      with * at its end: all keys that begin so
 *   value     the value that describes what creel does anyway: it gets no warning; "*": no value
 *             gets one; NULL: every value does
 */
#ifndef CREEL_RM_SCHED_CAPACITY_CONFIG_KEY_TABLE_H
#define CREEL_RM_SCHED_CAPACITY_CONFIG_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rm/sched/capacity/config/config.h"

enum capacity_scope {
    CAPACITY_ALL, CAPACITY_QUEUE, CAPACITY_MANAGED, CAPACITY_FLEXIBLE, CAPACITY_LABEL,
    CAPACITY_TEMPLATE, CAPACITY_SITE
};

enum capacity_inherits { CAPACITY_DEFAULT, CAPACITY_PARENT, CAPACITY_EVERY };

#define CAPACITY_NO_LIMIT 9.3e18

/* (constant, "what values it has", for the manual) */
#define CAPACITY_TYPES(X)                                                                          \
    X(INT, "whole number")                                                                         \
    X(FLOAT, "number")                                                                             \
    X(BOOL, "true or false")                                                                       \
    X(MS, "duration, a number alone: milliseconds")                                                \
    X(SECONDS, "duration, a number alone: seconds")                                                \
    X(CALCULATOR, "a class, with or without its package")                                          \
    X(OFFSWITCH, "whole number; below 1 counts as 1")                                              \
    X(WORKFLOWS, "<workflow id>:<path of a queue>:<priority>, ...")                                \
    X(TEXT, "text")                                                                                \
    X(ELSEWHERE, "text")                /* read by what uses it, not by the reader of rows */      \
    X(CREATION, "true or false")                                                                   \
    X(POLICY, "a class, with or without its package")                                              \
    X(LABELS, "labels, separated by commas; \\*: all")                                             \
    X(LABEL_NAME, "a label")                                                                       \
    X(CAPACITY, "12.5: percent; 3w: weight; [memory=10240,vcores=12]: amounts")                    \
    X(MAXIMUM, "12.5: percent; [memory=10240,vcores=12]: amounts; -1: none")                       \
    X(FRACTION, "number, 1 for all")                                                               \
    X(STATE, "RUNNING or STOPPED")                                                                 \
    X(ORDER, "a word, or YARN's class with it")                                                    \
    X(PRIORITIES, "[user=<users> group=<groups> max_priority=<n> default_priority=<n>] ..., or \\*") \
    X(FACTOR, "number; -1: no limit")                                                              \
    X(MAX_APPS, "whole number; -1: not limited by this key")                                       \
    X(ALLOCATION, "memory-mb=4096,vcores=2")                                                       \
    X(LIFETIME, "seconds; 0 and less: none")                                                       \
    X(ACL, "access list")

enum capacity_type {
#define CAPACITY_TYPE(constant, shown) CAPACITY_TYPE_##constant,
    CAPACITY_TYPES(CAPACITY_TYPE)
#undef CAPACITY_TYPE
    CAPACITY_TYPE_COUNT
};

#define CAPACITY_KEYS(X)                                                                           \
    /* --- of the whole scheduler ------------------------------------------------------ */        \
    X(CALCULATOR, "resource-calculator", ALL, CALCULATOR, NO_MEMBER, 0, 0, 0, DEFAULT,             \
      "what counts when resources are compared: DefaultResourceCalculator (default): memory "     \
      "alone; DominantResourceCalculator: every type")                                             \
    X(SYSTEM_MAX_APPS, "maximum-applications", ALL, INT, CONFIG(maximum_applications), 10000, 1,   \
      INT32_MAX, DEFAULT, "applications in all queues; a queue's part of them is its limit")       \
    X(USER_PARALLEL_USUAL, "user.max-parallel-apps", ALL, INT, CONFIG(user_max_parallel_apps),     \
      CAPACITY_NO_LIMIT, 0, INT32_MAX, DEFAULT, "applications that a user may run at a time")      \
    X(USER_PARALLEL, "user.<user>.max-parallel-apps", ALL, INT, NO_MEMBER, CAPACITY_NO_LIMIT, 0,   \
      INT32_MAX, DEFAULT, "the same of one user")                                                  \
    X(NODE_DELAY, "node-locality-delay", ALL, INT, CONFIG(node_locality_delay), 40, -1, INT32_MAX, \
      DEFAULT, "missed opportunities after which a request for a node takes its rack; -1: none")   \
    X(RACK_DELAY, "rack-locality-additional-delay", ALL, INT,                                      \
      CONFIG(rack_locality_additional_delay), -1, -1, INT32_MAX, DEFAULT,                          \
      "further ones after which it takes any node; -1: as many as the request has containers")     \
    X(MAX_ASSIGNMENTS, "per-node-heartbeat.maximum-container-assignments", ALL, INT,               \
      CONFIG(maximum_container_assignments), 100, -1, INT32_MAX, DEFAULT,                          \
      "containers that a heartbeat of a node may get; -1: no limit")                               \
    X(MAX_OFFSWITCH, "per-node-heartbeat.maximum-offswitch-assignments", ALL, OFFSWITCH,           \
      CONFIG(maximum_offswitch_assignments), 1, INT32_MIN, INT32_MAX, DEFAULT,                     \
      "the same, of those on a rack that was not asked for")                                       \
    X(EXPIRATION, "auto-queue-creation-v2.queue-expiration-time", ALL, SECONDS,                    \
      CONFIG(queue_expiration_ms), 300000, 0, INT64_MAX, DEFAULT,                                  \
      "a dynamic queue that is empty for so long is removed")                                      \
    X(DEAL_INTERVAL, "yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval", \
      SITE, MS, CONFIG(deal_interval_ms), 1500, 1, INT64_MAX, DEFAULT,                             \
      "how often queues with auto-create-child-queue.enabled give their capacity to the queues "   \
      "below them")                                                                                \
    X(FULL_RESET, "rack-locality-full-reset", ALL, BOOL, CONFIG(rack_locality_full_reset), 1, 0,   \
      0, DEFAULT, "a container on a requested rack resets the missed opportunities")               \
    X(CONTINUE_LOOK, "reservations-continue-look-all-nodes", ALL, BOOL,                            \
      CONFIG(reservations_continue_look), 1, 0, 0, DEFAULT,                                        \
      "a reservation may be exchanged for room on another node")                                   \
    X(MULTIPLE, "per-node-heartbeat.multiple-assignments-enabled", ALL, BOOL,                      \
      CONFIG(multiple_assignments), 1, 0, 0, DEFAULT,                                              \
      "a heartbeat of a node may get several containers")                                          \
    X(LEGACY_MODE, "legacy-queue-mode.enabled", ALL, BOOL, CONFIG(legacy_queue_mode), 1, 0, 0,     \
      DEFAULT, "the capacities of the queues below one queue have one form; if false, each may "   \
      "have its own, by type of resource")                                                         \
    X(LAZY_PREEMPTION, "lazy-preemption-enabled", ALL, BOOL, CONFIG(lazy_preemption), 0, 0, 0,     \
      DEFAULT, "a preempted container runs until another queue can use its room")                  \
    X(WORKFLOW_PREFIX, "yarn.workflow-id.tag-prefix", SITE, TEXT, CONFIG(workflow_prefix), 0, 0,   \
      0, DEFAULT, "the beginning of a tag that names a workflow (default: *workflowid:*)")         \
    X(WORKFLOW_OVERRIDE, "workflow-priority-mappings-override.enable", ALL, BOOL,                  \
      CONFIG(workflow_override), 0, 0, 0, DEFAULT,                                                 \
      "the priority of a workflow counts, also where the submission names another")                \
    X(WORKFLOWS, "workflow-priority-mappings", ALL, WORKFLOWS, NO_MEMBER, 0, 0, 0, DEFAULT,        \
      "application priorities of workflows, by queue")                                             \
    X(QUEUE_MAX_APPS_USUAL, "global-queue-max-application", ALL, INT, NO_MEMBER, -1, -1,           \
      INT32_MAX, DEFAULT, "maximum-applications of every queue without one; 0 and -1: not set")    \
    X(MAPPINGS, "queue-mappings", ALL, ELSEWHERE, NO_MEMBER, 0, 0, 0, DEFAULT,                     \
      "u:<user>:<queue> and g:<group>:<queue>, separated by commas: the queue of a submission; "   \
      "%user, %primary\\_group and %secondary\\_group stand for names")                            \
    X(APP_MAPPINGS, "yarn.scheduler.queue-placement-rules.app-name", SITE, ELSEWHERE, NO_MEMBER,   \
      0, 0, 0, DEFAULT, "<application name>:<queue>, separated by commas")                         \
    X(MAPPINGS_OVERRIDE, "queue-mappings-override.enable", ALL, ELSEWHERE, NO_MEMBER, 0, 0, 0,     \
      DEFAULT, "mappings apply to submissions that name a queue, too (default: *false*)")          \
    X(MAPPING_FORMAT, "mapping-rule-format", ALL, ELSEWHERE, NO_MEMBER, 0, 0, 0, DEFAULT,          \
      "legacy (default): the mappings above; json: the rules below")                               \
    X(MAPPING_JSON, "mapping-rule-json", ALL, ELSEWHERE, NO_MEMBER, 0, 0, 0, DEFAULT,              \
      "mapping rules as JSON")                                                                     \
    X(MAPPING_FILE, "mapping-rule-json-file", ALL, ELSEWHERE, NO_MEMBER, 0, 0, 0, DEFAULT,         \
      "a file with them")                                                                          \
    /* --- of a queue: which queues there are ------------------------------------------ */        \
    X(QUEUES, "queues", QUEUE, ELSEWHERE, NO_MEMBER, 0, 0, 0, DEFAULT,                             \
      "names of the queues below it, separated by commas, without its path")                       \
    X(AUTO_CREATE, "auto-queue-creation-v2.enabled", QUEUE, BOOL, OF_QUEUE(auto_create), 0, 0, 0,  \
      DEFAULT, "submissions may create queues below it, several levels, with weights")             \
    X(MANAGED, "auto-create-child-queue.enabled", QUEUE, CREATION, OF_QUEUE(auto_create_legacy),   \
      0, 0, 0, DEFAULT, "submissions may create queues right below it, which get their capacity "  \
      "while they have applications; not for a queue that has queues in the file")                 \
    X(MANAGED_FAILS, "auto-create-child-queue.fail-on-exceeding-parent-capacity", MANAGED, BOOL,   \
      OF_QUEUE(auto_create_fails), 0, 0, 0, DEFAULT,                                               \
      "a submission that would create one is refused if there is no capacity left for it")         \
    X(MANAGED_POLICY, "auto-create-child-queue.management-policy", MANAGED, POLICY, NO_MEMBER, 0,  \
      0, 0, DEFAULT, "only GuaranteedOrZeroCapacityOverTimePolicy is available")                   \
    X(MANAGED_MAX_QUEUES, "auto-create-child-queue.max-queues", MANAGED, INT,                      \
      OF_QUEUE(auto_create_max_queues), 1000, 0, CAPACITY_QUEUES_MAX, DEFAULT,                     \
      "queues that submissions may create below it")                                               \
    X(AUTO_MAX_QUEUES, "auto-queue-creation-v2.max-queues", FLEXIBLE, INT,                         \
      OF_QUEUE(auto_create_max_queues), 1000, 0, CAPACITY_QUEUES_MAX, DEFAULT,                     \
      "queues that submissions may create right below it")                                         \
    X(AUTO_MAX_DEPTH, "auto-queue-creation-v2.maximum-queue-depth", QUEUE, INT,                    \
      OF_QUEUE(auto_create_max_depth), 2, 1, CAPACITY_DEPTH_MAX, DEFAULT,                          \
      "levels of queues that submissions may create below it")                                     \
    X(AUTO_REMOVAL, "auto-queue-creation-v2.queue-auto-removal.enable", QUEUE, BOOL,               \
      OF_QUEUE(auto_remove), 1, 0, 0, DEFAULT, "empty queues below it that submissions created "   \
      "are removed")                                                                               \
    X(TEMPLATE, "auto-queue-creation-v2.template.", TEMPLATE, ELSEWHERE, NO_MEMBER, 0, 0, 0,       \
      DEFAULT, "a key of the queues that submissions create below it")                             \
    X(LEAF_TEMPLATE, "auto-queue-creation-v2.leaf-template.", TEMPLATE, ELSEWHERE, NO_MEMBER, 0,   \
      0, 0, DEFAULT, "the same, of those that run applications; stronger than template")           \
    X(PARENT_TEMPLATE, "auto-queue-creation-v2.parent-template.", TEMPLATE, ELSEWHERE, NO_MEMBER,  \
      0, 0, 0, DEFAULT, "the same, of those that have queues below them")                          \
    X(MANAGED_TEMPLATE, "leaf-queue-template.", TEMPLATE, ELSEWHERE, NO_MEMBER, 0, 0, 0, DEFAULT,  \
      "the same, for auto-create-child-queue.enabled")                                             \
    /* --- capacities and labels ------------------------------------------------------- */        \
    X(ACCESS, "accessible-node-labels", QUEUE, LABELS, NO_MEMBER, 0, 0, 0, PARENT,                 \
      "labels whose nodes it may use; root has all")                                               \
    X(DEFAULT_LABEL, "default-node-label-expression", QUEUE, LABEL_NAME, NO_MEMBER, 0, 0, 0,       \
      PARENT, "label of requests that name none")                                                  \
    X(CAPACITY, "capacity", LABEL, CAPACITY, NO_MEMBER, 0, 0, 0, DEFAULT,                          \
      "its guaranteed part of the queue above it; has no effect for root (default: *0*)")          \
    X(MAXIMUM, "maximum-capacity", LABEL, MAXIMUM, NO_MEMBER, 0, 0, 0, DEFAULT,                    \
      "what it may use at most (default: *100*)")                                                  \
    X(AM_FRACTION, "maximum-am-resource-percent", LABEL, FRACTION, OF_SHARE(am_fraction), 0.1, 0,  \
      100, EVERY, "the part of it that AM containers may use")                                     \
    /* --- state and order ------------------------------------------------------------- */        \
    X(STATE, "state", QUEUE, STATE, NO_MEMBER, 0, 0, 0, PARENT,                                    \
      "a stopped queue, and those below it, accept no applications; what runs goes on")            \
    X(ORDER, "ordering-policy", QUEUE, ORDER, NO_MEMBER, 0, 0, 0, DEFAULT,                         \
      "of applications: fifo (default), fair, fifo-with-partitions or fifo-for-pending-apps; of "  \
      "queues: utilization (default) or priority-utilization")                                     \
    X(SIZE_WEIGHT, "ordering-policy.fair.enable-size-based-weight", QUEUE, BOOL,                   \
      OF_QUEUE(size_based_weight), 0, 0, 0, DEFAULT,                                               \
      "fair: an application weighs more the more it requests")                                     \
    X(PRIORITY, "priority", QUEUE, INT, OF_QUEUE(priority), 0, INT32_MIN, INT32_MAX, DEFAULT,      \
      "of the queue among its siblings, for priority-utilization; larger goes first")              \
    X(APP_PRIORITY, "default-application-priority", QUEUE, INT, OF_QUEUE(default_app_priority), 0, \
      0, INT32_MAX, DEFAULT, "priority of applications that are submitted without one")            \
    X(PRIORITIES, "acl_application_max_priority", QUEUE, PRIORITIES, NO_MEMBER, 0, 0, 0, DEFAULT,  \
      "which users may have which application priority; \\* and no list: all may have any")        \
    /* --- limits ---------------------------------------------------------------------- */        \
    X(USER_PERCENT, "minimum-user-limit-percent", QUEUE, FLOAT, OF_QUEUE(user_limit_percent), 100, \
      0, 100, EVERY, "the part of it that a user gets at least while others request more, in "     \
      "percent")                                                                                   \
    X(USER_FACTOR, "user-limit-factor", QUEUE, FACTOR, OF_QUEUE(user_limit_factor), 1, 0,          \
      1000000000, EVERY, "the most that one user gets, as a multiple of its capacity")             \
    X(USER_WEIGHT, "user-settings.<user>.weight", QUEUE, FLOAT, NO_MEMBER, 1, 0, 10000, DEFAULT,   \
      "weight of a user among those of the queue, and of the queues below it")                     \
    X(MAX_APPS, "maximum-applications", QUEUE, MAX_APPS, NO_MEMBER, -1, -1, INT32_MAX, DEFAULT,    \
      "applications in it, running or waiting (default: its part of all)")                         \
    X(MAX_PARALLEL, "max-parallel-apps", QUEUE, INT, OF_QUEUE(max_parallel_apps),                  \
      CAPACITY_NO_LIMIT, 0, INT32_MAX, EVERY, "applications that run in it at a time")             \
    X(ALLOCATION, "maximum-allocation", QUEUE, ALLOCATION, NO_MEMBER, 0, 0, 0, PARENT,             \
      "the largest container, at most that of the cluster")                                        \
    X(ALLOCATION_MB, "maximum-allocation-mb", QUEUE, INT, NO_MEMBER, 0, 1, INT64_C(1) << 40,       \
      PARENT, "the same, memory alone, where maximum-allocation is not set")                       \
    X(ALLOCATION_VCORES, "maximum-allocation-vcores", QUEUE, INT, NO_MEMBER, 0, 1,                 \
      INT64_C(1) << 40, PARENT, "the same, vcores alone")                                          \
    X(MAX_LIFETIME, "maximum-application-lifetime", QUEUE, INT, OF_QUEUE(maximum_lifetime_s), -1,  \
      -1, INT64_MAX / 1000, PARENT, "seconds after which an application is killed; 0 and -1: none")\
    X(LIFETIME, "default-application-lifetime", QUEUE, LIFETIME, OF_QUEUE(default_lifetime_s), -1, \
      -1, INT64_MAX / 1000, PARENT, "the same, of applications that name none")                    \
    X(NO_PREEMPTION, "disable_preemption", QUEUE, BOOL, OF_QUEUE(disable_preemption), 0, 0, 0,     \
      PARENT, "no containers are preempted from it for other queues")                              \
    X(NO_INTRA_PREEMPTION, "intra-queue-preemption.disable_preemption", QUEUE, BOOL,               \
      OF_QUEUE(disable_intra_preemption), 0, 0, 0, PARENT, "none are for others in the queue")     \
    X(ACL_SUBMIT, "acl_submit_applications", QUEUE, ACL, OF_QUEUE(acl_submit), 1, 0, 0, DEFAULT,   \
      "who may submit to it, besides those who may to the queues above (default: nobody; of "      \
      "root: everybody)")                                                                          \
    X(ACL_ADMINISTER, "acl_administer_queue", QUEUE, ACL, OF_QUEUE(acl_administer), 0, 0, 0,       \
      DEFAULT, "who may see, kill and move its applications (default: nobody)")                    \
    X(ZERO_SUM, "allow-zero-capacity-sum", QUEUE, BOOL, OF_QUEUE(allow_zero_capacity_sum), 0, 0,   \
      0, DEFAULT, "the queues below it may all have a capacity of 0")

#define CAPACITY_NO_RESERVATIONS "there are no reservations for times to come"
#define CAPACITY_ONE_NODE "a node is looked at by itself, the emptiest first"
#define CAPACITY_OF_QUEUES "it is a key of queues: <queue>."

#define CAPACITY_KEYS_WITHOUT_EFFECT(X)                                                            \
    X("schedule-asynchronously.enable", ALL, "*", "room is offered when it is there")              \
    X("schedule-asynchronously.*", ALL, NULL, "room is offered when it is there, by one thread")   \
    X("application.fail-fast", ALL, "false",                                                       \
      "an application whose queue is gone ends, not the RM")                                       \
    X("user-metrics.enable", ALL, "false", "creel queue users has the figures of users")           \
    X("multi-node-placement-enabled", ALL, "false", CAPACITY_ONE_NODE)                             \
    X("multi-node-sorting.*", ALL, NULL, CAPACITY_ONE_NODE)                                        \
    X("skip-allocate-on-nodes-with-reserved-containers", ALL, "true",                              \
      "a reserved node is offered to nobody else")                                                 \
    X("ordering-policy.priority-utilization.underutilized-preemption.allow-move-reservation", ALL, \
      "false", "a reservation stays on its node until it is served or given up")                   \
    X("ordering-policy.*", ALL, "*", CAPACITY_OF_QUEUES)                                           \
    X("queue-management-policy.*", ALL, NULL, "managed parents know one policy")                   \
    X("queue.auto.refresh.*", ALL, NULL, "creel admin refresh queues reads the file again")        \
    X("disable_preemption", ALL, "false", CAPACITY_OF_QUEUES)                                      \
    X("default-application-priority", ALL, "0", CAPACITY_OF_QUEUES)                                \
    X("app.*", ALL, NULL, "nothing is known of it")                                                \
    X("autoqueue.*", ALL, NULL, "auto-queue-creation-v2 is what makes queues")                     \
    X("auto-create-child-queue.*", ALL, NULL, CAPACITY_OF_QUEUES)                                  \
    X("node-labels.*", ALL, NULL, "creel.node-labels declares labels")                             \
    X("acl_administer_jobs", QUEUE, "*", "Hadoop 0.21 called acl_administer_queue so")             \
    X("acl_list_reservations", QUEUE, "*", CAPACITY_NO_RESERVATIONS)                               \
    X("acl_administer_reservations", QUEUE, "*", CAPACITY_NO_RESERVATIONS)                         \
    X("acl_submit_reservations", QUEUE, "*", CAPACITY_NO_RESERVATIONS)                             \
    X("reservable", QUEUE, "false", CAPACITY_NO_RESERVATIONS)                                      \
    X("show-reservations-as-queues", QUEUE, "false", CAPACITY_NO_RESERVATIONS)                     \
    X("average-capacity", QUEUE, NULL, CAPACITY_NO_RESERVATIONS)                                   \
    X("instantaneous-max-capacity", QUEUE, NULL, CAPACITY_NO_RESERVATIONS)                         \
    X("reservation-*", QUEUE, NULL, CAPACITY_NO_RESERVATIONS)                                      \
    X("multi-node-sorting.policy", QUEUE, NULL, CAPACITY_ONE_NODE)                                 \
    X("legacy-auto-queue-creation.max-queues", QUEUE, NULL,                                        \
      "auto-create-child-queue.max-queues is what counts")                                         \
    X("ordering-policy.*", QUEUE, "*", "the policies of creel have no further settings")           \
    X("accessible-node-labels.<label>.maximum-applications", QUEUE, "*",                           \
      "maximum-applications counts the applications of all labels")

enum capacity_key {
#define CAPACITY_KEY(constant, ...) CAPACITY_KEY_##constant,
    CAPACITY_KEYS(CAPACITY_KEY)
#undef CAPACITY_KEY
    CAPACITY_KEY_COUNT
};

/* A row. Rows without effect come after CAPACITY_KEY_COUNT others. */
struct capacity_key_info {
    const char *name;
    enum capacity_scope scope;
    enum capacity_type type;
    size_t offset, size;                /* of the member; size 0: it has none */
    double usual;                       /* the default */
    int64_t minimum, maximum;
    enum capacity_inherits inherits;
    const char *as_here;                /* of rows without effect: value without a warning */
    const char *doc;                    /* or the reason */
};

/* What <label> or <user> stands for in a name that was found; LENGTH 0: there is none. */
struct capacity_hole {
    const char *text;                   /* borrowed */
    size_t length;
};

const struct capacity_key_info *capacity_key_info(enum capacity_key key);
/* Row I, also those without effect; NULL behind the last. */
const struct capacity_key_info *capacity_key_at(size_t i);

/* The row for what is behind "yarn.scheduler.capacity." or, if OF_QUEUE, behind the path of a queue and
 * templates; NULL if there is none. HOLE may be NULL. */
const struct capacity_key_info *capacity_key_find(const char *name, bool of_queue,
                                                  struct capacity_hole *hole);
/* The name of KEY with LENGTH bytes of TEXT for its <label> or <user>; owned by the caller. */
char *capacity_key_fill(enum capacity_key key, const char *text, size_t length);
/* A key whose name is like NAME, which is none; or NULL. */
const char *capacity_key_nearest(const char *name, bool of_queue);
/* What is behind the templates with which the NAME of a key of a queue begins. */
const char *capacity_key_behind_templates(const char *name);

#endif
