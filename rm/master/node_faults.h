/* SPDX-License-Identifier: Apache-2.0 */
/* node_faults.h - finds what the agents of nodes in service report and an operator has to mend */
#ifndef CREEL_RM_MASTER_NODE_FAULTS_H
#define CREEL_RM_MASTER_NODE_FAULTS_H

#include "rm/master/state.h"

/* The texts of RET are in the arena of the step. */
void rm_node_faults_find(struct master *m, struct master_node_faults *ret);

#endif
