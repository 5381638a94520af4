/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_report.h - what a node reports of its containers, in registrations and heartbeats
 *
 * A container that the resource manager does not know has to be stopped (node_orders.h). So many of them are
 * kept for a node as fit on it; those beyond are ignored, and counted in node->ignored.
 */
#ifndef CREEL_RM_MASTER_NODE_REPORT_H
#define CREEL_RM_MASTER_NODE_REPORT_H

#include "rm/master/state.h"

void rm_node_report_containers(struct master *m, struct node *node, Creel__ContainerStatus **statuses,
                               size_t count);
void rm_node_report_figures(struct master *m, const struct node *node, Creel__ContainerFigures **figures,
                            size_t count);

#endif
