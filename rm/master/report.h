/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - applications and nodes as messages for clients, in the step's arena */
#ifndef CREEL_RM_MASTER_REPORT_H
#define CREEL_RM_MASTER_REPORT_H

#include "rm/master/state.h"

/* Without what ASKER may not see. */
Creel__AppReport *rm_app_report(struct master *m, const struct app *app, const char *asker);
Creel__NodeState rm_node_shown(const struct node *node);
Creel__NodeReport *rm_node_report(struct master *m, const struct node *node);

#endif
