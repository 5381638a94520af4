/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statedir.h - the directory of the resource manager, and the ports in it
 */
#ifndef CREEL_RM_STATEDIR_H
#define CREEL_RM_STATEDIR_H

#include "common/base/err.h"
#include "rm/master/master.h"

#define RM_CHANNELS 4           /* as many as enum master_channel has */

/* Make DIRECTORY, and what is missing above it; its own mode is 0700. */
int statedir_make(const char *directory, struct err *err);

/* Say in DIRECTORY/ports which ports (by enum master_channel) are bound, as one JSON
 * object with client, am, agent and admin; whole or not at all. */
int statedir_write_ports(const char *directory, const int ports[RM_CHANNELS], struct err *err);
/* Nobody listens (any more). */
void statedir_remove_ports(const char *directory);

#endif
