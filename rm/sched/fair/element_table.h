/* SPDX-License-Identifier: Apache-2.0 */
/*
 * element_table.h - table of all elements of the allocation file, one row each
 *
 * The reader (allocations_queue.c, allocations_read.c), placement.c and fair-scheduler.xml(5) are made from
 * these rows. An element that is not in them gets a warning.
 */
#ifndef CREEL_RM_SCHED_FAIR_ELEMENT_TABLE_H
#define CREEL_RM_SCHED_FAIR_ELEMENT_TABLE_H

#define FAIR_COUNT "whole number from 0"
#define FAIR_AMOUNT "as 4096 mb, 2 vcores or memory-mb=4096, vcores=2 or 50.0% memory, 30.0% cpu"
#define FAIR_NO_RESERVATIONS "has no effect: there are no reservations"

/* Elements of <queue>: ("name", reader function, bit of fair_settings.given, "values", "one line"). If the
 * bit is 0, an element that occurs twice gives no warning. */
#define FAIR_QUEUE_ELEMENTS(X) \
    X("minResources", read_minimum, GIVEN_MINIMUM, FAIR_AMOUNT, \
      "the queue starves below it; amounts only (default: 0)") \
    X("maxResources", read_maximum, GIVEN_MAXIMUM, FAIR_AMOUNT, \
      "what it may use at most (default: queueMaxResourcesDefault)") \
    X("maxChildResources", read_child_maximum, GIVEN_CHILD_MAXIMUM, FAIR_AMOUNT, \
      "maxResources of the queues right below it that submissions create") \
    X("maxContainerAllocation", read_container_maximum, GIVEN_CONTAINER_MAXIMUM, FAIR_AMOUNT, \
      "the largest container; amounts only (default: that of the queue above it)") \
    X("maxRunningApps", read_max_running_apps, GIVEN_MAX_RUNNING_APPS, FAIR_COUNT, \
      "applications that run in it at a time (default: queueMaxAppsDefault)") \
    X("maxAMShare", read_max_am_share, GIVEN_MAX_AM_SHARE, "number from 0 to 1, or -1: no limit", \
      "the part of its fair share that AM containers may use (default: queueMaxAMShareDefault)") \
    X("weight", read_weight, GIVEN_WEIGHT, "number from 0", \
      "its share of the queue above it, in proportion to the weights of its siblings (default: 1)") \
    X("schedulingPolicy", read_policy, GIVEN_POLICY, "fair, drf or fifo, or YARN's class for it", \
      "how it divides its share; fifo only for queues with applications (default: " \
      "defaultQueueSchedulingPolicy)") \
    X("schedulingMode", read_policy, GIVEN_POLICY, "as schedulingPolicy", \
      "the old name of schedulingPolicy") \
    X("aclSubmitApps", read_acl_submit, GIVEN_ACL_SUBMIT, "access list", \
      "users and groups that may submit to it and to the queues below it (default: nobody; of " \
      "root: everybody)") \
    X("aclAdministerApps", read_acl_administer, GIVEN_ACL_ADMINISTER, "access list", \
      "users and groups that may also see, kill and move its applications (default: nobody; of " \
      "root: everybody)") \
    X("minSharePreemptionTimeout", read_min_share_timeout, GIVEN_MIN_SHARE_TIMEOUT, "seconds", \
      "how long it is below minResources before containers are preempted for it (default: that " \
      "of the queue above it)") \
    X("fairSharePreemptionTimeout", read_fair_share_timeout, GIVEN_FAIR_SHARE_TIMEOUT, "seconds", \
      "how long it is below fairSharePreemptionThreshold (default: that of the queue above it)") \
    X("fairSharePreemptionThreshold", read_fair_share_threshold, GIVEN_FAIR_SHARE_THRESHOLD, \
      "number from 0 to 1", \
      "the part of its fair share below which it starves (default: that of the queue above it)") \
    X("allowPreemptionFrom", read_allow_preemption_from, GIVEN_ALLOW_PREEMPTION_FROM, "true or false", \
      "containers of it and of the queues below it may be preempted for other " \
      "queues (default: true)") \
    X("reservation", read_reservation, GIVEN_RESERVATION, "empty", \
      "makes it a queue without applications of its own; creel has no reservations of resources") \
    X("aclAdministerReservations", read_reservation_acl, 0, "access list", FAIR_NO_RESERVATIONS) \
    X("aclListReservations", read_reservation_acl, 0, "access list", FAIR_NO_RESERVATIONS) \
    X("aclSubmitReservations", read_reservation_acl, 0, "access list", FAIR_NO_RESERVATIONS)

/* Elements of <allocations>: ("name", "values", "one line"). */
#define FAIR_TOP_ELEMENTS(X) \
    X("queue", "elements", "a queue, see *QUEUES*") \
    X("pool", "elements", "the old name of queue") \
    X("user", "elements", \
      "its attribute name is a user; its one element maxRunningApps (whole " \
      "number from 0) is how many applications of that user run at a time") \
    X("userMaxAppsDefault", FAIR_COUNT, "the same, of users without their own (default: no limit)") \
    X("queueMaxAppsDefault", FAIR_COUNT, "maxRunningApps of queues without it (default: no limit)") \
    X("queueMaxResourcesDefault", FAIR_AMOUNT, "maxResources of queues without it (default: no limit)") \
    X("queueMaxAMShareDefault", "number from 0 to 1, or -1: no limit", \
      "maxAMShare of queues without it (default: 0.5)") \
    X("defaultMinSharePreemptionTimeout", "seconds", "minSharePreemptionTimeout of root (default: never)") \
    X("defaultFairSharePreemptionTimeout", "seconds", "fairSharePreemptionTimeout of root (default: never)") \
    X("fairSharePreemptionTimeout", "seconds", "the old name of the same") \
    X("defaultFairSharePreemptionThreshold", "number from 0 to 1", \
      "fairSharePreemptionThreshold of root (default: 0.5)") \
    X("defaultQueueSchedulingPolicy", "fair or drf", \
      "schedulingPolicy of queues without it (default: fair)") \
    X("defaultQueueSchedulingMode", "fair or drf", "the old name of the same") \
    X("queuePlacementPolicy", "elements", "the queue of a submission, see *PLACEMENT*") \
    X("reservation-planner", "text", FAIR_NO_RESERVATIONS) \
    X("reservation-agent", "text", FAIR_NO_RESERVATIONS) \
    X("reservation-policy", "text", FAIR_NO_RESERVATIONS)

/* Rules of queuePlacementPolicy: (constant, "name", when the rule never continues with the next one, whether
 * the rule may have an inner rule, whether the rule may be an inner rule, "one line"). */
#define FAIR_RULES(X) \
    X(RULE_SPECIFIED, "specified", END_NEVER, false, true, \
      "the queue that the submission names; passes on if it names none, or default") \
    X(RULE_USER, "user", END_IF_CREATING, true, true, "root.USER") \
    X(RULE_PRIMARY_GROUP, "primaryGroup", END_IF_CREATING, true, true, \
      "root.GROUP, with the user's first group") \
    X(RULE_SECONDARY_GROUP, "secondaryGroupExistingQueue", END_NEVER, true, true, \
      "root.GROUP, with the first of the user's groups for which there is such a queue") \
    X(RULE_NESTED, "nestedUserQueue", END_IF_CREATING, true, false, \
      "a queue called after the user, below the queue that the rule inside of this one gives") \
    X(RULE_DEFAULT, "default", END_IF_CREATING, false, true, \
      "the queue of its attribute queue, or root.default") \
    X(RULE_REJECT, "reject", END_ALWAYS, false, false, "refuses the submission")

#endif
