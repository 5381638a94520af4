/* SPDX-License-Identifier: Apache-2.0 */
/* preemption.c - snapshots for the policy, and what follows from its marks */
#include "rm/sched/capacity/internal.h"

void capacity_preemption_free(struct preemption *preemption)
{
    (void)preemption;
}

int capacity_preemption_configure(struct sched *sched, const struct preempt_settings *settings)
{
    (void)sched;
    (void)settings;
    return 0;
}

void capacity_preempt(struct sched *sched, struct sched_decisions *decisions)
{
    (void)sched;
    (void)decisions;
}
