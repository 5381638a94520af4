/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h - from what a container was granted to what its cgroup is set to (yarn-behaviour 13.3) */
#ifndef CREEL_NM_LIMITS_H
#define CREEL_NM_LIMITS_H

#include <stdbool.h>

#include "common/base/resource.h"
#include "nm-agent/linux/cgroup_leaf.h"

struct limits_node {
    bool strict_cpu;
    bool memory_unlimited;              /* memory.enabled or .enforced is false: only measured */
    double soft_percent;                /* of the hard limit */
    int64_t swappiness;
    int64_t vcores;                     /* that the node offers */
    int64_t cpus;                       /* that the machine has */
    int64_t cpu_percent;                /* of them for all containers */
    int64_t pids_max;
};

/* YARN's: memory as a hard limit and a part of it as soft one, 1024 shares a vcore, and in strict
 * mode a quota of vcores * CPUs for containers / node's vcores, none for a container with all of
 * them. */
struct leaf_limits limits_of(const struct resource *resource, const struct limits_node *node);

struct limits_quota {
    int64_t quota_us;                   /* -1: none */
    int64_t period_us;
};

/* For all containers together: none if they may take every CPU. */
struct limits_quota limits_of_tree(const struct limits_node *node);

#endif
