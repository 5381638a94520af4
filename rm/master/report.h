/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - applications, nodes and queues as messages for clients, in the step's arena */
#ifndef CREEL_RM_MASTER_REPORT_H
#define CREEL_RM_MASTER_REPORT_H

#include "rm/master/state.h"

#define COMMAND_SHORT_MAX 1024u /* bytes of all arguments, with their 0 bytes */

/* Returns a report of APP without the fields that ASKER may not see. A command of more than COMMAND_SHORT_MAX
 * bytes is left out: it never changes, and each change of an application makes several reports. */
Creel__AppReport *rm_app_report(struct master *m, const struct app *app, const char *asker);
/* Adds the command of APP to REPORT, if it was left out. */
void rm_app_report_command(struct master *m, const struct app *app, Creel__AppReport *report);
/* Adds the pending requests of APP to REPORT, the first 1000, if ASKER may see APP. */
void rm_app_report_requests(struct master *m, const struct app *app, const char *asker,
                            Creel__AppReport *report);
/* Returns false if NODE is in state NEW (not registered since the resource manager started), in service, and
 * not waiting for an operator. */
bool rm_node_is_listed(const struct node *node);
Creel__NodeState rm_node_shown(const struct node *node);
Creel__NodeReport *rm_node_report(struct master *m, const struct node *node);
Creel__QueueReport *rm_queue_report(struct master *m, const struct sched_queue_figures *figures);

/* Returns VALUE for a message: 0 if VALUE is not finite, such as the used share of a guaranteed capacity of
 * 0. */
float rm_sendable(float value);
/* Returns MOST, with the total of the cluster for each resource type without a limit. */
struct resource rm_limited_to_cluster(struct master *m, const struct resource *most);

#endif
