/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_cluster.h - an RM and an agent that pretend, in a process of their own, over real channels
 *
 * Any application is one of three tasks that ends after a few looks at it; each
 * task's stdout has CLUSTER_LINES lines, its stderr one. An AM gets what it
 * asks for; its task number 2 ends with 5, and containers end at once.
 */
#ifndef CREEL_TESTS_JOB_CLUSTER_H
#define CREEL_TESTS_JOB_CLUSTER_H

#include <sys/types.h>

#include "common/io/keys.h"

#define CLUSTER_LINES 50
#define CLUSTER_APP "application_1700000000000_0001"
#define CLUSTER_MASTER "container_1700000000000_0001_01_000001"
#define CLUSTER_SLOW_APP "application_1700000000000_0002"      /* never ends, unless killed */

struct cluster {
    pid_t pid;
    struct key rm_key, agent_key;
    char rm_address[64], agent_address[64];
};

/* Before anything else in this process uses ZeroMQ. */
void cluster_start(struct cluster *cluster);
void cluster_stop(struct cluster *cluster);

#endif
