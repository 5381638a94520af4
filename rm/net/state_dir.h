/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_dir.h - the state directory of the resource manager, and its file of ports
 */
#ifndef CREEL_RM_STATE_DIR_H
#define CREEL_RM_STATE_DIR_H

#include "common/base/err.h"
#include "rm/master/master.h"

#define RM_CHANNELS 4           /* as many as enum master_channel has */

/* Make DIRECTORY, and what is missing above it; its own mode is 0700. */
int state_dir_make(const char *directory, struct err *err);

/* Say in DIRECTORY/ports which ports (by enum master_channel) are bound, as one JSON
 * object with client, am, agent and admin; whole or not at all. */
int state_dir_write_ports(const char *directory, const int ports[RM_CHANNELS], struct err *err);
/* Nobody listens (any more). */
void state_dir_remove_ports(const char *directory);

#endif
