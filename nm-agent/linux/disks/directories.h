/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directories.h - creates, checks and locks the directories of the agent
 *
 * Private to nm-agent/linux. Only root can write in the state directory and the directories of
 * yarn.nodemanager.local-dirs and log-dirs, and in all their parents. The state directory and the local ones
 * are locked: two agents never share a directory.
 */
#ifndef CREEL_NM_DIRECTORIES_H
#define CREEL_NM_DIRECTORIES_H

#include "nm-agent/linux/runtime_state.h"

/* Locks directory PATH against other agents, until runtime_free. -EBUSY: another agent has the lock. */
int directory_lock(struct runtime *runtime, const char *path, struct err *err);
/* Creates PATH if missing, and checks that only root can replace its content. ERR begins with KEY, the
 * configuration key. */
int directory_make_safe(const char *path, const char *key, struct err *err);

/* Creates, checks and (a local dir) locks DISK, an element of DISKS. Returns 0 also for a failed or full
 * disk: the disk is marked as closed, and health.c tries it again. */
int directory_open_disk(struct runtime *runtime, const struct disks *disks, struct disk *disk,
                        struct err *err);
/* Opens all of DISKS. Returns an error if no disk could be opened. */
int directory_open_disks(struct runtime *runtime, struct disks *disks, struct err *err);

#endif
