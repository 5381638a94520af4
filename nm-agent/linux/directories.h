/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directories.h - making, checking and locking the directories of the agent
 *
 * Private to nm-agent/linux. The state directory and those of yarn.nodemanager.local-dirs and
 * log-dirs belong to root alone, up to "/". The state directory and the local ones are locked:
 * two agents never share one.
 */
#ifndef CREEL_NM_DIRECTORIES_H
#define CREEL_NM_DIRECTORIES_H

#include "nm-agent/linux/runtime_state.h"

/* Lock directory PATH against other agents, until runtime_free. -EBUSY: another agent has it. */
int directory_lock(struct runtime *runtime, const char *path, struct err *err);
/* Make PATH if it is not there, and check that nobody else can replace what is in it. ERR begins
 * with KEY, the configuration key. */
int directory_make_safe(const char *path, const char *key, struct err *err);

/* Make, check and (a local dir) lock DISK, one of DISKS. 0 too for a disk that is dead or full:
 * it is marked as closed, and health.c tries it again. */
int directory_open_disk(struct runtime *runtime, const struct disks *disks, struct disk *disk,
                        struct err *err);
/* All of DISKS. An error if none could be opened. */
int directory_open_disks(struct runtime *runtime, struct disks *disks, struct err *err);

#endif
