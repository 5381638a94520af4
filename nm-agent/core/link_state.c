/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link_state.c - the part of the connection to the RM that containers use: the lease, urgent heartbeats, the
 * end of a refused agent
 *
 * A lower layer than containers.c and link.c, which both use it.
 */
#include "nm-agent/core/state.h"

#define BATCH_MS 20 /* changes within this time share a heartbeat */

void link_urgent(struct step *step)
{
    struct link *link = &step->agent->link;

    if (step->now.steady_ms + BATCH_MS < link->urgent_at)
        link->urgent_at = step->now.steady_ms + BATCH_MS;
}

/* --- the lease ---------------------------------------------------------------- */

/* If the RM gets no heartbeat of a node for its expiry interval, it counts the node as lost, and runs the
 * node's containers again on other nodes. So no container is started unless the RM certainly regards this
 * node as alive: it answered a heartbeat of this session (with the stop orders for containers that it has
 * given up), sent less than that interval ago. An eighth of the interval is reserved for clocks that run at
 * different speeds. */
void link_renew_lease(struct link *link)
{
    link->contact_at = link->sent_at;
    if (link->lease_ms == INT64_MAX)
        link->leased_until = INT64_MAX;
    else
        link->leased_until = link->sent_at + (link->lease_ms - link->lease_ms / 8);
}

int64_t agent_contact_ms(const struct agent *agent)
{
    return agent->link.contact_at;
}

bool link_is_leased(const struct agent *agent, struct agent_time now)
{
    return now.steady_ms < agent->link.leased_until;
}

/* --- refusal ------------------------------------------------------------------ */

void link_settle(struct step *step)
{
    struct agent *agent = step->agent;
    struct agent_effect *effect;
    size_t live = 0;

    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        if (!container_phase_over((enum container_phase)phase))
            live += agent->phase_counts[phase];
    }
    if (agent->link.state != LINK_REFUSED || agent->link.shutdown_sent || live > 0)
        return;
    agent->link.shutdown_sent = true;
    effect = effect_add(step, AGENT_SHUTDOWN);
    effect->text = arena_strdup(step->effects->arena, agent->link.refusal);
    effect->warning = !agent->link.stop_ordered;
}
