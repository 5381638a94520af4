/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backups.h - automatic backups of the state
 *
 * With creel.state.backup-directory, a thread copies the state into that directory each
 * creel.state.backup-interval-ms, as `creel admin state backup` does, and removes all but the newest
 * creel.state.backups-kept copies. Times are those of the files, so a restart does not begin a new interval.
 * After a failure it tries again after ten minutes, or the interval if that is shorter. Other files in the
 * directory are left alone.
 */
#ifndef CREEL_RM_BACKUPS_H
#define CREEL_RM_BACKUPS_H

#include <stdint.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "common/io/loop.h"

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
    const char *problem;            /* why the last try failed; NULL: it did not */
};

struct backups_settings backups_settings_of(const struct conf *conf);

/* Starts the thread, unless there are no automatic backups; then *RET is NULL, which all functions take. */
int backups_new(struct loop *loop, const struct backups_settings *settings, struct backups **ret,
                struct err *err);
void backups_free(struct backups *backups); /* waits for a backup that is being made */
/* Begins a backup if it is time. NOW_MS: since 1970. */
void backups_check(struct backups *backups, int64_t now_ms);
struct backups_state backups_state(const struct backups *backups);

/* Makes a backup, of the time NOW_MS, and removes old ones. Blocks; the thread calls it. */
int backups_make(const struct backups_settings *settings, int64_t now_ms, struct err *err);
/* Returns the time of the newest backup in DIRECTORY; 0: there is none. */
int64_t backups_newest_ms(const char *directory);

#endif
