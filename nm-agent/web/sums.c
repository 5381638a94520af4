/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c - sums over the containers of a node, for metrics */
#include "nm-agent/web/sums.h"

#include <stdbool.h>

static bool may_run(Creel__AgentPhase phase)
{
    return phase >= CREEL__AGENT_PHASE__AGENT_PHASE_WAITING &&
           phase <= CREEL__AGENT_PHASE__AGENT_PHASE_STOPPING;
}

struct node_sums node_sums_of(const Creel__AgentSnapshot *node)
{
    struct node_sums sums = { .used_bytes = 0 };

    if (node->total != NULL) {
        sums.total_mb = node->total->memory_mb;
        sums.total_vcores = node->total->vcores;
    }
    for (size_t i = 0; i < node->n_containers; i++) {
        const Creel__AgentContainer *container = node->containers[i];

        if ((size_t)container->phase < NODE_PHASES)
            sums.containers[container->phase]++;
        if (container->phase == CREEL__AGENT_PHASE__AGENT_PHASE_RUNNING)
            sums.used_bytes += container->memory_bytes;
        if (!may_run(container->phase) || container->resource == NULL)
            continue;
        sums.allocated_mb += container->resource->memory_mb;
        sums.allocated_vcores += container->resource->vcores;
    }
    return sums;
}
