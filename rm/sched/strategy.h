/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.h - what differs between fifo, capacity and fair
 *
 * The core keeps nodes, apps, asks, containers and their sums (internal.h); a
 * strategy answers questions about queues, order and limits. It changes nothing but
 * through sched_place_key, and keeps no clock. A field is added here when two
 * strategies differ on it.
 */
#ifndef CREEL_RM_SCHED_STRATEGY_H
#define CREEL_RM_SCHED_STRATEGY_H

#include "rm/sched/sched.h"

struct sched_queue;

struct sched_strategy {
    const char *name;

    /* Make the queues that SCHED begins with, parents before children. */
    int (*configure)(struct sched *sched, const struct sched_config *config, struct err *err);

    /* The leaf that SPEC goes to. -ENOENT, or a limit by name. */
    int (*admit)(struct sched *sched, const struct sched_app_spec *spec,
                 struct sched_queue **ret, struct err *err);

    /* Who is served first: <0 A, >0 B; never 0 for two apps. */
    int (*order)(const struct sched_app *a, const struct sched_app *b);

    /* Place up to LIMIT containers on NODE, which has room; how many were. */
    unsigned (*assign)(struct sched *sched, struct sched_node *node, unsigned limit,
                       struct sched_decisions *decisions);

    /* APP's first ask fits nowhere (ret->reason is CLUSTER_FULL): say it better if possible. */
    void (*explain)(const struct sched *sched, const struct sched_app *app,
                    struct sched_why *ret);
};

extern const struct sched_strategy sched_fifo;

#endif
