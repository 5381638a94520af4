/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_dir.h - the state directory of the resource manager, and its file of ports
 */
#ifndef CREEL_RM_STATE_DIR_H
#define CREEL_RM_STATE_DIR_H

#include "common/base/err.h"
#include "rm/master/master.h"

#define RM_CHANNELS 4 /* number of values of enum master_channel */

/* Creates DIRECTORY and missing parents; its own mode is 0700. */
int state_dir_make(const char *directory, struct err *err);

/* Writes the bound ports (indexed by enum master_channel) to DIRECTORY/ports, as one JSON object with client,
 * am, agent and admin. The file is replaced atomically. */
int state_dir_write_ports(const char *directory, const int ports[RM_CHANNELS], struct err *err);
/* Removes the file of ports. */
void state_dir_remove_ports(const char *directory);

#endif
