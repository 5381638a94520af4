/* SPDX-License-Identifier: Apache-2.0 */
/* lock.h - locks a directory, so that only one agent uses it */
#ifndef CREEL_NM_LINUX_LOCK_H
#define CREEL_NM_LINUX_LOCK_H

/* Locks the file that FD has open; the lock ends with the process. Returns 0; -EBUSY: another process still
 * has the lock after a second. A wait is needed because an agent killed while it starts a shim leaves its
 * locks to the child, until the child executes the shim. */
int lock_patiently(int fd);

#endif
