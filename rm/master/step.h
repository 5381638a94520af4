/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step.h - the frame of a step, which handles one event
 *
 * State machines first, then what the scheduler decided, then what is sent because of it.
 */
#ifndef CREEL_RM_MASTER_STEP_H
#define CREEL_RM_MASTER_STEP_H

#include "rm/master/state.h"

void rm_step_begin(struct master *m, int64_t now_ms, struct master_effects *effects);
void rm_step_end(struct master *m);
/* Carries out what the scheduler decided so far (decisions.c). */
void rm_take_decisions(struct master *m);

#endif
