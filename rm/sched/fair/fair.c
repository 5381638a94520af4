/* SPDX-License-Identifier: Apache-2.0 */
/* fair.c - the fair scheduler, as the core calls it (yarn-behaviour 8) */
#include "rm/sched/fair/internal.h"

/* Kills that are due, and queues that nobody needs. */
static void tick(struct sched *sched, struct sched_decisions *decisions)
{
    fair_kill_due(sched, decisions);
    fair_tidy(sched);
}

const struct sched_strategy sched_fair = {
    .name = "fair",
    .minimum_may_be_zero = true,
    .keeps_reservations = true,
    .reserves_full_nodes = true,
    .configure = fair_configure,
    .refresh = fair_refresh,
    .free = fair_free,
    .admit = fair_admit,
    .place = fair_place,
    .join = fair_join,
    .leave = fair_leave,
    .forget = fair_forget,
    .left = fair_left,
    .start = fair_start,
    .may_move = fair_may_move,
    .set_priority = fair_set_priority,
    .begin = fair_begin,
    .end = fair_end,
    .touch = fair_touch,
    .cluster_changed = fair_cluster_changed,
    .tick = tick,
    .update = fair_update,
    .ended = fair_ended,
    .node_gone = fair_node_gone,
    .assign = fair_assign,
    .assign_to = fair_assign_to,
    .wants = fair_wants,
    .offer_released = fair_offer_released,
    .features = fair_features,
    .access = fair_queue_access,
    .find_queue = fair_find_queue,
    .headroom = fair_headroom,
    .app_figures = fair_app_figures,
    .queue_figures = fair_queue_figures,
    .queue_order = fair_queue_order,
    .limits = fair_limits,
    .explain = fair_explain,
    .may_ask = fair_may_ask,
    .queue_maximum = fair_queue_maximum,
    .check = fair_check,
};
