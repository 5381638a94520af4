/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_user_fields.h - the values of a user of a queue that users see, one row each
 *
 * common/record/container_fields.h explains the rows, and what is made from them. From is the name in
 * QueueUserReport. QUEUE_USER_AMOUNTS are those that a user also has on the nodes of a label
 * (QueueUserPartition).
 */
#ifndef CREEL_RECORD_QUEUE_USER_FIELDS_H
#define CREEL_RECORD_QUEUE_USER_FIELDS_H

#define QUEUE_USER_AMOUNTS(F) \
    F(5, used, used, AMOUNTS, ALWAYS, "used", NO_CSV, "") \
    F(6, reserved, reserved, AMOUNTS, ALWAYS, "reserved", NO_CSV, "") \
    F(7, limit, limit, AMOUNTS, ALWAYS, "limit", NO_CSV, "") \
    F(8, am_used, am_used, AMOUNTS, ALWAYS, "amUsed", NO_CSV, "resources of AMs") \
    F(9, am_limit, am_limit, AMOUNTS, ALWAYS, "amLimit", NO_CSV, "limit of AMs")

#define QUEUE_USER_FIELDS(F) \
    F(1, user, user, TEXT, ALWAYS, "user", NO_CSV, "") \
    F(4, active, active, FLAG, ALWAYS, "active", NO_CSV, "has pending requests") \
    F(3, weight, weight, NUMBER, ALWAYS, "weight", NO_CSV, "") \
    QUEUE_USER_AMOUNTS(F) \
    F(10, active_apps, active_apps, UINT32, ALWAYS, "activeApps", NO_CSV, "") \
    F(11, waiting_apps, waiting_apps, UINT32, ALWAYS, "waitingApps", NO_CSV, "") \
    F(13, fair_share, fair_share, AMOUNTS, GIVEN, "fairShare", NO_CSV, \
      "fair scheduler: sum over the user's applications; else 0") \
    F(14, by_label, partitions, OTHER(by_label, const struct creel_queue_user *), GIVEN, "", NO_CSV, \
      "the user on the nodes of labels that it uses or requests") \
    F(2, label, user, OTHER(label, const char *), NEVER, "", NO_CSV, \
      "of the nodes on which it has the amounts; \"\": nodes without one") \
    F(12, by_label_count, n_partitions, OTHER(by_label_count, uint32_t), NEVER, "", NO_CSV, "")

#endif
