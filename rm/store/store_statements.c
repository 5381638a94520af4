/* SPDX-License-Identifier: Apache-2.0 */
/* store_statements.c - the prepared statements of the SQLite store, their parameters and error messages */
#include <errno.h>

#include "rm/store/store_sqlite.h"

#define VALUES_2 "?1, ?2"
#define VALUES_3 "?1, ?2, ?3"
#define VALUES_4 "?1, ?2, ?3, ?4"
#define VALUES_5 "?1, ?2, ?3, ?4, ?5"
#define VALUES_6 "?1, ?2, ?3, ?4, ?5, ?6"
#define VALUES_7 "?1, ?2, ?3, ?4, ?5, ?6, ?7"
#define VALUES_9 "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9"
#define VALUES_12 "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12"
#define PUT(table, columns, values) \
    "INSERT OR REPLACE INTO " table " (" columns ", sum) VALUES (" values ", row_sum('" table "', " values \
    "))"
#define APP_KEY " WHERE cluster_ms = ?1 AND seq = ?2"

static const char *const statement_sql[STATEMENT_COUNT] = {
    [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
    [STATEMENT_COMMIT] = "COMMIT",
    [STATEMENT_ROLLBACK] = "ROLLBACK",
    [STATEMENT_PUT_APP] = PUT("apps", APP_COLUMNS, VALUES_12),
    [STATEMENT_PUT_ATTEMPT] = PUT("attempts", ATTEMPT_COLUMNS, VALUES_9),
    [STATEMENT_PUT_CONTAINER] = PUT("containers", CONTAINER_COLUMNS, VALUES_12),
    [STATEMENT_PUT_SETTING] = PUT("settings", SETTING_COLUMNS, VALUES_4),
    [STATEMENT_PUT_NODE] = PUT("nodes", NODE_COLUMNS, VALUES_7),
    [STATEMENT_PUT_SCHEDULER_CONF] = PUT("scheduler_confs", SCHEDULER_CONF_COLUMNS, VALUES_5),
    [STATEMENT_PUT_META] = PUT("meta", META_COLUMNS, VALUES_2),
    [STATEMENT_PUT_KEY] = PUT("token_keys", KEY_COLUMNS, VALUES_5),
    [STATEMENT_PUT_START] = PUT("starts", START_COLUMNS, VALUES_4),
    [STATEMENT_PUT_ACCEPTED] = PUT("accepted", ACCEPTED_COLUMNS, VALUES_3),
    [STATEMENT_FORGET_SETTING] = "DELETE FROM settings WHERE kind = ?1 AND name = ?2",
    [STATEMENT_FORGET_NODE] = "DELETE FROM nodes WHERE id = ?1",
    [STATEMENT_FORGET_SCHEDULER_CONFS] = "DELETE FROM scheduler_confs WHERE id <= ?1",
    [STATEMENT_FORGET_APP] = "DELETE FROM apps" APP_KEY,
    [STATEMENT_FORGET_ATTEMPTS] = "DELETE FROM attempts" APP_KEY,
    [STATEMENT_FORGET_CONTAINERS] = "DELETE FROM containers" APP_KEY,
    [STATEMENT_FORGET_CONTAINER] =
        "DELETE FROM containers" APP_KEY " AND attempt = ?3 AND epoch = ?4 AND number = ?5",
    [STATEMENT_GET_META] = "SELECT value FROM meta WHERE name = ?1",
    [STATEMENT_GET_RING] =
        "SELECT place, key_id, key, rolled_ms FROM token_keys WHERE ring = ?1 ORDER BY place",
    [STATEMENT_CLEAR_RING] = "DELETE FROM token_keys WHERE ring = ?1",
    [STATEMENT_PUT_HISTORY] =
        "INSERT OR REPLACE INTO history (one, number, written_ms, store_id, previous, hash, tallies)"
        " VALUES (1, " VALUES_6 ")",
};

/* --- errors ---------------------------------------------------------------- */

static const struct {
    int sqlite, code;
    const char *advice;
} troubles[] = {
    { SQLITE_FULL, ENOSPC, "the disk is full: make room there" },
    { SQLITE_IOERR, EIO, "the disk does not read or write: see the kernel's log" },
    { SQLITE_BUSY, EBUSY, "another process holds its lock: close that program (a database shell?)" },
    { SQLITE_LOCKED, EBUSY, "another process holds its lock: close that program" },
    { SQLITE_CORRUPT, EBADMSG, "the database is damaged: " STORE_CHOICES },
    { SQLITE_NOTADB, EBADMSG, "this is not a database: " STORE_CHOICES },
    { SQLITE_READONLY, EROFS, "it cannot be written: check its owner, its mode and the mount" },
    { SQLITE_PERM, EACCES, "permission denied: check its owner and mode" },
    { SQLITE_CANTOPEN, EACCES, "cannot be opened: check the directory's owner and mode" },
    { SQLITE_NOMEM, ENOMEM, "out of memory" },
};

int store_sqlite_fail(const struct sqlite_store *store, const char *doing, struct err *err)
{
    int extended = sqlite3_extended_errcode(store->database);

    for (size_t i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++)
        if (troubles[i].sqlite == (extended & 0xff))
            return err_set(err, troubles[i].code, "%s: %s: %s (SQLite: %s, %d)", store->file, doing,
                           troubles[i].advice, sqlite3_errmsg(store->database), extended);
    return err_set(err, EIO, "%s: %s (SQLite: %s, %d)", store->file, doing, sqlite3_errmsg(store->database),
                   extended);
}

/* --- statements ------------------------------------------------------------ */

int store_sqlite_run(struct sqlite_store *store, const char *sql, const char *doing, struct err *err)
{
    if (sqlite3_exec(store->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_sqlite_fail(store, doing, err);
    return 0;
}

int store_sqlite_prepare(struct sqlite_store *store, struct err *err)
{
    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        if (sqlite3_prepare_v3(store->database, statement_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &store->statements[i], NULL) != SQLITE_OK)
            return store_sqlite_fail(store, "its tables are not as they should be", err);
    return 0;
}

int store_sqlite_number(struct sqlite_store *store, const char *sql, int64_t *value, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int r = 0;

    if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        r = store_sqlite_fail(store, "cannot read it", err);
    else
        *value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return r;
}

void store_bind_number(struct binder *binder, int64_t value)
{
    (void)sqlite3_bind_int64(binder->statement, binder->next++, value);
}

void store_bind_text(struct binder *binder, const char *text)
{
    (void)sqlite3_bind_text(binder->statement, binder->next++, text, -1, SQLITE_TRANSIENT);
}

void store_bind_bytes(struct binder *binder, const void *bytes, size_t size)
{
    (void)sqlite3_bind_blob64(binder->statement, binder->next++, bytes, size, SQLITE_TRANSIENT);
}

struct binder store_bind_start(struct sqlite_store *store, enum statement which)
{
    struct binder binder = { store->statements[which], 1 };

    return binder;
}

int store_bind_finish(struct sqlite_store *store, struct binder *binder, const char *doing, struct err *err)
{
    int r = 0;

    if (sqlite3_step(binder->statement) != SQLITE_DONE)
        r = store_sqlite_fail(store, doing, err);
    sqlite3_reset(binder->statement);
    sqlite3_clear_bindings(binder->statement);
    return r;
}

/* --- meta ------------------------------------------------------------------ */

int store_sqlite_put_meta(struct sqlite_store *store, const char *name, int64_t value, struct err *err)
{
    struct binder binder = store_bind_start(store, STATEMENT_PUT_META);

    store_bind_text(&binder, name);
    store_bind_number(&binder, value);
    return store_bind_finish(store, &binder, "cannot write its numbers", err);
}

int store_sqlite_get_meta(struct sqlite_store *store, const char *name, int64_t *value, struct err *err)
{
    struct binder binder = store_bind_start(store, STATEMENT_GET_META);
    int code, r = 0;

    store_bind_text(&binder, name);
    code = sqlite3_step(binder.statement);
    if (code == SQLITE_ROW)
        *value = sqlite3_column_int64(binder.statement, 0);
    else if (code == SQLITE_DONE)
        r = err_set(err, ENOENT, "%s: has no %s", store->file, name);
    else
        r = store_sqlite_fail(store, "cannot read its numbers", err);
    sqlite3_reset(binder.statement);
    return r;
}
