/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admin_state.h - the administrative state of a node, as text and as a message
 *
 * Besides its operational state (running, lost) a node has an administrative state: in service, drained or
 * decommissioned. drain.c changes that state. All results are allocated in the step's arena.
 */
#ifndef CREEL_RM_MASTER_ADMIN_STATE_H
#define CREEL_RM_MASTER_ADMIN_STATE_H

#include "rm/master/state.h"

const char *rm_format_admin_state(struct master *m, const struct node *node); /* "was drained by ann: disk" */
Creel__NodeAdminState *rm_admin_message(struct master *m, const struct node *node);
/* Returns the number of applications that have not ended and had containers on NODE. */
uint32_t rm_admin_apps(const struct master *m, const struct node *node);

#endif
