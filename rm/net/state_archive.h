/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_archive.h - one file from which a dead host of the resource manager is replaced
 *
 * `creel admin state backup --all` makes it: a tar archive, of mode 0600 since it has secret keys. Its
 * members:
 *
 *   state.db   the database, copied and checked as by store_backup
 *   history/   the files of the history, each copied as it was at one time
 *   blobs/     the uploaded files
 *   conf/      the configuration directory, without the key directory
 *   keys/      the key directory, with the secret keys of its host
 *
 * tar(1) writes and reads it. A file of conf/ or keys/ that exists is never replaced by a restore.
 */
#ifndef CREEL_RM_STATE_ARCHIVE_H
#define CREEL_RM_STATE_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/store/store_maintenance.h"

/* Makes the new file FILE, of the configuration CONF and the directories that it names. The resource manager
 * may run. -EEXIST: FILE exists. -ELOOP: FILE is in one of these directories. */
int state_archive_make(const struct conf *conf, const char *file, struct store_report *report,
                       struct err *err);

/* Returns true if FILE is an archive that state_archive_make has made. */
bool state_archive_is(const char *file);

/* Puts the configuration of FILE into CONF_DIRECTORY, and its keys into the key directory that this
 * configuration names, unless that has the secret key of a resource manager. Files that exist are kept. As
 * root, secret keys that belonged to the users of their names belong to them again. Sets *RET to the
 * configuration, which the caller frees, and *RET_KEYS to whether keys were restored. */
int state_archive_restore_conf(const char *file, const char *conf_directory, struct conf **ret,
                               bool *ret_keys, struct err *err);

/* Replaces the state in DIRECTORY, its history and its uploaded files by those of FILE. What they replace is
 * moved as by store_restore. */
int state_archive_restore(const char *file, const char *directory, int64_t now_ms,
                          struct store_decision *decision, struct err *err);

#endif
