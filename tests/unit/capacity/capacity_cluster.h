/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity_cluster.h - fixture: the resource manager's core with the capacity scheduler and one agent
 *
 * A test fills CONF and SCHED (conf_of, capacity_of) and calls capacity_cluster_start.
 */
#ifndef CREEL_TESTS_UNIT_CAPACITY_CLUSTER_H
#define CREEL_TESTS_UNIT_CAPACITY_CLUSTER_H

#include "common/conf/conf.h"
#include "tests/unit/master/master_harness.h"

struct capacity_cluster {
    struct harness h;
    struct fake_agent a; /* agent n1:8041, 4096 MB, 4 vcores */
    struct conf *conf;   /* owned */
    struct sched_config sched;
};

/* Initializes H. The test may change H.CONFIG before the start. */
void capacity_cluster_init(struct capacity_cluster *cluster);
/* Starts the core and registers agent A, which offers OTHERS: COUNT further resource types. */
void capacity_cluster_start(struct capacity_cluster *cluster, Creel__NamedAmount **others, size_t count);
void capacity_cluster_end(struct capacity_cluster *cluster);

#endif
