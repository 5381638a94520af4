/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocations_private.h - an allocation file while it is read
 *
 * allocations_read.c reads the document, allocations_queue.c its queues, allocations_value.c the values of
 * elements; allocations.c has the result.
 */
#ifndef CREEL_RM_SCHED_FAIR_ALLOCATIONS_PRIVATE_H
#define CREEL_RM_SCHED_FAIR_ALLOCATIONS_PRIVATE_H

#include "common/conf/problems.h"
#include "common/conf/xml_tree.h"
#include "rm/sched/fair/allocations.h"

#define FAIR_THRESHOLD_DEFAULT 0.5f

enum {                                  /* bits of fair_settings.given */
    GIVEN_MINIMUM = 1 << 0,
    GIVEN_MAXIMUM = 1 << 1,
    GIVEN_CHILD_MAXIMUM = 1 << 2,
    GIVEN_CONTAINER_MAXIMUM = 1 << 3,
    GIVEN_MAX_RUNNING_APPS = 1 << 4,
    GIVEN_MAX_AM_SHARE = 1 << 5,
    GIVEN_WEIGHT = 1 << 6,
    GIVEN_POLICY = 1 << 7,
    GIVEN_ACL_SUBMIT = 1 << 8,
    GIVEN_ACL_ADMINISTER = 1 << 9,
    GIVEN_MIN_SHARE_TIMEOUT = 1 << 10,
    GIVEN_FAIR_SHARE_TIMEOUT = 1 << 11,
    GIVEN_FAIR_SHARE_THRESHOLD = 1 << 12,
    GIVEN_ALLOW_PREEMPTION_FROM = 1 << 13,
    GIVEN_RESERVATION = 1 << 14,
};

struct fair_reading {
    const char *file;
    const struct fair_options *options;
    struct fair_allocations *allocations;
    struct problems problems;
    const struct fair_settings *queue;  /* whose elements are read, for messages; NULL: none */

    /* The defaults of root. */
    int64_t min_share_timeout_ms, fair_share_timeout_ms;
    float fair_share_threshold;
};

/* --- allocations.c: the result ---------------------------------------------- */

/* Root alone, without placement. */
struct fair_allocations *fair_allocations_new(void);
/* A queue below PARENT, or (NULL) root, without defaults and inherited values. */
struct fair_settings *fair_allocations_add(struct fair_allocations *allocations,
                                           const struct fair_settings *parent, const char *name);
/* Its own settings, created if it has none yet. */
struct fair_own *fair_settings_own(struct fair_settings *settings);
/* Add to SETTINGS, whose own elements are in GIVEN, the defaults, and the values that it inherits from its
 * parent, which has them already. */
void fair_settings_fill(const struct fair_allocations *allocations,
                        struct fair_settings *settings);

/* --- allocations_queue.c ---------------------------------------------------- */

/* The element NODE, a queue at the top of the file. ALONE: there is no other. */
void fair_read_queue(struct fair_reading *reading, const struct xml_node *node, bool alone);
/* Complete and check all queues after all of the file is read. */
void fair_finish_queues(struct fair_reading *reading);

/* --- allocations_read.c ----------------------------------------------------- */

/* NODE is an element that is not known there: warn, and suggest the one that may have been meant. */
void fair_warn_unknown(struct fair_reading *reading, const struct xml_node *node);

/* --- allocations_value.c ---------------------------------------------------- */

/* Report an error in, or a warning about, the element NODE of reading->queue. */
void fair_problem(struct fair_reading *reading, const struct xml_node *node, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));
void fair_warning(struct fair_reading *reading, const struct xml_node *node, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));

/* The text of NODE as a value. If it is wrong, it is reported, and the output does not change. */
void fair_read_count(struct fair_reading *reading, const struct xml_node *node, int64_t *count);
void fair_read_share(struct fair_reading *reading, const struct xml_node *node, float *share);
void fair_read_weight(struct fair_reading *reading, const struct xml_node *node, float *weight);
void fair_read_threshold(struct fair_reading *reading, const struct xml_node *node,
                         float *threshold);
void fair_read_seconds(struct fair_reading *reading, const struct xml_node *node, int64_t *ms);
void fair_read_bool(struct fair_reading *reading, const struct xml_node *node, bool *value);
void fair_read_policy(struct fair_reading *reading, const struct xml_node *node,
                      enum fair_policy *policy);
void fair_read_maximum(struct fair_reading *reading, const struct xml_node *node,
                       struct fair_amount *amount);
/* A percentage is not possible for a minimum and for the largest container. As in YARN it is ignored there; a
 * warning reports that. MISSING as in fair_amount_parse. */
void fair_read_absolute(struct fair_reading *reading, const struct xml_node *node,
                        int64_t missing, struct resource *amount);
/* *ACL is freed and replaced. */
void fair_read_acl(struct fair_reading *reading, const struct xml_node *node, struct acl **acl);

#endif
