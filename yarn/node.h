/* SPDX-License-Identifier: Apache-2.0 */
/* node.h - a node, and the numbers of nodes by state, as YARN shows them */
#ifndef CREEL_YARN_NODE_H
#define CREEL_YARN_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

/* --- states ------------------------------------------------------------------ */

/* The values of NodeState, as in YARN's messages. */
#define YARN_NODE_STATES "NEW,RUNNING,UNHEALTHY,DECOMMISSIONED,LOST,REBOOTED,DECOMMISSIONING,SHUTDOWN"

/* Returns YARN's NodeState.
 * Differs: YARN has no drained nodes. Like decommissioning nodes, they get no new containers, and may return
 * to service: they are DECOMMISSIONING. Nodes that wait for a decision of the operator are NEW: they are not
 * registered, and in no sum of struct yarn_node_counts. */
const char *yarn_node_state(Creel__NodeState state);
/* Returns the states that have this name in YARN, in upper or lower case, as bits (1 << state); 0: none. */
uint32_t yarn_node_states_parse(const char *name);

/* Returns creel's name, as in pages, the command creel and its JSON; there are more, such as "DRAINED". */
const char *node_state_name(Creel__NodeState state);
/* Reads a name of creel in upper or lower case. Returns false if there is no such name. */
bool node_state_parse(const char *text, Creel__NodeState *ret);

/* --- values ------------------------------------------------------------------ */

/* The nodes of a cluster by state. TOTAL does not count rebooted nodes and those that wait to register. */
struct yarn_node_counts {
    int64_t total, active, unhealthy, lost, decommissioning, decommissioned, rebooted, shut_down;
};
struct yarn_node_counts yarn_node_counts(const Creel__ClusterInfo *cluster);

/* Returns the memory in use on a node: NODE_BYTES, or if its agent does not measure that (0), that of its
 * containers. */
int64_t yarn_node_used_mb(uint64_t node_bytes, uint64_t containers_bytes);
double yarn_cores(uint32_t millicores);
float yarn_node_memory_percent(const Creel__NodeReport *node); /* in use, of what the node offers */
float yarn_node_cpu_percent(const Creel__NodeReport *node);

#endif
