/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scheduler_conf.h - versions of the configuration of queues, made by ChangeSchedulerConf over the files
 *
 * Each version has all properties that differ from the files (overrides: conf_edit.h), and is a row in the
 * store. The newest version is in force: the start and each refresh apply it over the files, unless
 * yarn.scheduler.configuration.store.class is "file". Version 1 is the files alone, and is not stored.
 */
#ifndef CREEL_RM_SCHEDULER_CONF_H
#define CREEL_RM_SCHEDULER_CONF_H

#include "common/conf/conf.h"
#include "rm/store/store.h"

/* All zero: there is no version except the files. */
struct scheduler_confs {
    Creel__StoredSchedulerConf **rows; /* by version; owned; at most STORE_SCHEDULER_CONFS_KEPT */
    size_t count, capacity;
};

/* Reads the versions of STORE into CONFS, which is empty. */
int scheduler_confs_load(struct scheduler_confs *confs, struct store *store, struct err *err);
void scheduler_confs_done(struct scheduler_confs *confs);
/* Adds ROW as the newest version and takes ownership of it. Frees the oldest version above the maximum. */
void scheduler_confs_add(struct scheduler_confs *confs, Creel__StoredSchedulerConf *row);
/* Returns the newest version. NULL: there is no version except the files. */
const Creel__StoredSchedulerConf *scheduler_confs_newest(const struct scheduler_confs *confs);
const Creel__StoredSchedulerConf *scheduler_confs_find(const struct scheduler_confs *confs, uint64_t version);

/* Returns true if CONF allows ChangeSchedulerConf: its scheduler is the capacity scheduler, and its store is
 * not "file". */
bool scheduler_conf_accepts_changes(const struct conf *conf);
/* Reads the files of DIRECTORY, and applies the overrides of ROW (NULL: none) if the files allow changes
 * (scheduler_conf_accepts_changes). Errors are those of conf_load. */
int scheduler_conf_read(const char *directory, const Creel__StoredSchedulerConf *row, struct conf **ret,
                        struct err *err);

#endif
