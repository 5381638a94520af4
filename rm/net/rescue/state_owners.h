/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_owners.h - gives restored files to those who own them in an archive
 *
 * The archive has names of users and groups. (tar would give files of users that this host does not have to
 * any user with the same number.) Only root can give files away: for other users these functions do nothing.
 */
#ifndef CREEL_RM_STATE_OWNERS_H
#define CREEL_RM_STATE_OWNERS_H

#include "common/base/err.h"
#include "rm/net/parts/placed_files.h"

/* Gives users/NAME_secret in the key directory DIRECTORY to the user NAME, if keys/users/NAME_secret of the
 * archive FILE belongs to that user. */
int state_owners_give_keys(const char *file, const char *directory, struct err *err);
/* Gives the files and directories of files/ in the archive FILE that are in PLACED to the users and groups
 * that they have there, as far as this host has them. */
int state_owners_give(const char *file, const struct placed_files *placed, struct err *err);

#endif
