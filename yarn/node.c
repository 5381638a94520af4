/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - a node, and the numbers of nodes by state, as YARN shows them */
#include "yarn/node.h"

#include <strings.h>

#include "common/proto/value_name.h"
#include "yarn/resource.h"

/* --- states ------------------------------------------------------------------ */

const char *yarn_node_state(Creel__NodeState state)
{
    switch (state) {
    case CREEL__NODE_STATE__NODE_DRAINING:
    case CREEL__NODE_STATE__NODE_DRAINED:
        return node_state_name(CREEL__NODE_STATE__NODE_DECOMMISSIONING);
    case CREEL__NODE_STATE__NODE_WAITING:
        return "NEW";
    default:
        return node_state_name(state);
    }
}

uint32_t yarn_node_states_parse(const char *name)
{
    uint32_t states = 0;

    for (Creel__NodeState state = CREEL__NODE_STATE__NODE_RUNNING; state <= CREEL__NODE_STATE__NODE_WAITING;
         state++)
        if (strcasecmp(yarn_node_state(state), name) == 0)
            states |= 1u << state;
    return states;
}

const char *node_state_name(Creel__NodeState state)
{
    if (state == CREEL__NODE_STATE__NODE_SHUT_DOWN)
        return "SHUTDOWN"; /* YARN's spelling */
    return state == CREEL__NODE_STATE__NODE_STATE_ANY
               ? "UNKNOWN"
               : value_name(&creel__node_state__descriptor, (int)state);
}

bool node_state_parse(const char *text, Creel__NodeState *ret)
{
    for (Creel__NodeState state = CREEL__NODE_STATE__NODE_RUNNING; state <= CREEL__NODE_STATE__NODE_WAITING;
         state++) {
        if (strcasecmp(node_state_name(state), text) == 0) {
            *ret = state;
            return true;
        }
    }
    return false;
}

/* --- values ------------------------------------------------------------------ */

struct yarn_node_counts yarn_node_counts(const Creel__ClusterInfo *cluster)
{
    struct yarn_node_counts counts = {
        .active = cluster->nodes_running,
        .unhealthy = cluster->nodes_unhealthy,
        .lost = cluster->nodes_lost,
        .decommissioning =
            (int64_t)cluster->nodes_decommissioning + cluster->nodes_draining + cluster->nodes_drained,
        .decommissioned = cluster->nodes_decommissioned,
        .shut_down = cluster->nodes_shut_down,
    };

    counts.total = counts.active + counts.unhealthy + counts.lost + counts.decommissioning +
                   counts.decommissioned + counts.shut_down;
    return counts;
}

int64_t yarn_node_used_mb(uint64_t node_bytes, uint64_t containers_bytes)
{
    return (int64_t)((node_bytes > 0 ? node_bytes : containers_bytes) >> 20);
}

double yarn_cores(uint32_t millicores)
{
    return (double)millicores / 1000;
}

float yarn_node_memory_percent(const Creel__NodeReport *node)
{
    int64_t used_mb = yarn_node_used_mb(node->node_memory_bytes, node->used_memory_bytes);
    int64_t total_mb = yarn_memory_mb(node->total);

    return total_mb > 0 ? (float)used_mb / (float)total_mb * 100 : 0;
}

float yarn_node_cpu_percent(const Creel__NodeReport *node)
{
    int64_t vcores = yarn_vcores(node->total);

    return vcores > 0 ? (float)(yarn_cores(node->node_cpu_millicores) / (double)vcores * 100) : 0;
}
