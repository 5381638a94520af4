/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - from what a container was granted to what its cgroup is set to */
#include "nm-agent/linux/limits.h"

#define LONGEST_US 1000000
#define SHORTEST_US 1000                /* the kernel takes no shorter period or quota */

/* YARN's quota helper: the longest period for a whole CPU or less, a period that shrinks with
 * the number of CPUs for more. */
static void set_quota(double cpus, struct leaf_limits *limits)
{
    limits->cpu_quota_us = LONGEST_US;
    limits->cpu_period_us = LONGEST_US;
    if (cpus < 1) {
        limits->cpu_quota_us = (int64_t)(LONGEST_US * cpus);
        if (limits->cpu_quota_us < SHORTEST_US)
            limits->cpu_quota_us = SHORTEST_US;
        return;
    }
    limits->cpu_period_us = (int64_t)(LONGEST_US / cpus);
    if (limits->cpu_period_us < SHORTEST_US) {
        limits->cpu_quota_us = -1;
        limits->cpu_period_us = LONGEST_US;
    }
}

struct leaf_limits limits_of(const struct resource *resource, const struct limits_node *node)
{
    int64_t vcores = resource->value[RESOURCE_VCORES] > 0 ? resource->value[RESOURCE_VCORES] : 1;
    struct leaf_limits limits = {
        .vcores = vcores,
        .cpu_quota_us = -1,
        .cpu_period_us = LONGEST_US,
        .pids_max = node->pids_max,
    };

    if (__builtin_mul_overflow(resource->value[RESOURCE_MEMORY_MB], (int64_t)1 << 20,
                               &limits.memory_bytes))
        limits.memory_bytes = INT64_MAX & ~(int64_t)0xfff;
    if (node->strict_cpu && node->vcores > 0 && vcores != node->vcores)
        set_quota((float)(vcores * node->cpus) / (float)node->vcores, &limits);
    return limits;
}
