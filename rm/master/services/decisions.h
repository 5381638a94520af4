/* SPDX-License-Identifier: Apache-2.0 */
/* decisions.h - carries out what the scheduler decided: starts, preempts and resizes containers */
#ifndef CREEL_RM_MASTER_DECISIONS_H
#define CREEL_RM_MASTER_DECISIONS_H

#include "rm/master/state.h"

/* Carries out the scheduler's decisions so far. */
void rm_decisions_apply(struct master *m);

#endif
