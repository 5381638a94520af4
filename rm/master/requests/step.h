/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step.h - begins and ends a step, which handles one event
 *
 * In a step the state machines run first, then the scheduler's decisions are carried out, and then the
 * resulting messages are sent.
 */
#ifndef CREEL_RM_MASTER_STEP_H
#define CREEL_RM_MASTER_STEP_H

#include "rm/master/state.h"

void rm_step_begin(struct master *m, int64_t now_ms, struct master_effects *effects);
void rm_step_end(struct master *m);

#endif
