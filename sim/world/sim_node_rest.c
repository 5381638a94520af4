/* SPDX-License-Identifier: Apache-2.0 */
/* sim_node_rest.c - checks at the end of a world that nothing is left on a node */
#include <errno.h>
#include <bsd/sys/queue.h>

#include "nm-agent/core/agent.h"
#include "sim/world/actors.h"
#include "sim/world/sim_machine.h"

int sim_node_check_rest(const struct sim_node *node, struct err *err)
{
    struct agent_summary summary;

    if (node->agent == NULL)
        return err_set(err, EINVAL, "node %u is down", node->index);
    summary = agent_summarise(node->agent);
    if (!summary.registered)
        return err_set(err, EINVAL, "node %u is not registered", node->index);
    if (summary.live || summary.ended || summary.tombstones)
        return err_set(err, EINVAL, "node %u has %zu live, %zu ended, %zu remembered containers", node->index,
                       summary.live, summary.ended, summary.tombstones);
    if (!TAILQ_EMPTY(&node->containers))
        return err_set(err, EINVAL, "node %u still has files of %s", node->index,
                       TAILQ_FIRST(&node->containers)->id);
    return 0;
}
