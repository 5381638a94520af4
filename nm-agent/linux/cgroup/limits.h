/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h - computes the cgroup limits of a container from its allocation (yarn-behaviour 13.3) */
#ifndef CREEL_NM_LIMITS_H
#define CREEL_NM_LIMITS_H

#include <stdbool.h>

#include "common/base/resource.h"
#include "nm-agent/linux/cgroup/cgroup_leaf.h"

struct limits_node {
    bool strict_cpu;
    bool memory_unlimited; /* memory.enabled or .enforced is false: usage is only measured */
    double soft_percent;   /* soft limit in percent of the hard limit */
    int64_t swappiness;
    bool memory_kills_container; /* a process killed for the memory limit ends its container */
    int64_t vcores;              /* vcores that the node offers */
    int64_t cpus;                /* CPUs of the machine */
    int64_t cpu_percent;         /* percentage of CPUS for all containers together */
    int64_t pids_max;
};

/* Computes YARN's limits: memory as a hard limit and a percentage of it as soft limit, 1024 CPU shares for
 * each vcore, and in strict mode a quota of vcores * CPUs for containers / node's vcores; no quota for a
 * container with all vcores. */
struct leaf_limits limits_of(const struct resource *resource, const struct limits_node *node);

struct limits_quota {
    int64_t quota_us; /* -1: no quota */
    int64_t period_us;
};

/* Computes the CPU quota of all containers together: none if they may use every CPU. */
struct limits_quota limits_of_tree(const struct limits_node *node);

#endif
