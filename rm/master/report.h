/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - applications, nodes and queues as messages for clients, in the step's arena */
#ifndef CREEL_RM_MASTER_REPORT_H
#define CREEL_RM_MASTER_REPORT_H

#include "rm/master/state.h"

/* Without what ASKER may not see. */
Creel__AppReport *rm_app_report(struct master *m, const struct app *app, const char *asker);
/* Not before its agent has registered or waits to, unless an administrator has set something. */
bool rm_node_is_listed(const struct node *node);
Creel__NodeState rm_node_shown(const struct node *node);
Creel__NodeReport *rm_node_report(struct master *m, const struct node *node);
Creel__QueueReport *rm_queue_report(struct master *m, const struct sched_queue_figures *figures);

/* A queue without a guarantee that uses something uses infinitely much of it: 0 in messages. */
float rm_sendable(float value);
/* What has no limit is limited by what the cluster has. */
struct resource rm_limited_to_cluster(struct master *m, const struct resource *most);

#endif
