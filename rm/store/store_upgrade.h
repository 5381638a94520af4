/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_upgrade.h - copies the state before a new version changes its tables
 *
 * An earlier version cannot read the changed tables: to return to it, its state is restored from the copy
 * (store_restore). The copies are beside the database: state.db.schema-4-20261126T121500Z. The newest ones
 * are kept.
 */
#ifndef CREEL_RM_STORE_UPGRADE_H
#define CREEL_RM_STORE_UPGRADE_H

#include <stdint.h>

#include "common/base/err.h"

struct store_upgrade {
    char *copy;       /* owned; NULL: no copy was made */
    int64_t from, to; /* schemas; equal: the state is not changed */
};
void store_upgrade_done(struct store_upgrade *upgrade);

/* If the tables in DIRECTORY are those of an earlier version, copies the state, checks the copy, and
 * deletes copies but the newest KEPT ones; KEPT 0: makes no copy. To be called before store_open_sqlite,
 * which judges a state that is not sound. A copy that is newer than the state is used again. -ENOSPC:
 * there is no room for the copy and the change; nothing was changed. -EBUSY: another process uses the
 * directory. */
int store_upgrade_prepare(const char *directory, unsigned kept, int64_t now_ms, struct store_upgrade *ret,
                          struct err *err);

#endif
