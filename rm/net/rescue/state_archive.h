/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_archive.h - one file from which a dead host of the resource manager is replaced
 *
 * `creel admin state backup --all` makes it: a tar archive, of mode 0600 since it has secret keys. Its
 * members:
 *
 *   MANIFEST   what the other members are (state_manifest.h)
 *   state.db   the database, copied and checked as by store_backup
 *   history/   the files of the history, each copied as it was at one time
 *   blobs/     the uploaded files
 *   conf/      the configuration directory, without the key directory
 *   keys/      the key directory, with the secret keys of its host
 *   files/     what the configuration needs outside of both (conf_files.h), with its path:
 *   files/etc/hosts.include
 *
 * tar(1) writes and reads it. A restore unpacks everything beside its place and checks it (state_manifest.h)
 * before it puts it there, and takes back what it did if a later step fails. A file of conf/, keys/ or files/
 * that exists is never replaced.
 */
#ifndef CREEL_RM_STATE_ARCHIVE_H
#define CREEL_RM_STATE_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/store/store_maintenance.h"

/* Makes the new file FILE, of the configuration CONF and the directories that it names. The resource manager
 * may run. *RET_CONTENTS is what it has (state_contents.h); the caller frees it. -ENOENT: the secret key of
 * the resource manager is missing. -EEXIST: FILE exists. -ELOOP: FILE is in one of these directories. */
int state_archive_make(const struct conf *conf, const char *file, struct store_report *report,
                       char **ret_contents, struct err *err);

/* Returns true if FILE is an archive that state_archive_make has made. */
bool state_archive_is(const char *file);

struct state_archive; /* an archive to be restored */

/* Unpacks configuration, keys and files of FILE beside CONF_DIRECTORY, checks them, and puts configuration
 * and files in place, where they are loaded. -EBADMSG: FILE is cut or damaged, or has no MANIFEST. The
 * caller closes *RET, which takes all back unless state_archive_restore has succeeded. */
int state_archive_open(const char *file, const char *conf_directory, struct state_archive **ret,
                       struct err *err);
/* Returns the configuration as the restore makes it: that of the archive, and over it files of CONF_DIRECTORY
 * that exist. */
const struct conf *state_archive_conf(const struct state_archive *archive);
/* Calls EACH for each file outside of the configuration directory that this configuration needs. RESTORED:
 * it was missing, and is from the archive. */
typedef void state_archive_file_fn(void *context, const char *path, bool restored);
void state_archive_each_outside(const struct state_archive *archive, state_archive_file_fn *each,
                                void *context);

struct state_restored {
    bool keys;   /* keys of the archive were put in place */
    bool secret; /* the secret key of the resource manager is there now */
};

/* Unpacks and checks state, history and uploaded files in the state directory of this configuration, which
 * exists. Then puts the keys in place, unless their directory has the secret key of
 * a resource manager, and replaces the state; what that replaces is moved as by store_restore. Sets *RET;
 * as root, secret keys that belonged to the users of their names belong to
 * them again. After an error everything is as it was. */
int state_archive_restore(struct state_archive *archive, int64_t now_ms, struct store_decision *decision,
                          struct state_restored *ret, struct err *err);
void state_archive_close(struct state_archive *archive); /* ARCHIVE may be NULL */

#endif
