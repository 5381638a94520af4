/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_cluster.c - fixture: the resource manager's core with the capacity scheduler and one agent */
#include "tests/unit/capacity/capacity_cluster.h"

void capacity_cluster_init(struct capacity_cluster *cluster)
{
    *cluster = (struct capacity_cluster){ .conf = NULL };
    harness_init(&cluster->h);
    cluster->h.config.scheduler = "capacity";
    cluster->h.config.sched = &cluster->sched;
}

void capacity_cluster_start(struct capacity_cluster *cluster, Creel__NamedAmount **others, size_t count)
{
    harness_start(&cluster->h);
    agent_init(&cluster->a, "n1:8041", 4096, 4);
    cluster->a.others = others;
    cluster->a.other_count = count;
    agent_register(&cluster->h, &cluster->a);
}

void capacity_cluster_end(struct capacity_cluster *cluster)
{
    agent_done(&cluster->a);
    harness_done(&cluster->h);
    conf_free(cluster->conf);
}
