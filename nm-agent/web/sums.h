/* SPDX-License-Identifier: Apache-2.0 */
/* sums.h - sums over the containers of a node, for metrics (pure) */
#ifndef CREEL_NM_WEB_SUMS_H
#define CREEL_NM_WEB_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

#define NODE_PHASES (CREEL__AGENT_PHASE__AGENT_PHASE_ACKNOWLEDGED + 1)

struct node_sums {
    size_t containers[NODE_PHASES];         /* by phase */
    int64_t total_mb, total_vcores;         /* what the node offers */
    int64_t allocated_mb, allocated_vcores; /* to containers that may have processes */
    uint64_t used_bytes;                    /* by containers that run, as measured last */
};

struct node_sums node_sums_of(const Creel__AgentSnapshot *node);

#endif
