/* SPDX-License-Identifier: Apache-2.0 */
/* lock.h - directories that one agent alone may use */
#ifndef CREEL_NM_LINUX_LOCK_H
#define CREEL_NM_LINUX_LOCK_H

/* Lock what FD has open; the lock goes with the process. 0; -EBUSY: another process has it, also after a
 * second of patience: an agent that was killed while it started a shim keeps its locks until that process,
 * a copy of it, has become the shim. */
int lock_patiently(int fd);

#endif
