/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aggregate.h - writes the logs of an ended application on one node into one file, and deletes old files
 *
 * All functions run with the rights of the user of the application, in the program creel-aggregate: shared
 * storage often refuses root. The file is BASE/USER/SUFFIX/APP/FILE, a compressed tar. Its entries are
 * CONTAINER/stdout, CONTAINER/stderr, and other regular files of the log directory of the container.
 *
 * BASE is writable by all users, and has the sticky bit. A directory below it that another user has made is
 * refused. The log directories on the node can be changed by the user: only a regular file of the user with a
 * single name is read, and no symbolic link is followed.
 */
#ifndef CREEL_NM_AGGREGATE_H
#define CREEL_NM_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

struct aggregate_place {       /* all borrowed */
    const char *base;          /* absolute path of a directory */
    const char *user, *suffix; /* names */
};

/* A failure is of one of these kinds. */
#define AGGREGATE_STORAGE 1 /* the shared storage: other users have the same problem */
#define AGGREGATE_USER 3    /* the directories, the logs or the quota of this user */

/* Writes the logs of application APP_ID below each of LOG_DIRS (ended by NULL) to the file FILE. The file is
 * written under a temporary name, synced and renamed: under its name it is complete. Replaces an older file
 * of the name. Returns 0, or -errno; *KIND is then AGGREGATE_STORAGE or AGGREGATE_USER. */
int aggregate_save(const struct aggregate_place *place, const char *app_id, const char *file,
                   const char *const *log_dirs, int *kind, struct err *err);

#define AGGREGATE_RESERVE_PERCENT 5                     /* of the file system: less is too little room */
#define AGGREGATE_RESERVE_MAX_BYTES ((uint64_t)1 << 30) /* but so much is enough */

/* Returns true, with a sentence in TEXT, if FREE_BYTES of the SIZE_BYTES of the storage at BASE are too
 * few. */
bool aggregate_lacks_room(const char *base, uint64_t free_bytes, uint64_t size_bytes, char *text,
                          size_t size);

/* Deletes files of the user that were last written before NOW_MS - RETAIN_MS (milliseconds since 1970), and
 * directories of applications that are then empty. Does nothing if a process has done the same less than
 * INTERVAL_MS ago: the file BASE/USER/SUFFIX/.checked has the time. Returns like aggregate_save. */
int aggregate_expire(const struct aggregate_place *place, int64_t now_ms, int64_t retain_ms,
                     int64_t interval_ms, int *kind, struct err *err);

#endif
