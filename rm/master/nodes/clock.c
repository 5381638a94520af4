/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - differences between the clocks of nodes and the resource manager's, as measured by the agents */
#include <stdlib.h>

#include "rm/master/nodes/clock.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/index.h"

/* Returns true if a clock difference of SKEW_MS, measured with an error of at most ERROR_MS, is certainly
 * larger than LIMIT_MS. */
static bool clock_differs(int64_t skew_ms, int64_t error_ms, int64_t limit_ms)
{
    /* (the wire rules bound both figures of a node, so that the sums fit) */
    return skew_ms > limit_ms ? skew_ms - error_ms > limit_ms : skew_ms + error_ms < -limit_ms;
}

void rm_clock_update(struct master *m, struct node *node, const Creel__Heartbeat *body)
{
    int64_t limit_ms = node->clock.differs ? m->config.clock_skew_ms / 2 : m->config.clock_skew_ms;
    bool differs = clock_differs(body->clock_skew_ms, body->clock_error_ms, limit_ms);

    node->clock.measured = body->clock_measured;
    node->clock.skew_ms = body->clock_skew_ms;
    node->clock.error_ms = body->clock_error_ms;
    if (!body->clock_measured || differs == node->clock.differs)
        return;
    node->clock.differs = differs;
    rm_event_node_clock(m, node);
}

bool rm_clock_differs(const struct master *m, const struct node *node)
{
    return node->clock.measured &&
           clock_differs(node->clock.skew_ms, node->clock.error_ms, m->config.clock_skew_ms);
}

void rm_clock_report(const struct node *node, Creel__NodeReport *report)
{
    report->clock_measured = node->clock.measured;
    report->clock_skew_ms = node->clock.skew_ms;
    report->clock_error_ms = node->clock.error_ms;
}

static int64_t distance_ms(int64_t skew_ms)
{
    return skew_ms < 0 ? -skew_ms : skew_ms;
}

void rm_clock_summarise(struct master *m, Creel__ClusterInfo *info)
{
    const struct node *most = NULL;
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        if (!node->clock.measured || node->sched == NULL)
            continue;
        info->nodes_skewed += rm_clock_differs(m, node);
        if (most == NULL || distance_ms(node->clock.skew_ms) > distance_ms(most->clock.skew_ms))
            most = node;
    }
    if (most == NULL)
        return;
    info->clock_node = rm_message_text(m->out->arena, most->id);
    info->clock_skew_ms = most->clock.skew_ms;
}
