/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h - makes the process one of a user, and ends it with its parent */
#ifndef CREEL_NM_AGGREGATE_IDENTITY_H
#define CREEL_NM_AGGREGATE_IDENTITY_H

#include <stddef.h>
#include <sys/types.h>

/* Takes the ids for good. Without root, the process must have UID already. Returns 0 or -errno. */
int identity_set(uid_t uid, gid_t gid, const gid_t *groups, size_t count);

/* Ends this process when its parent ends; at once if PARENT is not its parent. A change of the ids cancels
 * that: call it after identity_set. */
void identity_end_with(pid_t parent);

#endif
