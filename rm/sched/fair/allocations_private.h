/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocations_private.h - declarations shared by the files that parse the allocation file
 *
 * allocations_read.c reads the document, allocations_queue.c its queues, allocations_value.c the values of
 * elements; allocations.c manages the resulting struct.
 */
#ifndef CREEL_RM_SCHED_FAIR_ALLOCATIONS_PRIVATE_H
#define CREEL_RM_SCHED_FAIR_ALLOCATIONS_PRIVATE_H

#include "common/conf/problems.h"
#include "common/conf/xml_tree.h"
#include "rm/sched/fair/allocations.h"

#define FAIR_THRESHOLD_DEFAULT 0.5f

enum { /* bits of fair_settings.given */
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
    const struct fair_settings *queue; /* queue whose elements are being read, for messages; NULL: none */

    /* Defaults set for root. */
    int64_t min_share_timeout_ms, fair_share_timeout_ms;
    float fair_share_threshold;
};

/* --- allocations.c: the result ---------------------------------------------- */

/* Returns allocations with only root, without placement. */
struct fair_allocations *fair_allocations_new(void);
/* Adds a queue below PARENT, or root if PARENT is NULL, without defaults and inherited values. */
struct fair_settings *fair_allocations_add(struct fair_allocations *allocations,
                                           const struct fair_settings *parent, const char *name);
/* Returns settings->own, created if NULL. */
struct fair_own *fair_settings_own(struct fair_settings *settings);
/* Fills in the defaults of SETTINGS and the values inherited from its parent, for elements not in GIVEN. The
 * parent must be filled in before. */
void fair_settings_fill(const struct fair_allocations *allocations, struct fair_settings *settings);

/* --- allocations_queue.c ---------------------------------------------------- */

/* Reads the element NODE, a queue at the top of the file. ALONE: the file has no other queue at the top. */
void fair_read_queue(struct fair_reading *reading, const struct xml_node *node, bool alone);
/* Completes and checks all queues after the whole file is read. */
void fair_finish_queues(struct fair_reading *reading);

/* --- allocations_read.c ----------------------------------------------------- */

/* Warns that NODE is an unknown element at its place, and suggests a similar known one. */
void fair_warn_unknown(struct fair_reading *reading, const struct xml_node *node);

/* --- allocations_value.c ---------------------------------------------------- */

/* Report an error in the element NODE of reading->queue, or a warning about it. */
void fair_problem(struct fair_reading *reading, const struct xml_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fair_warning(struct fair_reading *reading, const struct xml_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Parse the text of NODE as a value. If the text is wrong, report a problem and leave the output
 * unchanged. */
void fair_read_count(struct fair_reading *reading, const struct xml_node *node, int64_t *count);
void fair_read_share(struct fair_reading *reading, const struct xml_node *node, float *share);
void fair_read_weight(struct fair_reading *reading, const struct xml_node *node, float *weight);
void fair_read_threshold(struct fair_reading *reading, const struct xml_node *node, float *threshold);
void fair_read_seconds(struct fair_reading *reading, const struct xml_node *node, int64_t *ms);
void fair_read_bool(struct fair_reading *reading, const struct xml_node *node, bool *value);
void fair_read_policy(struct fair_reading *reading, const struct xml_node *node, enum fair_policy *policy);
void fair_read_maximum(struct fair_reading *reading, const struct xml_node *node, struct fair_amount *amount);
/* Parses a value that cannot be a percentage: a minimum, or the largest container. As in YARN, a percentage
 * is ignored, with a warning. MISSING as in fair_amount_parse(). */
void fair_read_absolute(struct fair_reading *reading, const struct xml_node *node, int64_t missing,
                        struct resource *amount);
/* Frees and replaces *ACL. */
void fair_read_acl(struct fair_reading *reading, const struct xml_node *node, struct acl **acl);

#endif
