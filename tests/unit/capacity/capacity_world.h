/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_world.h - fixture: two queues on two nodes with preemption, which is audited */
#ifndef CREEL_TESTS_UNIT_CAPACITY_WORLD_H
#define CREEL_TESTS_UNIT_CAPACITY_WORLD_H

#include "rm/sched/capacity/preempt_audit.h"
#include "tests/unit/capacity/capacity_live.h"

#define WORLD_MONITOR "yarn.resourcemanager.monitor.capacity.preemption."
#define WORLD_LINES(maximum) \
    "yarn.resourcemanager.scheduler.monitor.enable=true\n" WORLD_MONITOR \
    "total_preemption_per_round=1\n" WORLD_MONITOR "natural_termination_factor=1\n" WORLD_MONITOR \
    "max_wait_before_kill=1000\n" WORLD_MONITOR "intra-queue-preemption.enabled=true\n" WORLD_MONITOR \
    "intra-queue-preemption.minimum-threshold=0\n" WORLD_MONITOR \
    "intra-queue-preemption.max-allowable-limit=1\n" \
    "root.queues=a,b\nroot.a.capacity=50\nroot.b.capacity=50\nroot.a.user-limit-factor=10\n" \
    "root.b.user-limit-factor=10\nroot.b.minimum-user-limit-percent=50\nroot.b.maximum-capacity=" maximum \
    "\n"

enum { WORLD_NODE_MB = 8192 };

/* Two nodes of 100 vcores. Queue b uses 1 GiB for each container; its maximum is that of the
 * lines. */
struct world {
    struct live live;
    struct preempt_audit audit;
    struct sched_node *n1, *n2;
    struct sched_app *a, *b; /* applications in the queues of these names */
};

/* LINES is WORLD_LINES(), with others before it. */
void world_begin(struct world *world, const char *lines);
void world_end(struct world *world); /* the test fails if something was preempted for no request */
/* Places COUNT containers of 1 GiB for APP on NODE. */
void world_place(struct world *world, struct sched_app *app, struct sched_node *node, uint32_t count);
/* Runs rounds of preemption until after the wait. Returns how many containers get a notice. */
size_t world_notices(struct world *world, int64_t now_ms);

#endif
