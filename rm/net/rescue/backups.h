/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backups.h - automatic backups of the state
 *
 * With creel.state.backup-directory, a thread copies the state into that directory each
 * creel.state.backup-interval-ms, as `creel admin state backup` does, and removes all but the newest
 * creel.state.backups-kept copies. Times are those in the names of the files, so neither a restart nor a
 * copy of the directory begins a new interval. It looks at the directory each BACKUPS_LOOK_MS: files that
 * are no whole database, as one that was cut, do not count, and if the newest is gone the next one is made.
 * The first look marks the directory with a file .creel-backups, and notes the mark in the state directory.
 * A directory without the mark, as one whose mount is missing, also at a start, gets no backup; nor is one
 * made again that is gone. A backup from the future, of a time at which the clock was wrong, is neither
 * counted nor removed; health names it. After a failure it tries
 * again after ten minutes, or the interval if that is shorter. Other files in the directory are left alone.
 *
 * A directory that does not answer, as of a dead NFS server, blocks the thread, and nothing else: health and
 * log say so, and the stop of the daemon does not wait for it.
 */
#ifndef CREEL_RM_BACKUPS_H
#define CREEL_RM_BACKUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "common/io/loop/loop.h"

#define BACKUPS_STOP_MS 5000
#define BACKUPS_RESCUE_MS 60000 /* systemd waits 90 s for the end of creel-rm */
#define BACKUPS_LONG_MS 300000
#define BACKUPS_LOOK_MS 10000
#define BACKUPS_FUTURE_MS 60000 /* a backup that is so much newer than the clock is from the future */

struct backups; /* opaque */
struct store;

struct backups_settings { /* texts are borrowed */
    const char *state_directory;
    const char *directory; /* "": no automatic backups */
    int64_t interval_ms;
    unsigned kept;
};

struct backups_found {
    int64_t newest_ms; /* of the newest backup that is not from the future, since 1970; 0: there is none */
    char future[64];   /* name of one from the future; "": there is none */
};

/* What the health check and the metrics show. */
struct backups_state {
    const char *directory;          /* "": no automatic backups */
    int64_t newest_ms, interval_ms; /* NEWEST_MS: since 1970; 0: there is none */
    int64_t started_ms;             /* of the backup that is being made, since 1970; 0: none is */
    const char *problem;            /* why the last try failed; NULL: it did not */
    const char *future;             /* name of a backup from the future; NULL: there is none */
};

struct backups_settings backups_settings_of(const struct conf *conf);

/* Starts the thread, unless there are no automatic backups; then *RET is NULL, which all functions take. */
int backups_new(struct loop *loop, const struct backups_settings *settings, struct backups **ret,
                struct err *err);
/* Waits for a backup that is being made, for BACKUPS_STOP_MS at most. Returns false if it has not ended then:
 * its thread is abandoned, and the process has to end with _exit. NULL is fine. */
bool backups_free(struct backups *backups);
/* Begins a backup if it is time. NOW_MS: since 1970. */
void backups_check(struct backups *backups, int64_t now_ms);
/* Writes the state of STORE, whose own file is lost, to FILE in the directory of BACKUPS, which is not NULL.
 * The thread does it, and this waits for BACKUPS_RESCUE_MS at most. -ETIMEDOUT: the directory does not
 * answer, and the thread may use STORE until the process ends. */
int backups_rescue(struct backups *backups, struct store *store, const char *file, struct err *err);
struct backups_state backups_state(const struct backups *backups);
/* Returns for how long the backup of STATE has run at NOW_MS, since 1970, if that is longer than
 * BACKUPS_LONG_MS or the interval; else 0. */
int64_t backups_overdue_ms(const struct backups_state *state, int64_t now_ms);

/* Makes a backup, of the time NOW_MS, and removes old ones. Blocks; the thread calls it. Declared for
 * tests. */
int backups_make(const struct backups_settings *settings, int64_t now_ms, struct err *err);
/* Returns what is in DIRECTORY at NOW_MS, since 1970. Blocks. Declared for tests. */
struct backups_found backups_find(const char *directory, int64_t now_ms);

#endif
