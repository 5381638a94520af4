/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_load.c - reads every row in order, and quarantines invalid rows
 *
 * The checksum of each row was valid (store_check.c). So a row that cannot be unpacked, has another id than
 * its column, or is refused by its receiver results from a bug or belongs to a damaged row. Such a row fails
 * the load, unless an operator accepted the state: then these rows are moved to the table quarantine at the
 * end of the load, with the reason.
 */
#include <errno.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/wire/wire_fit.h"
#include "rm/store/store_sqlite.h"

enum row_kind { ROW_SETTING, ROW_APP, ROW_ATTEMPT, ROW_CONTAINER, ROW_NODE };

static const struct {
    const char *name, *table;
} kinds[] = {
    [ROW_SETTING] = { "setting", "settings" }, [ROW_APP] = { "app", "apps" },
    [ROW_ATTEMPT] = { "attempt", "attempts" }, [ROW_CONTAINER] = { "container", "containers" },
    [ROW_NODE] = { "node", "nodes" },
};

static const char walk_sql[] =
    "SELECT 0 AS kind, rowid, name AS id, row, 0 AS cluster_ms, 0 AS seq, 0 AS attempt,"
    "  0 AS epoch, 0 AS number FROM settings UNION ALL "
    "SELECT 1, rowid, id, row, cluster_ms, seq, 0, 0, 0 FROM apps UNION ALL "
    "SELECT 2, rowid, id, row, cluster_ms, seq, attempt, 0, 0 FROM attempts UNION ALL "
    "SELECT 3, rowid, id, row, cluster_ms, seq, attempt, epoch, number FROM containers UNION ALL "
    "SELECT 4, rowid, id, row, -1, 0, 0, 0, 0 FROM nodes "
    "ORDER BY cluster_ms, seq, kind, attempt, epoch, number";

struct refused {
    enum row_kind kind;
    int64_t rowid;
    char *id, *reason;
};

struct walk {
    struct sqlite_store *store;
    const struct store_sink *sink;
    struct refused *refused;
    size_t count, capacity;
};

static int load_setting(const struct store_sink *sink, const char *id, size_t size, const uint8_t *bytes,
                        struct err *err)
{
    Creel__StoredSetting *row = creel__stored_setting__unpack(NULL, size, bytes);
    int r;

    if (row == NULL)
        return err_set(err, EBADMSG, "cannot be unpacked");
    r = text_equal(row->name, id) ? sink->setting(sink->context, row, err)
                                  : err_set(err, EBADMSG, "holds the row of \"%s\"", row->name);
    creel__stored_setting__free_unpacked(row, NULL);
    return r;
}

static int load_app(const struct store_sink *sink, const char *id, size_t size, const uint8_t *bytes,
                    struct err *err)
{
    Creel__StoredApp *row = creel__stored_app__unpack(NULL, size, bytes);
    int r;

    if (row == NULL)
        return err_set(err, EBADMSG, "cannot be unpacked");
    wire_fit(&row->base);
    r = text_equal(row->app_id, id) ? sink->app(sink->context, row, err)
                                    : err_set(err, EBADMSG, "holds the row of \"%s\"", row->app_id);
    creel__stored_app__free_unpacked(row, NULL);
    return r;
}

static int load_attempt(const struct store_sink *sink, const char *id, size_t size, const uint8_t *bytes,
                        struct err *err)
{
    Creel__StoredAttempt *row = creel__stored_attempt__unpack(NULL, size, bytes);
    int r;

    if (row == NULL)
        return err_set(err, EBADMSG, "cannot be unpacked");
    r = text_equal(row->attempt_id, id) ? sink->attempt(sink->context, row, err)
                                        : err_set(err, EBADMSG, "holds the row of \"%s\"", row->attempt_id);
    creel__stored_attempt__free_unpacked(row, NULL);
    return r;
}

static int load_container(const struct store_sink *sink, const char *id, size_t size, const uint8_t *bytes,
                          struct err *err)
{
    Creel__StoredContainer *row = creel__stored_container__unpack(NULL, size, bytes);
    const char *own;
    int r;

    if (row == NULL)
        return err_set(err, EBADMSG, "cannot be unpacked");
    own = row->report != NULL ? row->report->container_id : "";
    r = text_equal(own, id) ? sink->container(sink->context, row, err)
                            : err_set(err, EBADMSG, "holds the row of \"%s\"", own);
    creel__stored_container__free_unpacked(row, NULL);
    return r;
}

static int load_node(const struct store_sink *sink, const char *id, size_t size, const uint8_t *bytes,
                     struct err *err)
{
    Creel__StoredNode *row = creel__stored_node__unpack(NULL, size, bytes);
    int r;

    if (row == NULL)
        return err_set(err, EBADMSG, "cannot be unpacked");
    r = text_equal(row->node_id, id) ? sink->node(sink->context, row, err)
                                     : err_set(err, EBADMSG, "holds the row of \"%s\"", row->node_id);
    creel__stored_node__free_unpacked(row, NULL);
    return r;
}

static void load_row(struct walk *walk, sqlite3_stmt *statement)
{
    static int (*const handle[])(const struct store_sink *sink, const char *id, size_t size,
                                 const uint8_t *bytes, struct err *err) = {
        [ROW_SETTING] = load_setting,     [ROW_APP] = load_app,   [ROW_ATTEMPT] = load_attempt,
        [ROW_CONTAINER] = load_container, [ROW_NODE] = load_node,
    };
    enum row_kind kind = (enum row_kind)sqlite3_column_int(statement, 0);
    const char *id = (const char *)sqlite3_column_text(statement, 2);
    const uint8_t *bytes = sqlite3_column_blob(statement, 3);
    size_t size = (size_t)sqlite3_column_bytes(statement, 3);
    struct refused *refused;
    struct err err = { 0 };

    if (handle[kind](walk->sink, id, size, bytes, &err) == 0)
        return;
    mem_grow(walk->refused, walk->count, walk->capacity);
    refused = &walk->refused[walk->count++];
    refused->kind = kind;
    refused->rowid = sqlite3_column_int64(statement, 1);
    refused->id = mem_strdup(id);
    refused->reason = mem_strdup(err.text);
}

static int walk_rows(struct walk *walk, struct err *err)
{
    struct sqlite_store *store = walk->store;
    sqlite3_stmt *statement = NULL;
    int code, r = 0;

    if (sqlite3_prepare_v2(store->database, walk_sql, -1, &statement, NULL) != SQLITE_OK)
        return store_sqlite_fail(store, "cannot read it", err);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        load_row(walk, statement);
    if (code != SQLITE_DONE)
        r = store_sqlite_fail(store, "cannot read it", err);
    sqlite3_finalize(statement);
    return r;
}

static int move_row(struct sqlite_store *store, const struct refused *refused, struct err *err)
{
    const char *table = kinds[refused->kind].table;
    scoped_free char *copy =
        mem_printf("INSERT INTO quarantine SELECT '%s', %s, ?1, CAST(strftime('%%s','now') AS INTEGER), row "
                   "FROM %s WHERE rowid = ?2",
                   kinds[refused->kind].name, refused->kind == ROW_SETTING ? "name" : "id", table);
    scoped_free char *sql = mem_printf("DELETE FROM %s WHERE rowid = %lld", table, (long long)refused->rowid);
    sqlite3_stmt *statement = NULL;
    int r = 0;

    if (sqlite3_prepare_v2(store->database, copy, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_bind_text(statement, 1, refused->reason, -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_int64(statement, 2, refused->rowid) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_DONE)
        r = store_sqlite_fail(store, "cannot set a row aside", err);
    sqlite3_finalize(statement);
    return r < 0 ? r : store_sqlite_run(store, sql, "cannot set a row aside", err);
}

static int move_rows(struct walk *walk, struct err *err)
{
    struct store *base = &walk->store->base;
    int r = store_begin(base, err);

    for (size_t i = 0; r == 0 && i < walk->count; i++)
        r = move_row(walk->store, &walk->refused[i], err);
    if (r == 0)
        r = store_sqlite_put_meta(walk->store, "set_aside", 0, err);
    if (r < 0) {
        store_rollback(base);
        return r;
    }
    return store_commit(base, err);
}

static int refuse(const struct walk *walk, struct err *err)
{
    const struct refused *first = &walk->refused[0];
    scoped_free char *more =
        walk->count > 1 ? mem_printf(" (and %zu more rows)", walk->count - 1) : mem_strdup("");

    return err_set(err, EBADMSG, "%s: table %s, row %s: %s%s\n" STORE_CHOICES, walk->store->file,
                   kinds[first->kind].table, first->id, first->reason, more);
}

/* Moves refused rows to the quarantine if an operator has accepted the state since the last load. Else fails
 * if there are refused rows. */
static int settle_refused(struct walk *walk, struct err *err)
{
    int64_t may = 0;
    int r = store_sqlite_get_meta(walk->store, "set_aside", &may, err);

    if (r < 0 && r != -ENOENT)
        return r;
    if (walk->count > 0 && may == 0)
        return refuse(walk, err);
    r = may != 0 ? move_rows(walk, err) : 0;
    for (size_t i = 0; r == 0 && i < walk->count; i++)
        walk->sink->quarantined(walk->sink->context, kinds[walk->refused[i].kind].name, walk->refused[i].id,
                                walk->refused[i].reason);
    return r;
}

int store_sqlite_load(struct store *base, const struct store_sink *sink, struct err *err)
{
    struct walk walk = { .store = (struct sqlite_store *)base, .sink = sink };
    int r = walk_rows(&walk, err);

    if (r == 0)
        r = settle_refused(&walk, err);
    for (size_t i = 0; i < walk.count; i++) {
        free(walk.refused[i].id);
        free(walk.refused[i].reason);
    }
    free(walk.refused);
    return r;
}

/* --- configurations of queues -------------------------------------------------- */

int store_sqlite_load_scheduler_confs(struct store *base, store_scheduler_conf_fn *handle, void *context,
                                      struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    sqlite3_stmt *statement = NULL;
    int code, r = 0;

    if (sqlite3_prepare_v2(store->database, "SELECT id, row FROM scheduler_confs ORDER BY id", -1, &statement,
                           NULL) != SQLITE_OK)
        return store_sqlite_fail(store, "cannot read it", err);
    while (r == 0 && (code = sqlite3_step(statement)) != SQLITE_DONE) {
        const uint8_t *bytes = sqlite3_column_blob(statement, 1);
        size_t size = (size_t)sqlite3_column_bytes(statement, 1);
        int64_t version = sqlite3_column_int64(statement, 0);
        Creel__StoredSchedulerConf *row =
            code == SQLITE_ROW ? creel__stored_scheduler_conf__unpack(NULL, size, bytes) : NULL;

        if (code != SQLITE_ROW)
            r = store_sqlite_fail(store, "cannot read it", err);
        else if (row == NULL || row->version != (uint64_t)version)
            r = err_set(err, EBADMSG, "%s: table scheduler_confs, row %lld: cannot be unpacked", store->file,
                        (long long)version);
        else
            handle(context, row);
        if (r < 0 && row != NULL)
            creel__stored_scheduler_conf__free_unpacked(row, NULL);
    }
    sqlite3_finalize(statement);
    return r;
}
