/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_schema.c - the tables of the SQLite store, and the migration of old ones
 *
 * user_version is the number of steps below that were applied to a file. To change the
 * schema, add a step; never edit a step that was released. Each table has the packed
 * message, and columns with some of its fields that an administrator can read with
 * the SQLite shell.
 */
#include <errno.h>
#include <stdio.h>

#include "rm/store/store_sqlite.h"

/* "crel": distinguishes creel's databases from others (file(1) can recognise it, too). */
#define SCHEMA_APPLICATION_ID 0x6372656c

#define ADD_SUM(table, columns) \
    "ALTER TABLE " table " ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;" \
    "UPDATE " table " SET sum = row_sum('" table "', " columns ");"

static const char *const steps[] = {
    /* 0 -> 1 */
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;"
    "CREATE TABLE token_keys (ring TEXT NOT NULL, place INTEGER NOT NULL,"
    "  key_id INTEGER NOT NULL, key BLOB NOT NULL, rolled_ms INTEGER NOT NULL,"
    "  PRIMARY KEY (ring, place)) STRICT;"
    "CREATE TABLE apps (id TEXT NOT NULL, cluster_ms INTEGER NOT NULL, seq INTEGER NOT NULL,"
    "  user TEXT NOT NULL, queue TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL,"
    "  final_status TEXT NOT NULL, exit_status INTEGER NOT NULL, submitted_ms INTEGER NOT NULL,"
    "  finished_ms INTEGER NOT NULL, row BLOB NOT NULL, PRIMARY KEY (cluster_ms, seq)) STRICT;"
    "CREATE TABLE attempts (id TEXT NOT NULL, cluster_ms INTEGER NOT NULL, seq INTEGER NOT NULL,"
    "  attempt INTEGER NOT NULL, master_container TEXT NOT NULL, master_node TEXT NOT NULL,"
    "  over INTEGER NOT NULL, exit_status INTEGER NOT NULL, row BLOB NOT NULL,"
    "  PRIMARY KEY (cluster_ms, seq, attempt)) STRICT;"
    "CREATE TABLE containers (id TEXT NOT NULL, cluster_ms INTEGER NOT NULL,"
    "  seq INTEGER NOT NULL, attempt INTEGER NOT NULL, epoch INTEGER NOT NULL,"
    "  number INTEGER NOT NULL, user TEXT NOT NULL, node TEXT NOT NULL, state TEXT NOT NULL,"
    "  exit_status INTEGER NOT NULL, finished_ms INTEGER NOT NULL, row BLOB NOT NULL,"
    "  PRIMARY KEY (cluster_ms, seq, attempt, epoch, number)) STRICT;"
    "CREATE TABLE quarantine (kind TEXT NOT NULL, id TEXT NOT NULL, reason TEXT NOT NULL,"
    "  set_aside_s INTEGER NOT NULL, row BLOB NOT NULL) STRICT;",
    /* 1 -> 2 */
    "CREATE TABLE settings (kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,"
    "  row BLOB NOT NULL, PRIMARY KEY (kind, name)) STRICT;",
    /* 2 -> 3 */
    "CREATE TABLE nodes (id TEXT NOT NULL PRIMARY KEY, state TEXT NOT NULL, who TEXT NOT NULL,"
    "  reason TEXT NOT NULL, since_ms INTEGER NOT NULL, deadline_ms INTEGER NOT NULL,"
    "  row BLOB NOT NULL) STRICT;",
    /* 3 -> 4: checksums */
    ADD_SUM("meta", META_COLUMNS) ADD_SUM("token_keys", KEY_COLUMNS) ADD_SUM("apps", APP_COLUMNS) ADD_SUM(
        "attempts", ATTEMPT_COLUMNS) ADD_SUM("containers", CONTAINER_COLUMNS)
        ADD_SUM("settings", SETTING_COLUMNS) ADD_SUM(
            "nodes",
            NODE_COLUMNS) "CREATE TABLE starts (epoch INTEGER PRIMARY KEY, start_id BLOB NOT NULL,"
                          "  first_commit INTEGER NOT NULL, started_ms INTEGER NOT NULL,"
                          "  sum INTEGER NOT NULL) STRICT;"
                          "CREATE TABLE accepted (store_id BLOB PRIMARY KEY NOT NULL, epoch INTEGER NOT NULL,"
                          "  accepted_ms INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT;"
                          "CREATE TABLE history (one INTEGER PRIMARY KEY CHECK (one = 1),"
                          "  number INTEGER NOT NULL, written_ms INTEGER NOT NULL, store_id BLOB NOT NULL,"
                          "  previous BLOB NOT NULL, hash BLOB NOT NULL, tallies BLOB NOT NULL) STRICT;",
    /* 4 -> 5 */
    "CREATE TABLE scheduler_confs (id INTEGER PRIMARY KEY, who TEXT NOT NULL, changed_ms INTEGER NOT NULL,"
    "  summary TEXT NOT NULL, row BLOB NOT NULL, sum INTEGER NOT NULL) STRICT;",
};

#define SCHEMA_VERSION ((int64_t)(sizeof(steps) / sizeof(steps[0])))

int64_t store_schema_newest(void)
{
    return SCHEMA_VERSION;
}

int store_schema_check(struct sqlite_store *store, int64_t *ret, struct err *err)
{
    int64_t application = 0, version = 0, tables = 0;
    int r;

    if ((r = store_sqlite_number(store, "PRAGMA application_id", &application, err)) < 0 ||
        (r = store_sqlite_number(store, "PRAGMA user_version", &version, err)) < 0 ||
        (r = store_sqlite_number(store, "SELECT count(*) FROM sqlite_schema", &tables, err)) < 0)
        return r;
    *ret = version;
    if (application == 0 && version == 0 && tables == 0)
        return 0;
    if (application != SCHEMA_APPLICATION_ID)
        return err_set(err, EBADMSG,
                       "%s: is a database, but not one of creel's: move it away, or set "
                       "creel.resourcemanager.state-dir to another directory",
                       store->file);
    if (version > SCHEMA_VERSION)
        return err_set(err, EPROTO,
                       "%s: was written by a newer creel (schema %lld, this build knows %lld): "
                       "install that version again, or set creel.resourcemanager.state-dir to "
                       "another directory",
                       store->file, (long long)version, (long long)SCHEMA_VERSION);
    return 0;
}

int store_schema_prepare(struct sqlite_store *store, struct err *err)
{
    char sql[128];
    int64_t version = 0;
    int r = store_sqlite_number(store, "PRAGMA user_version", &version, err);

    if (r < 0)
        return r;
    for (; version < SCHEMA_VERSION; version++) {
        r = store_sqlite_run(store, steps[version], "cannot make its tables", err);
        if (r < 0)
            return r;
    }
    snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %lld",
             SCHEMA_APPLICATION_ID, (long long)SCHEMA_VERSION);
    return store_sqlite_run(store, sql, "cannot set its version", err);
}
