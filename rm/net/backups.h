/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backups.h - automatic backups of the state
 *
 * With creel.state.backup-directory, a thread copies the state into that directory each
 * creel.state.backup-interval-ms, as `creel admin state backup` does, and removes all but the newest
 * creel.state.backups-kept copies. Times are those of the files, so a restart does not begin a new interval.
 * After a failure it tries again after ten minutes, or the interval if that is shorter. Other files in the
 * directory are left alone.
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
#include "common/io/loop.h"

#define BACKUPS_STOP_MS 5000
#define BACKUPS_LONG_MS 300000

struct backups; /* opaque */

struct backups_settings { /* texts are borrowed */
    const char *state_directory;
    const char *directory; /* "": no automatic backups */
    int64_t interval_ms;
    unsigned kept;
};

/* What the health check and the metrics show. */
struct backups_state {
    const char *directory;          /* "": no automatic backups */
    int64_t newest_ms, interval_ms; /* NEWEST_MS: since 1970; 0: there is none */
    int64_t started_ms;             /* of the backup that is being made, since 1970; 0: none is */
    const char *problem;            /* why the last try failed; NULL: it did not */
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
struct backups_state backups_state(const struct backups *backups);
/* Returns for how long the backup of STATE has run at NOW_MS, since 1970, if that is longer than
 * BACKUPS_LONG_MS or the interval; else 0. */
int64_t backups_overdue_ms(const struct backups_state *state, int64_t now_ms);

/* Makes a backup, of the time NOW_MS, and removes old ones. Blocks; the thread calls it. */
int backups_make(const struct backups_settings *settings, int64_t now_ms, struct err *err);
/* Returns the time of the newest backup in DIRECTORY; 0: there is none. */
int64_t backups_newest_ms(const char *directory);

#endif
