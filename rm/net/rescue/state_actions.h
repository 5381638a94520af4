/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_actions.h - creel-rm --check-state, --backup-state, --restore-state and --accept-state
 *
 * Called by creel admin state (client/cli/admin/cmd_admin_state.c). The output is lines of a name, a blank
 * and a
 * value.
 */
#ifndef CREEL_RM_STATE_ACTIONS_H
#define CREEL_RM_STATE_ACTIONS_H

#include "common/daemon/program.h"

extern const struct program_action state_actions[];

#endif
