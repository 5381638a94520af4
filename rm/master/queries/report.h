/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - applications, nodes and queues as messages for clients, in the step's arena */
#ifndef CREEL_RM_MASTER_REPORT_H
#define CREEL_RM_MASTER_REPORT_H

#include "rm/master/state.h"

/* Returns a report of APP without the fields that ASKER may not see. NO_LONG_COMMANDS
 * (Envelope.no_long_commands): if the command or the list of dependencies is long (master_lists_are_short),
 * both are left out. A command never changes, and each change of an application makes several reports. */
Creel__AppReport *rm_app_report(struct master *m, const struct app *app, const char *asker,
                                bool no_long_commands);
/* Sets REPORT->launch, if ASKER may see APP. */
void rm_report_launch(struct master *m, const char *asker, const struct app *app, Creel__AppReport *report);
/* Clears the fields of REPORT that only users with the right to see the application get. RELEASE frees the
 * texts and dependencies of lists; NULL: they are in an arena. */
void rm_report_hide(Creel__AppReport *report, void (*release)(void *memory));
/* Returns the first task of the array APP that waits in its queue; NULL: there is none. A held task is in no
 * queue. */
const struct app *rm_array_first_waiting(const struct app *app);
/* Reports why that task waits, or tasks of APP, an array in state TASKS, that are in no queue. */
void rm_array_report_reason(struct master *m, const struct app *app, Creel__AppReport *report);
/* Adds the pending requests of APP to REPORT, the first 1000, if ASKER may see APP. */
void rm_app_report_requests(struct master *m, const struct app *app, const char *asker,
                            Creel__AppReport *report);
/* Returns false if NODE is in state NEW (not registered since the resource manager started), in service, not
 * silent, and not waiting for an operator. */
bool rm_node_is_listed(const struct node *node);
Creel__NodeReport *rm_node_report(struct master *m, const struct node *node);
Creel__QueueReport *rm_queue_report(struct master *m, const struct sched_queue_figures *figures);
/* Returns true if the queue of FIGURES may use the label, which was not removed, or uses it. */
bool rm_partition_is_shown(const struct master *m, const struct sched_partition_figures *figures);
/* Adds to REPORT, of a user of the leaf QUEUE, the amounts on the nodes of each label. */
void rm_queue_user_partitions(struct master *m, const char *queue, Creel__QueueUserReport *report);

/* Returns VALUE for a message: 0 if VALUE is not finite, such as the used share of a guaranteed capacity of
 * 0. */
float rm_sendable(float value);
/* Returns MOST, with the total of the cluster for each resource type without a limit. */
struct resource rm_limited_to_cluster(struct master *m, const struct resource *most);

#endif
