/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_sqlite.h - inside the SQLite store
 *
 * store_open.c makes the object, store_schema.c its tables, store_load.c reads
 * them, store_sqlite.c writes them and owns the statements.
 */
#ifndef CREEL_RM_STORE_SQLITE_H
#define CREEL_RM_STORE_SQLITE_H

#include <sqlite3.h>

#include "rm/store/store_ops.h"

enum statement {
    STATEMENT_BEGIN, STATEMENT_COMMIT, STATEMENT_ROLLBACK,
    STATEMENT_PUT_APP, STATEMENT_PUT_ATTEMPT, STATEMENT_PUT_CONTAINER, STATEMENT_PUT_NODE,
    STATEMENT_PUT_SETTING, STATEMENT_FORGET_SETTING,
    STATEMENT_FORGET_APP, STATEMENT_FORGET_ATTEMPTS, STATEMENT_FORGET_CONTAINERS,
    STATEMENT_PUT_META, STATEMENT_GET_META,
    STATEMENT_GET_RING, STATEMENT_CLEAR_RING, STATEMENT_PUT_KEY,
    STATEMENT_COUNT
};

struct sqlite_store {
    struct store base;                  /* first: the callers hold this */
    sqlite3 *database;
    char *file;
    int lock_fd;
    sqlite3_stmt *statements[STATEMENT_COUNT];
};

extern const struct store_ops store_sqlite_ops;

/* The last error of the database as -errno, in words with the file's name and
 * what to do; DOING says what was tried. */
int store_sqlite_fail(const struct sqlite_store *store, const char *doing, struct err *err);

/* Run SQL that answers nothing. */
int store_sqlite_run(struct sqlite_store *store, const char *sql, const char *doing,
                     struct err *err);

/* Bring the tables to this build's schema (a new file: make them), inside a
 * transaction of the caller. */
int store_schema_prepare(struct sqlite_store *store, struct err *err);
/* Is the file one of ours, and not of a newer schema? An empty file is. */
int store_schema_check(struct sqlite_store *store, struct err *err);

int store_sqlite_prepare(struct sqlite_store *store, struct err *err);
int store_sqlite_load(struct store *store, const struct store_sink *sink, struct err *err);

/* Meta values are integers by name; -ENOENT if there is none. */
int store_sqlite_get_meta(struct sqlite_store *store, const char *name, int64_t *value,
                          struct err *err);
int store_sqlite_put_meta(struct sqlite_store *store, const char *name, int64_t value,
                          struct err *err);

#endif
