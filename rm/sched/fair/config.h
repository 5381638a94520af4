/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - the configuration of the fair scheduler: keys of yarn-site.xml, and the allocation file
 *
 * yarn-behaviour 8.1 describes the keys, allocations.h the file. A refresh reads both again, and applies all
 * of the new configuration or nothing.
 */
#ifndef CREEL_RM_SCHED_FAIR_CONFIG_H
#define CREEL_RM_SCHED_FAIR_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/resource.h"
#include "common/conf/conf.h"
#include "rm/sched/fair/access.h"
#include "rm/sched/fair/allocations.h"

struct sched_config;

/* One key yarn.scheduler.fair.am.preemption.<queue>. */
struct fair_am_rule {
    char *path; /* owned */
    bool preempt;
};

struct fair_config {
    struct fair_allocations *allocations; /* owned */
    struct fair_access *access;           /* owned; NULL: access is not restricted */
    struct resource_types types;
    struct resource minimum, maximum, increment; /* sizes of one container */

    bool preemption;
    float preemption_threshold; /* preemption starts above this used fraction of the cluster */
    int64_t wait_before_kill_ms, wait_before_check_ms;
    bool am_preemption;
    struct fair_am_rule *am_rules; /* owned; overrides for single queues */
    size_t am_rule_count;

    bool size_based_weight;
    bool assign_multiple, dynamic_max_assign;
    int64_t max_assign;                   /* -1: no limit */
    double locality_node, locality_rack;  /* fraction of the nodes as missed opportunities; below 0:
                                             no delay */
    int64_t delay_node_ms, delay_rack_ms; /* below 0: no delay */
    bool continuous;
    int64_t continuous_sleep_ms, continuous_batch; /* for the caller of sched_node_batch */
    int64_t update_interval_ms;                    /* for the caller of sched_update */
    int64_t heartbeat_ms;
    float reservable_nodes;
    double reservation_multiple; /* in multiples of INCREMENT */
};

/*
 * Reads the keys of CONF and the allocation file TEXT, SIZE bytes, called NAME in messages. TEXT NULL: there
 * is no file, and the only queues are root and root.default. WARN (may be NULL) as fair_allocations_load.
 * -EINVAL: ERR has one line for each problem, with file, line and what was expected.
 */
int fair_config_load(const struct conf *conf, const char *name, const char *text, size_t size,
                     conf_warn_fn *warn, void *context, struct fair_config **ret, struct err *err);
/* Sets the members of CONFIG for the size of containers to those of CONFIG's `fair`. */
void fair_config_set_sizes(struct sched_config *config);
void fair_config_free(struct fair_config *config); /* NULL is fine */

/* Returns true if AMs of applications in the queue PATH may be preempted. */
bool fair_config_may_preempt_am(const struct fair_config *config, const char *path);

#endif
