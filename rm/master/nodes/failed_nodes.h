/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failed_nodes.h - nodes on which first containers of an application failed
 *
 * The first container of the next attempt is not placed on these nodes: YARN's blacklisting of nodes for
 * application masters (SimpleBlacklistManager, RMAppAttemptImpl.shouldCountTowardsNodeBlacklisting;
 * yarn-behaviour 12.4). master_config.avoid_failed_nodes switches it off. The list is ignored while it has as
 * large a share of the open nodes as master_config.failed_nodes_share (sched_app_set_avoided). It applies to
 * first containers only: the application master decides where its other containers are not placed.
 *
 * The list is computed from the rows of containers, so that it survives a restart of the resource manager.
 * Differs: YARN keeps it in memory; YARN lists hosts, creel nodes, since several nodes of a test cluster are
 * on one host; failed disks count, since the node may have passed its checks nevertheless.
 */
#ifndef CREEL_RM_MASTER_FAILED_NODES_H
#define CREEL_RM_MASTER_FAILED_NODES_H

#include "rm/master/state.h"

/* Returns true if a first container that ended with EXIT_STATUS failed for a reason that another node may not
 * have. As in YARN, success, stops by the cluster or the application, preemption, loss of the node and
 * the container's own memory limit do not count. */
bool rm_failed_nodes_counts(int32_t exit_status);
/* Adds the node of CONTAINER, which has ended, if CONTAINER is the first of its attempt and its end
 * counts. */
void rm_failed_nodes_add(const struct master *m, const struct container *container);
void rm_failed_nodes_free(struct app *app);
/* Tells the scheduler the nodes that the first container of APP avoids. Called before it is requested. */
void rm_failed_nodes_apply(struct master *m, struct app *app);

/* Returns true if the first container of the present attempt of APP avoids the node: first containers of
 * earlier attempts failed there, and the list is not ignored now. */
bool rm_failed_nodes_has(const struct master *m, const struct app *app, const char *node_id);
/* Sets REPORT->avoided_nodes to these nodes, at most FAILED_NODES_SHOWN_MAX. */
void rm_failed_nodes_report(const struct master *m, const struct app *app, Creel__AppReport *report);
#define FAILED_NODES_SHOWN_MAX 64
/* While the first container of the present attempt is not placed: returns these nodes with the exit statuses
 * as a sentence, in the arena of the step. NULL: there are none, or it is placed. */
const char *rm_failed_nodes_waiting(const struct master *m, const struct app *app);

#endif
