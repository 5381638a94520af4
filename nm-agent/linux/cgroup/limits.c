/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - computes the cgroup limits of a container from its allocation */
#include "nm-agent/linux/cgroup/limits.h"

#define LONGEST_US 1000000
#define SHORTEST_US 1000 /* minimum period and quota of the kernel */
#define MIB ((int64_t)1 << 20)

/* Computes a quota as YARN does: the longest period for less than one CPU, for more CPUs a period that
 * shrinks with their number. */
static struct limits_quota quota_of(float cpus)
{
    struct limits_quota quota = { LONGEST_US, LONGEST_US };

    if (cpus < 1) {
        quota.quota_us = (int64_t)(LONGEST_US * cpus);
        if (quota.quota_us < SHORTEST_US)
            quota.quota_us = SHORTEST_US;
        return quota;
    }
    quota.period_us = (int64_t)(LONGEST_US / cpus);
    if (quota.period_us < SHORTEST_US)
        quota = (struct limits_quota){ -1, LONGEST_US };
    return quota;
}

static float cpus_for_containers(const struct limits_node *node)
{
    return (float)(node->cpus * node->cpu_percent) / 100.0f;
}

struct limits_quota limits_of_tree(const struct limits_node *node)
{
    float cpus = cpus_for_containers(node);

    if (node->cpus == (int64_t)cpus)
        return (struct limits_quota){ -1, LONGEST_US };
    return quota_of(cpus);
}

static int64_t bytes_of(double mb)
{
    return mb >= (double)(INT64_MAX / MIB) ? INT64_MAX & ~(int64_t)0xfff : (int64_t)mb * MIB;
}

static void limit_memory(int64_t memory_mb, const struct limits_node *node, struct leaf_limits *limits)
{
    limits->memory_bytes = limits->memory_soft_bytes = -1;
    if (node->memory_unlimited)
        return;
    limits->memory_bytes = bytes_of((double)memory_mb);
    limits->memory_soft_bytes = bytes_of((double)memory_mb * node->soft_percent / 100);
    limits->swappiness = node->swappiness;
    limits->memory_kills_all = node->memory_kills_container;
}

struct leaf_limits limits_of(const struct resource *resource, const struct limits_node *node)
{
    int64_t vcores = resource->value[RESOURCE_VCORES] > 0 ? resource->value[RESOURCE_VCORES] : 1;
    struct limits_quota quota = { -1, LONGEST_US };
    struct leaf_limits limits = { .vcores = vcores, .pids_max = node->pids_max };

    limit_memory(resource->value[RESOURCE_MEMORY_MB], node, &limits);
    if (node->strict_cpu && node->vcores > 0 && vcores != node->vcores)
        quota = quota_of((float)vcores * cpus_for_containers(node) / (float)node->vcores);
    limits.cpu_quota_us = quota.quota_us;
    limits.cpu_period_us = quota.period_us;
    return limits;
}
