/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h - from what a container was granted to what its cgroup is set to */
#ifndef CREEL_NM_LIMITS_H
#define CREEL_NM_LIMITS_H

#include <stdbool.h>

#include "common/base/resource.h"
#include "nm-agent/linux/cgroup_leaf.h"

struct limits_node {
    bool strict_cpu;
    int64_t vcores;                     /* that the node offers */
    int64_t cpus;                       /* that the machine has */
    int64_t pids_max;
};

/* YARN's: memory as a hard limit, 1024 shares a vcore, and in strict mode a quota of
 * vcores * CPUs / node's vcores, none for a container with all of them. */
struct leaf_limits limits_of(const struct resource *resource, const struct limits_node *node);

#endif
