/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_cluster.h - a fake resource manager and a fake agent in one process of their own, over real channels
 *
 * Every application has three tasks and ends after a few polls of its state. Each task's stdout has
 * CLUSTER_LINES lines, its stderr one line. An AM gets the containers that it requests. Its task number 2
 * exits with 5. Containers end at once.
 */
#ifndef CREEL_TESTS_JOB_CLUSTER_H
#define CREEL_TESTS_JOB_CLUSTER_H

#include <sys/types.h>

#include "common/io/keys/keys.h"

#define CLUSTER_LINES 50
#define CLUSTER_APP "application_1700000000000_0001"
#define CLUSTER_MASTER "container_1700000000000_0001_01_000001"
#define CLUSTER_SLOW_APP "application_1700000000000_0002" /* never ends, unless killed */

struct cluster {
    pid_t pid;
    struct key rm_key, agent_key;
    char rm_address[64], agent_address[64];
};

/* Starts the process. Must be called before anything else in this process uses ZeroMQ. */
void cluster_start(struct cluster *cluster);
void cluster_stop(struct cluster *cluster);

#endif
