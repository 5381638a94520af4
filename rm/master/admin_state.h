/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admin_state.h - what administrators want of a node, in words and as a message
 *
 * Beside its state (running, lost) a node has an administrative state: in service, drained,
 * decommissioned. drain.c changes it. All results are in the step's arena.
 */
#ifndef CREEL_RM_MASTER_ADMIN_STATE_H
#define CREEL_RM_MASTER_ADMIN_STATE_H

#include "rm/master/state.h"

const char *rm_admin_words(struct master *m, const struct node *node);  /* "was drained by ann: disk" */
Creel__NodeAdminState *rm_admin_message(struct master *m, const struct node *node);
/* How many applications that are not over had containers on NODE. */
uint32_t rm_admin_apps(const struct master *m, const struct node *node);

#endif
